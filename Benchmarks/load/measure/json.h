// Writes one JSON value (RFC 8259) to a stream, member by member.
#ifndef LOAD_JSON_H
#define LOAD_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
    FILE *output;
    int depth;
    bool has_member;  // in the innermost object or array, so that a comma is due
};

/// In each: `name` is the member's, or NULL in an array and for the outermost value.
void json_begin_object(struct json *json, const char *name);
void json_end_object(struct json *json);
void json_begin_array(struct json *json, const char *name);
void json_end_array(struct json *json);
void json_unsigned(struct json *json, const char *name, uint64_t value);
/// A value that is not finite becomes null.
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);
/// NULL becomes null. Bytes are taken for UTF-8.
void json_string(struct json *json, const char *name, const char *value);

#endif
