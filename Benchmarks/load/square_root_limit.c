// How fast this machine can take square roots and add them: the bound of a computation that does just that.
//
//   square-root-limit [--terms N] [--rounds N]
//
// Terms of one thread in one round (200,000,000; rounded up to a multiple of 64), and rounds of each measurement (9).
// Prints one JSON object: nanoseconds per term for each instruction set on one core, and for the fastest of them on as
// many cores as the process may run on.

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure/json.h"
#include "square_roots/timing.h"

struct settings {
    uint64_t terms;
    uint64_t rounds;
};

__attribute__((noreturn)) static void refuse(void) {
    fputs("square-root-limit: usage: square-root-limit [--terms N] [--rounds N], N from 1 to 10^12 and to 1000\n",
          stderr);
    exit(2);
}

static uint64_t read_number(const char *text, uint64_t greatest) {
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    if (end == text || '\0' != *end || 0 != errno || 0 == number || number > greatest) refuse();
    return number;
}

static struct settings read_settings(int count, char **arguments) {
    struct settings settings = { .terms = 200 * 1000 * 1000, .rounds = 9 };
    for (int i = 1; i < count; i += 2) {
        if (i + 1 == count) refuse();
        if (0 == strcmp(arguments[i], "--terms")) {
            settings.terms = read_number(arguments[i + 1], UINT64_C(1000000000000));
        } else if (0 == strcmp(arguments[i], "--rounds")) {
            settings.rounds = read_number(arguments[i + 1], 1000);
        } else {
            refuse();
        }
    }
    settings.terms = (settings.terms + SQUARE_ROOTS_STEP - 1) / SQUARE_ROOTS_STEP * SQUARE_ROOTS_STEP;
    return settings;
}

static unsigned usable_cores(void) {
    cpu_set_t cores;
    return 0 == sched_getaffinity(0, sizeof cores, &cores) ? (unsigned)CPU_COUNT(&cores) : 1;
}

static void write_time(struct json *json, const char *name, unsigned threads, struct square_root_time time) {
    json_begin_object(json, NULL);
    json_string(json, "instructions", name);
    json_unsigned(json, "cores", threads);
    json_real(json, "nanosecondsPerTerm", time.least);
    json_real(json, "nanosecondsPerTermMedian", time.median);
    json_end_object(json);
}

int main(int count, char **arguments) {
    const struct settings settings = read_settings(count, arguments);
    const unsigned cores = usable_cores(), rounds = (unsigned)settings.rounds;
    struct json json = { .output = stdout };
    const struct square_root_loop *fastest = NULL;
    struct square_root_time fastest_time = { 0 };
    json_begin_object(&json, NULL);
    json_unsigned(&json, "terms", settings.terms);
    json_unsigned(&json, "rounds", settings.rounds);
    json_begin_array(&json, "measurements");
    for (size_t i = 0; i < square_root_loop_count; i++) {
        const struct square_root_loop *loop = &square_root_loops[i];
        if (!loop->is_supported()) continue;
        const struct square_root_time time = square_roots_time(loop, 1, settings.terms, rounds);
        write_time(&json, loop->name, 1, time);
        if (fastest && time.least >= fastest_time.least) continue;
        fastest = loop;
        fastest_time = time;
    }
    const struct square_root_time together = square_roots_time(fastest, cores, settings.terms, rounds);
    if (cores > 1) write_time(&json, fastest->name, cores, together);
    json_end_array(&json);
    json_string(&json, "fastest", fastest->name);
    json_real(&json, "oneCoreNanosecondsPerTerm", fastest_time.least);
    json_real(&json, "allCoresNanosecondsPerTerm", together.least);
    json_unsigned(&json, "cores", cores);
    json_end_object(&json);
    return 0;
}
