// What the subscribers have counted.
#ifndef LOAD_TALLY_H
#define LOAD_TALLY_H

#include <stdatomic.h>
#include <stdint.h>

/// Written by the subscribers' thread alone, read by any: hence atomic, but never read-modify-write.
typedef _Atomic uint64_t counter;

static inline void count(counter *of, uint64_t more) {
    const uint64_t value = atomic_load_explicit(of, memory_order_relaxed);
    atomic_store_explicit(of, value + more, memory_order_relaxed);
}

static inline uint64_t counted(const counter *of) {
    return atomic_load_explicit(of, memory_order_relaxed);
}

/// Of all subscribers of one kind, since the start.
struct tally {
    counter delivered;           // events of the load, each number once
    counter measured_delivered;  // those of them that were sent in the measured part
    counter skipped;             // numbers left out and never seen later
    counter repeats;             // numbers seen before
    counter out_of_order;        // numbers seen after newer ones
    counter malformed;           // events, streams or framing that are not as they must be
    counter announced_gaps;      // events named `gap`
    counter foreign;             // other events that are not of the load, such as `subscribed`
    counter comments;
    counter closed;              // streams that the server ended
    counter truncated;           // those of them that ended within a chunk or an event
    counter bytes;               // read from sockets, heads included
    counter plain_bytes;         // of streams, after their coding was undone
    counter reads;               // read calls that returned bytes
};

#endif
