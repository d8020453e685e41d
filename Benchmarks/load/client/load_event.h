// The events that the load consists of: {"seq":N,"sent":NANOSECONDS,"pad":"..."}.
#ifndef LOAD_EVENT_H
#define LOAD_EVENT_H

#include <stdint.h>

#include "wire/bytes.h"

enum {
    /// Bytes; the least that holds the largest numbers.
    LOAD_EVENT_MIN_BYTES = 64,
    LOAD_EVENT_MAX_BYTES = 512 * 1024,
    /// Different texts to pad with. At 2 kB each they do not fit a compressor's window of 32 KiB.
    LOAD_EVENT_PADS = 64,
};

/// Knows the text of every event of a run. Immutable once made: any thread may read it.
struct load_events {
    size_t size;
    char *pads[LOAD_EVENT_PADS];  // `size` bytes each
};

enum load_event_kind {
    load_event_valid,
    load_event_malformed,  // it begins as ours do, but is not one byte for byte
    load_event_foreign,    // something else: of the server itself, or of another publisher
};

/// `size` is that of each event in bytes. The padding is made up readings of instruments, the same in every run,
/// that compress about as such texts do.
void load_events_init(struct load_events *events, size_t size);
void load_events_free(struct load_events *events);

/// Writes an event; there must be room for `size` bytes. Returns its length.
size_t load_event_write(const struct load_events *events, char *room, uint64_t seq, uint64_t sent_ns);

/// Compares with what must have been sent, to the last byte. An event inside an envelope of the server's is found too,
/// if its text was left as it was.
enum load_event_kind load_event_read(
    const struct load_events *events, struct slice data, uint64_t *seq, uint64_t *sent_ns);

#endif
