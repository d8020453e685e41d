// What a run has measured, as JSON.
#ifndef LOAD_REPORT_H
#define LOAD_REPORT_H

#include <stdio.h>

#include "client/run.h"

/// Writes one JSON object. Its members are listed in Benchmarks/load/README.md.
void report_write(const struct run *run, FILE *output);

#endif
