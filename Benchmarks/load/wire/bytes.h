// Ranges of bytes: borrowed ones, and one that grows.
#ifndef LOAD_BYTES_H
#define LOAD_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// Bytes that belong to somebody else. An empty one may lie nowhere.
struct slice {
    const char *at;
    size_t length;
};

static inline struct slice slice_of(const char *text) {
    return (struct slice){ text, strlen(text) };
}

static inline bool slice_starts_with(struct slice slice, const char *text) {
    const size_t length = strlen(text);
    if (slice.length < length) return false;
    // Nothing may be compared at no place (C17, 7.24.1).
    return 0 == length || 0 == memcmp(slice.at, text, length);
}

static inline bool slice_equals(struct slice slice, const char *text) {
    return slice.length == strlen(text) && slice_starts_with(slice, text);
}

/// `count` is at most the length.
static inline struct slice slice_without_first(struct slice slice, size_t count) {
    return (struct slice){ slice.at + count, slice.length - count };
}

/// Owns its storage, which is kept when it is emptied. All zeros is an empty one.
struct bytes {
    char *at;
    size_t length;
    size_t capacity;
};

/// Ends the program when there is no memory: a load client that goes on without it measures nothing.
void bytes_append(struct bytes *bytes, struct slice more);
void bytes_append_text(struct bytes *bytes, const char *text);
/// `count` is at most the length.
void bytes_remove_first(struct bytes *bytes, size_t count);
void bytes_free(struct bytes *bytes);

static inline struct slice bytes_slice(const struct bytes *bytes) {
    return (struct slice){ bytes->at, bytes->length };
}

/// Like calloc(3), but ends the program when there is no memory.
void *allocate_zeroed(size_t count, size_t size);

#endif
