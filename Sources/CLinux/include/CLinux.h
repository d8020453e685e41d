/* What Linux has and the toolchain's Glibc module leaves out. */
#ifndef RUNCAST_CLINUX_H
#define RUNCAST_CLINUX_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* pthread_setname_np(3) for the calling thread: declared only under _GNU_SOURCE, which a module can't ask for.
 * A name of more than 15 bytes is refused (ERANGE). */
int linux_set_thread_name(const char *name);

/* Bytes in a socket's send queue that its peer has not acknowledged (SIOCOUTQ, tcp(7)), sent or not; -1 with errno. */
int linux_send_queue_bytes(int descriptor);

/* How long the calling thread likes to run at a stretch: 100,000 to 100,000,000 ns. It changes no thread's share of the
 * processor, but since Linux 6.12 one that wakes up and asks for less may interrupt one that asked for more. Older
 * kernels take the figure and leave it at that. Returns 0, or -1 with errno. */
int linux_set_thread_slice(uint64_t nanoseconds);

/* What the kernel tells of it: 0 where it knows of no slices. */
uint64_t linux_thread_slice(void);

#endif
