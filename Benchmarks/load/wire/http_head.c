#include "wire/http_head.h"

#include <ctype.h>
#include <strings.h>

static bool equals_ignoring_case(struct slice text, const char *other) {
    return text.length == strlen(other) && 0 == strncasecmp(text.at, other, text.length);
}

static struct slice trimmed(struct slice text) {
    while (text.length > 0 && (' ' == text.at[0] || '\t' == text.at[0])) text = slice_without_first(text, 1);
    while (text.length > 0 && (' ' == text.at[text.length - 1] || '\t' == text.at[text.length - 1])) text.length--;
    return text;
}

static bool fail(struct http_response *response, const char *error) {
    response->error = error;
    return false;
}

static bool parse_status_line(struct http_response *response, struct slice line) {
    if (!slice_starts_with(line, "HTTP/1.1 ") && !slice_starts_with(line, "HTTP/1.0 ")) {
        return fail(response, "not an HTTP/1 status line");
    }
    response->keeps_alive = '1' == line.at[7];
    response->framing = http_until_close;
    const struct slice rest = slice_without_first(line, 9);
    if (rest.length < 3 || (rest.length > 3 && ' ' != rest.at[3])) return fail(response, "bad status");
    unsigned status = 0;
    for (int i = 0; i < 3; i++) {
        if (!isdigit((unsigned char)rest.at[i])) return fail(response, "bad status");
        status = status * 10 + (unsigned)(rest.at[i] - '0');
    }
    response->status = (uint16_t)status;
    return true;
}

static bool parse_length(struct http_response *response, struct slice value) {
    if (0 == value.length || value.length > 18) return fail(response, "bad Content-Length");
    uint64_t length = 0;
    for (size_t i = 0; i < value.length; i++) {
        if (!isdigit((unsigned char)value.at[i])) return fail(response, "bad Content-Length");
        length = length * 10 + (uint64_t)(value.at[i] - '0');
    }
    if (http_until_close != response->framing) return fail(response, "two lengths");
    response->framing = http_by_length;
    response->remaining = length;
    return true;
}

static bool parse_field(struct http_response *response, struct slice line) {
    const char *colon = memchr(line.at, ':', line.length);
    if (!colon || colon == line.at) return fail(response, "a field without a name");
    const struct slice name = { line.at, (size_t)(colon - line.at) };
    const struct slice value = trimmed(slice_without_first(line, name.length + 1));
    for (size_t i = 0; i < name.length; i++) {
        if (!isgraph((unsigned char)name.at[i])) return fail(response, "a bad field name");
    }
    if (equals_ignoring_case(name, "Content-Length")) return parse_length(response, value);
    if (equals_ignoring_case(name, "Transfer-Encoding")) {
        if (!equals_ignoring_case(value, "chunked")) return fail(response, "a transfer coding other than chunked");
        if (http_until_close != response->framing) return fail(response, "two lengths");
        response->framing = http_chunked;
    } else if (equals_ignoring_case(name, "Content-Type")) {
        const char *semicolon = memchr(value.at, ';', value.length);
        const size_t length = semicolon ? (size_t)(semicolon - value.at) : value.length;
        response->is_event_stream =
            equals_ignoring_case(trimmed((struct slice){ value.at, length }), "text/event-stream");
    } else if (equals_ignoring_case(name, "Content-Encoding")) {
        response->coding = equals_ignoring_case(value, "gzip")       ? http_gzip
                           : equals_ignoring_case(value, "deflate")  ? http_deflate
                           : equals_ignoring_case(value, "identity") ? http_identity
                                                                     : http_other_coding;
    } else if (equals_ignoring_case(name, "Connection")) {
        if (equals_ignoring_case(value, "close")) response->keeps_alive = false;
        if (equals_ignoring_case(value, "keep-alive")) response->keeps_alive = true;
    }
    return true;
}

bool http_parse_head(struct http_response *response, struct slice head) {
    bool is_first = true;
    while (head.length > 0) {
        const char *end = memchr(head.at, '\n', head.length);
        if (!end || end == head.at || '\r' != end[-1]) return fail(response, "a line of the head without CR LF");
        const struct slice line = { head.at, (size_t)(end - 1 - head.at) };
        head = slice_without_first(head, line.length + 2);
        if (0 == line.length) break;
        if (!(is_first ? parse_status_line : parse_field)(response, line)) return false;
        is_first = false;
    }
    if (is_first) return fail(response, "an empty head");
    // Neither has a body (RFC 9112, section 6.3).
    if (204 == response->status || 304 == response->status) {
        response->framing = http_by_length;
        response->remaining = 0;
    }
    return true;
}
