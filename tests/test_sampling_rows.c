/* One draw from each row: by every method the item in whose interval u lies, the same bits on every place. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"
#include "philox.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum { METHODS = 4 };

/* Draws of all rows by their uniforms, or random. */
static void draw_rows(spg_context *context, const test_weights *weights, int method, const spg_random *random,
                      const void *uniforms, int32_t *draws)
{
    const spg_csr *rows = test_weights_for(context, weights);
    size_t count = (size_t)rows->rows, size = spg_type_size(rows->value_type);
    int32_t *here = test_take(context, draws, count * sizeof *draws);
    void *uniforms_here = uniforms != NULL ? test_take(context, uniforms, count * size) : NULL;
    spg_status status = spg_butterfly_draw(context, rows, (spg_butterfly_method)method, random, uniforms_here, here);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, here, count * sizeof *draws, draws);
    void *spare = malloc(count * size);
    if (uniforms != NULL) test_bring(context, uniforms_here, count * size, spare);
    free(spare);
}

static void put_uniform(spg_type type, void *uniforms, int64_t i, double u)
{
    if (type == SPG_F32)
        ((float *)uniforms)[i] = (float)u;
    else
        ((double *)uniforms)[i] = u;
}

static void each_draw_lies_in_its_interval(void **state)
{
    static const double us[] = {0, 0x1p-53, 0.25, 0.5, 0.7182818, 1 - 0x1p-24};
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
            test_weights weights;
            double uniforms[TEST_LENGTHS];
            int32_t draws[TEST_LENGTHS];
            test_open_weights(test_lengths, TEST_LENGTHS, kind, type, true, &weights);
            for (int u = 0; u < 6; ++u)
                for (int method = 0; method < METHODS; ++method) {
                    for (int i = 0; i < TEST_LENGTHS; ++i) put_uniform(type, uniforms, i, us[u]);
                    draw_rows(context, &weights, method, NULL, uniforms, draws);
                    for (int i = 0; i < TEST_LENGTHS; ++i)
                        test_assert_interval(&weights.host, i, test_item(&weights.host, i, draws[i]), us[u]);
                }
            test_close_weights(&weights);
        }
    spg_context_destroy(context);
}

/* The first or the last item of weight above zero. */
static int64_t outermost(const spg_csr *host, int64_t row, bool last)
{
    int64_t begin = test_offset(host, row), items = test_offset(host, row + 1) - begin;
    int64_t item = last ? items - 1 : 0;
    while (!(test_weight(host, begin + item) > 0)) item += last ? -1 : 1;
    return item;
}

static void the_ends_of_the_uniforms_give_the_first_and_the_last_item_above_zero(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type)
        for (int kind = TEST_ZEROS; kind <= TEST_SINGLE; ++kind)
            for (int method = 0; method < METHODS; ++method) {
                test_weights weights;
                double uniforms[TEST_LENGTHS];
                int32_t draws[TEST_LENGTHS];
                test_open_weights(test_lengths, TEST_LENGTHS, kind, type, true, &weights);
                for (int last = 0; last < 2; ++last) {
                    double u = last == 0 ? 0 : type == SPG_F32 ? 1 - 0x1p-24 : 1 - 0x1p-53;
                    for (int i = 0; i < TEST_LENGTHS; ++i) put_uniform(type, uniforms, i, u);
                    draw_rows(context, &weights, method, NULL, uniforms, draws);
                    for (int i = 0; i < TEST_LENGTHS; ++i) {
                        int64_t item = test_item(&weights.host, i, draws[i]);
                        assert_int_equal(item, outermost(&weights.host, i, last != 0));
                    }
                }
                test_close_weights(&weights);
            }
    spg_context_destroy(context);
}

static void every_place_and_number_of_threads_draws_the_same(void **state)
{
    const spg_random random = {99, 1, 12};
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int method = 0; method < METHODS; ++method) {
            test_weights weights;
            int32_t first[TEST_LENGTHS], draws[TEST_LENGTHS];
            test_open_weights(test_lengths, TEST_LENGTHS, kind, kind % 2 == 0 ? SPG_F64 : SPG_F32, true, &weights);
            for (int k = 0; k < TEST_CONTEXTS; ++k) {
                spg_context *context = test_context_number(k);
                draw_rows(context, &weights, method, &random, NULL, k == 0 ? first : draws);
                if (k > 0) assert_memory_equal(draws, first, sizeof first);
                spg_context_destroy(context);
            }
            test_close_weights(&weights);
        }
}

/* The same rows of weights that begin one entry later: at no multiple of 16 bytes. */
static void weights_that_begin_anywhere_are_drawn_from_alike(void **state)
{
    const spg_random random = {3, 1, 4};
    (void)state;
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
        int64_t lengths[TEST_LENGTHS + 1];
        test_weights weights;
        int32_t first[TEST_LENGTHS], draws[TEST_LENGTHS];
        memcpy(lengths, test_lengths, sizeof test_lengths);
        lengths[TEST_LENGTHS] = 1;
        test_open_weights(lengths, TEST_LENGTHS + 1, TEST_EVEN, type, true, &weights);
        test_weights later = weights;
        spg_csr *sides[] = {&later.host, &later.here};
        for (int k = 0; k < 2; ++k) {
            sides[k]->values = (char *)sides[k]->values + spg_type_size(type);
            --sides[k]->rows;
            --sides[k]->nnz;
        }
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = test_context_number(k);
            draw_rows(context, &later, SPG_BUTTERFLY_AUTO, &random, NULL, k == 0 ? first : draws);
            if (k > 0) assert_memory_equal(draws, first, sizeof first);
            spg_context_destroy(context);
        }
        for (int i = 0; i < TEST_LENGTHS; ++i)
            test_assert_interval(&later.host, i, test_item(&later.host, i, first[i]),
                                 spg_uniform_f64(spg_random_number(3, 1, 4 + (uint64_t)i)));
        test_close_weights(&weights);
    }
}

static void random_numbers_are_their_own_uniforms(void **state)
{
    const spg_random random = {5, 6, 1000};
    double uniforms[TEST_LENGTHS];
    int32_t by_number[TEST_LENGTHS], by_uniform[TEST_LENGTHS];
    test_weights weights;
    (void)state;
    spg_context *host = test_host();
    spg_context *context = test_context_at_place(1);
    assert_int_equal(spg_random_uniforms(host, &random, TEST_LENGTHS, SPG_F64, uniforms), SPG_OK);
    test_open_weights(test_lengths, TEST_LENGTHS, TEST_EVEN, SPG_F64, true, &weights);
    for (int method = 0; method < METHODS; ++method) {
        draw_rows(context, &weights, method, &random, NULL, by_number);
        draw_rows(context, &weights, method, NULL, uniforms, by_uniform);
        assert_memory_equal(by_number, by_uniform, sizeof by_number);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

enum { ROWS = 40000, ITEMS = 45 };

static void draws_follow_the_weights(void **state)
{
    static int64_t lengths[ROWS];
    static int32_t draws[ROWS];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int i = 0; i < ROWS; ++i) lengths[i] = ITEMS;
    for (int kind = TEST_EVEN; kind <= TEST_ZEROS; kind += 2) { /* even, power, zeros */
        test_open_weights(lengths, ROWS, kind, SPG_F64, false, &weights);
        double *first = weights.host.values; /* every row as the first */
        for (int64_t i = 1; i < ROWS; ++i) memcpy(first + i * ITEMS, first, ITEMS * sizeof *first);
        test_send(first, (size_t)(ROWS * ITEMS) * sizeof *first, weights.here.values);
        for (int method = 0; method < METHODS; ++method) {
            const spg_random random = {77, (uint64_t)method, (uint64_t)kind};
            int32_t *at = test_take(context, draws, sizeof draws);
            assert_int_equal(
                spg_butterfly_draw(context, &weights.here, (spg_butterfly_method)method, &random, NULL, at), SPG_OK);
            test_bring(context, at, sizeof draws, draws);
            test_assert_draws(ITEMS, first, ROWS, draws);
        }
        test_close_weights(&weights);
    }
    spg_context_destroy(context);
}

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
    for (int method = 0; method < METHODS; ++method)
        for (double u = 0; u < 1; u += 0.37) {
            draw_rows(context, &weights, method, NULL, &u, &draw);
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
                if (!(weight > 0)) put_uniform(type, weights.host.values, k, -0.0);
                if (large && i % 2 == 0) put_uniform(type, weights.host.values, k, weight * (DBL_MAX / 2));
            }
        test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            bool is_first = k == 0 && (signs == 0 || large);
            spg_context *context = test_context_number(k);
            draw_rows(context, &weights, SPG_BUTTERFLY_AUTO, &random, NULL, is_first ? first : draws);
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

/* Rows on either side of what a thread, some lanes, a warp and only a block can take, side by side. */
static void many_rows_of_mixed_lengths_are_drawn_from_alike(void **state)
{
    enum { MANY = 1500, APART = 300 };
    static const int64_t longest[MANY / APART] = {16383, 16384, 32765, 32766, 16382};
    static int64_t lengths[MANY];
    static int32_t first[MANY], draws[MANY];
    const spg_random random = {3, 1, 4};
    (void)state;
    for (int i = 0; i < MANY; ++i) {
        lengths[i] = i % 37 == 0 ? 1025 + i : i % 11 == 0 ? 257 + i % 768 : i % 4 == 0 ? 9 + i % 250 : 1 + i % 8;
        if (i % APART == APART / 2) lengths[i] = longest[i / APART];
    }
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type)
        for (int kind = TEST_WIDE; kind <= TEST_ZEROS; ++kind) { /* offsets of either width */
            test_weights weights;
            test_open_weights(lengths, MANY, kind, type, true, &weights);
            for (int k = 0; k < TEST_CONTEXTS; ++k) {
                spg_context *context = test_context_number(k);
                draw_rows(context, &weights, SPG_BUTTERFLY_AUTO, &random, NULL, k == 0 ? first : draws);
                if (k > 0) assert_memory_equal(draws, first, sizeof first);
                spg_context_destroy(context);
            }
            test_close_weights(&weights);
        }
}

/* Short rows on both sides of one of so many items that a warp cannot count from the first of them to the last in 28
 * bits of bytes. All weights of a short row are 1; of the long one's one is, and some are small. */
static void rows_on_both_sides_of_a_huge_one_are_drawn_from(void **state)
{
    enum { SHORT_ROWS = 400000, SHORT = 16, BEFORE = 1000 * SHORT, HUGE_ROW = 68000000, ONLY = 12345678 };
    const int64_t rows = SHORT_ROWS + 1, items = (int64_t)SHORT_ROWS * SHORT + HUGE_ROW;
    const spg_random random = {3, 1, 4};
    float *values = calloc((size_t)items, sizeof *values);
    int32_t *offsets = malloc((size_t)(rows + 1) * sizeof *offsets), *draws = malloc((size_t)rows * sizeof *draws);
    (void)state;
    assert_true(values != NULL && offsets != NULL && draws != NULL);
    for (int64_t i = 0; i <= rows; ++i) offsets[i] = (int32_t)(i * SHORT + (i * SHORT > BEFORE ? HUGE_ROW - SHORT : 0));
    for (int64_t k = 0; k < SHORT_ROWS * SHORT; ++k) values[k < BEFORE ? k : k + HUGE_ROW] = 1;
    for (int64_t k = 0; k < ONLY / 2; k += 3) values[BEFORE + k] = 0x1p-32F;
    values[BEFORE + ONLY] = 1;
    spg_context *context = test_context_at_place(2);
    void *values_here = test_lend(values, (size_t)items * sizeof *values);
    void *offsets_here = test_lend(offsets, (size_t)(rows + 1) * sizeof *offsets);
    int32_t *draws_here = test_lend(draws, (size_t)rows * sizeof *draws);
    spg_csr weights = {rows, HUGE_ROW, items, SPG_I32, SPG_F32, test_place(), offsets_here, NULL, values_here};
    if (spg_butterfly_draw(context, &weights, SPG_BUTTERFLY_AUTO, &random, NULL, draws_here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_fetch(draws_here, (size_t)rows * sizeof *draws, draws);
    for (int64_t i = 0; i < rows; ++i) {
        const double u = spg_uniform_f64(spg_random_number(3, 1, 4 + (uint64_t)i));
        const int32_t expected = offsets[i] == BEFORE ? ONLY : (int32_t)(u * SHORT);
        if (draws[i] != expected) fail_msg("row %lld: %d, not %d", (long long)i, (int)draws[i], (int)expected);
    }
    test_give_back(values_here, (size_t)items * sizeof *values);
    test_give_back(offsets_here, (size_t)(rows + 1) * sizeof *offsets);
    test_give_back(draws_here, (size_t)rows * sizeof *draws);
    free(values), free(offsets), free(draws);
    spg_context_destroy(context);
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
    draw_rows(context, &weights, SPG_BUTTERFLY_TABLE, NULL, uniforms, found);
    assert_int_equal(test_item(&weights.host, ROWS_HERE - 1, found[ROWS_HERE - 1]), 48);
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
        for (int method = 0; method < METHODS; ++method) {
            spg_context *context = test_context_at_place(2);
            for (int u = 0; u < 2; ++u) {
                uint64_t numbers = 3;
                test_weights weights;
                test_open_weights(lengths, REPEATS * TEST_LENGTHS, TEST_EVEN, type, true, &weights);
                for (int64_t k = 0; k < weights.host.nnz; ++k)
                    put_uniform(type, weights.host.values, k, (double)(test_random(&numbers) % 7) * units[u]);
                for (int i = 0; i < REPEATS * TEST_LENGTHS; ++i) /* none is all zeros */
                    put_uniform(type, weights.host.values, test_offset(&weights.host, i), 3 * units[u]);
                test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
                draw_rows(context, &weights, method, &random, NULL, u == 0 ? expected : draws);
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
        for (int method = 0; method < METHODS; ++method) {
            test_weights weights;
            test_open_weights(lengths, COUNT, TEST_EVEN, type, true, &weights);
            for (int64_t k = 0; k < weights.host.nnz; ++k)
                put_uniform(type, weights.host.values, k, shares[k % FEW] * (type == SPG_F32 ? 0x1p-149 : 0x1p-1074));
            test_send(weights.host.values, (size_t)weights.host.nnz * spg_type_size(type), weights.here.values);
            draw_rows(context, &weights, method, &random, NULL, draws);
            for (int i = 0; i < COUNT; ++i) draws[i] = (int32_t)test_item(&weights.host, i, draws[i]);
            test_assert_draws(FEW, shares, COUNT, draws);
            test_close_weights(&weights);
        }
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
        for (int method = 0; method < METHODS; ++method) {
            for (int i = 0; i < ROWS_HERE; ++i) uniforms[i] = u < 3 ? 0.3 * u : 1 - 0x1p-53;
            draw_rows(context, &weights, method, NULL, uniforms, found);
            for (int i = 0; i < ROWS_HERE; ++i) assert_int_equal(test_item(&weights.host, i, found[i]), item[i]);
        }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draw_lies_in_its_interval),
        cmocka_unit_test(the_ends_of_the_uniforms_give_the_first_and_the_last_item_above_zero),
        cmocka_unit_test(every_place_and_number_of_threads_draws_the_same),
        cmocka_unit_test(weights_that_begin_anywhere_are_drawn_from_alike),
        cmocka_unit_test(random_numbers_are_their_own_uniforms),
        cmocka_unit_test(draws_follow_the_weights),
        cmocka_unit_test(weights_whose_sum_overflows_are_drawn_from),
        cmocka_unit_test(denormal_weights_are_drawn_from_as_in_any_other_scale),
        cmocka_unit_test(a_few_denormals_are_drawn_by_their_weights),
        cmocka_unit_test(rows_with_signs_and_large_weights_are_drawn_from_alike),
        cmocka_unit_test(many_rows_of_mixed_lengths_are_drawn_from_alike),
        cmocka_unit_test(rows_on_both_sides_of_a_huge_one_are_drawn_from),
        cmocka_unit_test(an_item_of_weight_zero_is_not_drawn_where_the_tables_differences_lead_to_one),
        cmocka_unit_test(an_item_of_weight_zero_is_not_drawn_however_small_the_others_are),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_rows", tests);
}
