/* Big distributions, where a bias may be too thin for single items to show, and long rows among short ones. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>

/* A row of more than 2^24 items: a float or a product of 32 bits can't tell them apart. */
enum { BIG = (1 << 24) + 12345, DRAWS = 1 << 24, BLOCKS = 4096, MANY = 64 };

static void assert_even(const char *what, const chi_square *test)
{
    if (!chi_square_holds(test, 4)) fail_msg("%s: z %.2f of %lld degrees", what, test->z, (long long)test->degrees);
}

/* Halves, then blocks, then odd and even items: a table or a product of too few bits favours some of them. */
static void assert_sums(const char *what, const double *weights, const int32_t *draws)
{
    static int32_t parity[DRAWS];
    double even_and_odd[2] = {0, 0};
    chi_square halves = test_chi_square_of_blocks(BIG, weights, 2, DRAWS, draws);
    chi_square blocks = test_chi_square_of_blocks(BIG, weights, BLOCKS, DRAWS, draws);
    for (int64_t k = 0; k < BIG; ++k) even_and_odd[k % 2] += weights[k];
    for (int64_t k = 0; k < DRAWS; ++k) parity[k] = draws[k] % 2;
    chi_square parities = test_chi_square(2, even_and_odd, DRAWS, parity);
    assert_even(what, &halves);
    assert_even(what, &blocks);
    assert_even(what, &parities);
    assert_int_equal(blocks.impossible, 0);
}

/* Uniform weights with a zero here and there. */
static void open_big(test_weights *weights)
{
    static const int64_t items = BIG;
    test_open_weights(&items, 1, TEST_EVEN, SPG_F64, false, weights);
    for (int64_t k = 0; k < BIG; k += 1001) ((double *)weights->host.values)[k] = 0;
    test_send(weights->host.values, BIG * sizeof(double), weights->here.values);
}

static void alias_draws_of_a_big_distribution_follow_the_weights_by_halves_and_blocks(void **state)
{
    int32_t *draws = malloc(DRAWS * sizeof *draws);
    test_weights weights;
    (void)state;
    assert_non_null(draws);
    spg_context *context = test_context_at_place(2);
    open_big(&weights);
    for (int exact = 0; exact < 2; ++exact) {
        const spg_alias_options options = {.resolution = (spg_alias_resolution)exact};
        spg_alias *alias = NULL;
        assert_int_equal(spg_alias_build(context, &weights.here, &options, &alias), SPG_OK);
        for (int grouped = 0; grouped < 2; ++grouped) {
            const spg_random random = {15, (uint64_t)exact, 92};
            const spg_alias_draw_options how = {SPG_SAMPLER_AUTO, grouped};
            int32_t *here = test_take(context, draws, DRAWS * sizeof *draws);
            assert_int_equal(spg_alias_draw(context, alias, 0, DRAWS, &random, &how, here), SPG_OK);
            test_bring(context, here, DRAWS * sizeof *draws, draws);
            assert_sums(grouped ? "grouped" : "independent", weights.host.values, draws);
        }
        spg_alias_destroy(alias);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
    free(draws);
}

/* How far the counts of blocks of stratified draws lie from their shares: two at most, but for rounding. */
static void assert_stratified(const double *weights, const int32_t *draws)
{
    int64_t counts[BLOCKS] = {0};
    double sums[BLOCKS] = {0}, total = 0;
    for (int64_t k = 0; k < DRAWS; ++k) {
        assert_true(k == 0 || draws[k] >= draws[k - 1]);
        ++counts[(int64_t)draws[k] * BLOCKS / BIG];
    }
    for (int64_t k = 0; k < BIG; ++k) sums[k * BLOCKS / BIG] += weights[k];
    for (int64_t b = 0; b < BLOCKS; ++b) total += sums[b];
    for (int64_t b = 0; b < BLOCKS; ++b) {
        double expected = sums[b] / total * DRAWS;
        if (fabs((double)counts[b] - expected) >= 2.001)
            fail_msg("block %lld has %lld draws, not %.2f", (long long)b, (long long)counts[b], expected);
    }
}

static void monotone_draws_of_a_big_distribution_follow_the_weights_by_halves_and_blocks(void **state)
{
    int32_t *draws = malloc(DRAWS * sizeof *draws), *other = malloc(DRAWS * sizeof *other);
    test_weights weights;
    const spg_random random = {65, 35, 89};
    (void)state;
    assert_true(draws != NULL && other != NULL);
    spg_context *context = test_context_at_place(2);
    open_big(&weights);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        const spg_forest_options options = {(spg_forest_method)method, 0};
        spg_forest *forest = NULL;
        assert_int_equal(spg_forest_build(context, &weights.here, &options, &forest), SPG_OK);
        int32_t *here = test_take(context, draws, DRAWS * sizeof *draws);
        assert_int_equal(spg_forest_draw(context, forest, DRAWS, NULL, &random, NULL, here, NULL), SPG_OK);
        test_bring(context, here, DRAWS * sizeof *draws, method == SPG_FOREST_CUTPOINT ? draws : other);
        here = test_take(context, draws, DRAWS * sizeof *draws);
        assert_int_equal(spg_forest_draw_stratified(context, forest, 0, DRAWS, &random, here, NULL), SPG_OK);
        int32_t *stratified = malloc(DRAWS * sizeof *stratified);
        assert_non_null(stratified);
        test_bring(context, here, DRAWS * sizeof *draws, stratified);
        assert_stratified(weights.host.values, stratified);
        free(stratified);
        spg_forest_destroy(forest);
    }
    assert_sums("inversion", weights.host.values, draws);
    assert_memory_equal(draws, other, DRAWS * sizeof *draws);
    test_close_weights(&weights);
    spg_context_destroy(context);
    free(draws);
    free(other);
}

/* Each length several times, the long ones between them. */
enum { KINDS_OF_LENGTH = 5, LONG_ITEMS = 1000000, LONG_ROWS = 3, ROWS = KINDS_OF_LENGTH * 40 };

static void fill_lengths(int64_t *lengths)
{
    static const int64_t some[KINDS_OF_LENGTH] = {1, 31, 32, 33, 5};
    for (int i = 0; i < ROWS; ++i) lengths[i] = some[i * 7 % KINDS_OF_LENGTH];
    lengths[0] = lengths[ROWS / 2] = lengths[ROWS - 1] = LONG_ITEMS;
}

/* Draws of all rows by one of the ways there are, the same on every place. */
enum { BY_ALIAS = SPG_BUTTERFLY_TABLE + 1, BY_CUTPOINT, BY_RADIX, WAYS };

static spg_status draw_rows(spg_context *context, const spg_csr *weights, int way, const int32_t *rows, int32_t *draws)
{
    const spg_random random = {79, 32, (uint64_t)way};
    const spg_forest_options options = {way == BY_RADIX ? SPG_FOREST_RADIX : SPG_FOREST_CUTPOINT, 0};
    spg_alias *alias = NULL;
    spg_forest *forest = NULL;
    spg_status status = SPG_OK;
    if (way < BY_ALIAS) return spg_butterfly_draw(context, weights, (spg_butterfly_method)way, &random, NULL, draws);
    status = way == BY_ALIAS ? spg_alias_build(context, weights, NULL, &alias)
                             : spg_forest_build(context, weights, &options, &forest);
    if (status == SPG_OK)
        status = way == BY_ALIAS ? spg_alias_draw_rows(context, alias, ROWS, rows, &random, draws)
                                 : spg_forest_draw(context, forest, ROWS, rows, &random, NULL, draws, NULL);
    spg_alias_destroy(alias);
    spg_forest_destroy(forest);
    return status;
}

static void long_rows_among_short_ones_are_drawn_from(void **state)
{
    int64_t lengths[ROWS];
    int32_t rows[ROWS], spare[ROWS], draws[ROWS], first[ROWS];
    (void)state;
    fill_lengths(lengths);
    for (int i = 0; i < ROWS; ++i) rows[i] = i;
    for (int kind = TEST_POWER; kind <= TEST_ZEROS; kind += TEST_ZEROS - TEST_POWER) {
        test_weights weights;
        test_open_weights(lengths, ROWS, kind, kind == TEST_POWER ? SPG_F64 : SPG_F32, true, &weights);
        for (int way = 0; way < WAYS; ++way)
            for (int k = 2; k < TEST_CONTEXTS; ++k) {
                spg_context *context = test_context_number(k);
                const spg_csr *rows_of = test_weights_for(context, &weights);
                int32_t *rows_here = test_take(context, rows, sizeof rows);
                int32_t *here = test_take(context, draws, sizeof draws);
                if (draw_rows(context, rows_of, way, rows_here, here) != SPG_OK)
                    fail_msg("%s", spg_context_message(context));
                test_bring(context, here, sizeof draws, k == 2 ? first : draws);
                test_bring(context, rows_here, sizeof rows, spare);
                if (k > 2) assert_memory_equal(draws, first, sizeof draws);
                spg_context_destroy(context);
            }
        for (int i = 0; i < ROWS; ++i) {
            int64_t item = test_item(&weights.host, i, first[i]);
            assert_true(test_weight(&weights.host, test_offset(&weights.host, i) + item) > 0);
        }
        test_close_weights(&weights);
    }
}

/* By their own uniforms, in each long row and its neighbours: the item in whose interval each lies. */
static void draws_of_long_rows_lie_where_their_uniforms_say(void **state)
{
    static const double us[] = {0, 0x1p-53, 0.3, 0.9, 1 - 0x1p-24, 1 - 0x1p-53};
    int64_t lengths[ROWS];
    int32_t rows[ROWS], spare[ROWS], draws[ROWS];
    double uniforms[ROWS], spare_uniforms[ROWS];
    test_weights weights;
    (void)state;
    fill_lengths(lengths);
    spg_context *context = test_context_at_place(2);
    test_open_weights(lengths, ROWS, TEST_ZEROS, SPG_F64, true, &weights);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        const spg_forest_options options = {(spg_forest_method)method, 0};
        spg_forest *forest = NULL;
        assert_int_equal(spg_forest_build(context, &weights.here, &options, &forest), SPG_OK);
        for (size_t u = 0; u < sizeof us / sizeof *us; ++u) {
            for (int i = 0; i < ROWS; ++i) rows[i] = i, uniforms[i] = us[u];
            int32_t *rows_here = test_take(context, rows, sizeof rows), *here = test_take(context, draws, sizeof draws);
            double *uniforms_here = test_take(context, uniforms, sizeof uniforms);
            assert_int_equal(spg_forest_draw(context, forest, ROWS, rows_here, NULL, uniforms_here, here, NULL),
                             SPG_OK);
            test_bring(context, here, sizeof draws, draws);
            test_bring(context, rows_here, sizeof rows, spare);
            test_bring(context, uniforms_here, sizeof uniforms, spare_uniforms);
            for (int i = 0; i < ROWS; ++i)
                test_assert_interval(&weights.host, i, test_item(&weights.host, i, draws[i]), us[u]);
        }
        spg_forest_destroy(forest);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

static void an_empty_row_among_long_ones_is_refused(void **state)
{
    int64_t lengths[ROWS];
    test_weights weights;
    int32_t *draws = test_lend((int32_t[ROWS]){0}, ROWS * sizeof *draws);
    (void)state;
    spg_context *context = test_context_at_place(2);
    fill_lengths(lengths);
    lengths[ROWS - 2] = 0;
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, false, &weights);
    for (int way = 0; way < WAYS; ++way) {
        assert_int_equal(draw_rows(context, &weights.here, way, NULL, draws), SPG_ERROR_FORMAT);
        test_assert_message(context, "row 198 is empty");
    }
    test_close_weights(&weights);
    test_give_back(draws, ROWS * sizeof *draws);
    spg_context_destroy(context);
}

/* Nor are there arrays of items and weights then. */
static void rows_without_any_item_are_refused(void **state)
{
    const int32_t offsets[] = {0, 0};
    int32_t draw = 0, *offsets_here = test_lend(offsets, sizeof offsets), *draw_here = test_lend(&draw, sizeof draw);
    const spg_csr none = {1, 5, 0, SPG_I32, SPG_F64, test_place(), offsets_here, NULL, NULL};
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int way = 0; way < WAYS; ++way) {
        assert_int_equal(draw_rows(context, &none, way, NULL, draw_here), SPG_ERROR_FORMAT);
        test_assert_message(context, "row 0 is empty");
    }
    test_give_back(offsets_here, sizeof offsets);
    test_give_back(draw_here, sizeof draw);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(alias_draws_of_a_big_distribution_follow_the_weights_by_halves_and_blocks),
        cmocka_unit_test(monotone_draws_of_a_big_distribution_follow_the_weights_by_halves_and_blocks),
        cmocka_unit_test(long_rows_among_short_ones_are_drawn_from),
        cmocka_unit_test(draws_of_long_rows_lie_where_their_uniforms_say),
        cmocka_unit_test(an_empty_row_among_long_ones_is_refused),
        cmocka_unit_test(rows_without_any_item_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_large", tests);
}
