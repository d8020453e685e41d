#include "internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// How long MHD gets to close connections that were ended; it has nothing to wait for.
#define CLOSING_MILLISECONDS 1000

/// Leaves the target as it is. MHD would decode it leniently and in place: %00 would end it early.
static size_t leave_escaped(void *context, struct MHD_Connection *connection, char *text) {
    (void)context;
    (void)connection;
    return strlen(text);
}

static struct MHD_Daemon *start_daemon(rc_server *server) {
    const rc_options *options = &server->options;
    // ITC: resuming and stopping must wake the polling thread. The error log stays off; each hand-off
    // would write a line, since MHD is told to close the connection.
    const unsigned flags =
        MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL | MHD_USE_ITC | MHD_ALLOW_SUSPEND_RESUME;
    // A pool of one is refused by some releases; without the option there is one thread anyway.
    const enum MHD_OPTION first = options->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END;
    struct MHD_OptionItem pool[] = {
        { first, (intptr_t)options->threads, NULL },
        { MHD_OPTION_END, 0, NULL },
    };
    // Level 1 of the parsers of 1.0 refuses bare LF, NUL, folding and the like. That of 0.9 checks two
    // things only, a missing Host (and then sends its head twice) and a space in the target (and then
    // closes without an answer); head.c checks both.
    const int strictness = server->parses_in_place ? 0 : 1;
    return MHD_start_daemon(
        flags, 0, &rc_connection_offered, server, &rc_request_continued, server,
        MHD_OPTION_LISTEN_SOCKET, options->listen_descriptor,
        MHD_OPTION_CONNECTION_LIMIT, options->connection_limit,
        // Never 0: an idle client would keep its place for good.
        MHD_OPTION_CONNECTION_TIMEOUT, options->connection_timeout_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->pool_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, &rc_request_line_received, server,
        MHD_OPTION_UNESCAPE_CALLBACK, &leave_escaped, NULL,
        MHD_OPTION_NOTIFY_COMPLETED, &rc_request_completed, server,
        MHD_OPTION_NOTIFY_CONNECTION, &rc_connection_changed, server,
#if MHD_VERSION >= 0x00097701
        MHD_OPTION_CLIENT_DISCIPLINE_LVL, strictness,
#else
        MHD_OPTION_STRICT_FOR_CLIENT, strictness,
#endif
        MHD_OPTION_ARRAY, pool,
        MHD_OPTION_END);
}

static bool prepare_waiting(rc_server *server) {
    pthread_condattr_t attributes;
    if (0 != pthread_mutex_init(&server->lock, NULL)) return false;
    if (0 == pthread_condattr_init(&attributes)) {
        // Wall-clock steps must not change how long a stop takes.
        const bool ready = 0 == pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            && 0 == pthread_cond_init(&server->changed, &attributes);
        pthread_condattr_destroy(&attributes);
        if (ready) return true;
    }
    pthread_mutex_destroy(&server->lock);
    return false;
}

static void destroy(rc_server *server) {
    pthread_cond_destroy(&server->changed);
    pthread_mutex_destroy(&server->lock);
    close(server->dummy);
    free(server);
}

rc_server *rc_server_start(const rc_options *options) {
    rc_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->options = *options;
    // At run time, not at compile time: both parsers go by the same library name.
    server->parses_in_place = 0 == strncmp(MHD_get_version(), "0.", 2);
    server->dummy = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (server->dummy < 0) {
        free(server);
        return NULL;
    }
    if (!prepare_waiting(server)) {
        close(server->dummy);
        free(server);
        return NULL;
    }
    errno = 0;
    server->daemon = start_daemon(server);
    if (!server->daemon) {
        // MHD has closed the listening descriptor: it does so in each failure after its options are
        // read, and these options are always readable.
        const int reason = errno ? errno : ENOMEM;
        destroy(server);
        errno = reason;
        return NULL;
    }
    return server;
}

void rc_server_stopping(rc_server *server) {
    atomic_store(&server->stopping, true);
}

static struct timespec deadline_after(unsigned milliseconds) {
    struct timespec deadline;
    clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += milliseconds / 1000;
    deadline.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (deadline.tv_nsec >= 1000000000) {
        deadline.tv_sec += 1;
        deadline.tv_nsec -= 1000000000;
    }
    return deadline;
}

void rc_server_stop(rc_server *server, unsigned grace_milliseconds) {
    rc_server_stopping(server);
    const struct timespec deadline = deadline_after(grace_milliseconds);
    pthread_mutex_lock(&server->lock);
    // MHD_stop_daemon cuts off answers that are still leaving.
    while (server->answering > 0) {
        if (0 != pthread_cond_timedwait(&server->changed, &server->lock, &deadline)) break;
    }
    while (server->suspended > 0) pthread_cond_wait(&server->changed, &server->lock);
    // While it stops, MHD 0.9.75 takes responses and queues none, its own included, and then builds a head
    // from the one it lacks: whoever sends it something to refuse in that moment would end the process.
    const struct timespec end = deadline_after(CLOSING_MILLISECONDS);
    rc_connections_end(server, &end);
    pthread_mutex_unlock(&server->lock);
    // Joins the daemon's threads and closes the listening socket. MHD_quiesce_daemon is not used: with
    // a pool it races with a worker at its connection limit, and then aborts the process.
    MHD_stop_daemon(server->daemon);
    destroy(server);
}

unsigned rc_server_connection_count(rc_server *server) {
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
    return info ? info->num_connections : 0;
}
