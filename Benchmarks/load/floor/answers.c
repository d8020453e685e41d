#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "floor/request.h"

static const char stream_head[] =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/event-stream\r\n"
    "Cache-Control: no-store, no-transform\r\n"
    "Connection: close\r\n"
    "Transfer-Encoding: chunked\r\n"
    "\r\n";

static void answer(struct floor *floor, int descriptor, const char *status, const char *json) {
    char text[1024];
    const int length = snprintf(
        text, sizeof text,
        "HTTP/1.1 %s\r\nContent-Type: application/json\r\nCache-Control: no-store\r\nContent-Length: %zu\r\n\r\n%s",
        status, strlen(json), json);
    floor_send(floor, descriptor, (struct slice){ text, (size_t)length });
}

static void subscribe(struct floor *floor, int descriptor, struct slice path) {
    struct floor_connection *connection = &floor->connections[descriptor];
    const int one = 1, buffer = FLOOR_SEND_BUFFER_BYTES;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
    connection->topic = floor_topics_find(&floor->topics, path);
    connection->place = floor_topic_add(connection->topic, descriptor);
    floor->counts.subscribers++;
    floor_send(floor, descriptor, slice_of(stream_head));
}

/// The event alone, of `{"data":...}` as of a body that is the event itself.
static struct slice unwrapped(struct slice body) {
    static const char prefix[] = "{\"data\":";
    const size_t length = sizeof prefix - 1;
    if (!slice_starts_with(body, prefix) || '}' != body.at[body.length - 1]) return body;
    return (struct slice){ body.at + length, body.length - length - 1 };
}

/// One chunk with one event of the shape that Runcast sends.
static void make_frame(struct bytes *frame, uint64_t number, struct slice data) {
    char id[40], size[24];
    const int id_length = snprintf(id, sizeof id, "id: e00000000-%" PRIu64 "\ndata: ", number);
    snprintf(size, sizeof size, "%zx\r\n", (size_t)id_length + data.length + 2);
    frame->length = 0;
    bytes_append_text(frame, size);
    bytes_append_text(frame, id);
    bytes_append(frame, data);
    bytes_append_text(frame, "\n\n\r\n");
}

static void publish(struct floor *floor, int descriptor, struct slice path, struct slice body) {
    struct floor_topic *topic = floor_topics_find(&floor->topics, path);
    make_frame(&floor->frame, ++topic->published, unwrapped(body));
    floor->counts.frames++;
    const size_t matched = topic->count;
    // From the last on: one that is cut off leaves its place to a member that has been served.
    for (size_t i = topic->count; i-- > 0;) {
        floor->counts.sends++;
        floor_send(floor, topic->members[i], bytes_slice(&floor->frame));
    }
    char json[64];
    snprintf(json, sizeof json, "{\"matched\":%zu}\n", matched);
    answer(floor, descriptor, "200 OK", json);
}

static void answer_counts(struct floor *floor, int descriptor) {
    const struct floor_counts *counts = &floor->counts;
    char json[256];
    snprintf(json, sizeof json,
             "{\"subscribers\":%" PRIu64 ",\"frames\":%" PRIu64 ",\"sends\":%" PRIu64 ",\"shortWrites\":%" PRIu64
             ",\"cutOff\":%" PRIu64 "}\n",
             counts->subscribers, counts->frames, counts->sends, counts->short_writes, counts->cut_off);
    answer(floor, descriptor, "200 OK", json);
}

void floor_answer(struct floor *floor, int descriptor, const struct floor_request *request) {
    if (slice_equals(request->method, "POST")) {
        publish(floor, descriptor, request->path, request->body);
    } else if (!slice_equals(request->method, "GET")) {
        answer(floor, descriptor, "405 Method Not Allowed", "{}\n");
    } else if (slice_equals(request->path, "/static")) {
        answer(floor, descriptor, "200 OK", "{\"id\":\"00000000-0000-4000-8000-000000000000\",\"state\":\"done\"}\n");
    } else if (slice_equals(request->path, "/counts")) {
        answer_counts(floor, descriptor);
    } else {
        subscribe(floor, descriptor, request->path);
    }
}
