// A thin layer over libmicrohttpd ("MHD" below) for the HTTPServer module.
//
// It hides what Swift cannot call (variadic functions, macros), checks what MHD 0.9.75 lets through,
// and hands sockets over. It decides nothing: which answer a refusal gets is its caller's matter.
#ifndef CMICROHTTPD_H
#define CMICROHTTPD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Header fields that one request may have at most, whatever the options say.
#define RC_FIELD_CAPACITY 256

/// A running daemon.
typedef struct rc_server rc_server;

/// One request and its answer. Valid from the `respond` callback until the answer has been given; for
/// a suspended exchange that is until `rc_exchange_resume` is called.
typedef struct rc_exchange rc_exchange;

/// Bytes that belong to the exchange; not terminated.
typedef struct {
    const char *_Nullable bytes;
    size_t length;
} rc_text;

typedef struct {
    rc_text name;
    rc_text value;
} rc_field;

/// What is wrong with a request, if anything.
typedef enum {
    rc_refusal_none = 0,
    rc_refusal_request_line,       // embedded NUL, bare LF, or spaces out of place
    rc_refusal_field,              // no token for a name, a control character, folding, bare LF
    rc_refusal_header_too_large,   // more bytes or fields than the options allow
    rc_refusal_target_too_long,    // the target alone is longer than the whole head may be
    rc_refusal_host,               // no Host in HTTP/1.1, or several
    rc_refusal_content_length,     // several
    rc_refusal_transfer_encoding,  // not just "chunked", with Content-Length, or in HTTP/1.0
    rc_refusal_body_too_large,
} rc_refusal;

/// Valid during the `respond` callback only.
typedef struct {
    rc_text method;
    rc_text target;        // as received
    int minor_version;     // x of HTTP/1.x
    const rc_field *_Nonnull fields;
    size_t field_count;
    rc_text body;
    rc_refusal refusal;    // unless none: the body is empty, and the connection ends with the answer
} rc_request;

/// An answer's status and fields.
typedef struct {
    unsigned status;
    /// name NUL value NUL name NUL value NUL ... without CR, LF or further NULs.
    const char *_Nonnull fields;
    size_t field_count;
    bool close;            // end the connection after the answer
} rc_head;

/// All are called on a thread of the daemon and must not block.
typedef struct {
    void *_Nonnull context;

    /// A request has come. Must call exactly one of `rc_exchange_answer`, `rc_exchange_suspend` and
    /// `rc_exchange_hand_over` before it returns.
    void (*_Nonnull respond)(
        void *_Nonnull context, rc_exchange *_Nonnull exchange, const rc_request *_Nonnull request);

    /// Exactly one of these two is called, once, for each reply given to `rc_exchange_resume`. The
    /// first must call `rc_exchange_answer` or `rc_exchange_hand_over` before it returns; the second says
    /// that the connection has failed meanwhile.
    void (*_Nonnull resumed)(
        void *_Nonnull context, rc_exchange *_Nonnull exchange, void *_Nonnull reply);
    void (*_Nonnull reply_dropped)(void *_Nonnull reply);
} rc_callbacks;

typedef struct {
    int listen_descriptor;  // bound and listening; belongs to the server from here on
    unsigned threads;
    unsigned connection_limit;
    unsigned connection_timeout_seconds;
    size_t pool_bytes;      // memory of one connection: head, bookkeeping and response head
    size_t max_header_bytes;
    size_t max_header_fields;
    size_t max_body_bytes;
    size_t discard_bytes;   // of a chunked body read beyond its bound before the connection is cut
    rc_callbacks callbacks;
} rc_options;

/// Starts the daemon's threads. NULL with errno set on failure.
rc_server *_Nullable rc_server_start(const rc_options *_Nonnull options);

/// From now on no stream is handed over any more.
void rc_server_stopping(rc_server *_Nonnull server);

/// Ends the daemon and frees `server`. Waits at most `grace_milliseconds` for begun answers to leave.
///
/// Each suspended exchange must have been resumed, or be about to be on another thread: MHD aborts
/// the process when it is stopped with a suspended connection, so this waits for them without bound.
void rc_server_stop(rc_server *_Nonnull server, unsigned grace_milliseconds);

/// Connections inside the daemon, without handed-over sockets.
unsigned rc_server_connection_count(rc_server *_Nonnull server);

/// Answers within the `respond` or the `resumed` callback. The bytes are copied.
void rc_exchange_answer(
    rc_exchange *_Nonnull exchange, const rc_head *_Nonnull head, const void *_Nullable body, size_t length);

/// Sets the connection aside, within the `respond` callback.
void rc_exchange_suspend(rc_exchange *_Nonnull exchange);

/// Has a suspended exchange answered on the daemon's thread: `reply` goes to exactly one of the reply
/// callbacks. Once, from any thread. The exchange must not be touched afterwards.
void rc_exchange_resume(rc_exchange *_Nonnull exchange, void *_Nonnull reply);

/// Takes the socket away from the daemon, within the `respond` or the `resumed` callback. Nothing has been
/// sent on it: head and body are the caller's to write. The exchange must not be touched afterwards.
///
/// Returns a non-blocking descriptor that belongs to the caller. -1: the server is stopping or out of
/// descriptors, and the exchange must be answered otherwise. -2: the connection is lost.
/// `chunked` says whether the client knows chunked bodies (HTTP/1.1).
int rc_exchange_hand_over(rc_exchange *_Nonnull exchange, bool *_Nonnull chunked);

/// The standard text of a status code.
const char *_Nonnull rc_reason_phrase(unsigned status);

#endif
