#include "wire/bytes.h"

#include <stdio.h>
#include <stdlib.h>

static void require(const void *memory) {
    if (memory) return;
    fputs("out of memory\n", stderr);
    exit(1);
}

void bytes_append(struct bytes *bytes, struct slice more) {
    if (0 == more.length) return;
    if (more.length > bytes->capacity - bytes->length) {
        size_t capacity = bytes->capacity ? bytes->capacity : 256;
        while (capacity - bytes->length < more.length) capacity *= 2;
        bytes->at = realloc(bytes->at, capacity);
        require(bytes->at);
        bytes->capacity = capacity;
    }
    memcpy(bytes->at + bytes->length, more.at, more.length);
    bytes->length += more.length;
}

void bytes_append_text(struct bytes *bytes, const char *text) {
    bytes_append(bytes, slice_of(text));
}

void bytes_remove_first(struct bytes *bytes, size_t count) {
    bytes->length -= count;
    if (bytes->length > 0 && count > 0) memmove(bytes->at, bytes->at + count, bytes->length);
}

void bytes_free(struct bytes *bytes) {
    free(bytes->at);
    *bytes = (struct bytes){ 0 };
}

void *allocate_zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    require(memory);
    return memory;
}
