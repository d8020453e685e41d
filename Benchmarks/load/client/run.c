#include "client/run.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

#include "measure/clock.h"
#include "measure/process_usage.h"

enum {
    READ_OUT_SECONDS = 2,     // for slow and stuck readers, once nothing holds them back
    OTHER_DESCRIPTORS = 32,   // beside the subscribers'
};

static void raise_descriptor_limit(const struct options *options) {
    struct rlimit limit;
    if (0 != getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (options->subscribers + OTHER_DESCRIPTORS > limit.rlim_max) {
        load_give_up("the limit of open files is %llu, too low for %llu subscribers",
                     (unsigned long long)limit.rlim_max, (unsigned long long)options->subscribers);
    }
}

static void connect_all(struct run *run) {
    const struct options *options = run->load.options;
    const uint64_t cpu = processes_cpu_ns(options->processes, options->pids.count);
    const uint64_t began = monotonic_ns();
    run->rss_before_kib = processes_rss_kib(options->processes, options->pids.count);
    subscribers_connect(&run->subscribers);
    run->connect_ns = monotonic_ns() - began;
    subscribers_run_until(&run->subscribers, monotonic_ns() + seconds_to_ns(options->settle));
    run->connect_cpu_ns = processes_cpu_ns(options->processes, options->pids.count) - cpu;
    run->rss_connected_kib = processes_rss_kib(options->processes, options->pids.count);
}

static void *publish(void *context) {
    struct run *run = context;
    publisher_run(&run->publisher);
    subscribers_wake(&run->subscribers);
    return NULL;
}

static void publish_and_receive(struct run *run) {
    const struct options *options = run->load.options;
    pthread_t thread;
    const int error = pthread_create(&thread, NULL, publish, run);
    if (0 != error) load_give_up("no thread: %s", strerror(error));
    while (!subscribers_run_until(&run->subscribers, UINT64_MAX)) continue;
    pthread_join(thread, NULL);
    if (0 == run->publisher.measured_published) {
        load_give_up("nothing was published in the measured part: %s",
                     run->publisher.error ? run->publisher.error : "the rate is too low for the duration");
    }
    const uint64_t published_until = monotonic_ns();
    run->is_drained = subscribers_drain(&run->subscribers, published_until + seconds_to_ns(options->drain));
    load_take_moment(&run->load, &run->load.ended);
    // The slow ones go on, at their pace, as long as it was allowed.
    if (options->slow > 0) {
        subscribers_run_until(&run->subscribers, published_until + seconds_to_ns(options->drain));
    }
}

static void only_receive(struct run *run) {
    load_begin_measuring(&run->load);
    subscribers_run_until(
        &run->subscribers, run->load.began.time_ns + seconds_to_ns(run->load.options->duration));
    load_take_moment(&run->load, &run->load.ended);
    run->is_drained = true;
}

void run_load(struct run *run, const struct options *options) {
    raise_descriptor_limit(options);
    load_init(&run->load, options);
    subscribers_init(&run->subscribers, &run->load);
    run->publisher.descriptor = -1;
    if (options->publish_path) publisher_init(&run->publisher, &run->load);
    if (options->publish_path && !options->no_create_topics) publisher_create_topics(&run->publisher);
    connect_all(run);
    if (options->publishes) publish_and_receive(run);
    else only_receive(run);
    run->rss_end_kib = processes_rss_kib(options->processes, options->pids.count);
    for (int role = 0; role < role_count; role++) run->in_time[role] = progress_of(&run->subscribers, role);
    subscribers_read_out(&run->subscribers, monotonic_ns() + seconds_to_ns(READ_OUT_SECONDS));
}

void run_free(struct run *run) {
    subscribers_free(&run->subscribers);
    publisher_free(&run->publisher);
    load_free(&run->load);
}
