#include "client/publisher_connection.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/request.h"
#include "measure/clock.h"
#include "wire/sockets.h"

enum { ANSWER_BYTES = 64 * 1024 };

static void flush(struct publisher *publisher) {
    while (publisher->output.length > 0) {
        const ssize_t sent = send(
            publisher->descriptor, publisher->output.at, publisher->output.length, MSG_DONTWAIT | MSG_NOSIGNAL);
        // An error other than a full buffer shows when receiving.
        if (sent <= 0) return;
        bytes_remove_first(&publisher->output, (size_t)sent);
    }
}

void publisher_send(struct publisher *publisher, size_t topic, struct slice json, struct publication publication) {
    const size_t capacity = publisher->load->options->publish_in_flight;
    publisher->in_flight[(publisher->first_in_flight + publisher->in_flight_count++) % capacity] = publication;
    request_append_publication(&publisher->output, publisher->load->options, topic, json);
    flush(publisher);
}

static bool reconnect(struct publisher *publisher, const char *reason) {
    publisher->unanswered += publisher->in_flight_count;
    publisher->in_flight_count = 0;
    publisher->output.length = 0;
    http_reset(&publisher->response);
    close(publisher->descriptor);
    publisher->descriptor = socket_connect(&publisher->load->server);
    publisher->reconnects++;
    if (publisher->descriptor >= 0) return true;
    publisher->error = reason;
    return false;
}

static bool take_answer(struct publisher *publisher, uint64_t now) {
    if (0 == publisher->in_flight_count) return false;
    const struct publication publication = publisher->in_flight[publisher->first_in_flight];
    publisher->first_in_flight = (publisher->first_in_flight + 1) % publisher->load->options->publish_in_flight;
    publisher->in_flight_count--;
    if (2 != publisher->response.status / 100) {
        publisher->refused++;
        publisher->last_refusal = publisher->response.status;
    }
    if (publication.is_measured) histogram_record(&publisher->answer_ns, now - publication.sent_ns);
    return true;
}

/// All answers in what has been received.
static bool take_answers(struct publisher *publisher, struct slice input) {
    const uint64_t now = monotonic_ns();
    struct slice body;
    for (;;) {
        switch (http_next(&publisher->response, &input, &body)) {
        case http_need_more: return true;
        case http_head:
        case http_body: break;
        case http_end: {
            const bool keeps_alive = publisher->response.keeps_alive;
            if (!take_answer(publisher, now)) return reconnect(publisher, "an answer without a request");
            http_reset(&publisher->response);
            if (!keeps_alive) return reconnect(publisher, "the server closed the publishing connection");
            break;
        }
        case http_error: return reconnect(publisher, "an answer that is not HTTP");
        }
    }
}

static bool receive(struct publisher *publisher) {
    char input[ANSWER_BYTES];
    const ssize_t length = recv(publisher->descriptor, input, sizeof input, MSG_DONTWAIT);
    if (length > 0) return take_answers(publisher, (struct slice){ input, (size_t)length });
    if (length < 0 && (EAGAIN == errno || EINTR == errno)) return true;
    return reconnect(publisher, "the server closed the publishing connection");
}

bool publisher_wait_until(struct publisher *publisher, uint64_t deadline_ns) {
    const uint64_t now = monotonic_ns();
    const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    const struct timespec timeout = {
        .tv_sec = (time_t)(left / NANOSECONDS_PER_SECOND), .tv_nsec = (long)(left % NANOSECONDS_PER_SECOND),
    };
    struct pollfd poll = { .fd = publisher->descriptor, .events = POLLIN };
    if (publisher->output.length > 0) poll.events |= POLLOUT;
    if (ppoll(&poll, 1, &timeout, NULL) <= 0) return true;
    if (poll.revents & POLLOUT) flush(publisher);
    return !(poll.revents & ~POLLOUT) || receive(publisher);
}
