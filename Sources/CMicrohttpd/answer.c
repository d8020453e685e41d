#include "internal.h"

#include <string.h>

/// False: out of memory, or a field that MHD does not take.
static bool apply_head(const rc_exchange *exchange, struct MHD_Response *response, const rc_head *head) {
    const char *text = head->fields;
    for (size_t i = 0; i < head->field_count; i++) {
        const char *value = text + strlen(text) + 1;
        if (MHD_YES != MHD_add_response_header(response, text, value)) return false;
        text = value + strlen(value) + 1;
    }
    const bool close = head->close || exchange->ends_connection;
    return !close || MHD_YES == MHD_add_response_header(response, "Connection", "close");
}

/// NULL: out of memory.
static struct MHD_Response *make_response(
    const rc_exchange *exchange, const rc_head *head, const void *body, size_t length)
{
    // A buffer, never a reader: in 0.9.75 the answer to HEAD from a reader carries a body. MHD copies
    // the bytes and, for HEAD, sends their number only.
    struct MHD_Response *response =
        MHD_create_response_from_buffer(length, length ? (void *)body : (void *)"", MHD_RESPMEM_MUST_COPY);
    if (response && !apply_head(exchange, response, head)) {
        MHD_destroy_response(response);
        response = NULL;
    }
    return response;
}

void rc_exchange_answer(rc_exchange *exchange, const rc_head *head, const void *body, size_t length) {
    struct MHD_Response *response = make_response(exchange, head, body, length);
    atomic_store_explicit(&exchange->phase, rc_phase_answered, memory_order_relaxed);
    exchange->failed =
        !response || MHD_YES != MHD_queue_response(exchange->connection, head->status, response);
    if (response) MHD_destroy_response(response);
}

void rc_exchange_suspend(rc_exchange *exchange) {
    rc_server *server = exchange->server;
    pthread_mutex_lock(&server->lock);
    server->suspended++;
    pthread_mutex_unlock(&server->lock);
    // The phase comes first: once it is suspended, another thread may resume it.
    atomic_store_explicit(&exchange->phase, rc_phase_suspended, memory_order_release);
    MHD_suspend_connection(exchange->connection);
}

void rc_exchange_resume(rc_exchange *exchange, void *reply) {
    rc_server *server = exchange->server;
    struct MHD_Connection *connection = exchange->connection;
    exchange->reply = reply;
    // Releases the field above to the daemon's thread, which acquires the phase.
    atomic_store_explicit(&exchange->phase, rc_phase_resumed, memory_order_release);
    MHD_resume_connection(connection);
    // From here on the exchange may be gone. The count falls last: rc_server_stop may end the daemon
    // only when MHD_resume_connection has returned.
    pthread_mutex_lock(&server->lock);
    server->suspended--;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
}

const char *rc_reason_phrase(unsigned status) {
    return MHD_get_reason_phrase_for(status);
}
