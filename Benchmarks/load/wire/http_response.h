// Reads one HTTP/1.1 response (RFC 9112) from bytes that arrive in any pieces. Pure: no I/O.
//
// Stricter than a browser on purpose: what a lenient reader would forgive is an error of the server under test.
#ifndef LOAD_HTTP_RESPONSE_H
#define LOAD_HTTP_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/bytes.h"

enum {
    /// Bytes of a head; a longer one is an error.
    HTTP_MAX_HEAD_BYTES = 16 * 1024,
    /// Hexadecimal digits of a chunk's size; more are an error.
    HTTP_MAX_SIZE_DIGITS = 8,
};

enum http_framing { http_until_close, http_by_length, http_chunked };
enum http_coding { http_identity, http_gzip, http_deflate, http_other_coding };

enum http_part {
    http_need_more,  // the input is used up
    http_head,       // the head is complete: status and the like are set
    http_body,       // some bytes of the body
    http_end,        // the response is complete; the input holds what follows it
    http_error,      // not HTTP: `error` says what; nothing more can be read
};

/// All zeros is one that waits for its first byte.
struct http_response {
    int state;
    uint16_t status;
    uint8_t framing;       // enum http_framing
    uint8_t coding;        // enum http_coding
    uint8_t size_digits;
    bool is_event_stream;  // Content-Type is text/event-stream, with whatever parameters
    bool keeps_alive;      // without `Connection: close`
    uint64_t remaining;    // bytes of the present chunk or of the body
    struct bytes head;     // what came of an unfinished head
    const char *error;
};

/// Takes bytes from the front of `input` and says what they complete; `body` is set for `http_body` and borrows from
/// the input. Interim responses (1xx) are skipped. Call it again until it needs more.
enum http_part http_next(struct http_response *response, struct slice *input, struct slice *body);

/// Whether the peer may close now: before a response, behind one, or if closing is what ends it.
bool http_may_close(const struct http_response *response);

/// Makes it ready for the connection's next response.
void http_reset(struct http_response *response);

#endif
