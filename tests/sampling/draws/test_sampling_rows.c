/* One draw from each row: by every method the item in whose interval u lies, the same bits on every place. Weights at
 * the ends of what numbers hold: test_sampling_rows_numbers.c. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"
#include "philox.h"

#include <stdlib.h>
#include <string.h>

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
                for (int method = 0; method < TEST_ROW_METHODS; ++method) {
                    for (int i = 0; i < TEST_LENGTHS; ++i) test_put_number(type, uniforms, i, us[u]);
                    test_draw_rows(context, &weights, method, NULL, uniforms, draws);
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
            for (int method = 0; method < TEST_ROW_METHODS; ++method) {
                test_weights weights;
                double uniforms[TEST_LENGTHS];
                int32_t draws[TEST_LENGTHS];
                test_open_weights(test_lengths, TEST_LENGTHS, kind, type, true, &weights);
                for (int last = 0; last < 2; ++last) {
                    double u = last == 0 ? 0 : type == SPG_F32 ? 1 - 0x1p-24 : 1 - 0x1p-53;
                    for (int i = 0; i < TEST_LENGTHS; ++i) test_put_number(type, uniforms, i, u);
                    test_draw_rows(context, &weights, method, NULL, uniforms, draws);
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
        for (int method = 0; method < TEST_ROW_METHODS; ++method) {
            test_weights weights;
            int32_t first[TEST_LENGTHS], draws[TEST_LENGTHS];
            test_open_weights(test_lengths, TEST_LENGTHS, kind, kind % 2 == 0 ? SPG_F64 : SPG_F32, true, &weights);
            for (int k = 0; k < TEST_CONTEXTS; ++k) {
                spg_context *context = test_context_number(k);
                test_draw_rows(context, &weights, method, &random, NULL, k == 0 ? first : draws);
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
            test_draw_rows(context, &later, SPG_BUTTERFLY_AUTO, &random, NULL, k == 0 ? first : draws);
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
    for (int method = 0; method < TEST_ROW_METHODS; ++method) {
        test_draw_rows(context, &weights, method, &random, NULL, by_number);
        test_draw_rows(context, &weights, method, NULL, uniforms, by_uniform);
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
        for (int method = 0; method < TEST_ROW_METHODS; ++method) {
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
                test_draw_rows(context, &weights, SPG_BUTTERFLY_AUTO, &random, NULL, k == 0 ? first : draws);
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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_draw_lies_in_its_interval),
        cmocka_unit_test(the_ends_of_the_uniforms_give_the_first_and_the_last_item_above_zero),
        cmocka_unit_test(every_place_and_number_of_threads_draws_the_same),
        cmocka_unit_test(weights_that_begin_anywhere_are_drawn_from_alike),
        cmocka_unit_test(random_numbers_are_their_own_uniforms),
        cmocka_unit_test(draws_follow_the_weights),
        cmocka_unit_test(many_rows_of_mixed_lengths_are_drawn_from_alike),
        cmocka_unit_test(rows_on_both_sides_of_a_huge_one_are_drawn_from),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_rows", tests);
}
