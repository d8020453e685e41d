#include "client/publisher.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "client/publisher_connection.h"
#include "measure/clock.h"
#include "wire/sockets.h"

void publisher_init(struct publisher *publisher, struct load *load) {
    *publisher = (struct publisher){ .load = load, .random = 2463534242 };
    publisher->descriptor = socket_connect(&load->server);
    if (publisher->descriptor < 0) load_give_up("the publisher can't connect: %s", strerror(errno));
    publisher->in_flight = allocate_zeroed(load->options->publish_in_flight, sizeof *publisher->in_flight);
    publisher->event = allocate_zeroed(load->events.size, 1);
}

void publisher_free(struct publisher *publisher) {
    if (publisher->descriptor >= 0) close(publisher->descriptor);
    http_reset(&publisher->response);
    bytes_free(&publisher->output);
    free(publisher->in_flight);
    free(publisher->event);
}

/// Waits for room in flight, or with 0 for all answers.
static bool wait_for_answers(struct publisher *publisher, size_t allowed, uint64_t deadline_ns) {
    while (publisher->in_flight_count > allowed) {
        if (monotonic_ns() >= deadline_ns || !publisher_wait_until(publisher, deadline_ns)) return false;
    }
    return true;
}

void publisher_create_topics(struct publisher *publisher) {
    const struct options *options = publisher->load->options;
    const uint64_t deadline = monotonic_ns() + seconds_to_ns(options->connect_timeout);
    bool is_answered = true;
    for (size_t topic = 0; topic < options->topics && is_answered; topic++) {
        is_answered = wait_for_answers(publisher, options->publish_in_flight - 1, deadline);
        publisher_send(publisher, topic, slice_of("{\"created\":true}"), (struct publication){ 0 });
    }
    is_answered = is_answered && wait_for_answers(publisher, 0, deadline);
    if (publisher->refused > 0) load_give_up("a topic can't be created: status %u", publisher->last_refusal);
    if (!is_answered || publisher->unanswered > 0) {
        load_give_up("a topic can't be created: %s", publisher->error ? publisher->error : "no answer");
    }
}

static size_t choose_topic(struct publisher *publisher) {
    const struct options *options = publisher->load->options;
    if (!options->publishes_at_random) return publisher->next_topic++ % options->topics;
    // Xorshift (Marsaglia, 2003): the same order in every run.
    publisher->random ^= publisher->random << 13;
    publisher->random ^= publisher->random >> 17;
    publisher->random ^= publisher->random << 5;
    return publisher->random % options->topics;
}

static void publish(struct publisher *publisher, uint64_t due_ns, bool is_measured) {
    const size_t index = choose_topic(publisher);
    struct topic *topic = &publisher->load->topics[index];
    topic->published++;
    publisher->published++;
    const uint64_t now = monotonic_ns();
    if (is_measured) {
        topic->measured_published++;
        publisher->measured_published++;
        histogram_record(&publisher->lag_ns, now - due_ns);
    }
    const size_t length = load_event_write(&publisher->load->events, publisher->event, topic->published, now);
    publisher_send(
        publisher, index, (struct slice){ publisher->event, length },
        (struct publication){ .sent_ns = now, .is_measured = is_measured });
}

/// Waits until an event is due and may be sent. False when the time is over, or the server is gone.
static bool wait_for_turn(struct publisher *publisher, uint64_t due_ns, uint64_t end_ns) {
    const size_t capacity = publisher->load->options->publish_in_flight;
    for (;;) {
        const uint64_t now = monotonic_ns();
        const bool has_room = publisher->in_flight_count < capacity;
        if (now >= end_ns) return false;
        if (now >= due_ns && has_room) return true;
        if (!publisher_wait_until(publisher, has_room ? due_ns : end_ns)) return false;
    }
}

void publisher_run(struct publisher *publisher) {
    struct load *load = publisher->load;
    const struct options *options = load->options;
    // Else a wait may be 50 us longer than asked for (prctl(2)).
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
    const uint64_t began = monotonic_ns();
    const uint64_t measured_from = began + seconds_to_ns(options->warmup);
    const uint64_t end = measured_from + seconds_to_ns(options->duration);
    bool is_measured = false;
    uint64_t due = began;
    for (uint64_t index = 0; due < end && (0 == options->events || index < options->events);) {
        if (!wait_for_turn(publisher, due, end)) break;
        if (!is_measured && monotonic_ns() >= measured_from) {
            load_begin_measuring(load);
            is_measured = true;
        }
        publish(publisher, due, is_measured);
        due = began + seconds_to_ns((double)++index / options->rate);
    }
    // To when the next event would have been due, so that the rate is not overrated.
    const uint64_t now = monotonic_ns();
    publisher->measured_ns = (now > due ? now : due) - load->began.time_ns;
    wait_for_answers(publisher, 0, now + seconds_to_ns(options->drain));
}
