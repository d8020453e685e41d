#include <zlib.h>

#include "checks/check.h"
#include "checks/pieces.h"
#include "wire/inflation.h"

enum {
    SMALL_ROOM_BYTES = 7,  // so that output has to come in several pieces
    LARGE_ROOM_BYTES = 512,
};

struct reading {
    struct inflation *inflation;
    size_t room_length;
    struct bytes plain;
    bool has_failed;
};

static void feed(void *context, struct slice piece) {
    struct reading *reading = context;
    char room[LARGE_ROOM_BYTES];
    struct slice plain;
    enum inflation_part part;
    while (inflation_output
           == (part = inflation_next(reading->inflation, &piece, room, reading->room_length, &plain))) {
        bytes_append(&reading->plain, plain);
    }
    if (inflation_error == part) reading->has_failed = true;
}

static const char *expected_text;
static bool expects_failure;

static void read_cut(struct slice text, size_t first, size_t second) {
    struct reading reading = { .inflation = inflation_create(), .room_length = SMALL_ROOM_BYTES };
    feed_cut(feed, &reading, text, first, second);
    CHECK(reading.has_failed == expects_failure);
    if (!expects_failure) CHECK(slice_equals(bytes_slice(&reading.plain), expected_text));
    inflation_free(reading.inflation);
    bytes_free(&reading.plain);
}

/// Appends a text as gzip (16 is zlib's mark for it) or, with 0, in zlib's format.
static void append_compressed(struct bytes *to, const char *text, int format, int flush) {
    char room[512];
    z_stream stream = { 0 };
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + format, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)strlen(text);
    stream.next_out = (Bytef *)room;
    stream.avail_out = sizeof room;
    deflate(&stream, flush);
    bytes_append(to, (struct slice){ room, sizeof room - stream.avail_out });
    deflateEnd(&stream);
}

static size_t length_decoded(struct slice compressed, size_t room_length) {
    struct reading reading = { .inflation = inflation_create(), .room_length = room_length };
    feed_piece(feed, &reading, compressed);
    const size_t length = reading.plain.length;
    inflation_free(reading.inflation);
    bytes_free(&reading.plain);
    return length;
}

/// What can be decoded must not wait for more input, though there was no room for it at first.
static void keeps_nothing_back(void) {
    struct bytes compressed = { 0 };
    append_compressed(&compressed, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 16, Z_SYNC_FLUSH);
    for (size_t length = 0; length <= compressed.length; length++) {
        check_case("the first %zu bytes of a flushed text", length);
        const struct slice some = { compressed.at, length };
        CHECK(length_decoded(some, SMALL_ROOM_BYTES) == length_decoded(some, LARGE_ROOM_BYTES));
    }
    bytes_free(&compressed);
}

void check_inflation(void) {
    static const char first[] = "one and one and one and one", second[] = " is four";
    struct bytes compressed = { 0 };
    expected_text = first;
    append_compressed(&compressed, first, 16, Z_SYNC_FLUSH);
    for_each_cut(bytes_slice(&compressed), read_cut);

    compressed.length = 0;
    append_compressed(&compressed, first, 0, Z_FINISH);
    for_each_cut(bytes_slice(&compressed), read_cut);

    compressed.length = 0;
    append_compressed(&compressed, first, 16, Z_FINISH);
    append_compressed(&compressed, second, 16, Z_SYNC_FLUSH);
    expected_text = "one and one and one and one is four";
    for_each_cut(bytes_slice(&compressed), read_cut);

    compressed.length = 0;
    append_compressed(&compressed, first, 16, Z_FINISH);
    // The checksum at the end: four bytes of it, four of the length.
    compressed.at[compressed.length - 8] ^= 1;
    expects_failure = true;
    for_each_cut(bytes_slice(&compressed), read_cut);
    bytes_free(&compressed);
    keeps_nothing_back();
}
