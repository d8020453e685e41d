#include "measure/histogram.h"

#include <math.h>

static uint64_t last_value_of(unsigned bucket) {
    if (bucket < 2 * HISTOGRAM_SUBDIVISIONS) return bucket;
    const unsigned shift = bucket / HISTOGRAM_SUBDIVISIONS - 1;
    const uint64_t next = (uint64_t)(bucket % HISTOGRAM_SUBDIVISIONS + HISTOGRAM_SUBDIVISIONS + 1);
    // Wraps to the greatest value for the very last bucket.
    return (next << shift) - 1;
}

uint64_t histogram_quantile(const struct histogram *histogram, double quantile) {
    if (0 == histogram->count) return 0;
    uint64_t rank = (uint64_t)ceil(quantile * (double)histogram->count);
    if (rank < 1) rank = 1;
    uint64_t passed = 0;
    for (unsigned bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
        passed += histogram->buckets[bucket];
        if (passed < rank) continue;
        const uint64_t value = last_value_of(bucket);
        return value < histogram->max ? value : histogram->max;
    }
    return histogram->max;
}
