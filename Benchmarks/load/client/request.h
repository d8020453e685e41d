// The text of the client's requests.
#ifndef LOAD_REQUEST_H
#define LOAD_REQUEST_H

#include "client/options.h"
#include "wire/bytes.h"

/// Appends a GET of one topic's stream.
void request_append_subscription(struct bytes *request, const struct options *options, size_t topic);

/// Appends a POST of one event to a topic; `json` is the event's object.
void request_append_publication(
    struct bytes *request, const struct options *options, size_t topic, struct slice json);

#endif
