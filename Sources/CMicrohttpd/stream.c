#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/// Makes MHD's descriptor mean the dummy socket. False: it still means the client's.
static bool replace(int descriptor, int dummy) {
    int result;
    do {
        result = dup3(dummy, descriptor, O_CLOEXEC);
    } while (result < 0 && (EINTR == errno || EBUSY == errno));
    return result >= 0;
}

/// Called before MHD has sent anything, when it has read the request and holds the connection's only
/// other reference to the socket.
///
/// The order matters. Suspending takes the descriptor out of MHD's epoll set while it still means the
/// client's socket; after the replacement the same number means the dummy, so nothing that MHD does
/// with it, closing included, reaches the client. Both on MHD's own thread, so that the connection is
/// never seen suspended by a stop. When MHD comes back to the resumed connection, it is told to close it.
int rc_exchange_hand_over(rc_exchange *exchange, bool *chunked) {
    rc_server *server = exchange->server;
    if (atomic_load(&server->stopping)) return -1;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (!info) return -1;
    const int theirs = info->connect_fd;
    // From 3 up: never one of the standard streams, even if the process has closed them.
    const int ours = fcntl(theirs, F_DUPFD_CLOEXEC, 3);
    if (ours < 0) return -1;
    MHD_suspend_connection(exchange->connection);
    const bool replaced = replace(theirs, server->dummy);
    // Else MHD closes the connection, and with it the client's.
    if (!replaced) close(ours);
    atomic_store_explicit(&exchange->phase, rc_phase_handed_over, memory_order_relaxed);
    MHD_resume_connection(exchange->connection);
    *chunked = exchange->minor_version >= 1;
    return replaced ? ours : -2;
}
