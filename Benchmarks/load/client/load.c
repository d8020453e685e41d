#include "client/load.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure/clock.h"
#include "measure/process_usage.h"
#include "wire/sockets.h"

void load_init(struct load *load, const struct options *options) {
    load->options = options;
    if (!socket_find_address(options->host, (uint16_t)options->port, &load->server)) {
        load_give_up("there is no IPv4 address of %s", options->host);
    }
    load_events_init(&load->events, options->size);
    load->topics = allocate_zeroed(options->topics, sizeof *load->topics);
    atomic_store(&load->measured_since_ns, UINT64_MAX);
}

void load_free(struct load *load) {
    load_events_free(&load->events);
    free(load->topics);
}

void load_take_moment(const struct load *load, struct moment *moment) {
    *moment = (struct moment){ 0 };
    for (int role = 0; role < role_count; role++) {
        const struct tally *tally = &load->tallies[role];
        moment->delivered += counted(&tally->delivered);
        moment->bytes += counted(&tally->bytes);
        moment->plain_bytes += counted(&tally->plain_bytes);
        moment->reads += counted(&tally->reads);
    }
    moment->server_cpu_ns = processes_cpu_ns(load->options->processes, load->options->pids.count);
    moment->client_cpu_ns = own_cpu_ns();
    moment->time_ns = monotonic_ns();
}

void load_begin_measuring(struct load *load) {
    load_take_moment(load, &load->began);
    atomic_store_explicit(&load->measured_since_ns, load->began.time_ns, memory_order_release);
}

void load_give_up(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("sse-load: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}
