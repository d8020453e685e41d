// Reads a topic's log with many readers, and checks that each event comes once and in order.
//
//   log-readers --port N --path PATH [--readers N] [--from ID ...] [--events N] [--seconds N]
//               [--bytes-per-second N] [--receive-buffer BYTES]
//
// Readers (1); where they begin: reader i behind the (i modulo their count)th id, without one with the next event; how
// many events each wants, with consecutive numbers behind its id; seconds after which it gives up (60). Without
// `--events` a line on standard input tells, later: the number in the last event's id, and how many there are up to it.
// With `--bytes-per-second` each reads no faster, in pieces every 5 ms; a small `--receive-buffer`
// (socket(7)) then leaves the rest to the server. Prints "ready" when all streams have begun, and in the end one JSON
// object, in which readers are `exact` that have as many events as they want, none twice and none announced as lost.

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commands/arguments.h"
#include "readers/report.h"
#include "wire/sockets.h"

enum {
    ROOM_BYTES = 256 * 1024,
    EVENTS_PER_WAIT = 256,
    TICK_MILLISECONDS = 5,
    TICKS_PER_SECOND = 1000 / TICK_MILLISECONDS,
};

struct settings {
    uint64_t port, readers, events, seconds, bytes_per_second, receive_buffer;
    const char *path;
    const char *from[ARGUMENT_MAX_REPEATS];
    size_t from_count;
};

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "log-readers: %s: %s\n", what, strerror(errno));
    exit(1);
}

static struct settings read_settings(int count, char **arguments) {
    struct settings settings = { .readers = 1, .seconds = 60, .path = "" };
    const struct argument known[] = {
        { .name = "--port", .number = &settings.port, .least = 1, .greatest = 65535 },
        { .name = "--path", .text = &settings.path },
        { .name = "--readers", .number = &settings.readers, .least = 1, .greatest = 16000 },
        { .name = "--from", .texts = settings.from, .texts_count = &settings.from_count },
        { .name = "--events", .number = &settings.events, .greatest = UINT64_C(1000000000000) },
        { .name = "--seconds", .number = &settings.seconds, .least = 1, .greatest = 3600 },
        { .name = "--bytes-per-second", .number = &settings.bytes_per_second, .greatest = UINT64_C(10000000000) },
        { .name = "--receive-buffer", .number = &settings.receive_buffer, .greatest = 1 << 30 },
    };
    arguments_read(known, sizeof known / sizeof known[0], count, arguments,
                   "log-readers --port N --path PATH [--readers N] [--from ID ...] [--events N] [--seconds N] "
                   "[--bytes-per-second N] [--receive-buffer BYTES]");
    if (0 == settings.port || '/' != settings.path[0]) {
        fputs("log-readers: --port and a --path that begins with / are needed\n", stderr);
        exit(2);
    }
    if (settings.events > 0 && 0 == settings.from_count) {
        fputs("log-readers: --events needs a --from to count from\n", stderr);
        exit(2);
    }
    return settings;
}

static void ask(struct reader *reader, const struct settings *settings, const char *from) {
    struct sockaddr_in server;
    struct bytes request = { 0 };
    if (!socket_find_address("127.0.0.1", (uint16_t)settings->port, &server)) fail("address");
    reader->descriptor = socket_start_connect(&server, 0, (int)settings->receive_buffer);
    // On loopback a connect is done at once, but for a backlog that is full: then the send waits for it.
    if (reader->descriptor < 0 || 0 != fcntl(reader->descriptor, F_SETFL, 0)) fail("connect");
    bytes_append_text(&request, "GET ");
    bytes_append_text(&request, settings->path);
    bytes_append_text(&request, " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n");
    if (from) {
        bytes_append_text(&request, "Last-Event-ID: ");
        bytes_append_text(&request, from);
        bytes_append_text(&request, "\r\n");
        if (!reader_number(slice_of(from), &reader->newest)) {
            fputs("log-readers: --from wants an id that ends with - and a number\n", stderr);
            exit(2);
        }
    }
    reader->until = settings->events ? reader->newest + settings->events : UINT64_MAX;
    bytes_append_text(&request, "\r\n");
    const ssize_t sent = send(reader->descriptor, request.at, request.length, MSG_NOSIGNAL);
    if (sent != (ssize_t)request.length) fail("send");
    bytes_free(&request);
}

/// At most `limit` bytes of what is there.
static void receive(struct reader *reader, size_t limit) {
    static char room[ROOM_BYTES];
    if (reader->is_done) return;
    const ssize_t length =
        recv(reader->descriptor, room, limit < sizeof room ? limit : sizeof room, MSG_DONTWAIT);
    if (length < 0 && (EAGAIN == errno || EINTR == errno)) return;
    if (length > 0) reader_receive(reader, (struct slice){ room, (size_t)length }, monotonic_ns());
    else reader_disconnected(reader);
    if (reader->is_done) close(reader->descriptor);
}

/// Has them read until the number that standard input tells. Returns how many events each then has.
static uint64_t tell(struct reader *readers, uint64_t count) {
    char line[64], *rest;
    const ssize_t length = read(STDIN_FILENO, line, sizeof line - 1);
    if (length <= 0) fail("standard input ended");
    line[length] = '\0';
    const uint64_t until = strtoull(line, &rest, 10);
    for (uint64_t i = 0; i < count; i++) {
        readers[i].until = until;
        if (readers[i].is_done || readers[i].newest < until) continue;
        readers[i].is_done = true;
        close(readers[i].descriptor);
    }
    return strtoull(rest, NULL, 10);
}

static bool all_are(const struct reader *readers, uint64_t count, bool (*holds)(const struct reader *)) {
    for (uint64_t i = 0; i < count; i++) {
        if (!holds(&readers[i])) return false;
    }
    return true;
}

static bool has_begun(const struct reader *reader) { return reader->is_ready || reader->is_done; }
static bool is_done(const struct reader *reader) { return reader->is_done; }

int main(int count, char **arguments) {
    const struct settings settings = read_settings(count, arguments);
    struct reader *readers = allocate_zeroed(settings.readers, sizeof *readers);
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    const bool is_slow = settings.bytes_per_second > 0;
    struct rlimit limit;
    if (0 == getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    const uint64_t began = monotonic_ns(), deadline = began + settings.seconds * NANOSECONDS_PER_SECOND;
    for (uint64_t i = 0; i < settings.readers; i++) {
        ask(&readers[i], &settings, settings.from_count ? settings.from[i % settings.from_count] : NULL);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &readers[i] };
        if (!is_slow && 0 != epoll_ctl(epoll, EPOLL_CTL_ADD, readers[i].descriptor, &event)) fail("epoll_ctl");
    }
    uint64_t wanted = settings.events;
    struct epoll_event event = { .events = EPOLLIN };
    if (0 == settings.events && 0 != epoll_ctl(epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event)) fail("standard input");
    bool is_ready = false;
    while (!all_are(readers, settings.readers, is_done) && monotonic_ns() < deadline) {
        struct epoll_event events[EVENTS_PER_WAIT];
        const int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, TICK_MILLISECONDS);
        if (ready < 0 && EINTR != errno) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            if (events[i].data.ptr) {
                receive(events[i].data.ptr, ROOM_BYTES);
                continue;
            }
            wanted = tell(readers, settings.readers);
            epoll_ctl(epoll, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
        }
        for (uint64_t i = 0; is_slow && i < settings.readers; i++) {
            receive(&readers[i], settings.bytes_per_second / TICKS_PER_SECOND + 1);
        }
        if (is_ready || !all_are(readers, settings.readers, has_begun)) continue;
        is_ready = true;
        puts("ready");
        fflush(stdout);
    }
    readers_report(readers, settings.readers, wanted, began, stdout);
    for (uint64_t i = 0; i < settings.readers; i++) reader_free(&readers[i]);
    free(readers);
    close(epoll);
    return 0;
}
