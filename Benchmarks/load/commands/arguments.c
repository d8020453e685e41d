#include "commands/arguments.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_number(const struct argument *argument, const char *value) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(value, &end, 10);
    // strtoull takes a sign.
    if (value[0] < '0' || value[0] > '9' || '\0' != *end || 0 != errno) return false;
    if (number < argument->least || number > argument->greatest) return false;
    *argument->number = number;
    return true;
}

static bool take(const struct argument *argument, const char *value) {
    if (argument->number) return read_number(argument, value);
    if (argument->text) {
        *argument->text = value;
        return true;
    }
    if (ARGUMENT_MAX_REPEATS == *argument->texts_count) return false;
    argument->texts[(*argument->texts_count)++] = value;
    return true;
}

static const struct argument *find(const struct argument *known, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (0 == strcmp(known[i].name, name)) return &known[i];
    }
    return NULL;
}

void arguments_read(
    const struct argument *known, size_t known_count, int count, char **arguments, const char *usage)
{
    for (int i = 1; i < count; i += 2) {
        const struct argument *argument = find(known, known_count, arguments[i]);
        if (argument && i + 1 < count && take(argument, arguments[i + 1])) continue;
        fprintf(stderr, "usage: %s\n", usage);
        exit(2);
    }
}
