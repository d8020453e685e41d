// TCP sockets to one server.
#ifndef LOAD_SOCKETS_H
#define LOAD_SOCKETS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

/// Looks up an IPv4 address by name or in digits; false if there is none.
bool socket_find_address(const char *host, uint16_t port, struct sockaddr_in *address);

/// Starts to connect without waiting. Returns a non-blocking descriptor, or -1 with errno.
///
/// `source` is the local address in host byte order, 0 for the system's choice; the system picks the port at the time
/// of the connect, so that every address has the whole range. `receive_buffer_bytes` is SO_RCVBUF, of which the system
/// makes the double (socket(7)); 0 leaves it alone.
int socket_start_connect(const struct sockaddr_in *server, uint32_t source, int receive_buffer_bytes);

/// Connects and waits for it. TCP_NODELAY is set. Returns a blocking descriptor, or -1 with errno.
int socket_connect(const struct sockaddr_in *server);

/// The error of a connect that was under way, as an errno; 0 when it succeeded.
int socket_pending_error(int descriptor);

#endif
