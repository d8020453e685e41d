// Cuts a text into pieces, in every way that matters to a parser.
#ifndef LOAD_PIECES_H
#define LOAD_PIECES_H

#include <stdint.h>
#include <stdlib.h>

#include "checks/check.h"
#include "wire/bytes.h"

/// Calls `feed` with each piece of a text in turn. A piece is a copy of its own, as long as the piece, that is freed
/// afterwards, so that the address sanitizer sees a parser that reads beyond it or keeps it.
static inline void feed_piece(void (*feed)(void *, struct slice), void *context, struct slice piece) {
    char *copy = malloc(piece.length ? piece.length : 1);
    if (piece.length > 0) memcpy(copy, piece.at, piece.length);
    feed(context, (struct slice){ copy, piece.length });
    free(copy);
}

/// Runs `reads` on the text for each two places to cut it at, and once for single bytes: both places are SIZE_MAX then.
static inline void for_each_cut(struct slice text, void (*reads)(struct slice text, size_t first, size_t second)) {
    for (size_t first = 0; first <= text.length; first++) {
        for (size_t second = first; second <= text.length; second++) {
            check_case("cut at %zu and %zu of \"%.*s\"", first, second, (int)text.length, text.at);
            reads(text, first, second);
        }
    }
    check_case("single bytes of \"%.*s\"", (int)text.length, text.at);
    reads(text, SIZE_MAX, SIZE_MAX);
}

/// Feeds a text that is cut at two places, or into single bytes if the first is SIZE_MAX.
static inline void feed_cut(
    void (*feed)(void *, struct slice), void *context, struct slice text, size_t first, size_t second)
{
    if (SIZE_MAX == first) {
        for (size_t i = 0; i < text.length; i++) feed_piece(feed, context, (struct slice){ text.at + i, 1 });
        return;
    }
    feed_piece(feed, context, (struct slice){ text.at, first });
    feed_piece(feed, context, (struct slice){ text.at + first, second - first });
    feed_piece(feed, context, (struct slice){ text.at + second, text.length - second });
}

#endif
