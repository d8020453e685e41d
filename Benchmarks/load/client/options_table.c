#include "client/options_table.h"

#include "client/load_event.h"
#include "client/options.h"

#define FIELD(member) offsetof(struct options, member)

// Seconds, of any one phase.
static const double max_seconds = 86400;
static const double max_rate = 10e6;

#define UNSIGNED(name, member, min, max, initial, help) \
    { name, "N", option_unsigned, FIELD(member), min, max, initial, help }
#define REAL(name, argument, member, max, initial, help) \
    { name, argument, option_real, FIELD(member), 0, max, initial, help }
#define TEXT(name, argument, member, initial, help) { name, argument, option_text, FIELD(member), 0, 0, initial, help }
#define TEXTS(name, argument, member, help) { name, argument, option_texts, FIELD(member), 0, 0, NULL, help }
#define FLAG(name, member, help) { name, NULL, option_flag, FIELD(member), 0, 0, NULL, help }

const struct option_row option_rows[] = {
    TEXT("--host", "NAME", host, "127.0.0.1", "the server, an IPv4 address or a name that has one"),
    UNSIGNED("--port", port, 1, 65535, NULL, "the server's port"),
    UNSIGNED("--subscribers", subscribers, 1, 1000000, "1", "connections that subscribe"),
    UNSIGNED("--topics", topics, 1, 1000000, "1", "subscriber i has topic i mod N"),
    TEXT("--path", "PATH", path, "/v1/streams/bench?policy=all", "of a subscription; %d becomes the topic's number"),
    TEXTS("--header", "'Name: value'", headers, "added to subscribing requests; repeatable"),
    FLAG("--gunzip", gunzip, "asks for gzip and undoes it"),
    FLAG("--latest", latest, "skipped values are conflated, not gaps"),
    UNSIGNED("--stuck", stuck, 0, 1000000, "0", "of the subscribers, the first N never read after the head"),
    UNSIGNED("--slow", slow, 0, 1000000, "0", "of the subscribers, the next N read slowly"),
    UNSIGNED("--slow-bytes-per-second", slow_bytes_per_second, 10, 655360, "1024", "how fast they read"),
    TEXT("--publish-path", "PATH", publish_path, NULL, "to POST events to; %d becomes the topic's number"),
    TEXT("--publish-prefix", "TEXT", publish_prefix, "", "before each event's JSON object in the body"),
    TEXT("--publish-suffix", "TEXT", publish_suffix, "", "behind it"),
    TEXTS("--publish-header", "'Name: value'", publish_headers,
          "added to publishing requests; repeatable; else Content-Type: application/json"),
    TEXT("--publish-topic", "ORDER", publish_topic, "round-robin", "which topic is next: round-robin or random"),
    FLAG("--no-publish", no_publish, "only holds the connections for the duration"),
    FLAG("--no-create-topics", no_create_topics, "else one event without a seq first goes to each topic"),
    REAL("--rate", "R", rate, max_rate, NULL, "events per second over all topics, sent on schedule"),
    UNSIGNED("--events", events, 0, 1e15, "0", "ends after so many events, if the time does not end it; 0: no bound"),
    UNSIGNED("--size", size, LOAD_EVENT_MIN_BYTES, LOAD_EVENT_MAX_BYTES, "64",
             "bytes of each event's JSON object"),
    UNSIGNED("--publish-in-flight", publish_in_flight, 1, 4096, "64",
             "requests that may wait for their answer, pipelined"),
    REAL("--warmup", "S", warmup, max_seconds, "1", "seconds of publishing before the measured part"),
    REAL("--duration", "S", duration, max_seconds, "5", "seconds of the measured part"),
    REAL("--drain", "S", drain, max_seconds, "5", "seconds to wait at most for what is due after the last event"),
    REAL("--settle", "S", settle, max_seconds, "0.5", "seconds without load once all are connected"),
    REAL("--connect-rate", "R", connect_rate, max_rate, "0", "connections per second; 0: as fast as possible"),
    UNSIGNED("--connect-in-flight", connect_in_flight, 1, 65536, "128", "connections that may be under way"),
    REAL("--connect-timeout", "S", connect_timeout, max_seconds, "30", "seconds for all of them, and for an answer"),
    UNSIGNED("--addresses", addresses, 1, 254, "1", "spreads them over the sources 127.0.0.1 to 127.0.0.N"),
    TEXTS("--pid", "PID", pids, "a process of the server, to be measured; repeatable"),
};

const size_t option_count = sizeof option_rows / sizeof option_rows[0];
