#include "client/subscribers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/subscribers_internal.h"
#include "measure/clock.h"

static const uint32_t wake_index = UINT32_MAX;

static enum role role_of(const struct options *options, size_t index) {
    if (index < options->stuck) return role_stuck;
    return index < options->stuck + options->slow ? role_slow : role_normal;
}

void subscribers_init(struct subscribers *subscribers, struct load *load) {
    const struct options *options = load->options;
    *subscribers = (struct subscribers){ .load = load, .count = options->subscribers };
    subscribers->all = allocate_zeroed(subscribers->count, sizeof *subscribers->all);
    for (size_t i = 0; i < subscribers->count; i++) {
        subscribers->all[i].descriptor = -1;
        subscribers->all[i].topic = (uint32_t)(i % options->topics);
        subscribers->all[i].role = (uint8_t)role_of(options, i);
    }
    subscribers->input = allocate_zeroed(SUBSCRIBERS_READ_BYTES, 1);
    subscribers->decoded = allocate_zeroed(SUBSCRIBERS_READ_BYTES, 1);
    subscribers->epoll = epoll_create1(EPOLL_CLOEXEC);
    subscribers->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = wake_index };
    if (subscribers->epoll < 0 || subscribers->wake < 0
        || 0 != epoll_ctl(subscribers->epoll, EPOLL_CTL_ADD, subscribers->wake, &event)) {
        load_give_up("no epoll set or eventfd: %s", strerror(errno));
    }
}

void subscribers_free(struct subscribers *subscribers) {
    for (size_t i = 0; i < subscribers->count; i++) {
        subscriber_free(&subscribers->all[i]);
        if (subscribers->all[i].descriptor >= 0) close(subscribers->all[i].descriptor);
    }
    close(subscribers->wake);
    close(subscribers->epoll);
    free(subscribers->all);
    free(subscribers->input);
    free(subscribers->decoded);
}

void subscribers_watch(struct subscribers *subscribers, struct subscriber *subscriber, int operation, uint32_t what) {
    struct epoll_event event = { .events = what, .data.u32 = (uint32_t)(subscriber - subscribers->all) };
    if (0 != epoll_ctl(subscribers->epoll, operation, subscriber->descriptor, &event)) {
        load_give_up("a socket can't be watched: %s", strerror(errno));
    }
}

bool subscribers_is_due(const struct subscribers *subscribers, const struct subscriber *subscriber) {
    return role_normal == subscriber->role && subscriber_ready == subscriber->phase
        && subscriber->sequence.newest < subscribers->load->topics[subscriber->topic].published;
}

void subscribers_close(struct subscribers *subscribers, struct subscriber *subscriber) {
    if (!subscribers->error) subscribers->error = subscriber->error;
    subscriber_free(subscriber);
    close(subscriber->descriptor);
    subscriber->descriptor = -1;
}

void subscribers_settle(struct subscribers *subscribers, struct subscriber *subscriber) {
    subscribers->under_way--;
    if (!subscriber->was_ready) {
        subscribers->failed++;
        return;
    }
    subscribers->ready++;
    if (http_identity != subscriber->response.coding) subscribers->compressed++;
    if (role_normal == subscriber->role) {
        subscribers->load->topics[subscriber->topic].normal_subscribers++;
    } else if (subscriber_ready == subscriber->phase) {
        // Only the end is watched from now on.
        subscribers_watch(subscribers, subscriber, EPOLL_CTL_MOD, EPOLLRDHUP);
    }
}

bool subscribers_read(struct subscribers *subscribers, struct subscriber *subscriber, size_t limit) {
    struct load *load = subscribers->load;
    struct tally *tally = &load->tallies[subscriber->role];
    const ssize_t length = recv(subscriber->descriptor, subscribers->input, limit, MSG_DONTWAIT);
    if (length < 0 && (EAGAIN == errno || EINTR == errno)) return true;
    const uint64_t now = monotonic_ns();
    const bool was_settled = subscriber->phase >= subscriber_ready;
    const bool was_due = subscribers->is_draining && subscribers_is_due(subscribers, subscriber);
    bool is_open = length > 0;
    if (is_open) {
        const struct slice input = { subscribers->input, (size_t)length };
        count(&tally->reads, 1);
        count(&tally->bytes, input.length);
        if (!was_settled && 0 == subscriber->response.head.length) {
            histogram_record(&load->first_byte_ns, now - subscriber->connecting_since_ns);
        }
        is_open = subscriber_receive(subscriber, load, input, now, subscribers->decoded, SUBSCRIBERS_READ_BYTES);
    } else {
        subscriber_disconnected(subscriber, load);
    }
    if (was_due && !subscribers_is_due(subscribers, subscriber)) subscribers->due--;
    if (!was_settled && subscriber->phase >= subscriber_ready) subscribers_settle(subscribers, subscriber);
    if (!is_open) subscribers_close(subscribers, subscriber);
    return is_open;
}

/// A slow or stuck one: no more comes, but what there is may still be read.
static void note_cut(struct subscribers *subscribers, struct subscriber *subscriber) {
    if (!subscriber->is_cut) count(&subscribers->load->tallies[subscriber->role].closed, 1);
    subscriber->is_cut = true;
    epoll_ctl(subscribers->epoll, EPOLL_CTL_DEL, subscriber->descriptor, NULL);
}

static void take_readiness(struct subscribers *subscribers, struct subscriber *subscriber, uint32_t what) {
    if (subscriber->descriptor < 0) return;
    if (subscriber_connecting == subscriber->phase) {
        subscribers_ask(subscribers, subscriber);
        if (subscriber_failed == subscriber->phase) {
            subscribers_settle(subscribers, subscriber);
            subscribers_close(subscribers, subscriber);
        }
    } else if (!(what & EPOLLIN) && role_normal != subscriber->role && subscriber_ready == subscriber->phase) {
        note_cut(subscribers, subscriber);
    } else {
        subscribers_read(subscribers, subscriber, SUBSCRIBERS_READ_BYTES);
    }
}

bool subscribers_turn(struct subscribers *subscribers, int timeout_milliseconds) {
    struct epoll_event events[SUBSCRIBERS_EVENTS_PER_WAIT];
    bool is_woken = false;
    const int count =
        epoll_wait(subscribers->epoll, events, SUBSCRIBERS_EVENTS_PER_WAIT, timeout_milliseconds);
    for (int i = 0; i < count; i++) {
        if (wake_index == events[i].data.u32) {
            uint64_t wakes;
            is_woken = read(subscribers->wake, &wakes, sizeof wakes) > 0;
        } else {
            take_readiness(subscribers, &subscribers->all[events[i].data.u32], events[i].events);
        }
    }
    return is_woken;
}

void subscribers_wake(const struct subscribers *subscribers) {
    const uint64_t one = 1;
    // Can't fail: nobody counts an eventfd up to its limit.
    if (write(subscribers->wake, &one, sizeof one) < 0) load_give_up("eventfd: %s", strerror(errno));
}
