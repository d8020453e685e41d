#include "client/subscribers.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/subscribers_internal.h"
#include "measure/clock.h"
#include "measure/process_usage.h"

static const uint64_t ns_per_millisecond = 1000 * 1000;
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

static bool is_due(const struct subscribers *subscribers, const struct subscriber *subscriber) {
    return role_normal == subscriber->role && subscriber_ready == subscriber->phase
        && subscriber->sequence.newest < subscribers->load->topics[subscriber->topic].published;
}

void subscribers_close(struct subscribers *subscribers, struct subscriber *subscriber) {
    if (!subscribers->error) subscribers->error = subscriber->error;
    subscriber_free(subscriber);
    close(subscriber->descriptor);
    subscriber->descriptor = -1;
}

/// The head has come, or it never will.
static void settle(struct subscribers *subscribers, struct subscriber *subscriber) {
    subscribers->under_way--;
    if (!subscriber->was_ready) {
        subscribers->failed++;
        return;
    }
    subscribers->ready++;
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
    const bool was_due = subscribers->is_draining && is_due(subscribers, subscriber);
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
    if (was_due && !is_due(subscribers, subscriber)) subscribers->due--;
    if (!was_settled && subscriber->phase >= subscriber_ready) settle(subscribers, subscriber);
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
            settle(subscribers, subscriber);
            subscribers_close(subscribers, subscriber);
        }
    } else if (!(what & EPOLLIN) && role_normal != subscriber->role && subscriber_ready == subscriber->phase) {
        note_cut(subscribers, subscriber);
    } else {
        subscribers_read(subscribers, subscriber, SUBSCRIBERS_READ_BYTES);
    }
}

static void start_next(struct subscribers *subscribers) {
    struct subscriber *subscriber = &subscribers->all[subscribers->started++];
    subscribers->under_way++;
    subscribers_start(subscribers, subscriber);
    if (subscriber_failed != subscriber->phase) return;
    settle(subscribers, subscriber);
    if (subscriber->descriptor >= 0) subscribers_close(subscribers, subscriber);
    else if (!subscribers->error) subscribers->error = subscriber->error;
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
        const double allowed = 0 == options->connect_rate
            ? (double)subscribers->count : 1 + ns_to_seconds(now - began) * options->connect_rate;
        while (subscribers->started < subscribers->count && (double)subscribers->started < allowed
               && subscribers->under_way < options->connect_in_flight) {
            start_next(subscribers);
        }
        const bool waits_for_time =
            subscribers->started < subscribers->count && subscribers->under_way < options->connect_in_flight;
        subscribers_turn(subscribers, waits_for_time ? 1 : SUBSCRIBERS_TICK_MILLISECONDS);
    }
    if (0 == subscribers->ready) load_give_up("no subscriber is ready: %s", subscribers->error);
}

static void read_slowly(struct subscribers *subscribers) {
    const struct options *options = subscribers->load->options;
    const size_t budget = options->slow_bytes_per_second * SUBSCRIBERS_TICK_MILLISECONDS / 1000;
    for (size_t i = options->stuck; i < options->stuck + options->slow; i++) {
        if (subscriber_ready != subscribers->all[i].phase) continue;
        const size_t limit = budget < SUBSCRIBERS_READ_BYTES ? budget : SUBSCRIBERS_READ_BYTES;
        subscribers_read(subscribers, &subscribers->all[i], limit > 0 ? limit : 1);
    }
}

static void take_time(struct subscribers *subscribers, uint64_t now) {
    const struct options *options = subscribers->load->options;
    if (options->slow > 0 && now >= subscribers->next_tick_ns) {
        subscribers->next_tick_ns = now + SUBSCRIBERS_TICK_MILLISECONDS * ns_per_millisecond;
        read_slowly(subscribers);
    }
    if (now >= subscribers->next_sample_ns) {
        subscribers->next_sample_ns = now + SUBSCRIBERS_SAMPLE_MILLISECONDS * ns_per_millisecond;
        const uint64_t rss = processes_rss_kib(options->processes, options->pids.count);
        if (rss > subscribers->rss_peak_kib) subscribers->rss_peak_kib = rss;
    }
}

/// One turn that ends no later than the time, and after it what is due by the clock.
static bool turn_until(struct subscribers *subscribers, uint64_t now, uint64_t deadline_ns) {
    const uint64_t left = (deadline_ns - now + ns_per_millisecond - 1) / ns_per_millisecond;
    const bool is_woken = subscribers_turn(
        subscribers, left < SUBSCRIBERS_TICK_MILLISECONDS ? (int)left : SUBSCRIBERS_TICK_MILLISECONDS);
    take_time(subscribers, monotonic_ns());
    return is_woken;
}

bool subscribers_run_until(struct subscribers *subscribers, uint64_t deadline_ns) {
    for (uint64_t now; (now = monotonic_ns()) < deadline_ns;) {
        if (turn_until(subscribers, now, deadline_ns)) return true;
    }
    return false;
}

void subscribers_wake(const struct subscribers *subscribers) {
    const uint64_t one = 1;
    // Can't fail: nobody counts an eventfd up to its limit.
    if (write(subscribers->wake, &one, sizeof one) < 0) load_give_up("eventfd: %s", strerror(errno));
}

bool subscribers_drain(struct subscribers *subscribers, uint64_t deadline_ns) {
    subscribers->is_draining = true;
    for (size_t i = 0; i < subscribers->count; i++) {
        if (is_due(subscribers, &subscribers->all[i])) subscribers->due++;
    }
    for (uint64_t now; subscribers->due > 0 && (now = monotonic_ns()) < deadline_ns;) {
        turn_until(subscribers, now, deadline_ns);
    }
    return 0 == subscribers->due;
}

static bool is_behind(const struct subscribers *subscribers, const struct subscriber *subscriber) {
    return role_normal != subscriber->role && subscriber_ready == subscriber->phase
        && subscriber->sequence.newest < subscribers->load->topics[subscriber->topic].published;
}

static bool any_is_behind(const struct subscribers *subscribers) {
    const struct options *options = subscribers->load->options;
    for (size_t i = 0; i < options->stuck + options->slow; i++) {
        if (is_behind(subscribers, &subscribers->all[i])) return true;
    }
    return false;
}

void subscribers_read_out(struct subscribers *subscribers, uint64_t deadline_ns) {
    const struct options *options = subscribers->load->options;
    for (size_t i = 0; i < options->stuck + options->slow; i++) {
        struct subscriber *subscriber = &subscribers->all[i];
        if (subscriber_ready != subscriber->phase) continue;
        subscribers_watch(
            subscribers, subscriber, subscriber->is_cut ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, EPOLLIN);
    }
    for (uint64_t now; any_is_behind(subscribers) && (now = monotonic_ns()) < deadline_ns;) {
        turn_until(subscribers, now, deadline_ns);
    }
}
