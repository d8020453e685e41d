#include "checks/check.h"
#include "checks/pieces.h"
#include "wire/http_response.h"

struct reading {
    struct http_response response;
    struct bytes body;
    int heads, ends;
    bool has_failed;
    size_t behind;  // bytes left over behind the end
};

static void feed(void *context, struct slice piece) {
    struct reading *reading = context;
    struct slice body;
    while (0 == reading->ends && !reading->has_failed) {
        switch (http_next(&reading->response, &piece, &body)) {
        case http_need_more: CHECK(0 == piece.length); return;
        case http_head: reading->heads++; break;
        case http_body:
            CHECK(body.length > 0);
            bytes_append(&reading->body, body);
            break;
        case http_end: reading->ends++; break;
        case http_error: reading->has_failed = true; break;
        }
    }
    reading->behind += piece.length;
}

static struct {
    const char *body;
    int heads, ends;
    bool has_failed, may_close;
    size_t behind;
} expected;

static void read_cut(struct slice text, size_t first, size_t second) {
    struct reading reading = { 0 };
    feed_cut(feed, &reading, text, first, second);
    CHECK(reading.has_failed == expected.has_failed);
    if (expected.has_failed) {
        CHECK(NULL != reading.response.error);
    } else {
        CHECK(slice_equals(bytes_slice(&reading.body), expected.body));
        CHECK(reading.heads == expected.heads);
        CHECK(reading.ends == expected.ends);
        CHECK(reading.behind == expected.behind);
        CHECK(http_may_close(&reading.response) == expected.may_close);
    }
    http_reset(&reading.response);
    bytes_free(&reading.body);
}

static void reads(const char *text, const char *body, int ends, size_t behind, bool may_close) {
    expected.body = body;
    expected.heads = 1;
    expected.ends = ends;
    expected.behind = behind;
    expected.may_close = may_close;
    expected.has_failed = false;
    for_each_cut(slice_of(text), read_cut);
}

static void refuses(const char *text) {
    expected.has_failed = true;
    for_each_cut(slice_of(text), read_cut);
}

#define CHUNKED "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

static void refuses_a_long_head(void) {
    check_case("a long head");
    struct reading reading = { 0 };
    feed_piece(feed, &reading, slice_of("HTTP/1.1 200 OK\r\n"));
    for (int i = 0; i < HTTP_MAX_HEAD_BYTES / 8 && !reading.has_failed; i++) {
        feed_piece(feed, &reading, slice_of("A: bcd\r\n"));
    }
    CHECK(reading.has_failed);
    http_reset(&reading.response);
}

static void reads_what_the_head_says(void) {
    check_case("fields");
    struct reading reading = { 0 };
    feed_piece(feed, &reading,
               slice_of("HTTP/1.1 204 No Content\r\ncontent-type:text/Event-Stream ; charset=utf-8\r\n"
                        "Content-Encoding: gzip\r\nConnection: close\r\n\r\n"));
    CHECK(204 == reading.response.status);
    CHECK(reading.response.is_event_stream);
    CHECK(http_gzip == reading.response.coding);
    CHECK(!reading.response.keeps_alive);
    CHECK(1 == reading.ends);
    http_reset(&reading.response);
}

void check_http_response(void) {
    reads(CHUNKED "1\r\na\r\n0010;x=y\r\n0123456789abcdef\r\n", "a0123456789abcdef", 0, 0, false);
    reads(CHUNKED "1\r\na\r\n0\r\n\r\n", "a", 1, 0, true);
    reads(CHUNKED "1\r\na\r\n0\r\nX: y\r\n\r\nHTTP", "a", 1, 4, true);
    reads(CHUNKED "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n1\r\nd\r\n01\r\ne\r\n1\r\nf\r\n00000001\r\ng\r\n1\r\nh\r\n",
          "abcdefgh", 0, 0, false);
    reads(CHUNKED "5\r\nab", "ab", 0, 0, false);
    reads("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "abc", 1, 0, true);
    reads("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\nab", "", 1, 2, true);
    reads("HTTP/1.0 200 OK\r\n\r\nabc", "abc", 0, 0, true);
    reads("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\nabc", "abc", 0, 0, true);
    refuses(CHUNKED "1\r\nab\r\n");
    refuses(CHUNKED "1\r\nab\n0\r\n\r\n");
    refuses(CHUNKED "1\r\na\r\r0\r\n\r\n");
    refuses(CHUNKED "3\r\nab\r\n0\r\n\r\n");
    refuses(CHUNKED "1\na\r\n");
    refuses(CHUNKED "\r\n");
    refuses(CHUNKED "g\r\n");
    refuses(CHUNKED " 1\r\n");
    refuses(CHUNKED "000000001\r\n");
    refuses(CHUNKED "0\r\n\n");
    refuses("HTTP/2 200 OK\r\n\r\n");
    refuses("HTTP/1.1 2x0 OK\r\n\r\n");
    refuses("HTTP/1.1 200 OK\r\nA: b\nC: d\r\n\r\n");
    refuses("HTTP/1.1 200 OK\r\nA b\r\n\r\n");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
    refuses("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n");
    refuses("\r\n\r\n");
    refuses_a_long_head();
    reads_what_the_head_says();
}
