// What all readers have received together.
#ifndef LOAD_READERS_REPORT_H
#define LOAD_READERS_REPORT_H

#include <stdio.h>

#include "measure/clock.h"
#include "readers/reader.h"

/// One JSON object. `wanted`: events of each; `began_ns`: when the first one asked.
void readers_report(
    const struct reader *readers, uint64_t count, uint64_t wanted, uint64_t began_ns, FILE *output);

#endif
