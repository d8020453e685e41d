#include "internal.h"

#include <stdlib.h>
#include <sys/socket.h>

/// A stop must come to an end, so from its beginning on nobody new is let in.
enum MHD_Result rc_connection_offered(void *context, const struct sockaddr *address, socklen_t length) {
    (void)address;
    (void)length;
    rc_server *server = context;
    return atomic_load(&server->closing) ? MHD_NO : MHD_YES;
}

static void add(rc_server *server, int descriptor, void **slot) {
    struct rc_connection *entry = calloc(1, sizeof *entry);
    // Out of memory: a stop leaves it to MHD.
    if (!entry) return;
    entry->descriptor = descriptor;
    pthread_mutex_lock(&server->lock);
    entry->next = server->connections;
    if (entry->next) entry->next->previous = entry;
    server->connections = entry;
    // Accepted while rc_connections_end went through the list.
    if (atomic_load(&server->closing)) shutdown(descriptor, SHUT_RDWR);
    pthread_mutex_unlock(&server->lock);
    *slot = entry;
}

static void removed(rc_server *server, struct rc_connection *entry) {
    pthread_mutex_lock(&server->lock);
    if (entry->previous) entry->previous->next = entry->next;
    else server->connections = entry->next;
    if (entry->next) entry->next->previous = entry->previous;
    pthread_cond_broadcast(&server->changed);
    pthread_mutex_unlock(&server->lock);
    free(entry);
}

/// A connection that ends is taken off before MHD closes its descriptor, so every number in the list means what it did
/// when it was put there, or the dummy of a socket that was handed over.
void rc_connection_changed(
    void *context, struct MHD_Connection *connection, void **slot, enum MHD_ConnectionNotificationCode code)
{
    rc_server *server = context;
    if (MHD_CONNECTION_NOTIFY_STARTED == code) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        if (info) add(server, info->connect_fd, slot);
    } else if (*slot) {
        removed(server, *slot);
        *slot = NULL;
    }
}

void rc_connections_end(rc_server *server, const struct timespec *deadline) {
    atomic_store(&server->closing, true);
    for (struct rc_connection *entry = server->connections; entry; entry = entry->next) {
        shutdown(entry->descriptor, SHUT_RDWR);
    }
    while (server->connections) {
        if (0 != pthread_cond_timedwait(&server->changed, &server->lock, deadline)) return;
    }
}
