#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "checks/check.h"

static int failures;
static char present_case[256];

void check_that(bool holds, const char *condition, const char *file, int line) {
    if (holds) return;
    failures++;
    printf("%s:%d: not so: %s (%s)\n", file, line, condition, present_case);
}

void check_case(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(present_case, sizeof present_case, format, arguments);
    va_end(arguments);
    for (char *at = present_case; *at; at++) {
        if (!isprint((unsigned char)*at)) *at = '.';
    }
}

int main(void) {
    check_event_stream();
    check_http_response();
    check_inflation();
    check_histogram();
    check_sequence();
    check_load_event();
    if (failures > 0) printf("%d checks failed\n", failures);
    return failures > 0;
}
