// One reader of a topic's log: what it has received, and whether the ids grow. No I/O of its own.
#ifndef LOAD_READER_H
#define LOAD_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/event_stream.h"
#include "wire/http_response.h"

struct reader {
    int descriptor;
    bool is_ready;         // the head of a stream has come
    bool is_done;          // it has all that it wants, or can't be read on
    uint64_t first_ns;     // when its first event came; 0 before
    uint64_t last_ns;      // and the newest one
    uint64_t newest;       // number of the newest event's id; before the first that of the id it began behind, or 0
    uint64_t events;       // that have an id
    uint64_t until;        // it is done once it has an event with this number, or a later one
    uint64_t repeats;      // events that are not newer than the one before
    uint64_t gaps;         // events named `gap`
    uint64_t bytes;        // all of them, framing included
    struct http_response response;
    struct event_stream stream;
    const char *error;     // why it can't be read on, if so
};

/// The number in an id, `<epoch>-<number>`; false if it is not one of a recorded event.
bool reader_number(struct slice id, uint64_t *number);

/// Reads what has come at `now_ns`, until it is done or there is no reading on.
void reader_receive(struct reader *reader, struct slice input, uint64_t now_ns);

/// The server has closed the connection, or broken it.
void reader_disconnected(struct reader *reader);

/// Frees what belongs to it, but for the descriptor.
void reader_free(struct reader *reader);

#endif
