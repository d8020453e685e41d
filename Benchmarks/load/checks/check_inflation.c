#include <zlib.h>

#include "checks/check.h"
#include "checks/pieces.h"
#include "wire/inflation.h"

/// Small on purpose, so that output has to come in several pieces.
enum { ROOM_BYTES = 7 };

struct reading {
    struct inflation *inflation;
    struct bytes plain;
    bool has_failed;
};

static void feed(void *context, struct slice piece) {
    struct reading *reading = context;
    char room[ROOM_BYTES];
    struct slice plain;
    enum inflation_part part;
    while (inflation_output == (part = inflation_next(reading->inflation, &piece, room, sizeof room, &plain))) {
        bytes_append(&reading->plain, plain);
    }
    if (inflation_error == part) reading->has_failed = true;
}

static const char *expected_text;
static bool expects_failure;

static void read_cut(struct slice text, size_t first, size_t second) {
    struct reading reading = { .inflation = inflation_create() };
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
}
