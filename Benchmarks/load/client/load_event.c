#include "client/load_event.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char seq_mark[] = "{\"seq\":";
static const char sent_mark[] = ",\"sent\":";
static const char pad_mark[] = ",\"pad\":\"";
static const char end_mark[] = "\"}";

/// Xorshift (Marsaglia, 2003): the same numbers in every run.
static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static size_t write_reading(char *room, size_t length, uint32_t *random) {
    static const char *const instruments[] = { "boiler", "pump", "valve", "turbine", "furnace", "belt" };
    static const char *const quantities[] = { "temperature", "pressure", "flow", "speed", "vibration", "power" };
    static const char *const states[] = { "normal", "normal", "normal", "high", "low", "maintenance" };
    char text[128];
    const int written = snprintf(
        text, sizeof text, "%s-%02u %s %u.%02u %s; ", instruments[next_random(random) % 6],
        next_random(random) % 32, quantities[next_random(random) % 6], next_random(random) % 500,
        next_random(random) % 100, states[next_random(random) % 6]);
    const size_t taken = (size_t)written < length ? (size_t)written : length;
    memcpy(room, text, taken);
    return taken;
}

void load_events_init(struct load_events *events, size_t size) {
    uint32_t random = 2463534242;
    events->size = size;
    for (int i = 0; i < LOAD_EVENT_PADS; i++) {
        events->pads[i] = allocate_zeroed(size, 1);
        for (size_t at = 0; at < size;) at += write_reading(events->pads[i] + at, size - at, &random);
    }
}

void load_events_free(struct load_events *events) {
    for (int i = 0; i < LOAD_EVENT_PADS; i++) free(events->pads[i]);
}

size_t load_event_write(const struct load_events *events, char *room, uint64_t seq, uint64_t sent_ns) {
    const int head = snprintf(
        room, events->size, "%s%" PRIu64 "%s%" PRIu64 "%s", seq_mark, seq, sent_mark, sent_ns, pad_mark);
    const size_t end_length = sizeof end_mark - 1;
    const size_t pad_length = events->size - (size_t)head - end_length;
    memcpy(room + head, events->pads[seq % LOAD_EVENT_PADS], pad_length);
    memcpy(room + head + pad_length, end_mark, end_length);
    return events->size;
}

static bool take_text(struct slice *data, const char *text, size_t length) {
    if (data->length < length || 0 != memcmp(data->at, text, length)) return false;
    *data = slice_without_first(*data, length);
    return true;
}

/// 1 to 19 digits, which can't overflow, the first of them not 0.
static bool take_number(struct slice *data, uint64_t *number) {
    size_t digits = 0;
    *number = 0;
    while (digits < data->length && digits < 19 && data->at[digits] >= '0' && data->at[digits] <= '9') {
        *number = *number * 10 + (uint64_t)(data->at[digits++] - '0');
    }
    if (0 == digits || '0' == data->at[0]) return false;
    *data = slice_without_first(*data, digits);
    return true;
}

static bool matches(const struct load_events *events, struct slice event, uint64_t *seq, uint64_t *sent_ns) {
    if (event.length != events->size) return false;
    return take_text(&event, seq_mark, sizeof seq_mark - 1) && take_number(&event, seq)
        && take_text(&event, sent_mark, sizeof sent_mark - 1) && take_number(&event, sent_ns)
        && take_text(&event, pad_mark, sizeof pad_mark - 1) && event.length >= sizeof end_mark - 1
        && take_text(&event, events->pads[*seq % LOAD_EVENT_PADS], event.length - (sizeof end_mark - 1))
        && take_text(&event, end_mark, sizeof end_mark - 1);
}

enum load_event_kind load_event_read(
    const struct load_events *events, struct slice data, uint64_t *seq, uint64_t *sent_ns)
{
    struct slice event = data;
    if (!slice_starts_with(data, seq_mark)) {
        const char *start = memmem(data.at, data.length, seq_mark, sizeof seq_mark - 1);
        if (!start) return load_event_foreign;
        event = slice_without_first(data, (size_t)(start - data.at));
        // Behind it the envelope goes on.
        if (event.length > events->size) event.length = events->size;
    }
    return matches(events, event, seq, sent_ns) ? load_event_valid : load_event_malformed;
}
