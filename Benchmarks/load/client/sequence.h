// The order in which one subscriber sees its topic's numbers. Pure.
#ifndef LOAD_SEQUENCE_H
#define LOAD_SEQUENCE_H

#include <stdint.h>

/// Numbers count from 1; all zeros is one that has seen none.
struct sequence {
    uint64_t newest;
    uint64_t seen;  // bit k: newest - k has been seen
};

enum sequence_step {
    sequence_advanced,  // a new number, perhaps after some that were left out
    sequence_late,      // one that had been left out, after newer ones
    sequence_repeated,  // seen before, or too old to tell: 64 or more behind the newest
};

/// `skipped` is set to how many numbers were left out just before an advance.
static inline enum sequence_step sequence_take(struct sequence *sequence, uint64_t number, uint64_t *skipped) {
    *skipped = 0;
    if (number > sequence->newest) {
        const uint64_t distance = number - sequence->newest;
        sequence->seen = distance < 64 ? sequence->seen << distance | 1 : 1;
        sequence->newest = number;
        *skipped = distance - 1;
        return sequence_advanced;
    }
    const uint64_t age = sequence->newest - number;
    if (age >= 64 || sequence->seen >> age & 1) return sequence_repeated;
    sequence->seen |= UINT64_C(1) << age;
    return sequence_late;
}

#endif
