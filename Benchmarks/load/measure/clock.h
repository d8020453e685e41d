// Time as the load programs read it.
#ifndef LOAD_CLOCK_H
#define LOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NANOSECONDS_PER_SECOND UINT64_C(1000000000)

/// Nanoseconds of CLOCK_MONOTONIC: the same for every process of the machine, never set back.
static inline uint64_t monotonic_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)time.tv_nsec;
}

static inline uint64_t seconds_to_ns(double seconds) {
    return (uint64_t)(seconds * (double)NANOSECONDS_PER_SECOND);
}

static inline double ns_to_seconds(uint64_t ns) {
    return (double)ns / (double)NANOSECONDS_PER_SECOND;
}

#endif
