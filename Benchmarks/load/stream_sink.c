// Holds streams open and throws away what comes, uncopied: for asking what a server can send when nobody holds it up.
//
//   stream-sink PORT SUBSCRIBERS PATH
//
// It counts nothing, not even mistakes: `sse-load` does that. Prints "ready" when all are subscribed, and runs until it
// is stopped or the server ends a stream.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/sockets.h"

enum { events_per_wait = 256, bytes_per_read = 1 << 20, max_subscribers = 1000000 };

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "stream-sink: %s: %s\n", what, strerror(errno));
    exit(1);
}

static unsigned long number(const char *text, unsigned long max) {
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    if (end == text || '\0' != *end || 0 == value || value > max) {
        fputs("stream-sink: usage: stream-sink PORT SUBSCRIBERS PATH\n", stderr);
        exit(2);
    }
    return value;
}

static void subscribe(const struct sockaddr_in *server, const char *path, int epoll) {
    char bytes[2048];
    const int length =
        snprintf(bytes, sizeof bytes, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n", path);
    const int descriptor = socket_connect(server);
    if (descriptor < 0) fail("connect");
    if (length < 0 || (size_t)length >= sizeof bytes) fail("path");
    if (length != send(descriptor, bytes, (size_t)length, MSG_NOSIGNAL)) fail("send");
    const ssize_t received = recv(descriptor, bytes, sizeof bytes, 0);
    if (received < 12 || 0 != memcmp(bytes, "HTTP/1.1 200", 12)) {
        fputs("stream-sink: the answer is no stream\n", stderr);
        exit(1);
    }
    struct epoll_event event = { .events = EPOLLIN, .data.fd = descriptor };
    if (0 != epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
}

int main(int count, char **arguments) {
    if (4 != count) number("", 0);
    struct sockaddr_in server;
    if (!socket_find_address("127.0.0.1", (uint16_t)number(arguments[1], 65535), &server)) fail("address");
    const unsigned long subscribers = number(arguments[2], max_subscribers);
    struct rlimit limit;
    if (0 == getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (unsigned long i = 0; i < subscribers; i++) subscribe(&server, arguments[3], epoll);
    puts("ready");
    fflush(stdout);
    for (;;) {
        struct epoll_event events[events_per_wait];
        const int ready = epoll_wait(epoll, events, events_per_wait, -1);
        for (int i = 0; i < ready; i++) {
            // MSG_TRUNC: the kernel drops the bytes where they lie (tcp(7)).
            if (recv(events[i].data.fd, NULL, bytes_per_read, MSG_TRUNC | MSG_DONTWAIT) == 0) return 0;
        }
    }
}
