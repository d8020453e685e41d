// Publishes events on schedule, over one keep-alive connection.
#ifndef LOAD_PUBLISHER_H
#define LOAD_PUBLISHER_H

#include "client/load.h"
#include "wire/http_response.h"

/// A request that waits for its answer.
struct publication {
    uint64_t sent_ns;
    bool is_measured;
};

/// Counts are of events with a seq. For one thread at a time.
struct publisher {
    struct load *load;
    int descriptor;
    struct bytes output;             // what the socket has not taken yet
    struct http_response response;
    struct publication *in_flight;   // a ring
    size_t first_in_flight, in_flight_count;
    size_t next_topic;
    uint32_t random;
    char *event;                     // room for one

    uint64_t published;
    uint64_t measured_published;
    uint64_t measured_ns;            // how long the measured part was published to
    uint64_t refused;                // answered, but not with 2xx
    uint64_t unanswered;             // the server closed the connection first
    uint64_t reconnects;
    uint16_t last_refusal;           // the status
    struct histogram answer_ns;      // from send to the end of the answer; measured events
    struct histogram lag_ns;         // from the scheduled time to send; measured events
    const char *error;               // why it stopped early, if so
};

/// Connects; ends the program if that fails.
void publisher_init(struct publisher *publisher, struct load *load);
void publisher_free(struct publisher *publisher);

/// Makes each topic exist by an event without a seq, which readers pass over. Ends the program if one is refused.
void publisher_create_topics(struct publisher *publisher);

/// Publishes at the rate for the warm-up and the measured part, then waits for the last answers, but no longer than
/// the drain time. An event whose time has come is sent even if earlier ones are unanswered, up to the bound in
/// flight; beyond that it waits, and so do those behind it. What is not sent when the time is over never will be.
/// Opens the measured part just before its first event.
void publisher_run(struct publisher *publisher);

#endif
