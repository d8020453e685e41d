// The least that a server of event streams can do: a send() per subscriber.
#ifndef FLOOR_FLOOR_H
#define FLOOR_FLOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "floor/topics.h"

enum {
    FLOOR_SEND_BUFFER_BYTES = 64 * 1024,    // SO_SNDBUF of a stream, as Runcast's default
    FLOOR_MAX_REQUEST_BYTES = 1024 * 1024,
    FLOOR_MAX_UNSENT_BYTES = 1024 * 1024,   // of a subscriber that lags; beyond it is cut off
    FLOOR_READ_BYTES = 64 * 1024,
    FLOOR_EVENTS_PER_WAIT = 256,
    FLOOR_BACKLOG = 4096,
};

struct floor_counts {
    uint64_t subscribers;   // at present
    uint64_t frames;        // published
    uint64_t sends;         // send calls of frames
    uint64_t short_writes;  // sends that were not taken whole
    uint64_t cut_off;       // subscribers that lagged too far
};

struct floor_connection {
    struct floor_topic *topic;  // NULL until it subscribes
    size_t place;               // in the topic
    struct bytes input;         // of an unfinished request
    struct bytes unsent;
};

/// Indexed by descriptor. For one thread.
struct floor {
    int epoll;
    int listener;
    struct floor_connection *connections;
    size_t capacity;
    struct floor_topics topics;
    struct floor_counts counts;
    struct bytes frame;
};

/// Reads and answers what a readable connection has sent; closes it when its peer has.
void floor_read(struct floor *floor, int descriptor);

/// Sends what a connection has not taken so far.
void floor_flush(struct floor *floor, int descriptor);

/// Sends to one connection; what it does not take is kept.
void floor_send(struct floor *floor, int descriptor, struct slice text);

void floor_close(struct floor *floor, int descriptor);

#endif
