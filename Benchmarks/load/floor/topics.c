#include "floor/topics.h"

#include <stdlib.h>

/// FNV-1a.
static uint32_t hash(struct slice path) {
    uint32_t value = 2166136261;
    for (size_t i = 0; i < path.length; i++) value = (value ^ (unsigned char)path.at[i]) * 16777619;
    return value;
}

struct floor_topic *floor_topics_find(struct floor_topics *topics, struct slice path) {
    struct floor_topic **bucket = &topics->buckets[hash(path) % FLOOR_TOPIC_BUCKETS];
    for (struct floor_topic *topic = *bucket; topic; topic = topic->next) {
        if (topic->path.length == path.length && 0 == memcmp(topic->path.at, path.at, path.length)) return topic;
    }
    struct floor_topic *topic = allocate_zeroed(1, sizeof *topic);
    bytes_append(&topic->path, path);
    topic->next = *bucket;
    *bucket = topic;
    return topic;
}

size_t floor_topic_add(struct floor_topic *topic, int member) {
    if (topic->count == topic->capacity) {
        topic->capacity = topic->capacity ? 2 * topic->capacity : 4;
        topic->members = realloc(topic->members, topic->capacity * sizeof *topic->members);
        if (!topic->members) abort();
    }
    topic->members[topic->count] = member;
    return topic->count++;
}

int floor_topic_remove(struct floor_topic *topic, size_t place) {
    const int last = topic->members[--topic->count];
    if (place == topic->count) return -1;
    topic->members[place] = last;
    return last;
}
