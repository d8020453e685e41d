#include "floor/request.h"

#include <stdlib.h>
#include <strings.h>

static bool take_until(struct slice *text, char mark, struct slice *part) {
    const char *end = memchr(text->at, mark, text->length);
    if (!end) return false;
    *part = (struct slice){ text->at, (size_t)(end - text->at) };
    *text = slice_without_first(*text, part->length + 1);
    return true;
}

/// The value of Content-Length; 0 without one.
static size_t content_length(struct slice fields) {
    static const char name[] = "Content-Length:";
    struct slice line;
    while (take_until(&fields, '\n', &line)) {
        if (line.length < sizeof name || 0 != strncasecmp(line.at, name, sizeof name - 1)) continue;
        // Ends at the CR that follows the digits.
        return strtoul(line.at + sizeof name - 1, NULL, 10);
    }
    return 0;
}

enum floor_request_state floor_request_take(struct slice *input, struct floor_request *request) {
    const char *end = memmem(input->at, input->length, "\r\n\r\n", 4);
    if (!end) return input->length > FLOOR_MAX_REQUEST_BYTES ? floor_request_bad : floor_request_incomplete;
    struct slice head = { input->at, (size_t)(end - input->at) + 2 };
    const size_t head_length = head.length + 2;
    struct slice line, target;
    if (!take_until(&head, '\n', &line)) return floor_request_bad;
    if (!take_until(&line, ' ', &request->method) || !take_until(&line, ' ', &target)) return floor_request_bad;
    const char *query = memchr(target.at, '?', target.length);
    request->path = (struct slice){ target.at, query ? (size_t)(query - target.at) : target.length };
    const size_t length = content_length(head);
    if (length > FLOOR_MAX_REQUEST_BYTES) return floor_request_bad;
    if (input->length - head_length < length) return floor_request_incomplete;
    request->body = (struct slice){ input->at + head_length, length };
    *input = slice_without_first(*input, head_length + length);
    return floor_request_complete;
}
