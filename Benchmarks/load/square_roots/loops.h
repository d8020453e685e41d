// Loops that do nothing but take square roots and add them, each with another instruction set.
#ifndef SQUARE_ROOTS_LOOPS_H
#define SQUARE_ROOTS_LOOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /// Terms of one step of any loop; counts are multiples of it.
    SQUARE_ROOTS_STEP = 64,
};

struct square_root_loop {
    const char *name;
    bool (*is_supported)(void);
    /// Sums the roots of `count` integers. Independent vectors hide the latency of the additions, so that what is left
    /// is the throughput of the machine's square-root unit.
    double (*sum)(uint64_t count);
};

extern const struct square_root_loop square_root_loops[];
extern const size_t square_root_loop_count;

#endif
