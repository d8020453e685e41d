// The small programs' command lines: names followed by values.
#ifndef LOAD_ARGUMENTS_H
#define LOAD_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

enum { ARGUMENT_MAX_REPEATS = 64 };  // of an option that may be repeated

/// One option; exactly one of the three places is set.
struct argument {
    const char *name;         // with its dashes
    uint64_t *number;
    uint64_t least, greatest; // of a number, both included
    const char **text;
    const char **texts;       // repeatable; room for ARGUMENT_MAX_REPEATS
    size_t *texts_count;
};

/// Sets what is given. A wrong option ends the program with status 2 and the usage, one line, on standard error.
void arguments_read(
    const struct argument *known, size_t known_count, int count, char **arguments, const char *usage);

#endif
