/* What Linux has and the toolchain's Glibc module leaves out. */
#ifndef RUNCAST_CLINUX_H
#define RUNCAST_CLINUX_H

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/* pthread_setname_np(3) for the calling thread: declared only under _GNU_SOURCE, which a module can't ask for.
 * A name of more than 15 bytes is refused (ERANGE). */
int linux_set_thread_name(const char *name);

#endif
