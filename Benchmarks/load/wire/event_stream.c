#include "wire/event_stream.h"

/// Cuts the first line off `text`; false if its end is not there. Lines end with LF, CR LF or CR.
///
/// A CR LF that is cut in two passes for two line ends. Within an event that can't last, since the event is read anew
/// when more has come; behind one it makes an empty line, which is nothing.
static bool take_line(struct slice *text, struct slice *line) {
    const char *feed = memchr(text->at, '\n', text->length);
    const size_t before_feed = feed ? (size_t)(feed - text->at) : text->length;
    const char *end = memchr(text->at, '\r', before_feed);
    if (!end) end = feed;
    if (!end) return false;
    *line = (struct slice){ text->at, (size_t)(end - text->at) };
    const size_t end_length = '\r' == *end && end + 1 == feed ? 2 : 1;
    *text = slice_without_first(*text, line->length + end_length);
    return true;
}

static void append_data(struct event_stream *stream, struct event *event, bool *has_data, struct slice value) {
    if (!*has_data) {
        event->data = value;
        *has_data = true;
        return;
    }
    // The first line is in `joined` only from the second on.
    if (0 == stream->joined.length) bytes_append(&stream->joined, event->data);
    bytes_append_text(&stream->joined, "\n");
    bytes_append(&stream->joined, value);
    event->data = bytes_slice(&stream->joined);
}

static void take_field(struct event_stream *stream, struct event *event, bool *has_data, struct slice line) {
    const char *colon = memchr(line.at, ':', line.length);
    if (colon == line.at) {
        stream->comments++;
        return;
    }
    const struct slice name = { line.at, colon ? (size_t)(colon - line.at) : line.length };
    struct slice value = slice_without_first(line, colon ? name.length + 1 : name.length);
    if (value.length > 0 && ' ' == value.at[0]) value = slice_without_first(value, 1);
    if (slice_equals(name, "data")) {
        append_data(stream, event, has_data, value);
    } else if (slice_equals(name, "event")) {
        event->name = value;
    } else if (slice_equals(name, "id")) {
        event->id = value;
    } else if (!slice_equals(name, "retry")) {
        stream->unknown_fields++;
    }
}

/// Reads one event, with or without data, and cuts it off `text`; false, and nothing is cut, if its end is missing.
static bool take_event(struct event_stream *stream, struct slice *text, struct event *event, bool *has_data) {
    struct slice rest = *text;
    const uint64_t comments = stream->comments, unknown_fields = stream->unknown_fields;
    struct slice line;
    *event = (struct event){ .name = { "", 0 }, .id = { "", 0 }, .data = { "", 0 } };
    *has_data = false;
    stream->joined.length = 0;
    while (take_line(&rest, &line)) {
        if (0 == line.length) {
            *text = rest;
            return true;
        }
        take_field(stream, event, has_data, line);
    }
    // All of it will be read again.
    stream->comments = comments;
    stream->unknown_fields = unknown_fields;
    return false;
}

/// Drops the byte order mark that may open the stream; false while it can't be told from other bytes.
static bool take_mark(struct event_stream *stream, struct slice *text) {
    static const char mark[] = "\xEF\xBB\xBF";
    if (stream->is_past_start) return true;
    const size_t length = text->length < 3 ? text->length : 3;
    const bool may_be_mark = 0 == memcmp(text->at, mark, length);
    if (may_be_mark && length < 3) return false;
    if (may_be_mark) *text = slice_without_first(*text, 3);
    stream->is_past_start = true;
    return true;
}

/// Reads events until there is one to dispatch.
static bool take_next(struct event_stream *stream, struct slice *text, struct event *event) {
    bool has_data;
    if (0 == text->length || !take_mark(stream, text)) return false;
    while (text->length > 0 && take_event(stream, text, event, &has_data)) {
        // Comments and fields alone make no event; nor does empty data.
        if (has_data && event->data.length > 0) return true;
    }
    return false;
}

static enum event_part next_held(struct event_stream *stream, struct event *event) {
    struct slice text = slice_without_first(bytes_slice(&stream->held), stream->held_at);
    const bool is_ready = take_next(stream, &text, event);
    stream->held_at = stream->held.length - text.length;
    if (is_ready) return event_ready;
    bytes_remove_first(&stream->held, stream->held_at);
    stream->held_at = 0;
    return stream->held.length > EVENT_STREAM_MAX_EVENT_BYTES ? event_error : event_need_more;
}

enum event_part event_next(struct event_stream *stream, struct slice *input, struct event *event) {
    const bool has_held = stream->held.length > stream->held_at;
    if (!has_held) {
        stream->held.length = stream->held_at = 0;
        if (take_next(stream, input, event)) return event_ready;
    }
    bytes_append(&stream->held, *input);
    *input = slice_without_first(*input, input->length);
    return has_held ? next_held(stream, event) : event_need_more;
}

bool event_stream_is_between_events(const struct event_stream *stream) {
    return stream->held.length == stream->held_at;
}

void event_stream_free(struct event_stream *stream) {
    bytes_free(&stream->held);
    bytes_free(&stream->joined);
}
