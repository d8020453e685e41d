#include "client/subscriber.h"

static struct tally *tally_of(const struct subscriber *subscriber, struct load *load) {
    return &load->tallies[subscriber->role];
}

static bool fail(struct subscriber *subscriber, const char *error) {
    subscriber->phase = subscriber_failed;
    subscriber->error = error;
    return false;
}

/// The stream can't be read on.
static bool break_off(struct subscriber *subscriber, struct load *load, const char *error) {
    count(&tally_of(subscriber, load)->malformed, 1);
    subscriber->phase = subscriber_ended;
    subscriber->error = error;
    return false;
}

static void take_valid_event(
    struct subscriber *subscriber, struct load *load, uint64_t seq, uint64_t sent_ns, uint64_t now_ns)
{
    struct tally *tally = tally_of(subscriber, load);
    uint64_t skipped;
    const enum sequence_step step = sequence_take(&subscriber->sequence, seq, &skipped);
    if (sequence_repeated == step) {
        count(&tally->repeats, 1);
        return;
    }
    if (sequence_late == step) {
        count(&tally->out_of_order, 1);
        count(&tally->skipped, (uint64_t)-1);
    } else if (skipped > 0) {
        count(&tally->skipped, skipped);
    }
    count(&tally->delivered, 1);
    if (sent_ns < atomic_load_explicit(&load->measured_since_ns, memory_order_acquire)) return;
    count(&tally->measured_delivered, 1);
    if (role_normal != subscriber->role) return;
    // An event can't arrive before it was sent; one that seems to was made up.
    if (sent_ns > now_ns) {
        count(&tally->malformed, 1);
        return;
    }
    histogram_record(&load->latency_ns, now_ns - sent_ns);
}

static void take_event(
    struct subscriber *subscriber, struct load *load, const struct event *event, uint64_t now_ns)
{
    struct tally *tally = tally_of(subscriber, load);
    uint64_t seq, sent_ns;
    switch (load_event_read(&load->events, event->data, &seq, &sent_ns)) {
    case load_event_valid: take_valid_event(subscriber, load, seq, sent_ns, now_ns); break;
    case load_event_malformed: count(&tally->malformed, 1); break;
    case load_event_foreign:
        count(slice_equals(event->name, "gap") ? &tally->announced_gaps : &tally->foreign, 1);
        break;
    }
}

static bool take_text(struct subscriber *subscriber, struct load *load, struct slice text, uint64_t now_ns) {
    struct tally *tally = tally_of(subscriber, load);
    struct event_stream *stream = &subscriber->stream;
    const uint64_t comments = stream->comments, unknown_fields = stream->unknown_fields;
    struct event event;
    enum event_part part;
    count(&tally->plain_bytes, text.length);
    while (event_ready == (part = event_next(stream, &text, &event))) {
        take_event(subscriber, load, &event, now_ns);
    }
    if (stream->comments != comments) count(&tally->comments, stream->comments - comments);
    if (stream->unknown_fields != unknown_fields) count(&tally->malformed, stream->unknown_fields - unknown_fields);
    return event_error != part || break_off(subscriber, load, "an event is too long");
}

static bool take_coded(
    struct subscriber *subscriber, struct load *load, struct slice body, uint64_t now_ns, char *room,
    size_t room_length)
{
    if (!subscriber->inflation) return take_text(subscriber, load, body, now_ns);
    struct slice text;
    enum inflation_part part;
    while (inflation_output
           == (part = inflation_next(subscriber->inflation, &body, room, room_length, &text))) {
        if (!take_text(subscriber, load, text, now_ns)) return false;
    }
    return inflation_error != part || break_off(subscriber, load, "bad compressed bytes");
}

static bool take_head(struct subscriber *subscriber, struct load *load) {
    const struct http_response *response = &subscriber->response;
    if (200 != response->status) return fail(subscriber, "the status is not 200");
    if (!response->is_event_stream) return fail(subscriber, "the content type is not text/event-stream");
    if (http_other_coding == response->coding) return fail(subscriber, "an unknown content coding");
    if (http_identity != response->coding) {
        if (!load->options->gunzip) return fail(subscriber, "a content coding that was not asked for");
        subscriber->inflation = inflation_create();
    }
    subscriber->phase = subscriber_ready;
    subscriber->was_ready = true;
    return true;
}

bool subscriber_receive(
    struct subscriber *subscriber, struct load *load, struct slice input, uint64_t now_ns, char *room,
    size_t room_length)
{
    struct http_response *response = &subscriber->response;
    struct slice body;
    for (;;) {
        switch (http_next(response, &input, &body)) {
        case http_need_more: return true;
        case http_head:
            if (!take_head(subscriber, load)) return false;
            break;
        case http_body:
            if (!take_coded(subscriber, load, body, now_ns, room, room_length)) return false;
            break;
        case http_end:
            if (input.length > 0) return break_off(subscriber, load, "bytes behind the end");
            subscriber_disconnected(subscriber, load);
            return false;
        case http_error:
            if (subscriber_ready != subscriber->phase) return fail(subscriber, response->error);
            return break_off(subscriber, load, response->error);
        }
    }
}

void subscriber_disconnected(struct subscriber *subscriber, struct load *load) {
    struct tally *tally = tally_of(subscriber, load);
    if (subscriber_ready != subscriber->phase) {
        fail(subscriber, "closed before there was a head");
        return;
    }
    subscriber->phase = subscriber_ended;
    if (!subscriber->is_cut) count(&tally->closed, 1);
    const bool is_whole =
        http_may_close(&subscriber->response) && event_stream_is_between_events(&subscriber->stream);
    if (!is_whole) count(&tally->truncated, 1);
}

void subscriber_free(struct subscriber *subscriber) {
    http_reset(&subscriber->response);
    event_stream_free(&subscriber->stream);
    inflation_free(subscriber->inflation);
    subscriber->inflation = NULL;
}
