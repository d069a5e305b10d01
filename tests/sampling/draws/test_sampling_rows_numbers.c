/* One draw from each row of weights at the ends of what numbers hold: sums that overflow, zeros of either sign beside
 * small weights, denormals. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"

#include <float.h>
#include <string.h>

static void weights_whose_sum_overflows_are_drawn_from(void **state)
{
    const int64_t length = 3000;
    test_weights weights;
    int32_t draw = 0;
    (void)state;
    spg_context *context = test_context_at_place(1);
    test_open_weights(&length, 1, TEST_ZEROS, SPG_F64, true, &weights);
    double *values = weights.host.values;
    for (int64_t k = 0; k < length; ++k)
        if (values[k] > 0) values[k] = DBL_MAX / 2;
    test_send(values, (size_t)length * sizeof *values, weights.here.values);
    for (int method = 0; method < TEST_ROW_METHODS; ++method)
        for (double u = 0; u < 1; u += 0.37) {
            test_draw_rows(context, &weights, method, NULL, &u, &draw);
            test_assert_interval(&weights.host, 0, test_item(&weights.host, 0, draw), u);
        }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

enum { MOST_ROWS = 100 };

/* Zeros of either sign, and with `large` in every other row weights whose sum overflows: what is read in another way
 * than the rest is drawn from alike. */
static void assert_odd_rows_alike(const int64_t *lengths, int count, spg_type type, bool large)
{
    const spg_random random = {8, 2, 1};
    test_weights weights;
    int32_t first[MOST_ROWS], draws[MOST_ROWS];
    test_open_weights(lengths, count, TEST_ZEROS, type, true, &weights);
    for (int signs = 0; signs < 2; ++signs) {
        for (int64_t i = 0; signs == 1 && i < count; ++i)
            for (int64_t k = test_offset(&weights.host, i); k < test_offset(&weights.host, i + 1); ++k) {
                double weight = test_weight(&weights.host, k);
                if (!(weight > 0)) test_put_number(type, weights.host.values, k, -0.0);
                if (large && i % 2 == 0) test_put_number(type, weights.host.values, k, weight * (DBL_MAX / 2));
            }
        test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            bool is_first = k == 0 && (signs == 0 || large);
            spg_context *context = test_context_number(k);
            test_draw_rows(context, &weights, SPG_BUTTERFLY_AUTO, &random, NULL, is_first ? first : draws);
            if (!is_first) assert_memory_equal(draws, first, (size_t)count * sizeof *first);
            spg_context_destroy(context);
        }
    }
    test_close_weights(&weights);
}

static void rows_with_signs_and_large_weights_are_drawn_from_alike(void **state)
{
    enum { LONG = TEST_LENGTHS + 2, SHORT = 98 };
    int64_t few_long[LONG] = {40001}, many_short[SHORT]; /* the first and the long one end before the matrix does */
    int64_t middle[SHORT];                               /* a warp takes some of them in turn */
    (void)state;
    memcpy(few_long + 1, test_lengths, sizeof test_lengths);
    few_long[LONG - 1] = 3;
    for (int i = 0; i < SHORT; ++i) many_short[i] = i < TEST_LENGTHS - 1 ? test_lengths[i] : 1 + i * 37 % 80;
    for (int i = 0; i < SHORT; ++i) middle[i] = 300 + i * 37 % 200;
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type)
        for (int large = 0; large < (type == SPG_F64 ? 2 : 1); ++large) {
            assert_odd_rows_alike(few_long, LONG, type, large == 1);
            assert_odd_rows_alike(many_short, SHORT, type, large == 1);
            assert_odd_rows_alike(middle, SHORT, type, large == 1);
        }
}

/* Below 1 doubles lie closer than above: the sum before the last block is 1 - 2^-53, its only item above zero lifts it
 * to 1 + 2^-52, and that less the item is 1. The table, which in lane 16 holds the right half alone, leads to the left
 * one, of zeros. */
static void an_item_of_weight_zero_is_not_drawn_where_the_tables_differences_lead_to_one(void **state)
{
    enum { ROWS_HERE = 17, LENGTH = 64 };
    int64_t lengths[ROWS_HERE];
    double uniforms[ROWS_HERE];
    int32_t found[ROWS_HERE];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(1);
    for (int i = 0; i < ROWS_HERE; ++i) lengths[i] = LENGTH, uniforms[i] = 1 - 0x3p-53;
    test_open_weights(lengths, ROWS_HERE, TEST_EVEN, SPG_F64, true, &weights);
    double *row = (double *)weights.host.values + (ptrdiff_t)(ROWS_HERE - 1) * LENGTH;
    memset(row, 0, LENGTH * sizeof *row);
    row[0] = 0.5;
    row[1] = 0.5 - 0x1p-53;
    row[48] = 2.2 * 0x1p-53;
    test_send(weights.host.values, (size_t)(ROWS_HERE * LENGTH) * sizeof *row, weights.here.values);
    test_draw_rows(context, &weights, SPG_BUTTERFLY_TABLE, NULL, uniforms, found);
    assert_int_equal(test_item(&weights.host, ROWS_HERE - 1, found[ROWS_HERE - 1]), 48);
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* 1 + 2^-53 is 1, but 1 + (2^-53 + 2^-53) is more: the sums before the two small items of the last block and before the
 * zeros after them are both 1, the row's sum is 1 + 2^-52, and the target 1. The search passes both items and ends at
 * the zeros. */
static void the_last_item_above_zero_is_drawn_where_the_tables_search_passes_it(void **state)
{
    const int64_t length = 64;
    const double uniform = 1 - 0x1p-53;
    int32_t found = -1;
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(1);
    test_open_weights(&length, 1, TEST_EVEN, SPG_F64, true, &weights);
    double *row = weights.host.values;
    memset(row, 0, (size_t)length * sizeof *row);
    row[0] = 1;
    row[32] = row[48] = 0x1p-53;
    test_send(row, (size_t)length * sizeof *row, weights.here.values);
    test_draw_rows(context, &weights, SPG_BUTTERFLY_TABLE, NULL, &uniform, &found);
    assert_int_equal(test_item(&weights.host, 0, found), 48);
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* Weights so small that u times their sum rounds to the sum. One stands among the first items, in the middle or last,
 * and zeros before and after it. */
static void an_item_of_weight_zero_is_not_drawn_however_small_the_others_are(void **state)
{
    enum { ROWS_HERE = 12 };
    static const int64_t of_length[] = {1, 7, 32, 70};
    int64_t lengths[ROWS_HERE], item[ROWS_HERE];
    double uniforms[ROWS_HERE];
    int32_t found[ROWS_HERE];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(1);
    for (int i = 0; i < ROWS_HERE; ++i) lengths[i] = of_length[i / 3], item[i] = i % 3 * (lengths[i] - 1) / 2;
    test_open_weights(lengths, ROWS_HERE, TEST_EVEN, SPG_F64, true, &weights);
    double *values = weights.host.values;
    memset(values, 0, (size_t)weights.host.nnz * sizeof *values);
    for (int i = 0; i < ROWS_HERE; ++i) values[test_offset(&weights.host, i) + item[i]] = 0x1p-1074;
    test_send(values, (size_t)weights.host.nnz * sizeof *values, weights.here.values);
    for (int u = 0; u < 4; ++u)
        for (int method = 0; method < TEST_ROW_METHODS; ++method) {
            for (int i = 0; i < ROWS_HERE; ++i) uniforms[i] = u < 3 ? 0.3 * u : 1 - 0x1p-53;
            test_draw_rows(context, &weights, method, NULL, uniforms, found);
            for (int i = 0; i < ROWS_HERE; ++i) assert_int_equal(test_item(&weights.host, i, found[i]), item[i]);
        }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* Whole numbers 0 to 6 times the least denormal, and the same times what makes them normal. */
static void denormal_weights_are_drawn_from_as_in_any_other_scale(void **state)
{
    enum { REPEATS = 40 };
    static int64_t lengths[REPEATS * TEST_LENGTHS];
    static int32_t expected[REPEATS * TEST_LENGTHS], draws[REPEATS * TEST_LENGTHS];
    const spg_random random = {5, 1, 4};
    (void)state;
    for (int i = 0; i < REPEATS * TEST_LENGTHS; ++i) lengths[i] = 1 + (i % 4 == 0 ? i : i % 9);
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
        const double least = type == SPG_F32 ? 0x1p-149 : 0x1p-1074, units[] = {1, least};
        for (int method = 0; method < TEST_ROW_METHODS; ++method) {
            spg_context *context = test_context_at_place(2);
            for (int u = 0; u < 2; ++u) {
                uint64_t numbers = 3;
                test_weights weights;
                test_open_weights(lengths, REPEATS * TEST_LENGTHS, TEST_EVEN, type, true, &weights);
                for (int64_t k = 0; k < weights.host.nnz; ++k)
                    test_put_number(type, weights.host.values, k, (double)(test_random(&numbers) % 7) * units[u]);
                for (int i = 0; i < REPEATS * TEST_LENGTHS; ++i) /* none is all zeros */
                    test_put_number(type, weights.host.values, test_offset(&weights.host, i), 3 * units[u]);
                test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
                test_draw_rows(context, &weights, method, &random, NULL, u == 0 ? expected : draws);
                test_close_weights(&weights);
            }
            spg_context_destroy(context);
            assert_memory_equal(draws, expected, sizeof draws);
        }
    }
}

/* Weights of which a target that is rounded falls to the next one. */
static void a_few_denormals_are_drawn_by_their_weights(void **state)
{
    enum { COUNT = 50000, FEW = 5 };
    static const double shares[FEW] = {1, 2, 3, 0, 4};
    static int64_t lengths[COUNT];
    static int32_t draws[COUNT];
    const spg_random random = {5, 1, 4};
    (void)state;
    for (int i = 0; i < COUNT; ++i) lengths[i] = FEW;
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type)
        for (int method = 0; method < TEST_ROW_METHODS; ++method) {
            test_weights weights;
            test_open_weights(lengths, COUNT, TEST_EVEN, type, true, &weights);
            for (int64_t k = 0; k < weights.host.nnz; ++k)
                test_put_number(type, weights.host.values, k,
                                shares[k % FEW] * (type == SPG_F32 ? 0x1p-149 : 0x1p-1074));
            test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
            test_draw_rows(context, &weights, method, &random, NULL, draws);
            for (int i = 0; i < COUNT; ++i) draws[i] = (int32_t)test_item(&weights.host, i, draws[i]);
            test_assert_draws(FEW, shares, COUNT, draws);
            test_close_weights(&weights);
        }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_whose_sum_overflows_are_drawn_from),
        cmocka_unit_test(denormal_weights_are_drawn_from_as_in_any_other_scale),
        cmocka_unit_test(a_few_denormals_are_drawn_by_their_weights),
        cmocka_unit_test(rows_with_signs_and_large_weights_are_drawn_from_alike),
        cmocka_unit_test(an_item_of_weight_zero_is_not_drawn_where_the_tables_differences_lead_to_one),
        cmocka_unit_test(the_last_item_above_zero_is_drawn_where_the_tables_search_passes_it),
        cmocka_unit_test(an_item_of_weight_zero_is_not_drawn_however_small_the_others_are),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_rows_numbers", tests);
}
