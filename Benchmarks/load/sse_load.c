// Loads a server with subscribers to event streams and with events, and reports what came of it. See README.md.

#include <stdio.h>

#include "client/report.h"

int main(int count, char **arguments) {
    static struct options options;
    static struct run run;
    options_read(&options, count, arguments);
    run_load(&run, &options);
    report_write(&run, stdout);
    run_free(&run);
    return 0;
}
