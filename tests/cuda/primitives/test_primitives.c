/* Binning and scans, which products and sampling stand on, beside plain loops. */
#include "primitives.h"

#include "matrices_for_tests.h"
#include "place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CLASSES = 16, LEFT_OUT = -1 };

/* How rows get their classes. */
typedef enum kind { ALL_ALIKE, ALL_LEFT_OUT, IN_TURN, BY_RUNS, ANY, ANY_OR_NONE, KINDS } kind;

static int8_t class_of_row(kind how, int32_t row, int classes, uint64_t *random)
{
    switch (how) {
    case ALL_ALIKE: return (int8_t)(classes - 1);
    case ALL_LEFT_OUT: return LEFT_OUT;
    case IN_TURN: return (int8_t)(row % classes);
    case BY_RUNS: return (int8_t)(row / 700 % classes);
    case ANY: return (int8_t)(test_random(random) % (uint64_t)classes);
    default: return (int8_t)((int)(test_random(random) % (uint64_t)(classes + 1)) - 1);
    }
}

/* What is to be binned, on the host; every third row is one of a list. */
typedef struct task {
    int32_t count;     /* of rows in the list, or of all */
    int64_t looked_at; /* the first of them, which are binned */
    int32_t *rows;     /* NULL: all */
    int8_t *class_of;
    int classes;
} task;

static int32_t row_of(const task *of, int64_t k) { return of->rows != NULL ? of->rows[k] : (int32_t)k; }

static void check_result(const task *of, const int32_t *binned, const uint32_t *begins, const uint32_t *counts)
{
    int64_t at = 0;
    for (int c = 0; c < of->classes; ++c) {
        if (begins != NULL) assert_int_equal(begins[c], at);
        for (int64_t k = 0; k < of->looked_at; ++k) {
            const int32_t row = row_of(of, k);
            if (of->class_of[row] != c) continue;
            if (binned[at] != row)
                fail_msg("%d rows in %d classes: place %lld has row %d, not %d", (int)of->count, of->classes,
                         (long long)at, (int)binned[at], (int)row);
            ++at;
        }
        if (counts != NULL) assert_int_equal(begins[c] + counts[c], at);
    }
}

static void bin(const task *of, bool has_begins)
{
    const int64_t all = of->rows != NULL ? 3 * (int64_t)of->count : of->count;
    const size_t bytes = ((size_t)of->count + 1) * sizeof(int32_t);
    const uint32_t looked_at = (uint32_t)of->looked_at;
    uint32_t begins[MOST_CLASSES], counts[MOST_CLASSES];
    int32_t *binned = calloc((size_t)of->count + 1, sizeof *binned);
    assert_non_null(binned);
    int32_t *rows = of->rows != NULL ? test_lend(of->rows, bytes) : NULL;
    uint32_t *device_count = of->looked_at < of->count ? test_lend(&looked_at, sizeof looked_at) : NULL;
    int8_t *class_of = test_lend(of->class_of, (size_t)all + 1);
    int32_t *here = test_lend(binned, bytes);
    uint32_t *begins_here = test_lend(begins, sizeof begins), *counts_here = test_lend(counts, sizeof counts);
    assert_int_equal(
        bin_on_device(test_lender(), rows, of->count, device_count, class_of, of->classes,
                      (binned_arrays){here, has_begins ? begins_here : NULL, has_begins ? counts_here : NULL}),
        SPG_OK);
    test_fetch(here, bytes, binned);
    test_fetch(begins_here, sizeof begins, begins);
    test_fetch(counts_here, sizeof counts, counts);
    check_result(of, binned, has_begins ? begins : NULL, has_begins ? counts : NULL);
    if (rows != NULL) test_give_back(rows, bytes);
    if (device_count != NULL) test_give_back(device_count, sizeof looked_at);
    test_give_back(class_of, (size_t)all + 1);
    test_give_back(here, bytes);
    test_give_back(begins_here, sizeof begins);
    test_give_back(counts_here, sizeof counts);
    free(binned);
}

static void check_bins(int32_t count, int64_t looked_at, bool is_list, int classes, kind how)
{
    const int64_t all = is_list ? 3 * (int64_t)count : count;
    uint64_t random = 17;
    task of = {count, looked_at, NULL, calloc((size_t)all + 1, 1), classes};
    if (is_list) of.rows = calloc((size_t)count + 1, sizeof *of.rows);
    assert_true(of.class_of != NULL && (!is_list || of.rows != NULL));
    for (int32_t k = 0; is_list && k < count; ++k) of.rows[k] = 3 * (count - 1 - k); /* descending */
    for (int32_t row = 0; row < all; ++row) of.class_of[row] = class_of_row(how, row, classes, &random);
    for (int has_begins = 0; has_begins < 2; ++has_begins) bin(&of, has_begins != 0);
    free(of.rows);
    free(of.class_of);
}

/* A tile has 512 rows; up to 512 tiles add up each other's counts. */
static const int32_t sizes[] = {0, 1, 31, 32, 33, 511, 512, 513, 5000, 262144, 262145, 300000};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void rows_are_binned_in_their_first_order(void **state)
{
    static const int numbers[] = {1, 2, 5, MOST_CLASSES};
    (void)state;
    for (int s = 0; s < SIZES; ++s)
        for (int c = 0; c < 4; ++c)
            for (kind how = ALL_ALIKE; how < KINDS; ++how) check_bins(sizes[s], sizes[s], false, numbers[c], how);
}

static void rows_of_a_list_are_binned_in_its_order(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; ++s) check_bins(sizes[s], sizes[s], true, 5, ANY_OR_NONE);
}

static void of_a_list_only_as_many_rows_as_the_device_says_are_binned(void **state)
{
    (void)state;
    for (int s = 0; s < SIZES; ++s)
        for (int is_list = 0; is_list < 2; ++is_list) {
            check_bins(sizes[s], sizes[s] / 3, is_list != 0, 4, ANY);
            if (sizes[s] > 0) check_bins(sizes[s], 0, is_list != 0, 4, ANY);
        }
}

static int32_t larger(int32_t a, int32_t b) { return a < b ? b : a; }

static void scans_of_groups_of_lanes_are_those_of_loops(void **state)
{
    enum { N = 4096 };
    static int32_t values[N];
    static lane_results results[N];
    uint64_t random = 3;
    (void)state;
    for (int i = 0; i < N; ++i) values[i] = (int32_t)(test_random(&random) % 2001) - 1000;
    int32_t *here = test_lend(values, sizeof values);
    lane_results *results_here = test_lend(results, sizeof results);
    for (int width = 1; width <= 32; width *= 2) {
        assert_int_equal(scan_on_device(test_lender(), width, here, N, results_here), SPG_OK);
        test_fetch(results_here, sizeof results, results);
        for (int first = 0; first < N; first += width) {
            int32_t sum = 0, most = INT_MIN;
            for (int i = first; i < first + width; ++i) {
                assert_int_equal(results[i].before, sum);
                sum += values[i];
                most = larger(most, values[i]);
                assert_int_equal(results[i].through, sum);
                assert_int_equal(results[i].most_through, most);
            }
            for (int i = first; i < first + width; ++i) {
                assert_int_equal(results[i].sum, sum);
                assert_int_equal(results[i].all, sum);
                assert_int_equal(results[i].most, most);
            }
        }
    }
    test_give_back(here, sizeof values);
    test_give_back(results_here, sizeof results);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_binned_in_their_first_order),
        cmocka_unit_test(rows_of_a_list_are_binned_in_its_order),
        cmocka_unit_test(of_a_list_only_as_many_rows_as_the_device_says_are_binned),
        cmocka_unit_test(scans_of_groups_of_lanes_are_those_of_loops),
    };
    return TEST_RUN_HERE(2, arguments, "primitives", tests);
}
