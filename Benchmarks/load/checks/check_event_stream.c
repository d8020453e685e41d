#include "checks/check.h"
#include "checks/pieces.h"
#include "wire/event_stream.h"

/// What was dispatched, one event after the other: name, '#' and id if there is one, '=', data, '|'.
struct reading {
    struct event_stream stream;
    struct bytes dispatched;
    bool has_failed;
};

static void feed(void *context, struct slice piece) {
    struct reading *reading = context;
    struct event event;
    enum event_part part;
    while (event_ready == (part = event_next(&reading->stream, &piece, &event))) {
        bytes_append(&reading->dispatched, event.name);
        if (event.id.length > 0) bytes_append_text(&reading->dispatched, "#");
        bytes_append(&reading->dispatched, event.id);
        bytes_append_text(&reading->dispatched, "=");
        bytes_append(&reading->dispatched, event.data);
        bytes_append_text(&reading->dispatched, "|");
    }
    if (event_error == part) reading->has_failed = true;
    else CHECK(0 == piece.length);
}

static struct {
    const char *text, *dispatched;
    uint64_t comments, unknown_fields;
    bool is_whole;
} expected;

static void read_cut(struct slice text, size_t first, size_t second) {
    struct reading reading = { 0 };
    feed_cut(feed, &reading, text, first, second);
    CHECK(slice_equals(bytes_slice(&reading.dispatched), expected.dispatched));
    CHECK(reading.stream.comments == expected.comments);
    CHECK(reading.stream.unknown_fields == expected.unknown_fields);
    CHECK(event_stream_is_between_events(&reading.stream) == expected.is_whole);
    CHECK(!reading.has_failed);
    event_stream_free(&reading.stream);
    bytes_free(&reading.dispatched);
}

static void dispatches(const char *text, const char *dispatched) {
    expected.text = text;
    expected.dispatched = dispatched;
    for_each_cut(slice_of(text), read_cut);
}

static void refuses_an_endless_event(void) {
    check_case("an endless event");
    struct reading reading = { 0 };
    char line[4096];
    memset(line, 'x', sizeof line);
    for (int i = 0; i < EVENT_STREAM_MAX_EVENT_BYTES / (int)sizeof line + 1; i++) {
        feed_piece(feed, &reading, (struct slice){ line, sizeof line });
        if (reading.has_failed) break;
    }
    CHECK(reading.has_failed);
    event_stream_free(&reading.stream);
    bytes_free(&reading.dispatched);
}

void check_event_stream(void) {
    expected.is_whole = true;
    dispatches("", "");
    dispatches("data: a\n\ndata: b\n\n", "=a|=b|");
    dispatches("data: a\r\n\r\ndata: b\r\n\r\n", "=a|=b|");
    dispatches("data: a\r\rdata: b\r\r", "=a|=b|");
    dispatches("data: a\r\ndata: b\rdata: c\n\n\r\rdata: d\n\r", "=a\nb\nc|=d|");
    dispatches("event: n\nid: 7\ndata:a\ndata:  b\nretry: 5\n\ndata: c\n\n", "n#7=a\n b|=c|");
    dispatches("data: a\nevent: m\n\ndata: b\n\n", "m=a|=b|");
    dispatches("data\n\nevent: n\n\nid\n\ndata: \n\n\n\ndata: a\n\n", "=a|");
    dispatches("data:\ndata:\n\n", "=\n|");
    dispatches("\xEF\xBB\xBF" "data: a\n\n", "=a|");
    expected.comments = 3;
    dispatches(":\n\n: c\ndata: a\n:data: b\n\n", "=a|");
    expected.comments = 0;
    expected.unknown_fields = 3;
    dispatches("dat: a\nData: a\n data: a\ndata: b\n\n", "=b|");
    // Only one mark is dropped, only at the start.
    expected.unknown_fields = 1;
    dispatches("\xEF\xBB\xBF\xEF\xBB\xBF" "data: a\n\ndata: b\n\n", "=b|");
    expected.unknown_fields = 0;
    expected.is_whole = false;
    dispatches("data: a\n\ndata: b\n", "=a|");
    dispatches("data: a\n\nd", "=a|");
    refuses_an_endless_event();
}
