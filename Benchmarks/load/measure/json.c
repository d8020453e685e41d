#include "measure/json.h"

#include <inttypes.h>
#include <math.h>

static void write_string(struct json *json, const char *text) {
    fputc('"', json->output);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if ('"' == byte || '\\' == byte) {
            fprintf(json->output, "\\%c", byte);
        } else if (byte < 0x20) {
            fprintf(json->output, "\\u%04x", byte);
        } else {
            fputc(byte, json->output);
        }
    }
    fputc('"', json->output);
}

static void begin_line(struct json *json) {
    if (0 == json->depth) return;
    fputc('\n', json->output);
    for (int i = 0; i < json->depth; i++) fputs("  ", json->output);
}

static void begin_member(struct json *json, const char *name) {
    if (json->has_member) fputc(',', json->output);
    begin_line(json);
    if (name) {
        write_string(json, name);
        fputs(": ", json->output);
    }
    json->has_member = true;
}

static void begin(struct json *json, const char *name, char bracket) {
    begin_member(json, name);
    fputc(bracket, json->output);
    json->depth++;
    json->has_member = false;
}

static void end(struct json *json, char bracket) {
    json->depth--;
    if (json->has_member) begin_line(json);
    if (json->has_member && 0 == json->depth) fputc('\n', json->output);
    fputc(bracket, json->output);
    json->has_member = true;
    if (0 == json->depth) fputc('\n', json->output);
}

void json_begin_object(struct json *json, const char *name) { begin(json, name, '{'); }
void json_end_object(struct json *json) { end(json, '}'); }
void json_begin_array(struct json *json, const char *name) { begin(json, name, '['); }
void json_end_array(struct json *json) { end(json, ']'); }

void json_unsigned(struct json *json, const char *name, uint64_t value) {
    begin_member(json, name);
    fprintf(json->output, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value) {
    begin_member(json, name);
    if (isfinite(value)) {
        fprintf(json->output, "%.9g", value);
    } else {
        fputs("null", json->output);
    }
}

void json_bool(struct json *json, const char *name, bool value) {
    begin_member(json, name);
    fputs(value ? "true" : "false", json->output);
}

void json_string(struct json *json, const char *name, const char *value) {
    begin_member(json, name);
    if (value) {
        write_string(json, value);
    } else {
        fputs("null", json->output);
    }
}
