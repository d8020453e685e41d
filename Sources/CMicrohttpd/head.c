#include "internal.h"

#include <string.h>
#include <strings.h>

// What MHD 0.9.75 lets through and a front end may read differently (request smuggling, RFC 9112,
// section 11.2), or reads otherwise than it was meant. 1.0.x refuses more by itself.

struct collector {
    rc_field *fields;
    size_t count;
};

static enum MHD_Result collect(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_length, const char *value,
    size_t value_length)
{
    (void)kind;
    struct collector *collector = context;
    if (RC_FIELD_CAPACITY == collector->count) return MHD_NO;
    collector->fields[collector->count++] =
        (rc_field){ { name, name_length }, { value ? value : "", value ? value_length : 0 } };
    return MHD_YES;
}

/// The fields in the order in which they were received, as MHD has them.
static size_t collect_fields(rc_exchange *exchange, rc_field *fields) {
    struct collector collector = { fields, 0 };
    MHD_get_connection_values_n(exchange->connection, MHD_HEADER_KIND, &collect, &collector);
    return collector.count;
}

static bool is_blank(char byte) {
    return ' ' == byte || '\t' == byte;
}

/// Without the white space that follows it (RFC 9112, section 5.1); MHD drops only what comes before.
static rc_text trimmed(rc_text value) {
    while (value.length > 0 && is_blank(value.bytes[value.length - 1])) value.length--;
    return value;
}

size_t rc_head_fields(rc_exchange *exchange, rc_field fields[RC_FIELD_CAPACITY]) {
    const size_t count = collect_fields(exchange, fields);
    for (size_t i = 0; i < count; i++) fields[i].value = trimmed(fields[i].value);
    return count;
}

/// RFC 9110, section 5.6.2.
static bool is_token(const char *bytes, size_t length) {
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < length; i++) {
        const char byte = bytes[i];
        const bool is_alphanumeric =
            (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        if (!is_alphanumeric && (0 == byte || NULL == strchr(marks, byte))) return false;
    }
    return length > 0;
}

/// No control characters but the tab (RFC 9110, section 5.5).
static bool is_field_value(rc_text value) {
    for (size_t i = 0; i < value.length; i++) {
        const unsigned char byte = (unsigned char)value.bytes[i];
        if ((byte < 0x20 && '\t' != byte) || 0x7F == byte) return false;
    }
    return true;
}

/// One host and perhaps a port; not a list, a URL or free text (RFC 9110, section 7.2).
static bool is_host(rc_text value) {
    for (size_t i = 0; i < value.length; i++) {
        const unsigned char byte = (unsigned char)value.bytes[i];
        if (byte <= ' ' || byte >= 0x7F || NULL != strchr(",/?#@\\\"<>", byte)) return false;
    }
    return true;
}

static bool is_named(const rc_field *field, const char *name) {
    const size_t length = strlen(name);
    return field->name.length == length && 0 == strncasecmp(field->name.bytes, name, length);
}

static size_t header_size(rc_exchange *exchange) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : SIZE_MAX;
}

static bool is_line_end(const char *at, const char *end) {
    return end - at >= 2 && 0 == at[0] && 0 == at[1];
}

/// Whether the request line holds exactly method SP target SP version CRLF.
static bool is_line_intact(const rc_exchange *exchange, const char *version) {
    return exchange->uri == exchange->method + strlen(exchange->method) + 1
        && version == exchange->uri + exchange->target_length + 1;
}

/// Whether the fields and nothing else lie between the request line and the end of the head.
///
/// MHD 0.9.x cuts lines in place, putting NULs over CR, LF and the colon. So a NUL that the client
/// sent ends a name or a value early, one at the start of a line ends the head early, a bare LF
/// passes for CRLF, and a folded line is glued to the *name* of its field. Each leaves a gap between
/// what MHD reports and where the next part must begin.
static bool are_fields_intact(
    rc_exchange *exchange, const char *version, const rc_field *fields, size_t count, size_t size)
{
    const char *end = exchange->method + size;
    const char *at = version + strlen("HTTP/1.1");
    if (!is_line_end(at, end)) return false;
    at += 2;
    for (size_t i = 0; i < count; i++) {
        if (fields[i].name.bytes != at) return false;
        at += fields[i].name.length + 1;
        while (at < fields[i].value.bytes && is_blank(*at)) at++;
        if (fields[i].value.bytes != at) return false;
        at += fields[i].value.length;
        if (!is_line_end(at, end)) return false;
        at += 2;
    }
    return is_line_end(at, end) && at + 2 == end;
}

/// How the body is delimited must be beyond doubt (RFC 9112, section 6).
static rc_refusal check_framing(rc_exchange *exchange, const rc_field *fields, size_t count) {
    size_t hosts = 0, lengths = 0, codings = 0;
    uint64_t length = 0;
    for (size_t i = 0; i < count; i++) {
        const rc_text value = fields[i].value;
        if (is_named(&fields[i], "Host")) {
            if (++hosts > 1 || !is_host(trimmed(value))) return rc_refusal_host;
        } else if (is_named(&fields[i], "Content-Length")) {
            if (++lengths > 1) return rc_refusal_content_length;
            for (size_t j = 0; j < value.length; j++) {
                if (value.bytes[j] < '0' || value.bytes[j] > '9') return rc_refusal_content_length;
                length = length * 10 + (uint64_t)(value.bytes[j] - '0');
                // Far above any bound and far below an overflow.
                if (length > UINT64_MAX / 100) length = UINT64_MAX / 100;
            }
        } else if (is_named(&fields[i], "Transfer-Encoding")) {
            // Compared as MHD compares it, trailing blanks included: else it reads until the close.
            if (++codings > 1 || 7 != value.length || 0 != strncasecmp(value.bytes, "chunked", 7)) {
                return rc_refusal_transfer_encoding;
            }
        }
    }
    if (0 == hosts && exchange->minor_version >= 1) return rc_refusal_host;
    if (codings > 0 && (lengths > 0 || 0 == exchange->minor_version)) return rc_refusal_transfer_encoding;
    // 0.9.x takes a bare LF for the end of a line between chunks and among trailers, and a NUL for that
    // of the trailers. A front end that does not would see another end of the body than MHD does;
    // harmless as long as nothing behind it is taken for a request.
    exchange->ends_connection = codings > 0 && exchange->server->parses_in_place;
    if (length > exchange->server->options.max_body_bytes) return rc_refusal_body_too_large;
    return rc_refusal_none;
}

rc_refusal rc_head_check(rc_exchange *exchange, const char *version) {
    const rc_options *options = &exchange->server->options;
    const size_t size = header_size(exchange);
    const bool in_place = exchange->server->parses_in_place;
    if (!is_token(exchange->method, strlen(exchange->method))) return rc_refusal_request_line;
    if (in_place && !is_line_intact(exchange, version)) return rc_refusal_request_line;
    if (exchange->target_length > options->max_header_bytes) return rc_refusal_target_too_long;
    if (size > options->max_header_bytes) return rc_refusal_header_too_large;

    rc_field fields[RC_FIELD_CAPACITY];
    const size_t count = collect_fields(exchange, fields);
    if (count >= RC_FIELD_CAPACITY || count > options->max_header_fields) return rc_refusal_header_too_large;
    for (size_t i = 0; i < count; i++) {
        if (!is_token(fields[i].name.bytes, fields[i].name.length)) return rc_refusal_field;
        if (!is_field_value(fields[i].value)) return rc_refusal_field;
    }
    if (in_place && !are_fields_intact(exchange, version, fields, count, size)) return rc_refusal_field;
    return check_framing(exchange, fields, count);
}
