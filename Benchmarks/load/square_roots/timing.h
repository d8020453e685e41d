// How long a loop takes per term, on one or several cores.
#ifndef SQUARE_ROOTS_TIMING_H
#define SQUARE_ROOTS_TIMING_H

#include "square_roots/loops.h"

/// Nanoseconds of wall-clock time per term of all threads together.
struct square_root_time {
    double least;   // of all rounds: the limit
    double median;
};

/// Each of the threads sums `terms` roots in each round; all start a round together, and it ends with the last of
/// them. Ends the program if there can't be so many threads, or if a sum is wrong.
struct square_root_time square_roots_time(
    const struct square_root_loop *loop, unsigned threads, uint64_t terms, unsigned rounds);

#endif
