// Reads a text/event-stream (WHATWG HTML, section 9.2.6) from bytes that arrive in any pieces. Pure: no I/O.
#ifndef LOAD_EVENT_STREAM_H
#define LOAD_EVENT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/bytes.h"

enum {
    /// Bytes of one event's lines; a longer one is an error.
    EVENT_STREAM_MAX_EVENT_BYTES = 1024 * 1024,
};

enum event_part {
    event_need_more,  // the input is used up
    event_ready,      // an event to be dispatched
    event_error,      // an event too long
};

/// What an event says, borrowed until the next call. `data` has its lines joined by LF.
struct event {
    struct slice name;  // empty where the event has none: then it is "message"
    struct slice id;    // empty where the event has none of its own
    struct slice data;
};

/// All zeros is one at the start of its stream.
///
/// An event that lies whole in one piece of input is read where it lies. Only what is cut off at the end of a piece is
/// kept, and then read anew from the event's first line.
struct event_stream {
    struct bytes held;        // input that has not been read yet; begins with the first line of an event
    size_t held_at;           // how much of it has been read
    struct bytes joined;      // data of several lines
    bool is_past_start;       // where a byte order mark would have been
    uint64_t comments;        // lines that begin with a colon
    uint64_t unknown_fields;  // lines of a name that the standard lacks, which a browser would ignore
};

/// Takes bytes from the front of `input`, and sets `event` when they complete one that has data.
enum event_part event_next(struct event_stream *stream, struct slice *input, struct event *event);

/// Whether nothing but whole events has come. If not when the stream ends, the rest is lost.
bool event_stream_is_between_events(const struct event_stream *stream);

void event_stream_free(struct event_stream *stream);

#endif
