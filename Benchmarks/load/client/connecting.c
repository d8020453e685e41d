#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "client/request.h"
#include "client/subscribers_internal.h"
#include "measure/clock.h"
#include "wire/sockets.h"

static void fail(struct subscriber *subscriber, int error) {
    subscriber->phase = subscriber_failed;
    subscriber->error = strerror(error);
}

/// Returns an errno: EAGAIN while the connection does not stand yet.
static int send_request(const struct subscribers *subscribers, const struct subscriber *subscriber) {
    struct bytes request = { 0 };
    request_append_subscription(&request, subscribers->load->options, subscriber->topic);
    const ssize_t sent =
        send(subscriber->descriptor, request.at, request.length, MSG_DONTWAIT | MSG_NOSIGNAL);
    const int error = sent < 0 ? errno : 0;
    // A fresh socket takes the whole of a request that is far smaller than its buffer.
    const bool is_whole = sent >= 0 && (size_t)sent == request.length;
    bytes_free(&request);
    return error ? error : is_whole ? 0 : EMSGSIZE;
}

void subscribers_start(struct subscribers *subscribers, struct subscriber *subscriber) {
    const struct load *load = subscribers->load;
    const size_t index = (size_t)(subscriber - subscribers->all);
    const uint64_t addresses = load->options->addresses;
    const uint32_t source = addresses > 1 ? INADDR_LOOPBACK + (uint32_t)(index % addresses) : 0;
    const int buffer = role_normal == subscriber->role ? 0 : SUBSCRIBERS_SLOW_BUFFER_BYTES;
    subscriber->connecting_since_ns = monotonic_ns();
    subscriber->phase = subscriber_connecting;
    subscriber->descriptor = socket_start_connect(&load->server, source, buffer);
    if (subscriber->descriptor < 0) {
        fail(subscriber, errno);
        return;
    }
    // On loopback it stands at once, which saves the wait for it.
    const int error = send_request(subscribers, subscriber);
    if (0 != error && EAGAIN != error) {
        fail(subscriber, error);
        return;
    }
    if (0 == error) subscriber->phase = subscriber_asking;
    subscribers_watch(subscribers, subscriber, EPOLL_CTL_ADD, 0 == error ? EPOLLIN : EPOLLOUT);
}

void subscribers_ask(struct subscribers *subscribers, struct subscriber *subscriber) {
    int error = socket_pending_error(subscriber->descriptor);
    if (0 == error) error = send_request(subscribers, subscriber);
    if (0 != error) {
        fail(subscriber, error);
        return;
    }
    subscriber->phase = subscriber_asking;
    subscribers_watch(subscribers, subscriber, EPOLL_CTL_MOD, EPOLLIN);
}
