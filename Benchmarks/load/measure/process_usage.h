// What other processes have used: CPU time and resident memory, summed over several.
#ifndef LOAD_PROCESS_USAGE_H
#define LOAD_PROCESS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Whether the process is there and its CPU clock may be read.
bool process_is_measurable(pid_t process);

/// User and system time of all threads, living and ended, in nanoseconds (clock_getcpuclockid(3)). A process that is
/// gone counts 0, so a server that died shows as a difference below zero: callers check with
/// `process_is_measurable`.
uint64_t processes_cpu_ns(const pid_t *processes, size_t count);

/// VmRSS of /proc/PID/status (proc(5)) in KiB.
uint64_t processes_rss_kib(const pid_t *processes, size_t count);

/// The CPU time of this process, all threads, in nanoseconds.
uint64_t own_cpu_ns(void);

#endif
