// How far the subscribers of one kind have come in their topics.
#ifndef LOAD_PROGRESS_H
#define LOAD_PROGRESS_H

#include "client/subscribers.h"

/// Of those that were ready once.
struct progress {
    uint64_t count;
    uint64_t up_to_date;       // that have seen their topic's newest event
    uint64_t missing;          // events that are newer than what each has seen, summed
    uint64_t newest_least;     // the newest number seen, of the one that is furthest behind
    uint64_t newest_greatest;  // and of the one that is furthest ahead
};

struct progress progress_of(const struct subscribers *subscribers, enum role role);

#endif
