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

static void start(struct subscribers *subscribers, struct subscriber *subscriber) {
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

static void start_next(struct subscribers *subscribers) {
    struct subscriber *subscriber = &subscribers->all[subscribers->started++];
    subscribers->under_way++;
    start(subscribers, subscriber);
    if (subscriber_failed != subscriber->phase) return;
    subscribers_settle(subscribers, subscriber);
    if (subscriber->descriptor >= 0) subscribers_close(subscribers, subscriber);
    else if (!subscribers->error) subscribers->error = subscriber->error;
}

void subscribers_connect(struct subscribers *subscribers) {
    const struct options *options = subscribers->load->options;
    const uint64_t began = monotonic_ns();
    const uint64_t deadline = began + seconds_to_ns(options->connect_timeout);
    while (subscribers->ready + subscribers->failed < subscribers->count) {
        const uint64_t now = monotonic_ns();
        if (now >= deadline) {
            load_give_up("after %g s %zu of %zu subscribers were not ready", options->connect_timeout,
                         subscribers->count - subscribers->ready - subscribers->failed, subscribers->count);
        }
        // The one with index n may start when n intervals have passed.
        const double due = 0 == options->connect_rate
            ? (double)subscribers->count : ns_to_seconds(now - began) * options->connect_rate;
        while (subscribers->started < subscribers->count && (double)subscribers->started <= due
               && subscribers->under_way < options->connect_in_flight) {
            start_next(subscribers);
        }
        const bool waits_for_time =
            subscribers->started < subscribers->count && subscribers->under_way < options->connect_in_flight;
        subscribers_turn(subscribers, waits_for_time ? 1 : SUBSCRIBERS_TICK_MILLISECONDS);
    }
    if (0 == subscribers->ready) load_give_up("no subscriber is ready: %s", subscribers->error);
}
