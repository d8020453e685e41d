// One run of the load client, as its threads share it.
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <netinet/in.h>

#include "client/load_event.h"
#include "client/options.h"
#include "client/tally.h"
#include "measure/histogram.h"

enum role { role_normal, role_slow, role_stuck, role_count };

/// Readings at one moment, of which a part is the difference.
struct moment {
    uint64_t time_ns;
    uint64_t server_cpu_ns;
    uint64_t client_cpu_ns;
    uint64_t delivered;
    uint64_t bytes;
    uint64_t plain_bytes;
    uint64_t reads;
};

struct topic {
    uint64_t published;           // the newest number; the publisher's thread writes
    uint64_t measured_published;  // how many in the measured part
    uint64_t normal_subscribers;  // that were ready
};

struct load {
    const struct options *options;
    struct sockaddr_in server;
    struct load_events events;
    struct topic *topics;

    /// Events sent from this time on are measured; UINT64_MAX until it is known. Set before the first of them is sent.
    _Atomic uint64_t measured_since_ns;
    struct moment began;  // the measured part; set by who sets `measured_since_ns`
    struct moment ended;

    struct tally tallies[role_count];
    struct histogram latency_ns;  // of measured events to normal subscribers
    struct histogram first_byte_ns;
};

void load_init(struct load *load, const struct options *options);
void load_free(struct load *load);

/// May be called by any thread.
void load_take_moment(const struct load *load, struct moment *moment);

/// Opens the measured part.
void load_begin_measuring(struct load *load);

/// Ends the program with status 1 and a line that says why nothing can be measured.
__attribute__((noreturn, format(printf, 1, 2))) void load_give_up(const char *format, ...);

#endif
