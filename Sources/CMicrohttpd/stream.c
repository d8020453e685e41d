#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/// What MHD takes for the body of an answer; freed with it.
struct stream {
    rc_server *server;
    struct MHD_Connection *connection;
    void *stream;  // the caller's; NULL once it has gone to a callback
    bool chunked;
};

static void set_options(const rc_options *options, int descriptor) {
    const int one = 1;
    // Failures are harmless: the kernel's defaults serve, only less well.
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &options->stream_send_buffer_bytes, sizeof(int));
    const unsigned *unacknowledged = &options->stream_unacknowledged_milliseconds;
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, unacknowledged, sizeof *unacknowledged);
}

/// Makes MHD's descriptor mean the dummy socket. False: it still means the client's.
static bool replace(int descriptor, int dummy) {
    int result;
    do {
        result = dup3(dummy, descriptor, O_CLOEXEC);
    } while (result < 0 && (EINTR == errno || EBUSY == errno));
    return result >= 0;
}

/// MHD asks for the body first when the head has gone to the kernel whole; it holds the connection's
/// only other reference to the socket then.
///
/// The order matters. Suspending takes the descriptor out of MHD's epoll set while it still means the
/// client's socket; after the replacement the same number means the dummy, so nothing that MHD does
/// with it, closing included, reaches the client. Both on MHD's own thread, so that the connection is
/// never seen suspended by a stop.
static ssize_t hand_over(void *context, uint64_t position, char *buffer, size_t capacity) {
    (void)position;
    (void)buffer;
    (void)capacity;
    struct stream *stream = context;
    // The second call: MHD sends the last chunk into the dummy, gets EPIPE and frees everything.
    // When stopping or short of descriptors, an empty body that ends properly.
    if (!stream->stream || atomic_load(&stream->server->stopping)) return MHD_CONTENT_READER_END_OF_STREAM;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(stream->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info) return MHD_CONTENT_READER_END_OF_STREAM;
    const int theirs = info->connect_fd;
    // From 3 up: never one of the standard streams, even if the process has closed them.
    const int ours = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    if (ours < 0) return MHD_CONTENT_READER_END_OF_STREAM;
    MHD_suspend_connection(stream->connection);
    const bool replaced = replace(theirs, stream->server->dummy);
    MHD_resume_connection(stream->connection);
    if (!replaced) {
        close(ours);
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    set_options(&stream->server->options, ours);
    void *taken = stream->stream;
    stream->stream = NULL;
    stream->server->options.callbacks.stream_taken(taken, ours, stream->chunked);
    // Nothing yet: MHD calls again after the resumption.
    return 0;
}

/// Called once, by MHD, when it is done with the answer; by us, when there is none.
static void stream_ended(void *context) {
    struct stream *stream = context;
    if (stream->stream) stream->server->options.callbacks.stream_abandoned(stream->stream);
    free(stream);
}

static bool queue(rc_exchange *exchange, const rc_head *head, struct MHD_Response *response) {
    if (!rc_head_apply(exchange, response, head)) return false;
    // Must differ from the daemon's own timeout, which puts the connection on another list: MHD 0.9.75
    // and 1.0.1 look for ended connections on the common list only up to the first that is not due,
    // and would leak those behind an idle keep-alive connection.
    const unsigned timeout = exchange->server->options.connection_timeout_seconds + 1;
    MHD_set_connection_option(exchange->connection, MHD_CONNECTION_OPTION_TIMEOUT, timeout);
    return MHD_YES == MHD_queue_response(exchange->connection, head->status, response);
}

void rc_exchange_stream(rc_exchange *exchange, const rc_head *head, void *handle) {
    rc_server *server = exchange->server;
    atomic_store_explicit(&exchange->phase, rc_phase_answered, memory_order_relaxed);
    exchange->failed = true;
    struct stream *stream = malloc(sizeof *stream);
    if (!stream) {
        server->options.callbacks.stream_abandoned(handle);
        return;
    }
    *stream = (struct stream){
        .server = server, .connection = exchange->connection, .stream = handle,
        // As MHD decides: an unknown length is chunked from HTTP/1.1 on, else ends with the connection.
        .chunked = exchange->minor_version >= 1,
    };
    // The buffer is never written to, but MHD wants one.
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 256, &hand_over, stream, &stream_ended);
    if (!response) {
        stream_ended(stream);
        return;
    }
    exchange->failed = !queue(exchange, head, response);
    MHD_destroy_response(response);
}
