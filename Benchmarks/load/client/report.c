#include "client/report.h"

#include "measure/clock.h"
#include "measure/json.h"

static double microseconds(uint64_t ns) {
    return (double)ns / 1000;
}

static void write_configuration(struct json *json, const struct options *options) {
    json_begin_object(json, "configuration");
    json_string(json, "path", options->path);
    json_unsigned(json, "subscribers", options->subscribers);
    json_unsigned(json, "topics", options->topics);
    json_unsigned(json, "stuck", options->stuck);
    json_unsigned(json, "slow", options->slow);
    json_unsigned(json, "slowBytesPerSecond", options->slow_bytes_per_second);
    json_bool(json, "latest", options->latest);
    json_bool(json, "gunzip", options->gunzip);
    json_bool(json, "publishes", options->publishes);
    json_string(json, "publishPath", options->publish_path);
    json_string(json, "publishTopic", options->publish_topic);
    json_real(json, "rate", options->rate);
    json_unsigned(json, "events", options->events);
    json_unsigned(json, "size", options->size);
    json_unsigned(json, "publishInFlight", options->publish_in_flight);
    json_real(json, "warmup", options->warmup);
    json_real(json, "duration", options->duration);
    json_real(json, "drain", options->drain);
    json_real(json, "settle", options->settle);
    json_real(json, "connectRate", options->connect_rate);
    json_unsigned(json, "connectInFlight", options->connect_in_flight);
    json_unsigned(json, "addresses", options->addresses);
    json_begin_array(json, "pids");
    for (size_t i = 0; i < options->pids.count; i++) json_unsigned(json, NULL, (uint64_t)options->processes[i]);
    json_end_array(json);
    json_end_object(json);
}

static void write_durations(struct json *json, const char *name, const struct histogram *histogram) {
    json_begin_object(json, name);
    json_unsigned(json, "count", histogram->count);
    if (histogram->count > 0) {
        json_real(json, "p50", microseconds(histogram_quantile(histogram, 0.5)));
        json_real(json, "p90", microseconds(histogram_quantile(histogram, 0.9)));
        json_real(json, "p99", microseconds(histogram_quantile(histogram, 0.99)));
        json_real(json, "p999", microseconds(histogram_quantile(histogram, 0.999)));
        json_real(json, "max", microseconds(histogram->max));
    }
    json_end_object(json);
}

static void write_connecting(struct json *json, const struct run *run) {
    const struct subscribers *subscribers = &run->subscribers;
    json_unsigned(json, "ready", subscribers->ready);
    json_unsigned(json, "failedSubscriptions", subscribers->failed);
    json_real(json, "connectSeconds", ns_to_seconds(run->connect_ns));
    json_real(json, "connectsPerSecond", (double)subscribers->ready / ns_to_seconds(run->connect_ns));
    json_real(json, "connectCPUMicroseconds",
              microseconds(run->connect_cpu_ns) / (double)subscribers->ready);
    json_unsigned(json, "compressedStreams", subscribers->compressed);
    write_durations(json, "firstByteMicroseconds", &run->load.first_byte_ns);
}

static void write_publishing(struct json *json, const struct run *run) {
    const struct publisher *publisher = &run->publisher;
    json_unsigned(json, "published", publisher->measured_published);
    json_unsigned(json, "publishedWithWarmup", publisher->published);
    json_real(json, "publishRate", (double)publisher->measured_published / ns_to_seconds(publisher->measured_ns));
    json_unsigned(json, "publishRefused", publisher->refused);
    json_unsigned(json, "publishUnanswered", publisher->unanswered);
    json_unsigned(json, "publishReconnects", publisher->reconnects);
    json_string(json, "publishError", publisher->error);
    write_durations(json, "publishMicroseconds", &publisher->answer_ns);
    write_durations(json, "publishLagMicroseconds", &publisher->lag_ns);
}

static void write_counts(struct json *json, const struct tally *tally, bool latest) {
    const uint64_t skipped = counted(&tally->skipped);
    json_unsigned(json, "gaps", latest ? 0 : skipped);
    json_unsigned(json, "conflated", latest ? skipped : 0);
    json_unsigned(json, "repeats", counted(&tally->repeats));
    json_unsigned(json, "outOfOrder", counted(&tally->out_of_order));
    json_unsigned(json, "malformed", counted(&tally->malformed));
    json_unsigned(json, "closed", counted(&tally->closed));
    json_unsigned(json, "truncated", counted(&tally->truncated));
    json_unsigned(json, "announcedGaps", counted(&tally->announced_gaps));
    json_unsigned(json, "otherEvents", counted(&tally->foreign));
    json_unsigned(json, "comments", counted(&tally->comments));
}

static uint64_t expected(const struct run *run) {
    uint64_t sum = 0;
    for (size_t i = 0; i < run->load.options->topics; i++) {
        sum += run->load.topics[i].measured_published * run->load.topics[i].normal_subscribers;
    }
    return sum;
}

static void write_delivery(struct json *json, const struct run *run) {
    const struct tally *tally = &run->load.tallies[role_normal];
    const struct progress progress = progress_of(&run->subscribers, role_normal);
    json_unsigned(json, "expected", expected(run));
    json_unsigned(json, "delivered", counted(&tally->measured_delivered));
    json_unsigned(json, "deliveredWithWarmup", counted(&tally->delivered));
    json_unsigned(json, "missing", progress.missing);
    json_unsigned(json, "upToDate", progress.up_to_date);
    json_bool(json, "drained", run->is_drained);
    write_counts(json, tally, run->load.options->latest);
    write_durations(json, "latencyMicroseconds", &run->load.latency_ns);
}

static void write_usage(struct json *json, const struct run *run) {
    const struct moment *began = &run->load.began, *ended = &run->load.ended;
    const uint64_t server_ns = ended->server_cpu_ns - began->server_cpu_ns;
    const uint64_t client_ns = ended->client_cpu_ns - began->client_cpu_ns;
    const double events = (double)(ended->delivered - began->delivered);
    json_real(json, "measuredSeconds", ns_to_seconds(ended->time_ns - began->time_ns));
    json_unsigned(json, "measuredDeliveries", ended->delivered - began->delivered);
    json_real(json, "serverCPUSeconds", ns_to_seconds(server_ns));
    json_real(json, "cpuMicrosecondsPerEvent", microseconds(server_ns) / events);
    json_real(json, "clientCPUSeconds", ns_to_seconds(client_ns));
    json_real(json, "clientMicrosecondsPerEvent", microseconds(client_ns) / events);
    json_unsigned(json, "bytesReceived", ended->bytes - began->bytes);
    json_unsigned(json, "plainBytes", ended->plain_bytes - began->plain_bytes);
    json_unsigned(json, "reads", ended->reads - began->reads);
    json_unsigned(json, "rssBeforeKiB", run->rss_before_kib);
    json_unsigned(json, "rssConnectedKiB", run->rss_connected_kib);
    json_unsigned(json, "rssPeakKiB", run->subscribers.rss_peak_kib);
    json_unsigned(json, "rssEndKiB", run->rss_end_kib);
}

static void write_role(struct json *json, const char *name, const struct run *run, enum role role) {
    const struct progress progress = progress_of(&run->subscribers, role);
    if (0 == progress.count) return;
    const struct tally *tally = &run->load.tallies[role];
    json_begin_object(json, name);
    json_unsigned(json, "count", progress.count);
    json_unsigned(json, "delivered", counted(&tally->delivered));
    json_unsigned(json, "upToDateInTime", run->in_time[role].up_to_date);
    json_unsigned(json, "upToDate", progress.up_to_date);
    json_unsigned(json, "newestSeqLeast", progress.newest_least);
    json_unsigned(json, "newestSeqGreatest", progress.newest_greatest);
    json_unsigned(json, "missing", progress.missing);
    json_unsigned(json, "bytes", counted(&tally->bytes));
    write_counts(json, tally, run->load.options->latest);
    json_end_object(json);
}

void report_write(const struct run *run, FILE *output) {
    struct json json = { .output = output };
    json_begin_object(&json, NULL);
    write_configuration(&json, run->load.options);
    write_connecting(&json, run);
    write_publishing(&json, run);
    write_delivery(&json, run);
    write_usage(&json, run);
    write_role(&json, "slow", run, role_slow);
    write_role(&json, "stuck", run, role_stuck);
    json_string(&json, "firstError", run->subscribers.error);
    json_end_object(&json);
}
