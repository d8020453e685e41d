// One subscriber: what it has received, and what that means. No I/O of its own.
#ifndef LOAD_SUBSCRIBER_H
#define LOAD_SUBSCRIBER_H

#include "client/load.h"
#include "client/sequence.h"
#include "wire/event_stream.h"
#include "wire/http_response.h"
#include "wire/inflation.h"

enum subscriber_phase {
    subscriber_idle,        // not connected yet
    subscriber_connecting,
    subscriber_asking,      // the request is sent
    subscriber_ready,       // the head of a stream has arrived
    subscriber_failed,      // never became ready
    subscriber_ended,       // by the server, or by an error in its stream
};

struct subscriber {
    int descriptor;
    uint32_t topic;
    uint8_t phase;  // enum subscriber_phase
    uint8_t role;   // enum role
    bool is_cut;    // slow and stuck ones: the server has closed, though not all may have been read
    bool was_ready;
    uint64_t connecting_since_ns;
    struct sequence sequence;
    struct http_response response;
    struct event_stream stream;
    struct inflation *inflation;  // NULL for a stream without a content coding
    const char *error;            // why it failed, if so
};

/// Reads what has arrived at `now_ns`, and counts. Returns false when no more can be read: the phase says why.
/// `room` is for decoded bytes, shared by all subscribers of a thread.
bool subscriber_receive(
    struct subscriber *subscriber, struct load *load, struct slice input, uint64_t now_ns, char *room,
    size_t room_length);

/// The server has closed the connection, or broken it.
void subscriber_disconnected(struct subscriber *subscriber, struct load *load);

/// Frees what belongs to it, but for the descriptor.
void subscriber_free(struct subscriber *subscriber);

#endif
