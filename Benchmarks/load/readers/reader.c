#include "readers/reader.h"

static void break_off(struct reader *reader, const char *error) {
    reader->is_done = true;
    reader->error = error;
}

bool reader_number(struct slice id, uint64_t *number) {
    const char *dash = memchr(id.at, '-', id.length);
    if (!dash) return false;
    const struct slice digits = slice_without_first(id, (size_t)(dash - id.at) + 1);
    if (0 == digits.length || digits.length > 18) return false;
    *number = 0;
    for (size_t i = 0; i < digits.length; i++) {
        // One with a dot is of an event that is not recorded.
        if (digits.at[i] < '0' || digits.at[i] > '9') return false;
        *number = *number * 10 + (uint64_t)(digits.at[i] - '0');
    }
    return true;
}

static void take_event(struct reader *reader, const struct event *event, uint64_t now_ns) {
    uint64_t number;
    if (slice_equals(event->name, "gap")) reader->gaps++;
    if (!reader_number(event->id, &number) || slice_equals(event->name, "gap")) return;
    if (0 == reader->first_ns) reader->first_ns = now_ns;
    reader->last_ns = now_ns;
    reader->events++;
    if (number <= reader->newest) {
        reader->repeats++;
        return;
    }
    reader->newest = number;
}

static void take_text(struct reader *reader, struct slice text, uint64_t now_ns) {
    struct event event;
    enum event_part part;
    while (event_ready == (part = event_next(&reader->stream, &text, &event))) {
        take_event(reader, &event, now_ns);
        if (reader->newest < reader->until) continue;
        reader->is_done = true;
        return;
    }
    if (event_error == part) break_off(reader, "an event is too long");
}

void reader_receive(struct reader *reader, struct slice input, uint64_t now_ns) {
    struct slice body;
    reader->bytes += input.length;
    while (!reader->is_done) {
        switch (http_next(&reader->response, &input, &body)) {
        case http_need_more: return;
        case http_head:
            reader->is_ready = 200 == reader->response.status && reader->response.is_event_stream;
            if (!reader->is_ready) break_off(reader, "the answer is no stream");
            break;
        case http_body: take_text(reader, body, now_ns); break;
        case http_end: break_off(reader, "the stream has ended"); break;
        case http_error: break_off(reader, reader->response.error); break;
        }
    }
}

void reader_disconnected(struct reader *reader) {
    break_off(reader, "the server has closed the connection");
}

void reader_free(struct reader *reader) {
    http_reset(&reader->response);
    event_stream_free(&reader->stream);
}
