// The checks of the load programs' pure parts: run by the tests, silent unless something is wrong.
#ifndef LOAD_CHECK_H
#define LOAD_CHECK_H

#include <stdbool.h>

/// Prints where and what, and makes the program fail in the end.
#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)

void check_that(bool holds, const char *condition, const char *file, int line);
/// Printed with each failure until it is changed: which of many cases is being checked.
void check_case(const char *format, ...) __attribute__((format(printf, 1, 2)));

void check_event_stream(void);
void check_http_response(void);
void check_inflation(void);
void check_histogram(void);
void check_sequence(void);
void check_load_event(void);

#endif
