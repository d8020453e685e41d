#include "measure/process_usage.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "measure/clock.h"

static bool read_clock(clockid_t clock, uint64_t *ns) {
    struct timespec time;
    if (0 != clock_gettime(clock, &time)) return false;
    *ns = (uint64_t)time.tv_sec * NANOSECONDS_PER_SECOND + (uint64_t)time.tv_nsec;
    return true;
}

static bool read_cpu(pid_t process, uint64_t *ns) {
    clockid_t clock;
    return 0 == clock_getcpuclockid(process, &clock) && read_clock(clock, ns);
}

bool process_is_measurable(pid_t process) {
    uint64_t ns;
    return read_cpu(process, &ns);
}

uint64_t processes_cpu_ns(const pid_t *processes, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t ns = 0;
        if (read_cpu(processes[i], &ns)) sum += ns;
    }
    return sum;
}

static uint64_t rss_kib(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *status = fopen(path, "re");
    if (!status) return 0;
    char line[256];
    uint64_t kib = 0;
    while (fgets(line, sizeof line, status)) {
        if (1 == sscanf(line, "VmRSS: %" SCNu64 " kB", &kib)) break;
    }
    fclose(status);
    return kib;
}

uint64_t processes_rss_kib(const pid_t *processes, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += rss_kib(processes[i]);
    return sum;
}

uint64_t own_cpu_ns(void) {
    uint64_t ns = 0;
    read_clock(CLOCK_PROCESS_CPUTIME_ID, &ns);
    return ns;
}
