// The phases of a run.
#ifndef LOAD_RUN_H
#define LOAD_RUN_H

#include "client/load.h"
#include "client/progress.h"
#include "client/publisher.h"
#include "client/subscribers.h"

struct run {
    struct load load;
    struct subscribers subscribers;
    struct publisher publisher;
    uint64_t rss_before_kib;
    uint64_t rss_connected_kib;
    uint64_t rss_end_kib;
    uint64_t connect_ns;       // until all were ready
    uint64_t connect_cpu_ns;   // of the server, until the end of the settling
    bool is_drained;
    struct progress in_time[role_count];  // before slow and stuck readers were let read at full speed
};

/// Connects, settles, publishes, drains, reads out. Ends the program when nothing can be measured.
void run_load(struct run *run, const struct options *options);
void run_free(struct run *run);

#endif
