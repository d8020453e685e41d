#include "wire/sockets.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool socket_find_address(const char *host, uint16_t port, struct sockaddr_in *address) {
    const struct addrinfo wanted = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
    struct addrinfo *found = NULL;
    if (0 != getaddrinfo(host, NULL, &wanted, &found)) return false;
    memcpy(address, found->ai_addr, sizeof *address);
    address->sin_port = htons(port);
    freeaddrinfo(found);
    return true;
}

static int close_with_error(int descriptor) {
    const int error = errno;
    close(descriptor);
    errno = error;
    return -1;
}

static bool set_option(int descriptor, int level, int option, int value) {
    return 0 == setsockopt(descriptor, level, option, &value, sizeof value);
}

int socket_start_connect(const struct sockaddr_in *server, uint32_t source, int receive_buffer_bytes) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (receive_buffer_bytes > 0 && !set_option(descriptor, SOL_SOCKET, SO_RCVBUF, receive_buffer_bytes)) {
        return close_with_error(descriptor);
    }
    if (source) {
        const struct sockaddr_in local = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(source) };
        if (!set_option(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, 1)
            || 0 != bind(descriptor, (const struct sockaddr *)&local, sizeof local)) {
            return close_with_error(descriptor);
        }
    }
    const int connected = connect(descriptor, (const struct sockaddr *)server, sizeof *server);
    if (0 != connected && EINPROGRESS != errno) return close_with_error(descriptor);
    return descriptor;
}

int socket_connect(const struct sockaddr_in *server) {
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (!set_option(descriptor, IPPROTO_TCP, TCP_NODELAY, 1)
        || 0 != connect(descriptor, (const struct sockaddr *)server, sizeof *server)) {
        return close_with_error(descriptor);
    }
    return descriptor;
}

int socket_pending_error(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (0 != getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)) return errno;
    return error;
}
