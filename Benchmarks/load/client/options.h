// What a run of the load client is to do.
#ifndef LOAD_OPTIONS_H
#define LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    OPTION_MAX_REPEATS = 64,  // of an option that may be repeated
};

/// In the order of the command line.
struct option_list {
    const char *values[OPTION_MAX_REPEATS];
    size_t count;
};

/// Texts are borrowed from the command line. Times in seconds, sizes in bytes, rates per second.
struct options {
    const char *host;
    uint64_t port;
    uint64_t subscribers;
    uint64_t topics;
    const char *path;
    struct option_list headers;
    bool gunzip;
    bool latest;
    uint64_t stuck;
    uint64_t slow;
    uint64_t slow_bytes_per_second;

    const char *publish_path;  // NULL: nothing is published
    const char *publish_prefix;
    const char *publish_suffix;
    struct option_list publish_headers;
    const char *publish_topic;  // "round-robin" or "random"
    bool no_publish;
    bool no_create_topics;
    double rate;
    uint64_t events;  // 0: as many as the time allows
    uint64_t size;
    uint64_t publish_in_flight;

    double warmup;
    double duration;
    double drain;
    double settle;
    double connect_rate;  // 0: as fast as possible
    uint64_t connect_in_flight;
    double connect_timeout;
    uint64_t addresses;
    struct option_list pids;

    // What follows is derived.
    bool publishes;
    bool publishes_at_random;
    pid_t processes[OPTION_MAX_REPEATS];
};

/// Reads the command line. A wrong option ends the program with status 2 and one line that says what to do; `--help`
/// ends it with 0.
void options_read(struct options *options, int count, char **arguments);

#endif
