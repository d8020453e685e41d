// What the files of `subscribers` share.
#ifndef LOAD_SUBSCRIBERS_INTERNAL_H
#define LOAD_SUBSCRIBERS_INTERNAL_H

#include "client/subscribers.h"

/// Sends the request once the connection stands. On failure its phase says so.
void subscribers_ask(struct subscribers *subscribers, struct subscriber *subscriber);

/// Call it when a subscriber's head has come, or never will. Slow and stuck ones are no longer watched for input.
void subscribers_settle(struct subscribers *subscribers, struct subscriber *subscriber);

/// Whether it is open and normal, and has not seen the newest event of its topic.
bool subscribers_is_due(const struct subscribers *subscribers, const struct subscriber *subscriber);

/// `epoll_ctl` for one subscriber.
void subscribers_watch(
    struct subscribers *subscribers, struct subscriber *subscriber, int operation, uint32_t what);

/// One read of at most `limit` bytes. Returns whether the connection is still open.
bool subscribers_read(struct subscribers *subscribers, struct subscriber *subscriber, size_t limit);

void subscribers_close(struct subscribers *subscribers, struct subscriber *subscriber);

/// Waits once, at most so long, and receives. Returns whether it was woken.
bool subscribers_turn(struct subscribers *subscribers, int timeout_milliseconds);

#endif
