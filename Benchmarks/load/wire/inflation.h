// Undoes a content coding of a stream as it arrives (RFC 1952, RFC 1950), with zlib.
#ifndef LOAD_INFLATION_H
#define LOAD_INFLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/bytes.h"

/// About 40 KiB of memory each, as zlib's manual has it.
struct inflation;

/// Takes gzip and zlib format, by what the stream begins with. Ends the program when there is no memory.
struct inflation *inflation_create(void);
void inflation_free(struct inflation *inflation);

enum inflation_part {
    inflation_need_more,  // the input is used up
    inflation_output,     // some plain bytes
    inflation_error,      // not what it should be, or a wrong checksum
};

/// Takes bytes from the front of `input`. `plain` lies in `room`. A member that ends may be followed by another, as
/// gzip allows (RFC 1952, section 2.2). Whatever the sender has flushed comes out at once.
enum inflation_part inflation_next(
    struct inflation *inflation, struct slice *input, char *room, size_t room_length, struct slice *plain);

#endif
