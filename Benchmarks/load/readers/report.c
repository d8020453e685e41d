#include "readers/report.h"

#include "measure/json.h"
#include "measure/process_usage.h"

void readers_report(
    const struct reader *readers, uint64_t count, uint64_t wanted, uint64_t began_ns, FILE *output)
{
    struct reader sum = { .first_ns = UINT64_MAX, .last_ns = began_ns };
    uint64_t exact = 0, least = UINT64_MAX, broken = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct reader *reader = &readers[i];
        sum.events += reader->events;
        sum.repeats += reader->repeats;
        sum.gaps += reader->gaps;
        sum.bytes += reader->bytes;
        if (reader->events < least) least = reader->events;
        if (reader->last_ns > sum.last_ns) sum.last_ns = reader->last_ns;
        if (reader->first_ns > 0 && reader->first_ns < sum.first_ns) sum.first_ns = reader->first_ns;
        if (reader->error) broken++;
        if (reader->error && !sum.error) sum.error = reader->error;
        if (reader->events == wanted && 0 == reader->repeats + reader->gaps) exact++;
    }
    const double seconds = ns_to_seconds(sum.last_ns - began_ns);
    struct json json = { .output = output };
    json_begin_object(&json, NULL);
    json_unsigned(&json, "readers", count);
    json_unsigned(&json, "exact", exact);
    json_unsigned(&json, "broken", broken);
    json_string(&json, "firstError", sum.error);
    json_unsigned(&json, "events", sum.events);
    json_unsigned(&json, "least", least);
    json_unsigned(&json, "repeats", sum.repeats);
    json_unsigned(&json, "gaps", sum.gaps);
    json_unsigned(&json, "bytes", sum.bytes);
    json_real(&json, "seconds", seconds);
    json_real(&json, "eventsPerSecond", (double)sum.events / seconds);
    json_real(&json, "bytesPerSecond", (double)sum.bytes / seconds);
    json_real(&json, "firstEventSeconds", sum.events > 0 ? ns_to_seconds(sum.first_ns - began_ns) : 0);
    json_real(&json, "clientCPUSeconds", ns_to_seconds(own_cpu_ns()));
    json_end_object(&json);
}
