#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/// Bytes read and dropped at the end of a connection that is cut off while its client may be sending.
#define DRAIN_BYTES (256 * 1024)

/// Makes MHD find an empty query.
///
/// It would keep a list of arguments that nobody asks for, 64 bytes and more each. When a query of
/// many `&` uses up the memory of the connection, 0.9.75 forgets that it has prepared an error and
/// waits for a head that it has thrown away: no answer, and no end before the timeout. The text is in
/// MHD's own read buffer (0.9.75 and 1.0.1), which it is about to cut up itself; it is const for the
/// sake of applications.
static void hide_query(const char *uri) {
    char *mark = strchr((char *)uri, '?');
    if (mark) mark[1] = 0;
}

/// Has MHD look again at a connection whose client has said that nothing follows.
///
/// MHD waits for edges of epoll and takes a read that did not fill its buffer for the last (0.9.75). When
/// the client's FIN comes together with what was read, their one edge is spent, and MHD would keep the
/// connection, answered or not, until its timeout. Nothing is unread then, so shutting down this half
/// loses nothing, and Linux makes a new edge of it.
static void show_end_of_input(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    char byte;
    if (info && 0 == recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT)) {
        shutdown(info->connect_fd, SHUT_RD);
    }
}

/// MHD calls this as soon as the request line is parsed, before it cuts `uri` at `?`, `&` and `=`, and
/// passes what it returns to the other two as `*exchange`.
void *rc_request_line_received(void *context, const char *uri, struct MHD_Connection *connection) {
    if (!uri) return NULL;
    const size_t length = strlen(uri);
    rc_exchange *exchange = malloc(sizeof *exchange + length + 1);
    if (!exchange) return NULL;
    memset(exchange, 0, sizeof *exchange);
    exchange->server = context;
    exchange->connection = connection;
    atomic_init(&exchange->phase, rc_phase_head);
    exchange->uri = uri;
    exchange->target_length = length;
    memcpy(exchange->target, uri, length + 1);
    hide_query(uri);
    show_end_of_input(connection);
    return exchange;
}

/// The client is told at once what is wrong with its head, before it sends a body.
static void head_received(rc_exchange *exchange, const char *method, const char *version) {
    exchange->method = method;
    // MHD has checked that it is HTTP/1.x.
    exchange->minor_version = version[7] - '0';
    exchange->refusal = rc_head_check(exchange, version);
    atomic_store_explicit(&exchange->phase, rc_phase_body, memory_order_relaxed);
}

static void drop_body(rc_exchange *exchange) {
    free(exchange->body);
    exchange->body = NULL;
    exchange->body_length = exchange->body_capacity = 0;
}

static void respond(rc_exchange *exchange) {
    rc_server *server = exchange->server;
    rc_field fields[RC_FIELD_CAPACITY];
    const bool refused = rc_refusal_none != exchange->refusal;
    const rc_request request = {
        .method = { exchange->method, strlen(exchange->method) },
        .target = { exchange->target, exchange->target_length },
        .minor_version = exchange->minor_version,
        .fields = fields,
        .field_count = refused ? 0 : rc_head_fields(exchange, fields),
        .body = { (const char *)exchange->body, refused ? 0 : exchange->body_length },
        .refusal = exchange->refusal,
    };
    pthread_mutex_lock(&server->lock);
    server->answering++;
    pthread_mutex_unlock(&server->lock);
    exchange->is_answering = true;
    server->options.callbacks.respond(server->options.callbacks.context, exchange, &request);
    // Its receiver has copied it. The exchange itself lives on: only this thread ends it.
    drop_body(exchange);
}

/// False: out of memory.
static bool append(rc_exchange *exchange, const char *bytes, size_t count) {
    const size_t needed = exchange->body_length + count;
    if (needed > exchange->body_capacity) {
        size_t capacity = exchange->body_capacity ? exchange->body_capacity * 2 : 1024;
        if (capacity < needed) capacity = needed;
        uint8_t *grown = realloc(exchange->body, capacity);
        if (!grown) return false;
        exchange->body = grown;
        exchange->body_capacity = capacity;
    }
    memcpy(exchange->body + exchange->body_length, bytes, count);
    exchange->body_length = needed;
    return true;
}

/// False: cut the connection.
static bool body_received(rc_exchange *exchange, const char *bytes, size_t count) {
    const rc_options *options = &exchange->server->options;
    exchange->received += count;
    if (exchange->received <= options->max_body_bytes) return append(exchange, bytes, count);
    // Only a chunked body comes here: an announced length was checked with the head. MHD can answer
    // only before or after a body, so the rest is read and dropped, within bounds.
    exchange->refusal = rc_refusal_body_too_large;
    drop_body(exchange);
    return exchange->received - options->max_body_bytes <= options->discard_bytes;
}

/// MHD calls this with the head, with each piece of the body, after the body, and again when a
/// suspended connection has been resumed.
enum MHD_Result rc_request_continued(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload, size_t *upload_length, void **slot)
{
    (void)context;
    (void)url;
    rc_exchange *exchange = *slot;
    if (!exchange) return MHD_NO;
    switch (atomic_load_explicit(&exchange->phase, memory_order_acquire)) {
    case rc_phase_head:
        head_received(exchange, method, version);
        // An answer in this first call makes MHD close the connection, so only refusals are given now.
        if (rc_refusal_none != exchange->refusal) respond(exchange);
        break;
    case rc_phase_body:
        if (*upload_length > 0) {
            const bool proceed = body_received(exchange, upload, *upload_length);
            *upload_length = 0;
            show_end_of_input(connection);
            return proceed ? MHD_YES : MHD_NO;
        }
        respond(exchange);
        break;
    case rc_phase_resumed: {
        const rc_callbacks *callbacks = &exchange->server->options.callbacks;
        void *reply = exchange->reply;
        exchange->reply = NULL;
        callbacks->resumed(callbacks->context, exchange, reply);
        break;
    }
    case rc_phase_handed_over:
        // What MHD holds is the dummy.
        return MHD_NO;
    case rc_phase_suspended:
    case rc_phase_answered:
        // More of a body that was answered early: dropped.
        if (upload_length) *upload_length = 0;
        break;
    }
    return exchange->failed ? MHD_NO : MHD_YES;
}

/// Reads what the client has sent beyond the answer. A socket that is closed with unread bytes sends
/// RST, upon which many clients throw away the answer that explains the refusal.
static void drain(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info) return;
    char dropped[4096];
    for (size_t total = 0; total < DRAIN_BYTES;) {
        const ssize_t count = recv(info->connect_fd, dropped, sizeof dropped, MSG_DONTWAIT);
        if (count <= 0) return;
        total += (size_t)count;
    }
}

/// MHD calls this once for each request whose request line was announced, when its answer has left or
/// its connection has failed. It is never called while the connection is suspended.
void rc_request_completed(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_RequestTerminationCode code)
{
    rc_server *server = context;
    rc_exchange *exchange = *slot;
    if (!exchange) return;
    *slot = NULL;
    const bool is_handed_over = rc_phase_handed_over == atomic_load(&exchange->phase);
    const bool is_cut = rc_refusal_none != exchange->refusal || MHD_REQUEST_TERMINATED_COMPLETED_OK != code;
    if (is_cut && !is_handed_over) drain(connection);
    if (exchange->is_answering) {
        pthread_mutex_lock(&server->lock);
        server->answering--;
        pthread_cond_broadcast(&server->changed);
        pthread_mutex_unlock(&server->lock);
    }
    if (exchange->reply) server->options.callbacks.reply_dropped(exchange->reply);
    drop_body(exchange);
    free(exchange);
}
