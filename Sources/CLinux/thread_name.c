#define _GNU_SOURCE
#include "CLinux.h"
#include <pthread.h>

int linux_set_thread_name(const char *name) { return pthread_setname_np(pthread_self(), name); }
