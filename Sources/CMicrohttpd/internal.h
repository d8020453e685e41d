#ifndef RC_INTERNAL_H
#define RC_INTERNAL_H

#define _GNU_SOURCE
#include "CMicrohttpd.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

struct rc_server {
    rc_options options;
    struct MHD_Daemon *daemon;
    /// MHD 0.9.x parses in place and leaves traces by which `rc_head_is_intact` checks it.
    bool parses_in_place;
    /// A TCP socket that was never connected: what MHD's descriptor is replaced by at a hand-off.
    int dummy;
    atomic_bool stopping;
    /// Connections are being ended.
    atomic_bool closing;

    /// Guards what follows; `changed` says that a count fell or a connection has ended.
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t suspended;  // connections set aside and not yet resumed
    size_t answering;  // exchanges between `respond` and their end
    struct rc_connection *connections;  // all that MHD has accepted and not yet closed
};

/// A connection of the daemon's, in a list, so that a stop can end it.
struct rc_connection {
    struct rc_connection *previous, *next;
    int descriptor;
};

enum rc_phase {
    rc_phase_head,       // MHD has announced the request line
    rc_phase_body,       // the head is accepted
    rc_phase_suspended,  // waits for rc_exchange_resume
    rc_phase_resumed,    // rc_exchange_resume has stored the reply
    rc_phase_answered,   // a response was queued, or queueing failed
    rc_phase_handed_over,  // MHD is to close what it holds
};

struct rc_exchange {
    rc_server *server;
    struct MHD_Connection *connection;
    /// The one field that two threads write: the daemon's, and the one that resumes.
    _Atomic enum rc_phase phase;
    rc_refusal refusal;
    bool failed;         // no response could be queued: cut the connection
    bool is_answering;   // counted in server->answering
    bool ends_connection;  // nothing that follows this request is to be read

    void *reply;         // of a resumed exchange, until it has gone to a callback

    const char *method;  // MHD's
    int minor_version;
    size_t field_count;

    uint8_t *body;
    size_t body_length;
    size_t body_capacity;
    uint64_t received;   // body bytes, also those discarded

    const char *uri;     // where MHD keeps the target
    size_t target_length;
    char target[];       // a copy: MHD cuts its own to pieces
};

/// request.c: MHD's three request callbacks.
void *rc_request_line_received(void *server, const char *uri, struct MHD_Connection *connection);
enum MHD_Result rc_request_continued(
    void *server, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload, size_t *upload_length, void **exchange);
void rc_request_completed(
    void *server, struct MHD_Connection *connection, void **exchange,
    enum MHD_RequestTerminationCode code);

/// connections.c: MHD tells of each connection that it has accepted or is about to close.
void rc_connection_changed(
    void *server, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code);
/// Whether MHD may accept a connection.
enum MHD_Result rc_connection_offered(void *server, const struct sockaddr *address, socklen_t length);
/// Ends all connections and waits until MHD has closed them, or until the deadline. With `server->lock` held.
void rc_connections_end(rc_server *server, const struct timespec *deadline);

/// head.c
rc_refusal rc_head_check(rc_exchange *exchange, const char *version);
size_t rc_head_fields(rc_exchange *exchange, rc_field fields[RC_FIELD_CAPACITY]);

#endif
