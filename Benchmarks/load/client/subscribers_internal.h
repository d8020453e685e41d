// What the files of `subscribers` share.
#ifndef LOAD_SUBSCRIBERS_INTERNAL_H
#define LOAD_SUBSCRIBERS_INTERNAL_H

#include "client/subscribers.h"

/// Starts one subscriber's connection. On failure its phase says so.
void subscribers_start(struct subscribers *subscribers, struct subscriber *subscriber);

/// Sends the request once the connection stands. On failure its phase says so.
void subscribers_ask(struct subscribers *subscribers, struct subscriber *subscriber);

/// `epoll_ctl` for one subscriber.
void subscribers_watch(
    struct subscribers *subscribers, struct subscriber *subscriber, int operation, uint32_t what);

/// One read of at most `limit` bytes. Returns whether the connection is still open.
bool subscribers_read(struct subscribers *subscribers, struct subscriber *subscriber, size_t limit);

void subscribers_close(struct subscribers *subscribers, struct subscriber *subscriber);

/// Waits once, at most so long, and receives. Returns whether it was woken.
bool subscribers_turn(struct subscribers *subscribers, int timeout_milliseconds);

#endif
