// All subscribers, on one thread with one epoll set.
#ifndef LOAD_SUBSCRIBERS_H
#define LOAD_SUBSCRIBERS_H

#include "client/load.h"
#include "client/subscriber.h"

enum {
    SUBSCRIBERS_READ_BYTES = 64 * 1024,      // of one read call; one a readiness
    SUBSCRIBERS_EVENTS_PER_WAIT = 256,
    SUBSCRIBERS_TICK_MILLISECONDS = 100,     // of the slow readers
    SUBSCRIBERS_SAMPLE_MILLISECONDS = 250,   // of the server's memory
    SUBSCRIBERS_SLOW_BUFFER_BYTES = 4096,    // SO_RCVBUF of slow and stuck ones
};

struct subscribers {
    struct load *load;
    struct subscriber *all;
    size_t count;
    int epoll;
    int wake;            // an eventfd by which another thread ends a wait
    size_t started;
    size_t under_way;    // neither ready nor failed
    size_t ready;        // ever
    size_t failed;
    size_t compressed;   // of those that were ready: with a content coding
    bool is_draining;    // nothing more will be published
    size_t due;          // while draining: open normal ones that have not seen their topic's newest event
    uint64_t next_tick_ns;
    uint64_t next_sample_ns;
    uint64_t rss_peak_kib;
    const char *error;   // of the first one that failed or ended by an error
    char *input;
    char *decoded;
};

void subscribers_init(struct subscribers *subscribers, struct load *load);
void subscribers_free(struct subscribers *subscribers);

/// Connects all; returns when each is ready or has failed. Gives up after the connect timeout.
void subscribers_connect(struct subscribers *subscribers);

/// Receives until the time or until woken, whichever is first. Returns whether it was woken.
bool subscribers_run_until(struct subscribers *subscribers, uint64_t deadline_ns);

/// Ends a wait; any thread may call it.
void subscribers_wake(const struct subscribers *subscribers);

/// Receives until every open normal subscriber has its topic's newest event, or until the time. Call it when nothing
/// more is published. Returns whether nothing is due any more.
bool subscribers_drain(struct subscribers *subscribers, uint64_t deadline_ns);

/// Lets the slow and the stuck ones read at full speed until they have their topic's newest event, or until the time.
void subscribers_read_out(struct subscribers *subscribers, uint64_t deadline_ns);

#endif
