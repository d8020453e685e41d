#include "client/options.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/load_event.h"
#include "client/options_table.h"
#include "measure/process_usage.h"

__attribute__((noreturn, format(printf, 1, 2))) static void refuse(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("sse-load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("; see --help\n", stderr);
    va_end(arguments);
    exit(2);
}

static void print_help(void) {
    puts("usage: sse-load --port N [OPTION ...]\n");
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_rows[i];
        char left[64];
        snprintf(left, sizeof left, "%s %s", row->name, row->argument ? row->argument : "");
        printf("  %-28s %s", left, row->help);
        if (row->initial) printf(" (%s)", row->initial);
        putchar('\n');
    }
    puts("\nPrints one JSON object. Exits with 0 after a measurement, whatever was counted in it, with 1 when there\n"
         "could be none, with 2 when an option is wrong. In parentheses: the default.");
}

static double number(const struct option_row *row, const char *text) {
    char *end;
    errno = 0;
    const double value = strtod(text, &end);
    const bool is_number = end != text && '\0' == *end && 0 == errno && isfinite(value);
    const bool is_integral = option_unsigned != row->kind || value == floor(value);
    if (!is_number || !is_integral || value < row->min || value > row->max) {
        refuse("%s takes %s from %.15g to %.15g, not '%s'", row->name,
               option_unsigned == row->kind ? "an integer" : "a number", row->min, row->max, text);
    }
    return value;
}

static void set(struct options *options, const struct option_row *row, const char *text) {
    void *place = (char *)options + row->offset;
    switch (row->kind) {
    case option_flag: *(bool *)place = true; break;
    case option_unsigned: *(uint64_t *)place = (uint64_t)number(row, text); break;
    case option_real: *(double *)place = number(row, text); break;
    case option_text: *(const char **)place = text; break;
    case option_texts: {
        struct option_list *list = place;
        if (OPTION_MAX_REPEATS == list->count) refuse("%s can be repeated %d times", row->name, OPTION_MAX_REPEATS);
        list->values[list->count++] = text;
        break;
    }
    }
}

static const struct option_row *row_named(const char *name) {
    for (size_t i = 0; i < option_count; i++) {
        if (0 == strcmp(option_rows[i].name, name)) return &option_rows[i];
    }
    refuse("there is no option %s", name);
}

static void check_headers(const char *name, const struct option_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        const char *colon = strchr(list->values[i], ':');
        if (!colon || colon == list->values[i] || strpbrk(list->values[i], "\r\n")) {
            refuse("%s takes 'Name: value', not '%s'", name, list->values[i]);
        }
    }
}

static void check_path(const char *name, const char *path) {
    if ('/' != path[0] || strpbrk(path, " \r\n")) refuse("%s takes a path that begins with /, not '%s'", name, path);
}

static void read_processes(struct options *options) {
    for (size_t i = 0; i < options->pids.count; i++) {
        char *end;
        const long process = strtol(options->pids.values[i], &end, 10);
        if ('\0' != *end || process <= 0 || !process_is_measurable((pid_t)process)) {
            refuse("--pid takes the number of a running process, not '%s'", options->pids.values[i]);
        }
        options->processes[i] = (pid_t)process;
    }
}

static void check(struct options *options) {
    if (0 == options->port) refuse("--port is needed");
    if (options->stuck + options->slow > options->subscribers) refuse("--stuck and --slow exceed --subscribers");
    if (options->slow > 0 && 0 == options->slow_bytes_per_second) refuse("--slow needs --slow-bytes-per-second");
    check_path("--path", options->path);
    check_headers("--header", &options->headers);
    check_headers("--publish-header", &options->publish_headers);
    options->publishes_at_random = 0 == strcmp(options->publish_topic, "random");
    if (!options->publishes_at_random && 0 != strcmp(options->publish_topic, "round-robin")) {
        refuse("--publish-topic takes round-robin or random, not '%s'", options->publish_topic);
    }
    options->publishes = !options->no_publish;
    if (options->publish_path) {
        check_path("--publish-path", options->publish_path);
    } else if (options->publishes) {
        refuse("--publish-path is needed, or --no-publish");
    }
    if (options->publishes && 0 == options->rate) refuse("--rate is needed, or --no-publish");
    read_processes(options);
}

void options_read(struct options *options, int count, char **arguments) {
    *options = (struct options){ 0 };
    for (size_t i = 0; i < option_count; i++) {
        if (option_rows[i].initial) set(options, &option_rows[i], option_rows[i].initial);
    }
    for (int i = 1; i < count; i++) {
        if (0 == strcmp(arguments[i], "--help")) {
            print_help();
            exit(0);
        }
        const struct option_row *row = row_named(arguments[i]);
        if (option_flag == row->kind) {
            set(options, row, NULL);
        } else if (i + 1 == count) {
            refuse("%s needs a value", row->name);
        } else {
            set(options, row, arguments[++i]);
        }
    }
    check(options);
}
