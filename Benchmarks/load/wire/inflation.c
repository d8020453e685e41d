#include "wire/inflation.h"

#include <stdlib.h>
#include <zlib.h>

struct inflation {
    z_stream stream;
    bool has_more;  // the room was full: there may be output without further input
};

// The greatest window, and 32: detect gzip or zlib by the header (inflateInit2 in zlib.h).
static const int window_bits = 15 + 32;

struct inflation *inflation_create(void) {
    struct inflation *inflation = allocate_zeroed(1, sizeof *inflation);
    if (Z_OK != inflateInit2(&inflation->stream, window_bits)) abort();
    return inflation;
}

void inflation_free(struct inflation *inflation) {
    if (!inflation) return;
    inflateEnd(&inflation->stream);
    free(inflation);
}

enum inflation_part inflation_next(
    struct inflation *inflation, struct slice *input, char *room, size_t room_length, struct slice *plain)
{
    z_stream *stream = &inflation->stream;
    while (input->length > 0 || inflation->has_more) {
        stream->next_in = (Bytef *)(uintptr_t)input->at;
        stream->avail_in = (uInt)input->length;
        stream->next_out = (Bytef *)room;
        stream->avail_out = (uInt)room_length;
        const int status = inflate(stream, Z_SYNC_FLUSH);
        *input = slice_without_first(*input, input->length - stream->avail_in);
        *plain = (struct slice){ room, room_length - stream->avail_out };
        inflation->has_more = 0 == stream->avail_out;
        if (Z_STREAM_END == status) {
            inflation->has_more = false;
            inflateReset(stream);
        } else if (Z_BUF_ERROR == status) {
            // Nothing was to be done, which is no error (zlib.h).
            inflation->has_more = false;
            if (0 == plain->length) return inflation_need_more;
        } else if (Z_OK != status) {
            return inflation_error;
        }
        if (plain->length > 0) return inflation_output;
    }
    return inflation_need_more;
}
