/* Draws from alias tables: that they follow the weights, and are the same everywhere. */
#include "alias_support.h"
#include "matrices_for_tests.h"
#include "statistics.h"

#include <math.h>

enum { DRAWS = 3000000 };
static int32_t draws[DRAWS], others[DRAWS];

static void draws_follow_the_weights_in_any_order(void **state)
{
    static const int64_t lengths[] = {7, 100, 20000};
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int kind = 0; kind <= TEST_ZEROS; ++kind) {
        if (kind == TEST_WIDE) continue; /* nearly all draws are of one item */
        test_weights weights;
        test_open_weights(lengths, 3, kind, SPG_F64, false, &weights);
        for (int resolution = 0; resolution < 2; ++resolution) {
            spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, resolution);
            for (int64_t row = 0; row < 3; ++row) {
                const double *row_weights = (const double *)weights.host.values + test_offset(&weights.host, row);
                const spg_random random = {2026, (uint64_t)kind, 0};
                test_draw_alias(context, alias, row, random, DRAWS, SPG_SAMPLER_AUTO, 0, draws);
                test_assert_draws(lengths[row], row_weights, DRAWS, draws);
                test_draw_alias(context, alias, row, random, DRAWS, SPG_SAMPLER_AUTO, 1, draws);
                chi_square test = test_chi_square(lengths[row], row_weights, DRAWS, draws);
                assert_true(chi_square_holds(&test, 4));
            }
            spg_alias_destroy(alias);
        }
        test_close_weights(&weights);
    }
    spg_context_destroy(context);
}

static void the_ends_of_a_buckets_fraction_choose_its_item_or_its_alias(void **state)
{
    const spg_alias_compact none = {0, 5}, one = {1, 5}, full = {UINT32_MAX, 3};
    const spg_alias_exact none_exact = {0, 5, 0}, least_exact = {0x1p-64, 5, 0}, full_exact = {1, 3, 0};
    (void)state;
    assert_int_equal(spg_compact_choice(none, 3, 0), 5); /* of weight zero, and never drawn */
    assert_int_equal(spg_compact_choice(one, 3, 0), 3);
    assert_int_equal(spg_compact_choice(one, 3, 1), 5);
    assert_int_equal(spg_compact_choice(full, 3, UINT32_MAX), 3);
    assert_int_equal(spg_exact_choice(&none_exact, 3, 0), 5);
    assert_int_equal(spg_exact_choice(&least_exact, 3, 0), 3);
    assert_int_equal(spg_exact_choice(&least_exact, 3, 1), 5);
    assert_int_equal(spg_exact_choice(&full_exact, 3, UINT64_MAX), 3);
    /* The first and the last number fall into the first and the last bucket. */
    assert_true(spg_compact_position(0, 1000) == 0);
    assert_true(spg_compact_position(UINT64_MAX, 1000) >> 32 == 999);
    assert_true(spg_compact_position(UINT64_MAX, INT32_MAX) >> 32 == INT32_MAX - 1);
}

static void counts_of_sections_spread_as_they_should(void **state)
{
    enum { SECTIONS = 5, CALLS = 2000, CALL = 1000 };
    static const int64_t items = 4 * SPG_SECTION + 100;
    double sum = 0, square = 0, p = (double)SPG_SECTION / (double)items;
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(1);
    test_open_weights(&items, 1, TEST_EQUAL, SPG_F64, false, &weights);
    spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
    for (int call = 0; call < CALLS; ++call) {
        int first = 0;
        test_draw_alias(context, alias, 0, (spg_random){1, 2, (uint64_t)call * CALL}, CALL, SPG_SAMPLER_AUTO, 1, draws);
        for (int i = 0; i < CALL; ++i) first += draws[i] < SPG_SECTION;
        sum += first - CALL * p;
        square += (first - CALL * p) * (first - CALL * p);
    }
    double variance = CALL * p * (1 - p);
    assert_true(fabs(sum) < 4 * sqrt(CALLS * variance));
    assert_true(fabs(square / CALLS / variance - 1) < 4 * sqrt(2.0 / CALLS)); /* neither wider nor narrower */
    spg_alias_destroy(alias);
    test_close_weights(&weights);
    spg_context_destroy(context);
}

static void every_place_and_split_draws_the_same(void **state)
{
    enum { COUNT = 100000, PART = 33333 };
    static const int64_t lengths[] = {1, 33, 5000, 100000};
    (void)state;
    for (int what = 0; what < 8; ++what) {
        test_weights weights;
        int resolution = what % 2, grouped = what / 2 % 2;
        bool columns = what / 4 != 0;
        test_open_weights(lengths, 4, TEST_POWER, SPG_F64, columns, &weights);
        int32_t *host_columns = weights.host.columns;
        if (!columns) weights.host.columns = NULL;
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = test_context_number(k);
            spg_alias *alias =
                test_build_alias(context, test_weights_for(context, &weights), SPG_ALIAS_AUTO, resolution);
            for (int row = 0; row < 4; ++row) {
                int32_t *to = (k == 0 ? draws : others) + row * COUNT;
                test_draw_alias(context, alias, row, (spg_random){8, 9, 10}, COUNT, SPG_SAMPLER_AUTO, grouped, to);
                if (grouped) continue;
                int32_t *parts = others + 4 * COUNT;
                test_draw_alias(context, alias, row, (spg_random){8, 9, 10}, PART, SPG_SAMPLER_BASELINE, 0, parts);
                test_draw_alias(context, alias, row, (spg_random){8, 9, 10 + PART}, COUNT - PART, SPG_SAMPLER_AUTO, 0,
                                parts + PART);
                assert_memory_equal(parts, to, COUNT * sizeof *to);
            }
            if (k > 0) assert_memory_equal(draws, others, 4 * COUNT * sizeof *draws);
            spg_alias_destroy(alias);
            spg_context_destroy(context);
        }
        weights.host.columns = host_columns;
        test_close_weights(&weights);
    }
}

static void each_draw_of_a_row_list_is_that_rows(void **state)
{
    enum { COUNT = 10000 };
    static int32_t rows[COUNT], one[1];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    test_open_weights(test_lengths, TEST_LENGTHS, TEST_ZEROS, SPG_F64, true, &weights);
    spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
    for (int i = 0; i < COUNT; ++i) rows[i] = (i * 7 + i / 50) % TEST_LENGTHS;
    int32_t *rows_here = test_take(context, rows, sizeof rows), *here = test_take(context, draws, sizeof rows);
    const spg_random random = {4, 5, 6};
    assert_int_equal(spg_alias_draw_rows(context, alias, COUNT, rows_here, &random, here), SPG_OK);
    test_bring(context, here, sizeof rows, draws);
    test_bring(context, rows_here, sizeof rows, others);
    for (int i = 0; i < COUNT; i += 97) {
        int64_t item = test_item(&weights.host, rows[i], draws[i]);
        assert_true(test_weight(&weights.host, test_offset(&weights.host, rows[i]) + item) > 0);
        test_draw_alias(context, alias, rows[i], (spg_random){4, 5, 6 + (uint64_t)i}, 1, SPG_SAMPLER_AUTO, 0, one);
        assert_int_equal(one[0], draws[i]);
    }
    here = test_take(context, draws, sizeof rows);
    assert_int_equal(spg_alias_draw_rows(context, alias, TEST_LENGTHS, NULL, &random, here), SPG_OK);
    test_bring(context, here, sizeof rows, draws);
    for (int i = 0; i < TEST_LENGTHS; ++i) test_item(&weights.host, i, draws[i]);
    spg_alias_destroy(alias);
    test_close_weights(&weights);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_follow_the_weights_in_any_order),
        cmocka_unit_test(the_ends_of_a_buckets_fraction_choose_its_item_or_its_alias),
        cmocka_unit_test(counts_of_sections_spread_as_they_should),
        cmocka_unit_test(every_place_and_split_draws_the_same),
        cmocka_unit_test(each_draw_of_a_row_list_is_that_rows),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_alias_draws", tests);
}
