// What the disk allows a store: writes events to a file and waits until they are on the disk, again and again.
//
//   commit-floor --folder FOLDER [--bytes N] [--group N] [--milliseconds N]
//
// Bytes of one event (300), events that share one fdatasync(2) (1), milliseconds to measure (1000). The file is filled
// first and then written over from its beginning, round and round, as a write-ahead log is: if it grew, the file system
// would have to write its length as well. Prints one JSON object, and leaves no file.

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/arguments.h"
#include "measure/clock.h"
#include "measure/histogram.h"
#include "measure/json.h"
#include "wire/bytes.h"

enum { FILE_BYTES = 4 * 1024 * 1024 };  // about what a write-ahead log has between two checkpoints

struct settings {
    uint64_t bytes, group, milliseconds;
    const char *folder;
};

__attribute__((noreturn)) static void fail(const char *what) {
    fputs("commit-floor: ", stderr);
    perror(what);
    exit(1);
}

static struct settings read_settings(int count, char **arguments) {
    struct settings settings = { .bytes = 300, .group = 1, .milliseconds = 1000, .folder = "" };
    const struct argument known[] = {
        { .name = "--folder", .text = &settings.folder },
        { .name = "--bytes", .number = &settings.bytes, .least = 1, .greatest = 64 * 1024 },
        { .name = "--group", .number = &settings.group, .least = 1, .greatest = 64 },
        { .name = "--milliseconds", .number = &settings.milliseconds, .least = 1, .greatest = 3600 * 1000 },
    };
    arguments_read(known, sizeof known / sizeof known[0], count, arguments,
                   "commit-floor --folder FOLDER [--bytes N] [--group N] [--milliseconds N]");
    if ('\0' == settings.folder[0]) {
        fputs("commit-floor: --folder is needed\n", stderr);
        exit(2);
    }
    return settings;
}

/// A file without a name (open(2), O_TMPFILE), full and on the disk.
static int filled_file(const char *folder) {
    const int descriptor = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) fail(folder);
    char *zeros = allocate_zeroed(1, FILE_BYTES);
    if (FILE_BYTES != write(descriptor, zeros, FILE_BYTES)) fail("write");
    if (0 != fsync(descriptor)) fail("fsync");
    free(zeros);
    return descriptor;
}

int main(int count, char **arguments) {
    const struct settings settings = read_settings(count, arguments);
    static struct histogram commit_ns;
    const size_t length = settings.bytes * settings.group;
    const int file = filled_file(settings.folder);
    char *events = allocate_zeroed(1, length);
    memset(events, 'x', length);
    const uint64_t began = monotonic_ns();
    const uint64_t deadline = began + settings.milliseconds * (NANOSECONDS_PER_SECOND / 1000);
    uint64_t now = began;
    for (size_t at = 0; now < deadline; at += length) {
        if (at + length > FILE_BYTES) at = 0;
        if ((ssize_t)length != pwrite(file, events, length, (off_t)at)) fail("pwrite");
        if (0 != fdatasync(file)) fail("fdatasync");
        const uint64_t done = monotonic_ns();
        histogram_record(&commit_ns, done - now);
        now = done;
    }
    struct json json = { .output = stdout };
    json_begin_object(&json, NULL);
    json_unsigned(&json, "bytes", settings.bytes);
    json_unsigned(&json, "group", settings.group);
    json_unsigned(&json, "commits", commit_ns.count);
    json_real(&json, "eventsPerSecond", (double)(commit_ns.count * settings.group) / ns_to_seconds(now - began));
    json_begin_object(&json, "commitMicroseconds");
    json_real(&json, "p50", (double)histogram_quantile(&commit_ns, 0.5) / 1000);
    json_real(&json, "p99", (double)histogram_quantile(&commit_ns, 0.99) / 1000);
    json_end_object(&json);
    json_end_object(&json);
    free(events);
    close(file);
    return 0;
}
