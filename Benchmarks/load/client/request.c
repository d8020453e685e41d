#include "client/request.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

static void append_number(struct bytes *request, uint64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    bytes_append_text(request, digits);
}

static void append_line(struct bytes *request, const char *method, const char *path, size_t topic) {
    bytes_append_text(request, method);
    for (const char *mark; (mark = strstr(path, "%d")); path = mark + 2) {
        bytes_append(request, (struct slice){ path, (size_t)(mark - path) });
        append_number(request, topic);
    }
    bytes_append_text(request, path);
    bytes_append_text(request, " HTTP/1.1\r\n");
}

static void append_headers(
    struct bytes *request, const struct options *options, const struct option_list *headers)
{
    bytes_append_text(request, "Host: ");
    bytes_append_text(request, options->host);
    bytes_append_text(request, ":");
    append_number(request, options->port);
    bytes_append_text(request, "\r\n");
    for (size_t i = 0; i < headers->count; i++) {
        bytes_append_text(request, headers->values[i]);
        bytes_append_text(request, "\r\n");
    }
}

static bool has_content_type(const struct option_list *headers) {
    static const char name[] = "Content-Type:";
    for (size_t i = 0; i < headers->count; i++) {
        if (0 == strncasecmp(headers->values[i], name, sizeof name - 1)) return true;
    }
    return false;
}

void request_append_subscription(struct bytes *request, const struct options *options, size_t topic) {
    append_line(request, "GET ", options->path, topic);
    append_headers(request, options, &options->headers);
    bytes_append_text(request, "Accept: text/event-stream\r\n");
    if (options->gunzip) bytes_append_text(request, "Accept-Encoding: gzip\r\n");
    bytes_append_text(request, "\r\n");
}

void request_append_publication(
    struct bytes *request, const struct options *options, size_t topic, struct slice json)
{
    append_line(request, "POST ", options->publish_path, topic);
    append_headers(request, options, &options->publish_headers);
    if (!has_content_type(&options->publish_headers)) {
        bytes_append_text(request, "Content-Type: application/json\r\n");
    }
    bytes_append_text(request, "Content-Length: ");
    append_number(request, strlen(options->publish_prefix) + json.length + strlen(options->publish_suffix));
    bytes_append_text(request, "\r\n\r\n");
    bytes_append_text(request, options->publish_prefix);
    bytes_append(request, json);
    bytes_append_text(request, options->publish_suffix);
}
