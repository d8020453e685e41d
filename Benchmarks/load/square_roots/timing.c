#include "square_roots/timing.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/clock.h"

struct worker {
    pthread_t thread;
    const struct square_root_loop *loop;
    pthread_barrier_t *barrier;
    uint64_t terms;
    unsigned rounds;
    double sum;
};

__attribute__((noreturn)) static void fail(const char *message) {
    fprintf(stderr, "square-root-limit: %s\n", message);
    exit(1);
}

static void *work(void *context) {
    struct worker *worker = context;
    for (unsigned round = 0; round < worker->rounds; round++) {
        pthread_barrier_wait(worker->barrier);
        worker->sum = worker->loop->sum(worker->terms);
        pthread_barrier_wait(worker->barrier);
    }
    return NULL;
}

/// The roots of 0 to count - 1 by the Euler-Maclaurin formula; the neglected terms are below 1e-3.
static double expected_sum(uint64_t count) {
    const double last = (double)(count - 1);
    return 2.0 / 3.0 * last * sqrt(last) + sqrt(last) / 2 - 0.2078862249773545;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct square_root_time summary(double *times, unsigned count) {
    qsort(times, count, sizeof *times, compare);
    return (struct square_root_time){ .least = times[0], .median = (times[(count - 1) / 2] + times[count / 2]) / 2 };
}

struct square_root_time square_roots_time(
    const struct square_root_loop *loop, unsigned threads, uint64_t terms, unsigned rounds)
{
    struct worker *workers = calloc(threads, sizeof *workers);
    double *times = calloc(rounds, sizeof *times);
    pthread_barrier_t barrier;
    if (!workers || !times || 0 != pthread_barrier_init(&barrier, NULL, threads + 1)) fail("out of memory");
    // One more round, the first, brings the cores up to speed.
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct worker){ .loop = loop, .barrier = &barrier, .terms = terms, .rounds = rounds + 1 };
        if (0 != pthread_create(&workers[i].thread, NULL, work, &workers[i])) fail("too many threads");
    }
    for (unsigned round = 0; round <= rounds; round++) {
        pthread_barrier_wait(&barrier);
        const uint64_t began = monotonic_ns();
        pthread_barrier_wait(&barrier);
        const double taken = (double)(monotonic_ns() - began);
        if (round > 0) times[round - 1] = taken / ((double)terms * threads);
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        if (fabs(workers[i].sum / expected_sum(terms) - 1) > 1e-9) fail("a sum is wrong");
    }
    pthread_barrier_destroy(&barrier);
    const struct square_root_time time = summary(times, rounds);
    free(workers);
    free(times);
    return time;
}
