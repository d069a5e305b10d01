/* Multinomial counts add up to the number of draws, follow their law for any number of draws and any weights, and are
 * the same on every place. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Counts of all entries, on the host; trials: on the host, or NULL. */
static int64_t *draw_counts(spg_context *context, const spg_csr *rows, int64_t n, const int64_t *trials,
                            spg_random random)
{
    const size_t bytes = (size_t)rows->nnz * sizeof(int64_t), trial_bytes = (size_t)rows->rows * sizeof(int64_t);
    int64_t *counts = malloc(bytes + 1);
    assert_non_null(counts);
    memset(counts, 0x33, bytes);
    int64_t *here = test_take(context, counts, bytes);
    int64_t *trials_here = trials != NULL ? test_take(context, trials, trial_bytes) : NULL;
    if (spg_multinomial_draw(context, rows, n, trials_here, &random, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, bytes, counts);
    if (trials != NULL) {
        int64_t *back = malloc(trial_bytes + 1);
        test_bring(context, trials_here, trial_bytes, back);
        assert_memory_equal(back, trials, trial_bytes);
        free(back);
    }
    return counts;
}

static void set_weights(test_weights *weights, const double *values, int64_t period)
{
    for (int64_t k = 0; k < weights->host.nnz; ++k)
        test_put_number(weights->host.value_type, weights->host.values, k, values[k % period]);
    test_send(weights->host.values, (size_t)weights->host.nnz * spg_type_size(weights->host.value_type),
              weights->here.values);
}

static double row_sum(const spg_csr *host, int64_t row)
{
    double sum = 0;
    for (int64_t k = test_offset(host, row); k < test_offset(host, row + 1); ++k) sum += test_weight(host, k);
    return sum;
}

/* Counts of row `row` add up to n, or to 0 where it has no weight, and items of weight zero have none. */
static void assert_total(const spg_csr *host, int64_t row, int64_t n, const int64_t *counts)
{
    uint64_t total = 0;
    for (int64_t k = test_offset(host, row); k < test_offset(host, row + 1); ++k) {
        assert_true(counts[k] >= 0 && counts[k] <= n);
        if (!(test_weight(host, k) > 0)) assert_int_equal(counts[k], 0);
        total += (uint64_t)counts[k];
    }
    assert_int_equal(total, row_sum(host, row) > 0 ? n : 0);
}

/* ---- All places -------------------------------------------------------------------------------------------------- */

enum { ROWS = 16 };
static const int64_t lengths[ROWS] = {0, 5, 1, 40, 3, 1000, 5000, 7, 140000, 2, 33, 64, 256, 257, 65537, 32};

static void all_draws_are_counted_alike_on_every_place(void **state)
{
    static const int64_t ns[] = {0, 1, 17, 1000, 30000000, (int64_t)1 << 50, INT64_MAX};
    enum { NS = sizeof ns / sizeof *ns };
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int which = 0; which <= NS; ++which) {
            const spg_draw_options options = {.empty_rows = 1};
            int64_t trials[ROWS], *expected = NULL;
            test_weights weights;
            for (int i = 0; i < ROWS; ++i) trials[i] = which < NS ? ns[which] : ns[(i * 5 + kind) % NS];
            test_open_weights(lengths, ROWS, kind, (kind + which) % 2 == 0 ? SPG_F64 : SPG_F32, false, &weights);
            for (int c = 0; c < TEST_CONTEXTS; ++c) {
                spg_context *context = test_context_number(c);
                assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
                int64_t *counts = draw_counts(context, test_weights_for(context, &weights), trials[0],
                                              which < NS ? NULL : trials, (spg_random){7, (uint64_t)kind, 3});
                for (int64_t i = 0; i < ROWS; ++i) assert_total(&weights.host, i, trials[i], counts);
                if (expected == NULL)
                    expected = counts;
                else
                    assert_memory_equal(counts, expected, (size_t)weights.host.nnz * sizeof *counts);
                if (counts != expected) free(counts);
                spg_context_destroy(context);
            }
            free(expected);
            test_close_weights(&weights);
        }
}

/* A device then has as many levels of tiles as for any row. */
static void twenty_million_items_are_counted_alike_on_a_device_and_on_the_host(void **state)
{
    const int64_t length = 20000000, n = 1000000000;
    int64_t *expected = NULL;
    test_weights weights;
    (void)state;
    spg_context *here = test_context_at_place(1);
    const bool on_host = test_is_on_host(here);
    spg_context_destroy(here);
    if (on_host) skip();
    test_open_weights(&length, 1, TEST_ZEROS, SPG_F32, false, &weights);
    for (int c = 2; c < TEST_CONTEXTS; ++c) {
        spg_context *context = test_context_number(c);
        int64_t *counts = draw_counts(context, test_weights_for(context, &weights), n, NULL, (spg_random){1, 2, 3});
        assert_total(&weights.host, 0, n, counts);
        if (expected == NULL)
            expected = counts;
        else
            assert_memory_equal(counts, expected, (size_t)length * sizeof *counts);
        if (counts != expected) free(counts);
        spg_context_destroy(context);
    }
    free(expected);
    test_close_weights(&weights);
}

static void rows_are_counted_alike_in_one_call_and_in_two(void **state)
{
    enum { HALF = 7 };
    int64_t offsets[ROWS - HALF + 1];
    test_weights weights;
    (void)state;
    test_open_weights(lengths + 1, ROWS - 1, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *context = test_context_number(3);
    const int64_t before = test_offset(&weights.host, HALF), n = 100000;
    spg_csr rows = weights.host, first, second;
    rows.columns = NULL;
    first = second = rows;
    for (int i = 0; i <= ROWS - 1 - HALF; ++i) offsets[i] = test_offset(&weights.host, HALF + i) - before;
    first.rows = HALF;
    first.nnz = before;
    second.rows = ROWS - 1 - HALF;
    second.nnz -= before;
    second.offset_type = SPG_I64;
    second.row_offsets = offsets;
    second.values = (double *)rows.values + before;
    int64_t *together = draw_counts(context, &rows, n, NULL, (spg_random){1, 1, 1});
    int64_t *a = draw_counts(context, &first, n, NULL, (spg_random){1, 1, 1});
    int64_t *b = draw_counts(context, &second, n, NULL, (spg_random){1, 1, 1 + HALF});
    assert_memory_equal(together, a, (size_t)first.nnz * sizeof *a);
    assert_memory_equal(together + before, b, (size_t)second.nnz * sizeof *b);
    free(together);
    free(a);
    free(b);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* ---- Their law --------------------------------------------------------------------------------------------------- */

/* Each item of a row against n times its share. */
static void counts_follow_the_weights(void **state)
{
    static const int64_t of_length[] = {3, 30, 200, 1024, 3000, 150000};
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind) {
        test_weights weights;
        test_open_weights(of_length, 6, kind, kind % 2 == 0 ? SPG_F32 : SPG_F64, false, &weights);
        spg_context *context = test_context_at_place(2);
        for (int64_t n = 2000; n < 1000000000; n *= 100) {
            int64_t *counts = draw_counts(context, &weights.here, n, NULL, (spg_random){3, (uint64_t)n, 9});
            for (int64_t i = 0; i < 6; ++i) {
                chi_square test;
                chi_square_begin(&test, (double)n, row_sum(&weights.host, i));
                for (int64_t k = test_offset(&weights.host, i); k < test_offset(&weights.host, i + 1); ++k)
                    chi_square_add(&test, test_weight(&weights.host, k), (double)counts[k]);
                chi_square_end(&test);
                if (test.degrees > 0 && !chi_square_holds(&test, 4))
                    fail_msg("kind %d, row %lld, %lld draws: z = %g", kind, (long long)i, (long long)n, test.z);
            }
            free(counts);
        }
        spg_context_destroy(context);
        test_close_weights(&weights);
    }
}

enum { COUNT = 60000, FEW = 4, FOUR = 4 };

/* All 35 ways in which four draws fall on four items, of weights 1, 2, 0 and 5: of many rows. */
static void outcomes_of_four_draws_are_as_likely_as_they_should_be(void **state)
{
    static const double few[FEW] = {1, 2, 0, 5}, factorial[] = {1, 1, 2, 6, 24};
    static int64_t of_length[COUNT];
    static int32_t outcomes[COUNT];
    double law[625] = {0};
    test_weights weights;
    (void)state;
    for (int i = 0; i < COUNT; ++i) of_length[i] = FEW;
    for (int code = 0; code < 625; ++code) {
        const int a = code % 5, b = code / 5 % 5, c = code / 25 % 5, d = code / 125;
        if (a + b + c + d != FOUR || c > 0) continue;
        law[code] = factorial[FOUR] / (factorial[a] * factorial[b] * factorial[d]) * pow(1.0 / 8, a) * pow(2.0 / 8, b) *
                    pow(5.0 / 8, d);
    }
    test_open_weights(of_length, COUNT, TEST_EQUAL, SPG_F32, false, &weights);
    set_weights(&weights, few, FEW);
    spg_context *context = test_context_at_place(2);
    int64_t *counts = draw_counts(context, &weights.here, FOUR, NULL, (spg_random){12, 0, 0});
    for (int i = 0; i < COUNT; ++i) {
        const int64_t *of = counts + (ptrdiff_t)FEW * i;
        outcomes[i] = (int32_t)(of[0] + 5 * of[1] + 25 * of[2] + 125 * of[3]);
    }
    const chi_square test = test_chi_square(625, law, COUNT, outcomes);
    if (!chi_square_holds(&test, 4)) fail_msg("z = %g", test.z);
    free(counts);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* Counts of 2^62 draws are within a few deviations of their means; sums of squares of these are as they should be. */
static void counts_of_very_many_draws_spread_as_they_should(void **state)
{
    enum { ITEMS = 20000 };
    const int64_t length = ITEMS, n = (int64_t)1 << 62;
    test_weights weights;
    (void)state;
    test_open_weights(&length, 1, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *context = test_context_at_place(2);
    int64_t *counts = draw_counts(context, &weights.here, n, NULL, (spg_random){2, 2, 2});
    const double sum = row_sum(&weights.host, 0);
    double squares = 0;
    for (int64_t k = 0; k < ITEMS; ++k) {
        const double mean = test_weight(&weights.host, k) / sum * (double)n,
                     z = ((double)counts[k] - mean) / sqrt(mean);
        if (fabs(z) > 6) fail_msg("item %lld: z = %g", (long long)k, z);
        squares += z * z;
    }
    const double z = (squares - (ITEMS - 1)) / sqrt(2.0 * (ITEMS - 1));
    if (fabs(z) > 4) fail_msg("all: z = %g", z);
    free(counts);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* ---- The ends of what weights can be ----------------------------------------------------------------------------- */

/* Items of these weights, in this period, have the shares of `shares`. */
static void assert_shares(int64_t items, const double *values, const double *shares, int64_t period)
{
    const int64_t length = items, n = 100000;
    test_weights weights;
    test_open_weights(&length, 1, TEST_EVEN, SPG_F64, false, &weights);
    set_weights(&weights, values, period);
    spg_context *context = test_context_at_place(2);
    int64_t *counts = draw_counts(context, &weights.here, n, NULL, (spg_random){5, 6, 7});
    double total = 0;
    for (int64_t k = 0; k < items; ++k) total += shares[k % period];
    chi_square test;
    chi_square_begin(&test, (double)n, total);
    for (int64_t k = 0; k < items; ++k) chi_square_add(&test, shares[k % period], (double)counts[k]);
    chi_square_end(&test);
    if (!chi_square_holds(&test, 4)) fail_msg("%lld items: z = %g", (long long)items, test.z);
    free(counts);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

static void denormal_weights_and_those_of_infinite_sums_keep_their_shares(void **state)
{
    static const int64_t items[] = {3, 30, 250, 700, 80000};
    static const double least[] = {0x1p-1074, 0x3p-1074, 0}, largest[] = {DBL_MAX / 2, DBL_MAX, 0},
                        both[] = {DBL_MAX, 0x1p-1074, DBL_MAX}, ends[] = {1, 0, 1}, shares[] = {1, 3, 0},
                        halves[] = {1, 2, 0};
    (void)state;
    for (int i = 0; i < 5; ++i) {
        assert_shares(items[i], least, shares, 3);
        assert_shares(items[i], largest, halves, 3);
        assert_shares(items[i], both, ends, 3);
    }
}

static void a_single_item_gets_all_draws(void **state)
{
    static const int64_t of_length[] = {1, 1, 1}, n = INT64_MAX;
    static const double values[] = {0x1p-1074, DBL_MAX, 7};
    test_weights weights;
    (void)state;
    test_open_weights(of_length, 3, TEST_EVEN, SPG_F64, true, &weights);
    set_weights(&weights, values, 3);
    spg_context *context = test_context_at_place(2);
    int64_t *counts = draw_counts(context, &weights.here, n, NULL, (spg_random){5, 6, 7});
    for (int i = 0; i < 3; ++i) assert_int_equal(counts[i], n);
    free(counts);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void wrong_arguments_are_refused(void **state)
{
    static const int64_t of_length[] = {5, 3, 400, 4}, negative[] = {1, 2, -3, -4}, none[4];
    const spg_random random = {1, 2, 3};
    static int64_t counts[412];
    test_weights weights;
    (void)state;
    test_open_weights(of_length, 4, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *c = test_context_at_place(2);
    int64_t *here = test_take(c, counts, sizeof counts), *trials = test_take(c, negative, sizeof negative);
    const spg_csr *w = &weights.here;
    assert_int_equal(spg_multinomial_draw(NULL, w, 1, NULL, &random, here), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_multinomial_draw(c, NULL, 1, NULL, &random, here), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "weights is NULL");
    assert_int_equal(spg_multinomial_draw(c, w, -1, NULL, &random, here), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "n is -1");
    assert_int_equal(spg_multinomial_draw(c, w, 1, NULL, NULL, here), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "random is NULL");
    assert_int_equal(spg_multinomial_draw(c, w, 1, NULL, &random, NULL), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "counts is NULL");
    assert_int_equal(spg_multinomial_draw(c, w, 1, trials, &random, here), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "trials: row 2: -3; it must not be negative");
    test_send(none, sizeof none, trials);
    assert_int_equal(spg_multinomial_draw(c, w, -1, trials, &random, here), SPG_OK); /* n is not read */
    test_bring(c, trials, sizeof none, counts);
    test_bring(c, here, sizeof counts, counts);
    spg_context_destroy(c);
    test_close_weights(&weights);
}

static void rows_that_cannot_be_drawn_from_are_refused_even_for_no_draws(void **state)
{
    static const int64_t of_length[] = {5, 3, 400, 0, 70000};
    static const double wrongs[] = {-1, (double)INFINITY, (double)NAN};
    static const char *const names[] = {"negative", "infinite", "NaN"};
    static const int64_t places[] = {2, 100, 408 + 69000};
    static const char *const where[] = {"row 0, item 2", "row 2, item 92", "row 4, item 69000"};
    int64_t negative[] = {1, -2, 1, 1, 1};
    const spg_draw_options options = {.empty_rows = 1};
    const spg_random random = {1, 2, 3};
    test_weights weights;
    (void)state;
    test_open_weights(of_length, 5, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *c = test_context_at_place(2);
    const size_t bytes = (size_t)weights.host.nnz * sizeof(int64_t);
    int64_t *counts = calloc(1, bytes), *here = test_take(c, counts, bytes);
    int64_t *trials = test_take(c, negative, sizeof negative);
    assert_int_equal(spg_multinomial_draw(c, &weights.here, 0, NULL, &random, here), SPG_ERROR_FORMAT);
    test_assert_message(c, "weights: row 3 is empty");
    assert_int_equal(spg_multinomial_draw(c, &weights.here, 0, trials, &random, here), SPG_ERROR_FORMAT);
    test_assert_message(c, "weights: row 3 is empty"); /* before the trials of row 1 */
    assert_int_equal(spg_context_set_draw_options(c, &options), SPG_OK);
    assert_int_equal(spg_multinomial_draw(c, &weights.here, 0, trials, &random, here), SPG_ERROR_ARGUMENT);
    test_assert_message(c, "trials: row 1: -2");
    test_bring(c, trials, sizeof negative, negative);
    for (int p = 0; p < 3; ++p)
        for (int k = 0; k < 3; ++k) {
            double *at = (double *)weights.here.values + places[p];
            test_send(&wrongs[k], sizeof(double), at);
            assert_int_equal(spg_multinomial_draw(c, &weights.here, 9, NULL, &random, here), SPG_ERROR_FORMAT);
            test_assert_message(c, where[p]);
            test_assert_message(c, names[k]);
            test_send((double *)weights.host.values + places[p], sizeof(double), at);
        }
    assert_int_equal(spg_multinomial_draw(c, &weights.here, 9, NULL, &random, here), SPG_OK);
    test_bring(c, here, bytes, counts);
    free(counts);
    spg_context_destroy(c);
    test_close_weights(&weights);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_draws_are_counted_alike_on_every_place),
        cmocka_unit_test(twenty_million_items_are_counted_alike_on_a_device_and_on_the_host),
        cmocka_unit_test(rows_are_counted_alike_in_one_call_and_in_two),
        cmocka_unit_test(counts_follow_the_weights),
        cmocka_unit_test(outcomes_of_four_draws_are_as_likely_as_they_should_be),
        cmocka_unit_test(counts_of_very_many_draws_spread_as_they_should),
        cmocka_unit_test(denormal_weights_and_those_of_infinite_sums_keep_their_shares),
        cmocka_unit_test(a_single_item_gets_all_draws),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(rows_that_cannot_be_drawn_from_are_refused_even_for_no_draws),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_multinomial", tests);
}
