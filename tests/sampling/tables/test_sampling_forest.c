/* Monotone inversion: both methods are the inverse of one cumulated distribution, monotone, and the same everywhere. */
#include "sampling/forest.h"

#include "sampling/sampling_backend.h"
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a call of draws gives. */
enum { COUNT = 4096 };
typedef struct drawn {
    int32_t items[COUNT], loads[COUNT];
    double probabilities[COUNT], remapped[COUNT];
} drawn;

/* Draws by uniforms, each from row `row` or, where it is negative, the rows in turn. */
static void draw(spg_context *context, const spg_forest *forest, int64_t row, const double *uniforms, drawn *result)
{
    int32_t rows[COUNT], spare_rows[COUNT];
    double spare[COUNT];
    for (int i = 0; i < COUNT; ++i) rows[i] = (int32_t)(row >= 0 ? row : i % forest->rows);
    double *u = test_take(context, uniforms, sizeof spare);
    int32_t *rows_here = test_take(context, rows, sizeof rows);
    drawn *here = test_take(context, result, sizeof *result);
    spg_status status = spg_forest_draw(context, forest, COUNT, rows_here, NULL, u, here->items,
                                        &(spg_forest_details){here->probabilities, here->remapped});
    if (status == SPG_OK) status = spg_forest_loads(context, forest, COUNT, rows_here, u, here->loads);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, here, sizeof *result, result);
    test_bring(context, rows_here, sizeof rows, spare_rows);
    test_bring(context, u, sizeof spare, spare);
}

/* Ascending, from 0 to the largest below 1. */
static void fill_uniforms(double *uniforms)
{
    for (int i = 0; i < COUNT; ++i) uniforms[i] = (double)i / (COUNT - 1);
    uniforms[1] = 0x1p-53;
    uniforms[COUNT - 2] = 1 - 0x1p-24;
    uniforms[COUNT - 1] = 1 - 0x1p-53;
}

static void assert_is_the_inverse(const spg_csr *host, int64_t row, const double *uniforms, const drawn *result)
{
    int64_t begin = test_offset(host, row), items = test_offset(host, row + 1) - begin, last = 0;
    long double total = 0, before = 0, slack = 0x1p-50L + 0x1p-62L * items; /* of this loop's own sums */
    for (int64_t k = 0; k < items; ++k) total += test_weight(host, begin + k);
    for (int i = 0; i < COUNT; ++i) {
        int64_t item = test_item(host, row, result->items[i]);
        assert_true(item >= last); /* monotone */
        for (; last < item; ++last) before += test_weight(host, begin + last) / total;
        long double weight = test_weight(host, begin + item) / total, u = uniforms[i];
        if (!(weight > 0 && u >= before - slack && u < before + weight + slack))
            fail_msg("row %lld, u = %.17g: item %lld holds [%Lg, %Lg)", (long long)row, uniforms[i], (long long)item,
                     before, before + weight);
        assert_true(fabsl(result->probabilities[i] - weight) < 1e-13L * weight + 0x1p-62L);
        assert_true(result->remapped[i] >= 0 && result->remapped[i] < 1);
        if (weight > 1e-9L) assert_true(fabsl(before + result->remapped[i] * weight - u) < slack * 2);
    }
}

static void draws_are_the_inverse_of_the_cumulated_weights(void **state)
{
    static drawn result;
    static double uniforms[COUNT];
    (void)state;
    spg_context *context = test_context_at_place(2);
    fill_uniforms(uniforms);
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
            test_weights weights;
            spg_type type = (kind + method) % 2 == 0 ? SPG_F64 : SPG_F32;
            test_open_weights(test_lengths, TEST_LENGTHS, kind, type, true, &weights);
            spg_forest *forest =
                test_open_forest(context, &weights.here, (spg_forest_method)method, kind == 2 ? 0.25 : 0);
            for (int64_t row = 0; row < TEST_LENGTHS; ++row) {
                draw(context, forest, row, uniforms, &result);
                assert_is_the_inverse(&weights.host, row, uniforms, &result);
            }
            spg_forest_destroy(forest);
            test_close_weights(&weights);
        }
    spg_context_destroy(context);
}

/* Rows that all threads of the host build together, and the longest ones that each builds by itself beside others. */
enum { LONG_ROWS = 6 };
static const int64_t long_lengths[LONG_ROWS] = {300000, 3, 131072, 131073, 131072, 131072};

static void every_place_and_method_draws_the_same(void **state)
{
    static drawn results[2 * TEST_CONTEXTS];
    static double uniforms[COUNT];
    uint64_t random = 17;
    (void)state;
    for (int i = 0; i < COUNT; ++i) uniforms[i] = (double)(test_random(&random) >> 11) * 0x1p-53;
    for (int kind = 0; kind < TEST_KINDS; ++kind) {
        test_weights weights;
        test_open_weights(kind % 2 == 0 ? test_lengths : long_lengths, kind % 2 == 0 ? TEST_LENGTHS : LONG_ROWS, kind,
                          SPG_F64, true, &weights);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = test_context_number(k);
            for (int radix = 0; radix < 2; ++radix) {
                spg_forest_method method = radix ? SPG_FOREST_RADIX : SPG_FOREST_CUTPOINT;
                spg_forest *forest = test_open_forest(context, test_weights_for(context, &weights), method, 0.5);
                drawn *result = results + 2 * k + radix;
                draw(context, forest, -1, uniforms, result);
                spg_forest_destroy(forest);
                if (k > 0) assert_memory_equal(result, results + radix, sizeof *result);
                if (radix == 0) continue;
                assert_memory_equal(result->items, results[0].items, sizeof result->items);
                assert_memory_equal(result->probabilities, results[0].probabilities, sizeof result->probabilities);
                assert_memory_equal(result->remapped, results[0].remapped, sizeof result->remapped);
            }
            spg_context_destroy(context);
        }
        test_close_weights(&weights);
    }
}

/* All weights times a power of two, by which no sum is finite, are the same distributions. */
static void weights_whose_sum_overflows_are_drawn_from_alike(void **state)
{
    static drawn results[2];
    static double uniforms[COUNT];
    uint64_t random = 19;
    (void)state;
    for (int i = 0; i < COUNT; ++i) uniforms[i] = (double)(test_random(&random) >> 11) * 0x1p-53;
    test_weights weights;
    test_open_weights(test_lengths, TEST_LENGTHS, TEST_EVEN, SPG_F64, true, &weights);
    spg_context *context = test_context_at_place(2);
    double *values = weights.host.values;
    for (int radix = 0; radix < 2; ++radix)
        for (int large = 0; large < 2; ++large) {
            for (int64_t k = 0; k < weights.host.nnz; ++k) values[k] *= large ? 0x1p1023 : 1;
            test_send(values, (size_t)weights.host.nnz * sizeof *values, weights.here.values);
            spg_forest *forest =
                test_open_forest(context, &weights.here, radix ? SPG_FOREST_RADIX : SPG_FOREST_CUTPOINT, 0.5);
            draw(context, forest, -1, uniforms, &results[large]);
            spg_forest_destroy(forest);
            for (int64_t k = 0; k < weights.host.nnz; ++k) values[k] *= large ? 0x1p-1023 : 1;
            if (large) assert_memory_equal(&results[1], &results[0], sizeof *results);
        }
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* More draws than threads of a device make in one go. */
static void random_numbers_are_their_own_uniforms_and_follow_the_weights(void **state)
{
    enum { DRAWS = 5000000, ITEMS = 3000 };
    static int32_t draws[DRAWS], parts[DRAWS];
    static const int64_t items = ITEMS;
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        test_weights weights;
        test_open_weights(&items, 1, TEST_ZEROS, SPG_F64, false, &weights);
        spg_forest *forest = test_open_forest(context, &weights.here, (spg_forest_method)method, 0);
        spg_random random = {31, 41, 59};
        int32_t *here = test_take(context, draws, sizeof draws);
        assert_int_equal(spg_forest_draw(context, forest, DRAWS, NULL, &random, NULL, here, NULL), SPG_OK);
        test_bring(context, here, sizeof draws, draws);
        test_assert_draws(ITEMS, weights.host.values, DRAWS, draws);
        here = test_take(context, parts, sizeof parts);
        assert_int_equal(spg_forest_draw(context, forest, 777, NULL, &random, NULL, here, NULL), SPG_OK);
        random.first += 777;
        assert_int_equal(spg_forest_draw(context, forest, DRAWS - 777, NULL, &random, NULL, here + 777, NULL), SPG_OK);
        test_bring(context, here, sizeof parts, parts);
        assert_memory_equal(parts, draws, sizeof draws);
        spg_forest_destroy(forest);
        test_close_weights(&weights);
    }
    spg_context_destroy(context);
}

/* The item and the place in it of one uniform, by either method and in few cells and many. remapped alone, or with all
 * that can be asked for. */
static void assert_drawn(const double *weights, int64_t items, double u, int64_t item, double probability,
                         double remapped)
{
    static const double cells[] = {0.01, 1, 16};
    spg_context *context = test_context_at_place(1);
    test_weights rows;
    test_open_weights(&items, 1, TEST_EQUAL, SPG_F64, true, &rows);
    memcpy(rows.host.values, weights, (size_t)items * sizeof *weights);
    test_send(weights, (size_t)items * sizeof *weights, rows.here.values);
    for (int k = 0; k < 6; ++k) {
        spg_forest *forest =
            test_open_forest(context, &rows.here, k % 2 ? SPG_FOREST_RADIX : SPG_FOREST_CUTPOINT, cells[k / 2]);
        for (int alone = 0; alone < 2; ++alone) {
            int32_t draw = -1;
            double results[2] = {-1, -1}, uniform = u;
            int32_t *draw_here = test_take(context, &draw, sizeof draw);
            double *here = test_take(context, results, sizeof results);
            double *uniform_here = test_take(context, &uniform, sizeof uniform);
            assert_int_equal(spg_forest_draw(context, forest, 1, NULL, NULL, uniform_here, draw_here,
                                             &(spg_forest_details){alone ? NULL : here, here + 1}),
                             SPG_OK);
            test_bring(context, draw_here, sizeof draw, &draw);
            test_bring(context, here, sizeof results, results);
            test_bring(context, uniform_here, sizeof uniform, &uniform);
            assert_int_equal(test_item(&rows.host, 0, draw), item);
            assert_true(results[0] == (alone ? -1 : probability));
            if (results[1] != remapped) fail_msg("u = %.17g: remapped to %.17g", u, results[1]);
        }
        spg_forest_destroy(forest);
    }
    test_close_weights(&rows);
    spg_context_destroy(context);
}

static void a_uniform_on_a_bound_belongs_to_the_item_that_begins_there(void **state)
{
    static const double equal[] = {1, 1, 1, 1, 1, 1, 1, 1}, gaps[] = {0, 1, 0, 0, 1, 1, 0, 1, 0};
    (void)state;
    for (int k = 0; k < 8; ++k) {
        assert_drawn(equal, 8, k / 8.0, k, 0.125, 0);
        assert_drawn(equal, 8, k / 8.0 + 0.125 - 0x1p-53, k, 0.125, 1 - 0x1p-50);
    }
    static const int64_t positive[] = {1, 4, 5, 7};
    for (int k = 0; k < 4; ++k) {
        assert_drawn(gaps, 9, k / 4.0, positive[k], 0.25, 0);
        assert_drawn(gaps, 9, k / 4.0 + 0.25 - 0x1p-53, positive[k], 0.25, 1 - 0x1p-51);
    }
}

static void a_remapped_uniform_is_where_it_lies_in_its_item_and_below_one(void **state)
{
    static const double three[] = {1, 2, 1}, uneven[] = {1, 0, 3, 4};
    (void)state;
    assert_drawn(three, 3, 0.5, 1, 0.5, 0.5);
    assert_drawn(three, 3, 0.375, 1, 0.5, 0.25);
    assert_drawn(three, 3, 0.9375, 2, 0.25, 0.75);
    assert_drawn(uneven, 4, 0.125 + 0.375 / 4, 2, 0.375, 0.25);
    assert_drawn(uneven, 4, 0.0625, 0, 0.125, 0.5);
    /* 2^62 of [8, 2^62 + 4), in units of 2^-63: its share of the item rounds to 1. */
    static const double barely[] = {0x1p-60, 0.5, 0.5};
    assert_drawn(barely, 3, 0.5, 1, 0.5, 1 - 0x1p-53);
}

/* Remapped numbers take the place of the uniforms, as for the next level of a hierarchy, and items that of the rows. */
static void a_fault_is_named_as_it_was_where_outputs_take_the_place_of_inputs(void **state)
{
    static const int64_t items[] = {3, 5};
    static const int32_t rows[][4] = {{0}, {0, 1, 0, 1}, {0, 1, 0, -7}};
    static const char *const words[] = {"uniforms: number 2, 1.5,", "uniforms: number 2, 1.5,",
                                        "rows: entry 3: row -7"};
    (void)state;
    spg_context *context = test_context_at_place(2);
    test_weights weights;
    test_open_weights(items, 2, TEST_EVEN, SPG_F64, true, &weights);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        spg_forest *forest = test_open_forest(context, &weights.here, (spg_forest_method)method, 1);
        for (int k = 0; k < 3; ++k) {
            double uniforms[] = {0.5, 0.25, 1.5, -2};
            int32_t draws[4];
            double *u = test_take(context, uniforms, sizeof uniforms);
            int32_t *r = test_take(context, rows[k], sizeof draws);
            const spg_forest_details details = {NULL, u};
            assert_int_equal(spg_forest_draw(context, forest, 4, k == 0 ? NULL : r, NULL, u, r, &details),
                             SPG_ERROR_ARGUMENT);
            test_assert_message(context, words[k]);
            test_bring(context, u, sizeof uniforms, uniforms);
            test_bring(context, r, sizeof draws, draws);
        }
        spg_forest_destroy(forest);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* The most loads of draws by ascending uniforms, in one cell of all items. */
static int most_loads(spg_context *context, const double *weights, int64_t items, const double *uniforms)
{
    static drawn result;
    test_weights rows;
    int most = 0;
    test_open_weights(&items, 1, TEST_EQUAL, SPG_F64, true, &rows);
    memcpy(rows.host.values, weights, (size_t)items * sizeof *weights);
    test_send(weights, (size_t)items * sizeof *weights, rows.here.values);
    spg_forest *forest = test_open_forest(context, &rows.here, SPG_FOREST_RADIX, 0.01);
    draw(context, forest, 0, uniforms, &result);
    assert_is_the_inverse(&rows.host, 0, uniforms, &result);
    for (int i = 0; i < COUNT; ++i) most = result.loads[i] > most ? result.loads[i] : most;
    spg_forest_destroy(forest);
    test_close_weights(&rows);
    return most;
}

/* Halves of halves, the smallest last: a radix tree of as many levels as items. The balanced one has 6. */
static void a_degenerate_tree_is_mended(void **state)
{
    enum { ITEMS = 60 };
    static double uniforms[COUNT];
    double weights[ITEMS];
    (void)state;
    spg_context *context = test_context_at_place(1);
    for (int k = 0; k < ITEMS; ++k) weights[k] = ldexp(1, -k);
    for (int i = 0; i < COUNT; ++i) uniforms[i] = 1 - ldexp(1, i < 53 ? -i : -53);
    assert_int_equal(most_loads(context, weights, ITEMS, uniforms), 6);
    spg_context_destroy(context);
}

/* Halves of halves, the smallest first or last, and the largest in equal parts: the tree of all has eight times 7
 * levels, and with a half more one level too many. The balanced one has 7. Uniforms reach all halves but for two of the
 * last, which lie closer to 1 than doubles do. */
static void a_tree_is_mended_where_it_has_one_level_too_many(void **state)
{
    enum { PARTS = 16, HALVES = 57, ITEMS = HALVES + PARTS, DEEPEST = SPG_FOREST_DEEPEST * 7 };
    static double uniforms[COUNT];
    double weights[ITEMS];
    (void)state;
    spg_context *context = test_context_at_place(1);
    for (int k = 0; k < 4; ++k) {
        const bool last = k / 2 == 1; /* whose tree has a level more */
        const int halves = HALVES - 1 - last + k % 2, items = halves + PARTS;
        for (int i = 0; i < items; ++i) {
            const double weight = i >= halves ? ldexp(1, halves - 1) / PARTS : ldexp(1, i == 0 ? 0 : i - 1);
            weights[last ? items - 1 - i : i] = weight;
        }
        for (int i = 0; i < COUNT; ++i)
            uniforms[i] = last ? 1 - ldexp(1, i < 53 ? -i : -53) : i < 64 ? ldexp(1, i - 65) : 0.5 + 0.5 * i / COUNT;
        assert_int_equal(most_loads(context, weights, items, uniforms), k % 2 ? 7 : last ? DEEPEST - 1 : DEEPEST);
    }
    spg_context_destroy(context);
}

static void loads_are_few_and_as_many_as_a_search_takes(void **state)
{
    static drawn result;
    static double uniforms[COUNT];
    static const int64_t items = 256;
    (void)state;
    spg_context *context = test_context_at_place(1);
    test_weights weights;
    test_open_weights(&items, 1, TEST_EQUAL, SPG_F64, true, &weights);
    fill_uniforms(uniforms);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method)
        for (int few = 0; few < 2; ++few) {
            spg_forest *forest =
                test_open_forest(context, &weights.here, (spg_forest_method)method, few ? 1.0 / 256 : 1);
            draw(context, forest, 0, uniforms, &result);
            for (int i = 0; i < COUNT; ++i) {
                /* One cell: bisection of 256, or that with the root before it. As many cells as items: the next one. */
                if (few && method == SPG_FOREST_CUTPOINT) assert_int_equal(result.loads[i], 8);
                if (few && method == SPG_FOREST_RADIX) assert_true(result.loads[i] <= 9);
                if (!few) assert_true(result.loads[i] <= 1);
            }
            spg_forest_destroy(forest);
        }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(draws_are_the_inverse_of_the_cumulated_weights),
        cmocka_unit_test(every_place_and_method_draws_the_same),
        cmocka_unit_test(weights_whose_sum_overflows_are_drawn_from_alike),
        cmocka_unit_test(random_numbers_are_their_own_uniforms_and_follow_the_weights),
        cmocka_unit_test(a_uniform_on_a_bound_belongs_to_the_item_that_begins_there),
        cmocka_unit_test(a_remapped_uniform_is_where_it_lies_in_its_item_and_below_one),
        cmocka_unit_test(a_fault_is_named_as_it_was_where_outputs_take_the_place_of_inputs),
        cmocka_unit_test(a_degenerate_tree_is_mended),
        cmocka_unit_test(a_tree_is_mended_where_it_has_one_level_too_many),
        cmocka_unit_test(loads_are_few_and_as_many_as_a_search_takes),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_forest", tests);
}
