/* Draws without replacement: the items of least exponential keys, in their order, whose law is that of successive
 * draws; the same on every place. */
#include "sampling_support.h"
#include "statistics.h"

#include "matrices_for_tests.h"
#include "philox.h"
#include "sampling/subset.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void draw_subsets(spg_context *context, const spg_csr *rows, int64_t k, const spg_random *random, int32_t *draws)
{
    const size_t bytes = (size_t)(rows->rows * k) * sizeof *draws;
    int32_t *here = test_take(context, draws, bytes);
    if (spg_subset_draw(context, rows, k, random, here) != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, here, bytes, draws);
}

/* ---- By the keys ------------------------------------------------------------------------------------------------- */

typedef struct keyed {
    double key; /* the logarithm of E over the weight */
    int64_t item;
} keyed;

static int compare(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* The items of a row in order, by the C library's logarithms; *positive: how many can be drawn. */
static keyed *order_row(const spg_csr *host, int64_t row, const spg_random *random, int64_t *positive)
{
    const int64_t begin = test_offset(host, row), items = test_offset(host, row + 1) - begin;
    keyed *of = malloc((size_t)(items + 1) * sizeof *of);
    assert_non_null(of);
    *positive = 0;
    for (int64_t k = 0; k < items; ++k) {
        const double weight = test_weight(host, begin + k);
        const uint64_t bits = spg_random_number(random->seed, random->stream, random->first + (uint64_t)(begin + k));
        const double e = -log1p(-((double)bits + 0.5) * 0x1p-64), far = -log(((double)~bits + 0.5) * 0x1p-64);
        if (weight > 0) of[(*positive)++] = (keyed){log(bits >> 63 ? far : e) - log(weight), k};
    }
    qsort(of, (size_t)*positive, sizeof *of, compare);
    return of;
}

static void assert_row(const spg_csr *host, int64_t row, const spg_random *random, int64_t k, const int32_t *draws)
{
    int64_t positive;
    keyed *of = order_row(host, row, random, &positive);
    for (int64_t d = 0; d < k; ++d) {
        if (d >= positive)
            assert_int_equal(draws[d], -1);
        else
            assert_int_equal(test_item(host, row, draws[d]), of[d].item);
    }
    free(of);
}

enum { ROWS = 12 };
static const int64_t lengths[ROWS] = {0, 5, 1, 40, 3, 1000, 140000, 7, 300000, 2, 33, 64};

/* All kinds of weights, rows of zeros and empty ones among them. */
static void the_items_of_the_least_keys_are_drawn_in_their_order(void **state)
{
    static const int64_t ks[] = {1, 3, 40, 1500};
    static int32_t draws[ROWS * 1500], expected[ROWS * 1500];
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int which = test_is_short() ? 1 : 0; which < 4; which += test_is_short() ? 2 : 1) {
            const spg_type type = (kind + which) % 2 == 0 ? SPG_F64 : SPG_F32;
            const spg_random random = {7, (uint64_t)kind, (uint64_t)which};
            const spg_draw_options options = {.empty_rows = 1};
            const size_t bytes = (size_t)(ROWS * ks[which]) * sizeof *draws;
            test_weights weights;
            test_open_weights(lengths, ROWS, kind, type, true, &weights);
            for (int c = 0; c < TEST_CONTEXTS; ++c) {
                spg_context *context = test_context_number(c);
                assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
                draw_subsets(context, test_weights_for(context, &weights), ks[which], &random, draws);
                for (int64_t i = 0; c == 0 && i < ROWS; ++i)
                    assert_row(&weights.host, i, &random, ks[which], draws + i * ks[which]);
                if (c == 0) memcpy(expected, draws, bytes);
                assert_memory_equal(draws, expected, bytes);
                spg_context_destroy(context);
            }
            test_close_weights(&weights);
        }
}

/* The whole row in the order of its keys, and parts of it. */
static void one_big_distribution_is_drawn_from_whole_or_in_part(void **state)
{
    static const int64_t ks[] = {1, 2, 1000, 65537, 200000};
    static int32_t draws[200000];
    const int64_t length = 200000;
    const spg_random random = {1, 2, 9};
    (void)state;
    for (int kind = 0; kind < TEST_KINDS; ++kind)
        for (int which = 0; which < 5; which += test_is_short() ? 2 : 1)
            for (int c = 0; c < TEST_CONTEXTS; c += 1 + which / 3) {
                const spg_draw_options options = {.empty_rows = 1};
                test_weights weights;
                test_open_weights(&length, 1, kind, kind % 2 == 0 ? SPG_F64 : SPG_F32, true, &weights);
                spg_context *context = test_context_number(c);
                assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
                draw_subsets(context, test_weights_for(context, &weights), ks[which], &random, draws);
                assert_row(&weights.host, 0, &random, ks[which], draws);
                spg_context_destroy(context);
                test_close_weights(&weights);
            }
}

/* From the least denormal to the largest number, of which neither sums nor quotients can be held. */
static void weights_at_the_ends_of_their_range_have_their_order(void **state)
{
    enum { ITEMS = 1200 };
    static const double ends[] = {0x1p-1074, 0x1p-1073, DBL_MIN, DBL_MAX, 0x1p1023, 1, 0};
    static int32_t draws[ITEMS];
    const int64_t length = ITEMS;
    (void)state;
    for (int rows = 1; rows <= 2; ++rows)
        for (int first = 0; first < 3; ++first) {
            const int64_t of_rows[] = {rows == 1 ? length : ITEMS / 2, ITEMS / 2};
            const spg_random random = {4, 4, (uint64_t)first};
            const spg_draw_options options = {.empty_rows = 1};
            const int64_t k = of_rows[0];
            test_weights weights;
            test_open_weights(of_rows, rows, TEST_EVEN, SPG_F64, true, &weights);
            for (int64_t e = 0; e < ITEMS; ++e) ((double *)weights.host.values)[e] = ends[(e * e + first) % 7];
            test_send(weights.host.values, ITEMS * sizeof(double), weights.here.values);
            spg_context *context = test_context_at_place(2);
            assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
            draw_subsets(context, &weights.here, k, &random, draws);
            for (int i = 0; i < rows; ++i) assert_row(&weights.host, i, &random, k, draws + i * k);
            spg_context_destroy(context);
            test_close_weights(&weights);
        }
}

/* Denormal ones as well. */
static void a_key_halves_where_its_weight_doubles(void **state)
{
    static const double numbers[] = {1, 1.5, 0x1.8p-64, 45};
    (void)state;
    for (int n = 0; n < 4; ++n)
        for (int e = -1074; e < 1023; ++e) {
            const uint64_t key = spg_subset_key_of(numbers[n], ldexp(1, e));
            assert_true(key - spg_subset_key_of(numbers[n], ldexp(1, e + 1)) == (uint64_t)1 << 52);
            assert_true(key != SPG_SUBSET_NONE);
        }
}

/* ---- Their law --------------------------------------------------------------------------------------------------- */

enum { COUNT = 60000, FEW = 5 };
static const double few[FEW] = {1, 4, 0, 2, 3};

/* Ordered pairs, i then j, of probability w_i / W * w_j / (W - w_i). */
static void pairs_come_as_if_drawn_one_by_one(void **state)
{
    static int64_t of_length[COUNT];
    static int32_t draws[2 * COUNT], pairs[COUNT];
    double shares[FEW * FEW], total = 0;
    const spg_random random = {12, 0, 0};
    test_weights weights;
    (void)state;
    for (int i = 0; i < COUNT; ++i) of_length[i] = FEW;
    for (int i = 0; i < FEW; ++i) total += few[i];
    for (int i = 0; i < FEW; ++i)
        for (int j = 0; j < FEW; ++j) shares[i * FEW + j] = i == j ? 0 : few[i] * few[j] / (total - few[i]);
    test_open_weights(of_length, COUNT, TEST_EQUAL, SPG_F32, false, &weights);
    for (int64_t k = 0; k < weights.host.nnz; ++k) ((float *)weights.host.values)[k] = (float)few[k % FEW];
    test_send(weights.host.values, (size_t)weights.host.nnz * sizeof(float), weights.here.values);
    spg_context *context = test_context_at_place(2);
    draw_subsets(context, &weights.here, 2, &random, draws);
    for (int i = 0; i < COUNT; ++i) pairs[i] = draws[2 * i] * FEW + draws[2 * i + 1];
    test_assert_draws(FEW * FEW, shares, COUNT, pairs);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* A call for some rows goes on where the entries of the rows before end. */
static void rows_are_drawn_alike_in_one_call_and_in_two(void **state)
{
    enum { K = 4, HALF = 5, ALL = 11 };
    static const int64_t of_length[ALL] = {6, 9, 4, 30, 8, 5, 7, 100, 4, 12, 6};
    int32_t together[ALL * K], apart[ALL * K];
    test_weights weights;
    (void)state;
    test_open_weights(of_length, ALL, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *context = test_context_number(3);
    const int64_t before = test_offset(&weights.host, HALF);
    const spg_random random = {1, 1, 1}, later = {1, 1, 1 + (uint64_t)before};
    int64_t offsets[ALL - HALF + 1];
    spg_csr rows = weights.host, first, second;
    rows.columns = NULL;
    for (int i = 0; i <= ALL - HALF; ++i) offsets[i] = test_offset(&weights.host, HALF + i) - before;
    first = second = rows;
    first.rows = HALF;
    first.nnz = before;
    second.rows = ALL - HALF;
    second.nnz -= before;
    second.offset_type = SPG_I64;
    second.row_offsets = offsets;
    second.values = (double *)rows.values + before;
    draw_subsets(context, &rows, K, &random, together);
    draw_subsets(context, &first, K, &random, apart);
    draw_subsets(context, &second, K, &later, apart + HALF * K);
    assert_memory_equal(together, apart, sizeof apart);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void wrong_arguments_and_rows_of_too_few_items_are_refused(void **state)
{
    enum { FOUR = 4 };
    static const int64_t of_length[FOUR] = {5, 3, 70, 4};
    const spg_random random = {1, 2, 3};
    int32_t draws[FOUR * 5] = {0};
    test_weights weights;
    (void)state;
    for (int rows = 1; rows <= FOUR; rows += FOUR - 1) {
        test_open_weights(of_length, rows, TEST_EVEN, SPG_F64, false, &weights);
        spg_context *c = test_context_at_place(2);
        int32_t *here = test_take(c, draws, sizeof draws);
        const spg_csr *w = &weights.here;
        assert_int_equal(spg_subset_draw(NULL, w, 1, &random, here), SPG_ERROR_ARGUMENT);
        assert_int_equal(spg_subset_draw(c, NULL, 1, &random, here), SPG_ERROR_ARGUMENT);
        test_assert_message(c, "weights is NULL");
        assert_int_equal(spg_subset_draw(c, w, -1, &random, here), SPG_ERROR_ARGUMENT);
        test_assert_message(c, "k is -1");
        assert_int_equal(spg_subset_draw(c, w, (int64_t)1 << 31, &random, here), SPG_ERROR_ARGUMENT);
        test_assert_message(c, "k is 2147483648");
        assert_int_equal(spg_subset_draw(c, w, 1, NULL, here), SPG_ERROR_ARGUMENT);
        test_assert_message(c, "random is NULL");
        assert_int_equal(spg_subset_draw(c, w, 1, &random, NULL), SPG_ERROR_ARGUMENT);
        test_assert_message(c, "draws is NULL");
        assert_int_equal(spg_subset_draw(c, w, 0, &random, NULL), SPG_OK);
        const double zero = 0, wrong = -3;
        test_send(&zero, sizeof zero, (double *)w->values + 2);
        assert_int_equal(spg_subset_draw(c, w, 5, &random, here), SPG_ERROR_FORMAT);
        test_assert_message(c, "row 0 has 4 items of weight above zero; k is 5");
        if (rows > 1) { /* a weight that is none comes first, wherever it is */
            test_send(&wrong, sizeof wrong, (double *)w->values + 60);
            assert_int_equal(spg_subset_draw(c, w, 5, &random, here), SPG_ERROR_FORMAT);
            test_assert_message(c, "row 2, item 52: weight -3 is negative");
        }
        test_bring(c, here, sizeof draws, draws);
        spg_context_destroy(c);
        test_close_weights(&weights);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_items_of_the_least_keys_are_drawn_in_their_order),
        cmocka_unit_test(one_big_distribution_is_drawn_from_whole_or_in_part),
        cmocka_unit_test(weights_at_the_ends_of_their_range_have_their_order),
        cmocka_unit_test(a_key_halves_where_its_weight_doubles),
        cmocka_unit_test(pairs_come_as_if_drawn_one_by_one),
        cmocka_unit_test(rows_are_drawn_alike_in_one_call_and_in_two),
        cmocka_unit_test(wrong_arguments_and_rows_of_too_few_items_are_refused),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_subsets", tests);
}
