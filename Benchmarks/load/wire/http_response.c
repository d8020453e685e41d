#include "wire/http_response.h"

#include "wire/http_head.h"

enum state {
    in_head,
    in_size,         // the digits of a chunk's size
    in_extension,    // behind a semicolon
    at_size_lf,
    in_chunk,
    at_chunk_cr,
    at_chunk_lf,
    at_trailer,      // at the start of a line
    in_trailer,
    at_last_lf,
    in_sized_body,
    in_open_body,    // until the peer closes
    at_end,
    failed,
};

static enum http_part fail(struct http_response *response, const char *error) {
    response->state = failed;
    response->error = error;
    return http_error;
}

static enum state state_behind_head(const struct http_response *response) {
    switch ((enum http_framing)response->framing) {
    case http_chunked: return in_size;
    case http_by_length: return response->remaining > 0 ? in_sized_body : at_end;
    default: return in_open_body;
    }
}

/// Looks for the empty line in what is held and in the input together.
static enum http_part take_head(struct http_response *response, struct slice *input) {
    struct slice head = *input;
    const size_t held = response->head.length;
    if (held > 0) {
        bytes_append(&response->head, *input);
        head = bytes_slice(&response->head);
    }
    const char *end = memmem(head.at, head.length, "\r\n\r\n", 4);
    const size_t length = end ? (size_t)(end - head.at) + 4 : head.length;
    if (length > HTTP_MAX_HEAD_BYTES) return fail(response, "the head is too long");
    if (!end) {
        if (0 == held) bytes_append(&response->head, *input);
        *input = slice_without_first(*input, input->length);
        return http_need_more;
    }
    const bool is_head = http_parse_head(response, (struct slice){ head.at, length });
    *input = slice_without_first(*input, length - held);
    bytes_free(&response->head);
    if (!is_head) return fail(response, response->error);
    response->state = state_behind_head(response);
    return http_head;
}

static int hexadecimal_value(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/// One byte of what surrounds the chunks (RFC 9112, section 7.1); false if it may not be there.
static bool take_framing_byte(struct http_response *response, char byte) {
    switch ((enum state)response->state) {
    case in_size: {
        const int digit = hexadecimal_value(byte);
        if (digit >= 0 && response->size_digits < HTTP_MAX_SIZE_DIGITS) {
            response->remaining = response->remaining * 16 + (uint64_t)digit;
            response->size_digits++;
            return true;
        }
        if (0 == response->size_digits) return false;
        if (';' == byte) response->state = in_extension;
        else if ('\r' == byte) response->state = at_size_lf;
        else return false;
        return true;
    }
    case in_extension:
        if ('\r' == byte) response->state = at_size_lf;
        return '\n' != byte;
    case at_size_lf:
        response->size_digits = 0;
        response->state = response->remaining > 0 ? in_chunk : at_trailer;
        return '\n' == byte;
    case at_chunk_cr: response->state = at_chunk_lf; return '\r' == byte;
    case at_chunk_lf: response->state = in_size; return '\n' == byte;
    case at_trailer: response->state = '\r' == byte ? at_last_lf : in_trailer; return '\n' != byte;
    case in_trailer:
        if ('\n' == byte) response->state = at_trailer;
        return true;
    case at_last_lf: response->state = at_end; return '\n' == byte;
    default: return false;
    }
}

static enum http_part take_body(struct http_response *response, struct slice *input, struct slice *body) {
    *body = *input;
    if (in_open_body != response->state) {
        if (body->length > response->remaining) body->length = (size_t)response->remaining;
        response->remaining -= body->length;
        if (0 == response->remaining) response->state = in_chunk == response->state ? at_chunk_cr : at_end;
    }
    *input = slice_without_first(*input, body->length);
    return http_body;
}

enum http_part http_next(struct http_response *response, struct slice *input, struct slice *body) {
    for (;;) {
        // The end needs no byte: it is told even if the head said that there is no body.
        if (at_end == response->state) return http_end;
        if (failed == response->state) return http_error;
        if (0 == input->length) return http_need_more;
        switch ((enum state)response->state) {
        case in_head: {
            const enum http_part part = take_head(response, input);
            const bool is_interim = http_head == part && 1 == response->status / 100;
            if (!is_interim) return part;
            http_reset(response);
            break;
        }
        case in_chunk:
        case in_sized_body:
        case in_open_body: return take_body(response, input, body);
        default:
            if (!take_framing_byte(response, input->at[0])) return fail(response, "bad chunk framing");
            *input = slice_without_first(*input, 1);
        }
    }
}

bool http_may_close(const struct http_response *response) {
    const bool is_untouched = in_head == response->state && 0 == response->head.length;
    return is_untouched || in_open_body == response->state || at_end == response->state;
}

void http_reset(struct http_response *response) {
    bytes_free(&response->head);
    *response = (struct http_response){ 0 };
}
