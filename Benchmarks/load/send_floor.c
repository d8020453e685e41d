// The floor that a server of event streams is measured against: one thread, epoll, and one send() per subscriber.
//
//   send-floor [--port N]     0, the default, takes a free one
//
// GET /static     a small JSON answer on a keep-alive connection: the floor of a request
// GET /counts     what it has counted
// GET (any other) a stream; the path without its query is its topic
// POST            publishes the body to the topic of its path
//
// It has no log, no limits worth the name and no protection against bad input: for benchmarks on loopback only.

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "floor/floor.h"

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "send-floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static unsigned read_port(int count, char **arguments) {
    if (1 == count) return 0;
    if (3 == count && 0 == strcmp(arguments[1], "--port")) {
        char *end;
        const unsigned long port = strtoul(arguments[2], &end, 10);
        if (end != arguments[2] && '\0' == *end && port <= 65535) return (unsigned)port;
    }
    fputs("send-floor: usage: send-floor [--port N], with N from 0 to 65535\n", stderr);
    exit(2);
}

static int start_listening(unsigned port) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t length = sizeof address;
    const int one = 1;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener < 0) fail("socket");
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (0 != bind(listener, (struct sockaddr *)&address, length)) fail("bind");
    if (0 != listen(listener, FLOOR_BACKLOG)) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);
    fprintf(stderr, "send-floor: listening on http://127.0.0.1:%u/\n", ntohs(address.sin_port));
    return listener;
}

static void accept_all(struct floor *floor) {
    for (;;) {
        const int descriptor = accept4(floor->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return;
        struct epoll_event event = { .events = EPOLLIN, .data.fd = descriptor };
        if ((size_t)descriptor >= floor->capacity || 0 != epoll_ctl(floor->epoll, EPOLL_CTL_ADD, descriptor, &event)) {
            close(descriptor);
        }
    }
}

static size_t raise_descriptor_limit(void) {
    struct rlimit limit;
    if (0 != getrlimit(RLIMIT_NOFILE, &limit)) fail("getrlimit");
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_max;
}

int main(int count, char **arguments) {
    static struct floor floor;
    struct epoll_event events[FLOOR_EVENTS_PER_WAIT];
    signal(SIGPIPE, SIG_IGN);
    floor.capacity = raise_descriptor_limit();
    floor.connections = allocate_zeroed(floor.capacity, sizeof *floor.connections);
    floor.epoll = epoll_create1(EPOLL_CLOEXEC);
    floor.listener = start_listening(read_port(count, arguments));
    struct epoll_event event = { .events = EPOLLIN, .data.fd = floor.listener };
    if (0 != epoll_ctl(floor.epoll, EPOLL_CTL_ADD, floor.listener, &event)) fail("epoll_ctl");
    for (;;) {
        const int ready = epoll_wait(floor.epoll, events, FLOOR_EVENTS_PER_WAIT, -1);
        if (ready < 0 && EINTR != errno) fail("epoll_wait");
        for (int i = 0; i < ready; i++) {
            const int descriptor = events[i].data.fd;
            if (descriptor == floor.listener) {
                accept_all(&floor);
                continue;
            }
            if (events[i].events & EPOLLOUT) floor_flush(&floor, descriptor);
            if (events[i].events & ~(uint32_t)EPOLLOUT) floor_read(&floor, descriptor);
        }
    }
}
