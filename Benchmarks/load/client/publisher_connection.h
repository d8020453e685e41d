// The publisher's connection: requests out, answers in.
#ifndef LOAD_PUBLISHER_CONNECTION_H
#define LOAD_PUBLISHER_CONNECTION_H

#include "client/publisher.h"

/// Queues a request and sends what the socket takes.
void publisher_send(struct publisher *publisher, size_t topic, struct slice json, struct publication publication);

/// Waits until an answer arrives, the socket takes more or the time has come; then receives and sends what it can.
/// A connection that the server has closed is made anew. False, and an error, if that is not possible.
bool publisher_wait_until(struct publisher *publisher, uint64_t deadline_ns);

#endif
