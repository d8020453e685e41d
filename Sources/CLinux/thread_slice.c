#define _GNU_SOURCE
#include "CLinux.h"
#include <sys/syscall.h>
#include <unistd.h>

/* The first version of the kernel's struct sched_attr (sched_setattr(2)); older C libraries declare none. */
struct attributes {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
};

int linux_set_thread_slice(uint64_t nanoseconds)
{
    struct attributes attributes = {.size = sizeof attributes};
    if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0)
        return -1;
    attributes.size = sizeof attributes;
    attributes.runtime = nanoseconds;
    return (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
}

uint64_t linux_thread_slice(void)
{
    struct attributes attributes = {.size = sizeof attributes};
    return syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 ? attributes.runtime : 0;
}
