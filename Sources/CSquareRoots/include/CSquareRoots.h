// Sums of square roots of consecutive integers, with the widest vectors that the machine has.
//
// Every variant gives the same bits: eight lanes whatever the width, each lane summed in order, only IEEE 754
// additions and square roots (both correctly rounded), no multiplication that could be fused.
#ifndef RUNCAST_SQUARE_ROOTS_H
#define RUNCAST_SQUARE_ROOTS_H

#include <stdbool.h>
#include <stdint.h>

enum { RC_SQRT_LANES = 8 };

typedef enum {
    RC_SQRT_BASELINE = 0,
    RC_SQRT_AVX2 = 1,
    RC_SQRT_AVX512 = 2,
} rc_sqrt_variant;

// Whether this machine and this build have the variant. Baseline is always there.
bool rc_sqrt_is_supported(rc_sqrt_variant variant);

// Adds the square roots of first, first + 1, ..., first + count - 1 to eight sums: that of first + i to
// lanes[i % 8]. first + count is at most 2^63. The variant must be supported.
void rc_sqrt_add(rc_sqrt_variant variant, uint64_t first, uint64_t count, double lanes[RC_SQRT_LANES]);

#endif
