// Which connections subscribe to which path.
#ifndef FLOOR_TOPICS_H
#define FLOOR_TOPICS_H

#include <stddef.h>
#include <stdint.h>

#include "wire/bytes.h"

/// The members are descriptors, in no order.
struct floor_topic {
    struct bytes path;
    uint64_t published;
    int *members;
    size_t count, capacity;
    struct floor_topic *next;  // in its bucket
};

enum { FLOOR_TOPIC_BUCKETS = 16 * 1024 };

struct floor_topics {
    struct floor_topic *buckets[FLOOR_TOPIC_BUCKETS];
};

/// The topic of a path without its query; made if there is none yet.
struct floor_topic *floor_topics_find(struct floor_topics *topics, struct slice path);

/// Returns the member's place, which changes when another one is removed.
size_t floor_topic_add(struct floor_topic *topic, int member);

/// The last member takes the removed one's place. Returns that member, or -1 if it was the last itself.
int floor_topic_remove(struct floor_topic *topic, size_t place);

#endif
