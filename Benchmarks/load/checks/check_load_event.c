#include <stdlib.h>

#include "checks/check.h"
#include "client/load_event.h"

static void reads(const struct load_events *events, struct slice text, enum load_event_kind kind) {
    uint64_t seq = 0, sent = 0;
    // A copy as long as the text, so that the address sanitizer sees a read beyond it.
    char *copy = malloc(text.length ? text.length : 1);
    memcpy(copy, text.at, text.length);
    CHECK(kind == load_event_read(events, (struct slice){ copy, text.length }, &seq, &sent));
    if (load_event_valid == kind) CHECK(71 == seq && 123456789 == sent);
    free(copy);
}

static void check_size(size_t size) {
    struct load_events events;
    struct bytes text = { 0 };
    char *room = allocate_zeroed(size, 1);
    load_events_init(&events, size);
    check_case("an event of %zu bytes", size);
    CHECK(size == load_event_write(&events, room, 71, 123456789));
    reads(&events, (struct slice){ room, size }, load_event_valid);
    bytes_append_text(&text, "{\"topic\":\"a\",\"data\":");
    bytes_append(&text, (struct slice){ room, size });
    bytes_append_text(&text, "}");
    reads(&events, bytes_slice(&text), load_event_valid);
    for (size_t at = 0; at < size; at++) {
        // The digits themselves are only known to be digits; those of the seq choose the padding.
        const bool is_time = at >= 17 && at < 26;
        if (is_time) continue;
        check_case("an event of %zu bytes with another byte %zu", size, at);
        room[at] ^= 2;
        reads(&events, (struct slice){ room, size }, at < 7 ? load_event_foreign : load_event_malformed);
        room[at] ^= 2;
        check_case("an event of %zu bytes that ends after %zu", size, at);
        reads(&events, (struct slice){ room, at }, at < 7 ? load_event_foreign : load_event_malformed);
    }
    load_events_free(&events);
    bytes_free(&text);
    free(room);
}

/// Of padding that is the same as far as it goes.
static void check_another_size(void) {
    struct load_events events, longer;
    char room[101];
    load_events_init(&events, 100);
    load_events_init(&longer, 101);
    check_case("an event of another size");
    reads(&events, (struct slice){ room, load_event_write(&longer, room, 71, 123456789) }, load_event_malformed);
    reads(&longer, (struct slice){ room, load_event_write(&events, room, 71, 123456789) }, load_event_malformed);
    load_events_free(&events);
    load_events_free(&longer);
}

/// Numbers count from 1.
static void check_numbers(void) {
    struct load_events events;
    char room[LOAD_EVENT_MIN_BYTES];
    load_events_init(&events, sizeof room);
    check_case("numbers");
    load_event_write(&events, room, 0, 123456789);
    reads(&events, (struct slice){ room, sizeof room }, load_event_malformed);
    load_event_write(&events, room, 71, 0);
    reads(&events, (struct slice){ room, sizeof room }, load_event_malformed);
    load_events_free(&events);
}

void check_load_event(void) {
    check_another_size();
    check_numbers();
    check_size(LOAD_EVENT_MIN_BYTES);
    check_size(2048);
    struct load_events events;
    char room[LOAD_EVENT_MIN_BYTES];
    load_events_init(&events, sizeof room);
    check_case("the largest numbers");
    CHECK(sizeof room == load_event_write(&events, room, UINT64_C(999999999999999999), UINT64_C(9999999999999999999)));
    check_case("other events");
    reads(&events, slice_of("{\"n\":1}"), load_event_foreign);
    reads(&events, slice_of("{\"created\":true}"), load_event_foreign);
    load_events_free(&events);
}
