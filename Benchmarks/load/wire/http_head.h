// The head of a response: status line and fields.
#ifndef LOAD_HTTP_HEAD_H
#define LOAD_HTTP_HEAD_H

#include "wire/http_response.h"

/// Reads a head that ends with its empty line; false, and an error, if it is not one (RFC 9112, sections 4 and 5).
bool http_parse_head(struct http_response *response, struct slice head);

#endif
