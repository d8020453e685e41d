#include "client/progress.h"

struct progress progress_of(const struct subscribers *subscribers, enum role role) {
    struct progress progress = { 0 };
    for (size_t i = 0; i < subscribers->count; i++) {
        const struct subscriber *subscriber = &subscribers->all[i];
        if (subscriber->role != role || !subscriber->was_ready) continue;
        const uint64_t published = subscribers->load->topics[subscriber->topic].published;
        const uint64_t newest = subscriber->sequence.newest;
        if (newest == published) progress.up_to_date++;
        if (newest < published) progress.missing += published - newest;
        if (0 == progress.count || newest < progress.newest_least) progress.newest_least = newest;
        if (newest > progress.newest_greatest) progress.newest_greatest = newest;
        progress.count++;
    }
    return progress;
}
