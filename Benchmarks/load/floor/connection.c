#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "floor/request.h"

static void watch(struct floor *floor, int descriptor, uint32_t what) {
    struct epoll_event event = { .events = what, .data.fd = descriptor };
    epoll_ctl(floor->epoll, EPOLL_CTL_MOD, descriptor, &event);
}

void floor_send(struct floor *floor, int descriptor, struct slice text) {
    struct floor_connection *connection = &floor->connections[descriptor];
    ssize_t sent = 0;
    if (0 == connection->unsent.length) {
        sent = send(descriptor, text.at, text.length, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent == (ssize_t)text.length) return;
        // Its end shows when reading.
        if (sent < 0 && EAGAIN != errno && EINTR != errno) return;
        if (sent < 0) sent = 0;
        watch(floor, descriptor, EPOLLIN | EPOLLOUT);
    }
    floor->counts.short_writes++;
    bytes_append(&connection->unsent, slice_without_first(text, (size_t)sent));
    if (!connection->topic || connection->unsent.length <= FLOOR_MAX_UNSENT_BYTES) return;
    floor->counts.cut_off++;
    floor_close(floor, descriptor);
}

void floor_flush(struct floor *floor, int descriptor) {
    struct bytes *unsent = &floor->connections[descriptor].unsent;
    const ssize_t sent = send(descriptor, unsent->at, unsent->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) bytes_remove_first(unsent, (size_t)sent);
    if (0 == unsent->length) watch(floor, descriptor, EPOLLIN);
}

void floor_close(struct floor *floor, int descriptor) {
    struct floor_connection *connection = &floor->connections[descriptor];
    if (connection->topic) {
        const int moved = floor_topic_remove(connection->topic, connection->place);
        if (moved >= 0) floor->connections[moved].place = connection->place;
        floor->counts.subscribers--;
    }
    bytes_free(&connection->input);
    bytes_free(&connection->unsent);
    *connection = (struct floor_connection){ 0 };
    close(descriptor);
}

/// Answers all whole requests; false if there was a bad one.
static bool take_requests(struct floor *floor, int descriptor, struct slice *input) {
    struct floor_request request;
    enum floor_request_state state = floor_request_incomplete;
    // A stream is the last answer of its connection.
    while (!floor->connections[descriptor].topic
           && floor_request_complete == (state = floor_request_take(input, &request))) {
        floor_answer(floor, descriptor, &request);
    }
    return floor_request_bad != state;
}

void floor_read(struct floor *floor, int descriptor) {
    static char room[FLOOR_READ_BYTES];
    struct floor_connection *connection = &floor->connections[descriptor];
    const ssize_t length = recv(descriptor, room, sizeof room, MSG_DONTWAIT);
    if (length < 0 && (EAGAIN == errno || EINTR == errno)) return;
    if (length <= 0) {
        floor_close(floor, descriptor);
        return;
    }
    if (connection->topic) return;
    struct slice input = { room, (size_t)length };
    const bool is_continued = connection->input.length > 0;
    if (is_continued) {
        bytes_append(&connection->input, input);
        input = bytes_slice(&connection->input);
    }
    if (!take_requests(floor, descriptor, &input)) {
        floor_close(floor, descriptor);
    } else if (is_continued) {
        bytes_remove_first(&connection->input, connection->input.length - input.length);
    } else {
        bytes_append(&connection->input, input);
    }
}
