// Counts of durations in buckets of constant relative width.
#ifndef LOAD_HISTOGRAM_H
#define LOAD_HISTOGRAM_H

#include <stdint.h>

enum {
    /// Each power of two is cut into 2^6 buckets, so that none is wider than 1/64 (1.6 %) of its values.
    HISTOGRAM_SUBDIVISION_BITS = 6,
    HISTOGRAM_SUBDIVISIONS = 1 << HISTOGRAM_SUBDIVISION_BITS,
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SUBDIVISION_BITS + 1) * HISTOGRAM_SUBDIVISIONS,
};

/// 30 KiB, of which a run touches only what it needs. All zeros is an empty one. For one thread.
struct histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[HISTOGRAM_BUCKETS];
};

/// Any value has a bucket; those below 128 one of their own.
static inline unsigned histogram_bucket(uint64_t value) {
    if (value < 2 * HISTOGRAM_SUBDIVISIONS) return (unsigned)value;
    const unsigned shift = 63 - HISTOGRAM_SUBDIVISION_BITS - (unsigned)__builtin_clzll(value);
    return shift * HISTOGRAM_SUBDIVISIONS + (unsigned)(value >> shift);
}

static inline void histogram_record(struct histogram *histogram, uint64_t value) {
    histogram->count++;
    if (value > histogram->max) histogram->max = value;
    histogram->buckets[histogram_bucket(value)]++;
}

/// The least value that at least `quantile` (0 to 1) of the values do not exceed, rounded up to its bucket's end
/// but never beyond the greatest value recorded. 0 when nothing was recorded.
uint64_t histogram_quantile(const struct histogram *histogram, double quantile);

#endif
