// The command line's options, one row each.
#ifndef LOAD_OPTIONS_TABLE_H
#define LOAD_OPTIONS_TABLE_H

#include <stddef.h>

enum option_kind { option_flag, option_unsigned, option_real, option_text, option_texts };

struct option_row {
    const char *name;
    const char *argument;  // as the help shows it; NULL for a flag
    enum option_kind kind;
    size_t offset;         // into struct options
    double min, max;       // of numbers, both included
    const char *initial;   // the default, as it would be typed; NULL for none
    const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_count;

#endif
