#include "client/subscribers_internal.h"

#include <sys/epoll.h>

#include "measure/clock.h"
#include "measure/process_usage.h"

static const uint64_t ns_per_millisecond = 1000 * 1000;

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

bool subscribers_drain(struct subscribers *subscribers, uint64_t deadline_ns) {
    subscribers->is_draining = true;
    for (size_t i = 0; i < subscribers->count; i++) {
        if (subscribers_is_due(subscribers, &subscribers->all[i])) subscribers->due++;
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
