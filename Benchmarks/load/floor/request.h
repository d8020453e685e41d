// Requests as the floor reads them: just enough HTTP/1.1 for the benchmark's own clients.
#ifndef FLOOR_REQUEST_H
#define FLOOR_REQUEST_H

#include "floor/floor.h"

/// Borrowed from the input.
struct floor_request {
    struct slice method;
    struct slice path;  // without the query
    struct slice body;
};

enum floor_request_state { floor_request_incomplete, floor_request_complete, floor_request_bad };

/// Cuts one request with its body off `input`.
enum floor_request_state floor_request_take(struct slice *input, struct floor_request *request);

/// Answers, subscribes or publishes.
void floor_answer(struct floor *floor, int descriptor, const struct floor_request *request);

#endif
