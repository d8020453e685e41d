#include <stdlib.h>

#include "checks/check.h"
#include "client/sequence.h"
#include "measure/histogram.h"
#include "wire/bytes.h"

static void is_accurate_over_the_whole_range(struct histogram *histogram) {
    for (uint64_t value = 1; value > 0 && value < UINT64_MAX / 3; value += value / 3 + 1) {
        check_case("the value %llu", (unsigned long long)value);
        memset(histogram, 0, sizeof *histogram);
        histogram_record(histogram, value);
        // So that the greatest value does not hide the bucket's width.
        histogram_record(histogram, UINT64_MAX);
        const uint64_t found = histogram_quantile(histogram, 0.5);
        CHECK(found >= value);
        CHECK(found - value <= value / 64);
        CHECK(UINT64_MAX == histogram_quantile(histogram, 1));
    }
}

void check_histogram(void) {
    struct histogram *histogram = allocate_zeroed(1, sizeof *histogram);
    check_case("an empty histogram");
    CHECK(0 == histogram_quantile(histogram, 0.99));
    check_case("1 to 100");
    for (uint64_t value = 1; value <= 100; value++) histogram_record(histogram, value);
    CHECK(50 == histogram_quantile(histogram, 0.5));
    CHECK(99 == histogram_quantile(histogram, 0.99));
    CHECK(100 == histogram_quantile(histogram, 0.999));
    CHECK(1 == histogram_quantile(histogram, 0));
    CHECK(100 == histogram->count && 100 == histogram->max);
    is_accurate_over_the_whole_range(histogram);
    free(histogram);
}

void check_sequence(void) {
    struct sequence sequence = { 0 };
    uint64_t skipped;
    check_case("a sequence");
    CHECK(sequence_advanced == sequence_take(&sequence, 1, &skipped) && 0 == skipped);
    CHECK(sequence_advanced == sequence_take(&sequence, 2, &skipped) && 0 == skipped);
    CHECK(sequence_repeated == sequence_take(&sequence, 2, &skipped) && 0 == skipped);
    CHECK(sequence_repeated == sequence_take(&sequence, 1, &skipped) && 0 == skipped);
    CHECK(sequence_advanced == sequence_take(&sequence, 6, &skipped) && 3 == skipped);
    CHECK(sequence_late == sequence_take(&sequence, 4, &skipped) && 0 == skipped);
    CHECK(sequence_repeated == sequence_take(&sequence, 4, &skipped));
    CHECK(sequence_late == sequence_take(&sequence, 5, &skipped));
    CHECK(sequence_advanced == sequence_take(&sequence, 70, &skipped) && 63 == skipped);
    CHECK(sequence_repeated == sequence_take(&sequence, 6, &skipped));
    CHECK(sequence_repeated == sequence_take(&sequence, 5, &skipped));
    CHECK(sequence_late == sequence_take(&sequence, 7, &skipped));
    check_case("a sequence that begins late");
    sequence = (struct sequence){ 0 };
    CHECK(sequence_advanced == sequence_take(&sequence, 1000, &skipped) && 999 == skipped);
    CHECK(sequence_late == sequence_take(&sequence, 999, &skipped));
}
