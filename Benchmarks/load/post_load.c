// Posts the same body over many connections, each waiting for its answer before it asks again, and counts the answers.
//
//   post-load --port N --path PATH --body TEXT [--connections N] [--milliseconds N] [--requests N]
//
// Connections (64); milliseconds after which none asks again (1000); requests after which none does (0: no bound).
// Every request that was sent is awaited, so that the answers with 2xx are what the server has accepted. Prints one
// JSON object; ends with 1 if a connection was lost.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "commands/arguments.h"
#include "measure/clock.h"
#include "measure/histogram.h"
#include "measure/json.h"
#include "measure/process_usage.h"
#include "wire/http_response.h"
#include "wire/sockets.h"

enum {
    ROOM_BYTES = 64 * 1024,
    EVENTS_PER_WAIT = 256,
    PATIENCE_MILLISECONDS = 30 * 1000,  // without any answer
    STATUSES = 1000,
};

struct settings {
    uint64_t port, connections, milliseconds, requests;
    const char *path, *body;
};

struct connection {
    int descriptor;
    uint64_t sent_ns;
    struct http_response response;
};

struct run {
    struct bytes request;
    uint64_t sent, most, deadline_ns, last_answer_ns;
    uint64_t in_flight, statuses[STATUSES];
    struct histogram answer_ns;  // of the answers with 2xx
};

__attribute__((noreturn)) static void fail(const char *what) {
    fprintf(stderr, "post-load: %s\n", what);
    exit(1);
}

static struct settings read_settings(int count, char **arguments) {
    struct settings settings = { .connections = 64, .milliseconds = 1000, .path = "", .body = "" };
    const struct argument known[] = {
        { .name = "--port", .number = &settings.port, .least = 1, .greatest = 65535 },
        { .name = "--connections", .number = &settings.connections, .least = 1, .greatest = 10000 },
        { .name = "--milliseconds", .number = &settings.milliseconds, .least = 1, .greatest = 3600 * 1000 },
        { .name = "--requests", .number = &settings.requests, .greatest = UINT64_C(1000000000000) },
        { .name = "--path", .text = &settings.path },
        { .name = "--body", .text = &settings.body },
    };
    arguments_read(known, sizeof known / sizeof known[0], count, arguments,
                   "post-load --port N --path PATH --body TEXT [--connections N] [--milliseconds N] [--requests N]");
    if (0 == settings.port || '/' != settings.path[0]) {
        fputs("post-load: --port and a --path that begins with / are needed\n", stderr);
        exit(2);
    }
    return settings;
}

static void write_request(struct bytes *request, const struct settings *settings) {
    char fields[128];
    snprintf(fields, sizeof fields, "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
             strlen(settings->body));
    bytes_append_text(request, "POST ");
    bytes_append_text(request, settings->path);
    bytes_append_text(request, " HTTP/1.1\r\nHost: 127.0.0.1\r\n");
    bytes_append_text(request, fields);
    bytes_append_text(request, settings->body);
}

/// Asks unless enough has been asked.
static void ask(struct run *run, struct connection *connection) {
    const uint64_t now = monotonic_ns();
    if (now >= run->deadline_ns || run->sent >= run->most) return;
    connection->sent_ns = now;
    run->sent++;
    run->in_flight++;
    // Blocks if the socket is full, which happens only with a body larger than its buffer.
    const ssize_t sent = send(connection->descriptor, run->request.at, run->request.length, MSG_NOSIGNAL);
    if (sent != (ssize_t)run->request.length) fail("a request could not be sent");
}

static void take_answer(struct run *run, struct connection *connection) {
    const struct http_response *response = &connection->response;
    const uint64_t now = monotonic_ns();
    if (0 == connection->sent_ns) fail("an answer without a request");
    if (2 == response->status / 100) histogram_record(&run->answer_ns, now - connection->sent_ns);
    run->statuses[response->status]++;
    run->in_flight--;
    run->last_answer_ns = now;
    connection->sent_ns = 0;
    if (!response->keeps_alive) fail("the server does not keep the connection");
    http_reset(&connection->response);
    ask(run, connection);
}

static void receive(struct run *run, struct connection *connection) {
    static char room[ROOM_BYTES];
    const ssize_t length = recv(connection->descriptor, room, sizeof room, MSG_DONTWAIT);
    if (length < 0 && (EAGAIN == errno || EINTR == errno)) return;
    if (length <= 0) fail("a connection was lost");
    struct slice input = { room, (size_t)length }, body;
    for (;;) {
        switch (http_next(&connection->response, &input, &body)) {
        case http_need_more: return;
        case http_head:
        case http_body: break;
        case http_end: take_answer(run, connection); break;
        case http_error: fail(connection->response.error);
        }
    }
}

static void write_report(const struct run *run, uint64_t elapsed_ns) {
    struct json json = { .output = stdout };
    const struct histogram *answers = &run->answer_ns;
    json_begin_object(&json, NULL);
    json_unsigned(&json, "sent", run->sent);
    json_unsigned(&json, "accepted", answers->count);
    json_real(&json, "seconds", ns_to_seconds(elapsed_ns));
    json_real(&json, "acceptedPerSecond", (double)answers->count / ns_to_seconds(elapsed_ns));
    json_begin_object(&json, "statuses");
    for (unsigned status = 0; status < STATUSES; status++) {
        char name[8];
        snprintf(name, sizeof name, "%u", status);
        if (run->statuses[status]) json_unsigned(&json, name, run->statuses[status]);
    }
    json_end_object(&json);
    json_begin_object(&json, "answerMicroseconds");
    json_real(&json, "p50", (double)histogram_quantile(answers, 0.5) / 1000);
    json_real(&json, "p99", (double)histogram_quantile(answers, 0.99) / 1000);
    json_real(&json, "max", (double)answers->max / 1000);
    json_end_object(&json);
    json_real(&json, "clientCPUSeconds", ns_to_seconds(own_cpu_ns()));
    json_end_object(&json);
}

int main(int count, char **arguments) {
    const struct settings settings = read_settings(count, arguments);
    static struct run run;
    struct sockaddr_in server;
    if (!socket_find_address("127.0.0.1", (uint16_t)settings.port, &server)) fail("no address");
    write_request(&run.request, &settings);
    struct connection *connections = allocate_zeroed(settings.connections, sizeof *connections);
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    for (uint64_t i = 0; i < settings.connections; i++) {
        connections[i].descriptor = socket_connect(&server);
        struct epoll_event event = { .events = EPOLLIN, .data.ptr = &connections[i] };
        if (connections[i].descriptor < 0) fail("can't connect");
        if (0 != epoll_ctl(epoll, EPOLL_CTL_ADD, connections[i].descriptor, &event)) fail("epoll_ctl");
    }
    const uint64_t began = monotonic_ns();
    run.most = settings.requests ? settings.requests : UINT64_MAX;
    run.deadline_ns = began + settings.milliseconds * (NANOSECONDS_PER_SECOND / 1000);
    for (uint64_t i = 0; i < settings.connections; i++) ask(&run, &connections[i]);
    while (run.in_flight > 0) {
        struct epoll_event events[EVENTS_PER_WAIT];
        const int ready = epoll_wait(epoll, events, EVENTS_PER_WAIT, PATIENCE_MILLISECONDS);
        if (ready < 0 && EINTR == errno) continue;
        if (ready <= 0) fail("no answer");
        for (int i = 0; i < ready; i++) receive(&run, events[i].data.ptr);
    }
    write_report(&run, run.last_answer_ns - began);
    for (uint64_t i = 0; i < settings.connections; i++) {
        close(connections[i].descriptor);
        http_reset(&connections[i].response);
    }
    free(connections);
    bytes_free(&run.request);
    close(epoll);
    return 0;
}
