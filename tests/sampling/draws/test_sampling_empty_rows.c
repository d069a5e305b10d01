/* Rows that are empty or all zeros, where spg_draw_options allows them: draws from them are -1, all other draws are
 * what they would be, and tables and draws are the same on every place. Without the option they are refused. */
#include "alias_support.h"

#include "matrices_for_tests.h"

#include <math.h>

/* Rows of length 0 are empty; every third other row is all zeros. */
enum { ROWS = 26 };
static const int64_t lengths[ROWS] = {0, 3,    1,     1,    5,      0,     0,    9,   32,   33,   40, 0,   1000,
                                      1, 2049, 20000, 5000, 140000, 40000, 2048, 300, 4096, 4097, 31, 200, 0};
static const spg_random numbers = {3, 1, 4};

static bool is_of_nothing(int64_t row) { return lengths[row] == 0 || row % 3 == 1; }

static spg_context *open_context(int k)
{
    spg_context *context = test_context_number(k);
    const spg_draw_options options = {.empty_rows = 1};
    assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
    return context;
}

/* Zeros of either sign in the rows of nothing; ones there if `filled`. */
static void open_weights(spg_type type, bool columns, bool filled, test_weights *weights)
{
    test_open_weights(lengths, ROWS, TEST_ZEROS, type, columns, weights);
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t k = test_offset(&weights->host, i); is_of_nothing(i) && k < test_offset(&weights->host, i + 1);
             ++k)
            test_put_number(type, weights->host.values, k, filled ? 1 : k % 2 == 0 ? 0.0 : -0.0);
    test_send(weights->host.values, (size_t)weights->host.nnz * spg_type_size(type), weights->here.values);
}

/* The columns, where draws have names, are those of the host's matrix. */
static const spg_csr *rows_for(const spg_context *context, const test_weights *weights, bool columns, spg_csr *room)
{
    *room = *test_weights_for(context, weights);
    if (!columns) room->columns = NULL;
    return room;
}

static void assert_draws(const int32_t *draws, const int32_t *of_filled)
{
    for (int64_t i = 0; i < ROWS; ++i) {
        if (lengths[i] != 0 && !is_of_nothing(i)) assert_int_equal(draws[i], of_filled[i]);
        if (is_of_nothing(i)) assert_int_equal(draws[i], -1);
    }
}

static void draw_rows(spg_context *context, const spg_csr *rows, int method, int32_t *draws)
{
    memset(draws, 0x77, ROWS * sizeof *draws);
    int32_t *here = test_take(context, draws, ROWS * sizeof *draws);
    if (spg_butterfly_draw(context, rows, (spg_butterfly_method)method, &numbers, NULL, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, ROWS * sizeof *draws, draws);
}

static void rows_of_nothing_give_minus_one_and_others_what_they_would(void **state)
{
    (void)state;
    for (int what = 0; what < 4 * TEST_ROW_METHODS; ++what) {
        const bool columns = what % 2 == 0;
        const spg_type type = what / 2 % 2 == 0 ? SPG_F64 : SPG_F32;
        test_weights weights, filled;
        int32_t of_filled[ROWS], draws[ROWS];
        spg_csr room;
        open_weights(type, true, false, &weights);
        open_weights(type, true, true, &filled);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = open_context(k);
            if (k == 0) draw_rows(context, rows_for(context, &filled, columns, &room), what / 4, of_filled);
            draw_rows(context, rows_for(context, &weights, columns, &room), what / 4, draws);
            assert_draws(draws, of_filled);
            spg_context_destroy(context);
        }
        test_close_weights(&weights);
        test_close_weights(&filled);
    }
}

/* One draw from each row by a list of rows, in which -1 stands between them. */
static void draw_alias_rows(spg_context *context, const spg_alias *alias, int32_t *draws)
{
    int32_t rows[2 * ROWS], found[2 * ROWS];
    for (int32_t i = 0; i < 2 * ROWS; ++i) rows[i] = i % 2 == 0 ? i / 2 : -1, found[i] = 7;
    int32_t *rows_here = test_take(context, rows, sizeof rows), *here = test_take(context, found, sizeof found);
    if (spg_alias_draw_rows(context, alias, 2 * ROWS, rows_here, &numbers, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, sizeof found, found);
    test_bring(context, rows_here, sizeof rows, rows);
    for (int i = 0; i < 2 * ROWS; ++i) {
        if (i % 2 != 0) assert_int_equal(found[i], -1);
        draws[i / 2] = found[i / 2 * 2];
    }
}

static void assert_all_nothing(int64_t count, const int32_t *draws)
{
    for (int64_t i = 0; i < count; ++i) assert_int_equal(draws[i], -1);
}

static void alias_tables_have_rows_of_nothing_the_same_on_every_place(void **state)
{
    enum { COUNT = 700 };
    static int32_t of_row[COUNT];
    (void)state;
    for (int what = 0; what < 8; ++what) {
        const int builder = SPG_ALIAS_SWEEP + what % 3, resolution = what / 2 % 2;
        test_weights weights, filled;
        int32_t of_filled[ROWS], draws[ROWS];
        spg_csr room;
        void *first = NULL;
        open_weights(what % 2 == 0 ? SPG_F64 : SPG_F32, true, false, &weights);
        open_weights(what % 2 == 0 ? SPG_F64 : SPG_F32, true, true, &filled);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = open_context(k);
            if (k == 0) {
                spg_alias *full =
                    test_build_alias(context, rows_for(context, &filled, what < 4, &room), builder, resolution);
                draw_alias_rows(context, full, of_filled);
                spg_alias_destroy(full);
            }
            spg_alias *alias =
                test_build_alias(context, rows_for(context, &weights, what < 4, &room), builder, resolution);
            assert_int_equal(spg_context_set_draw_options(context, NULL), SPG_OK); /* the table keeps it */
            void *table = test_alias_table(context, alias);
            if (k > 0) assert_memory_equal(table, first, test_alias_bytes(alias));
            if (k > 0) free(table);
            if (k == 0) first = table;
            draw_alias_rows(context, alias, draws);
            assert_draws(draws, of_filled);
            for (int64_t i = 0; i < ROWS; ++i)
                for (int sampler = SPG_SAMPLER_AUTO; is_of_nothing(i) && sampler <= SPG_SAMPLER_SHARED; ++sampler) {
                    test_draw_alias(context, alias, i, numbers, COUNT, sampler, sampler != SPG_SAMPLER_BASELINE,
                                    of_row);
                    assert_all_nothing(COUNT, of_row);
                    test_draw_alias(context, alias, i, numbers, COUNT, SPG_SAMPLER_AUTO, 0, of_row);
                    assert_all_nothing(COUNT, of_row);
                }
            spg_alias_destroy(alias);
            spg_context_destroy(context);
        }
        free(first);
        test_close_weights(&weights);
        test_close_weights(&filled);
    }
}

/* Draws, shares and remapped numbers of a forest's rows, of which every second is -1; stratified ones of one row. */
typedef struct forest_draws {
    int32_t items[2 * ROWS], strata[ROWS][50];
    double shares[2 * ROWS], remapped[2 * ROWS];
} forest_draws;

static void draw_forest(spg_context *context, const spg_forest *forest, forest_draws *draws)
{
    int32_t rows[2 * ROWS];
    memset(draws, 0x55, sizeof *draws);
    for (int32_t i = 0; i < 2 * ROWS; ++i) rows[i] = i % 2 == 0 ? i / 2 : -1;
    int32_t *rows_here = test_take(context, rows, sizeof rows);
    int32_t *items = test_take(context, draws->items, sizeof draws->items);
    double *shares = test_take(context, draws->shares, sizeof draws->shares);
    double *remapped = test_take(context, draws->remapped, sizeof draws->remapped);
    spg_status status = spg_forest_draw(context, forest, 2 * ROWS, rows_here, &numbers, NULL, items,
                                        &(spg_forest_details){shares, remapped});
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, rows_here, sizeof rows, rows);
    test_bring(context, items, sizeof draws->items, draws->items);
    test_bring(context, shares, sizeof draws->shares, draws->shares);
    test_bring(context, remapped, sizeof draws->remapped, draws->remapped);
    for (int64_t i = 0; i < ROWS; ++i) {
        int32_t *strata = test_take(context, draws->strata[i], sizeof draws->strata[i]);
        assert_int_equal(spg_forest_draw_stratified(context, forest, i, 50, &numbers, strata, NULL), SPG_OK);
        test_bring(context, strata, sizeof draws->strata[i], draws->strata[i]);
    }
}

static void assert_forest_draws(const forest_draws *draws, const forest_draws *of_filled)
{
    for (int i = 0; i < 2 * ROWS; ++i) {
        const bool nothing = i % 2 != 0 || is_of_nothing(i / 2);
        assert_int_equal(draws->items[i], nothing ? -1 : of_filled->items[i]);
        assert_true(draws->shares[i] == (nothing ? 0 : of_filled->shares[i]));
        assert_true(draws->remapped[i] == (nothing ? 0 : of_filled->remapped[i]));
        for (int k = 0; i % 2 == 0 && k < 50; ++k)
            assert_int_equal(draws->strata[i / 2][k], nothing ? -1 : of_filled->strata[i / 2][k]);
    }
}

static void forests_have_rows_of_nothing_the_same_on_every_place(void **state)
{
    static forest_draws of_filled, draws;
    (void)state;
    for (int what = 0; what < 8; ++what) {
        const spg_forest_method method = what % 2 == 0 ? SPG_FOREST_CUTPOINT : SPG_FOREST_RADIX;
        const double cells = what < 4 ? 0 : 0.1;
        test_weights weights, filled;
        spg_csr room;
        open_weights(what / 2 % 2 == 0 ? SPG_F64 : SPG_F32, true, false, &weights);
        open_weights(what / 2 % 2 == 0 ? SPG_F64 : SPG_F32, true, true, &filled);
        for (int k = 0; k < TEST_CONTEXTS; ++k) {
            spg_context *context = open_context(k);
            if (k == 0) {
                spg_forest *full =
                    test_open_forest(context, rows_for(context, &filled, what % 3 == 0, &room), method, cells);
                draw_forest(context, full, &of_filled);
                spg_forest_destroy(full);
            }
            spg_forest *forest =
                test_open_forest(context, rows_for(context, &weights, what % 3 == 0, &room), method, cells);
            assert_int_equal(spg_context_set_draw_options(context, NULL), SPG_OK);
            draw_forest(context, forest, &draws);
            assert_forest_draws(&draws, &of_filled);
            spg_forest_destroy(forest);
            spg_context_destroy(context);
        }
        test_close_weights(&weights);
        test_close_weights(&filled);
    }
}

/* A matrix of empty rows alone, and single rows of zeros. */
static void matrices_without_any_weight_are_drawn_from(void **state)
{
    static const int64_t none[] = {0, 0, 0}, one[] = {1}, tile[] = {3000}, many[] = {300000};
    static const struct {
        const int64_t *lengths;
        int64_t rows;
    } shapes[] = {{none, 3}, {none, 1}, {one, 1}, {tile, 1}, {many, 1}};
    (void)state;
    for (int s = 0; s < 5; ++s)
        for (int way = 0; way < TEST_ROW_METHODS + 4; ++way) {
            test_weights weights;
            int32_t draws[3] = {5, 5, 5};
            spg_context *context = open_context(1);
            const int64_t rows = shapes[s].rows;
            test_open_weights(shapes[s].lengths, rows, TEST_EVEN, SPG_F64, false, &weights);
            if (weights.host.nnz > 0) memset(weights.host.values, 0, (size_t)weights.host.nnz * sizeof(double));
            if (weights.host.nnz > 0)
                test_send(weights.host.values, (size_t)weights.host.nnz * sizeof(double), weights.here.values);
            int32_t *here = test_take(context, draws, sizeof draws);
            const int table = way - TEST_ROW_METHODS;
            if (table < 0) {
                assert_int_equal(
                    spg_butterfly_draw(context, &weights.here, (spg_butterfly_method)way, &numbers, NULL, here),
                    SPG_OK);
            } else if (table < 2) {
                spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, table);
                assert_int_equal(spg_alias_draw_rows(context, alias, rows, NULL, &numbers, here), SPG_OK);
                spg_alias_destroy(alias);
            } else {
                spg_forest *forest =
                    test_open_forest(context, &weights.here, table == 2 ? SPG_FOREST_CUTPOINT : SPG_FOREST_RADIX, 0);
                assert_int_equal(spg_forest_draw(context, forest, rows, NULL, &numbers, NULL, here, NULL), SPG_OK);
                spg_forest_destroy(forest);
            }
            test_bring(context, here, sizeof draws, draws);
            assert_all_nothing(rows, draws);
            test_close_weights(&weights);
            spg_context_destroy(context);
        }
}

static spg_status try_way(spg_context *context, const spg_csr *rows, int way, int32_t *draws)
{
    spg_alias *alias = NULL;
    spg_forest *forest = NULL;
    if (way < TEST_ROW_METHODS)
        return spg_butterfly_draw(context, rows, (spg_butterfly_method)way, &numbers, NULL, draws);
    const spg_status status = way == TEST_ROW_METHODS ? spg_alias_build(context, rows, NULL, &alias)
                                                      : spg_forest_build(context, rows, NULL, &forest);
    spg_alias_destroy(alias);
    spg_forest_destroy(forest);
    return status;
}

static void faults_are_named_past_rows_of_nothing_and_these_only_with_the_option(void **state)
{
    (void)state;
    for (int way = 0; way < TEST_ROW_METHODS + 2; ++way) {
        test_weights weights;
        int32_t draws[ROWS] = {0};
        const double wrong[] = {-2, NAN};
        open_weights(SPG_F64, false, false, &weights);
        spg_context *context = test_context_at_place(2);
        int32_t *here = test_take(context, draws, sizeof draws);
        assert_int_equal(try_way(context, &weights.here, way, here), SPG_ERROR_FORMAT);
        test_assert_message(context, "row 0 is empty");
        spg_draw_options options = {.empty_rows = 1};
        assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
        assert_int_equal(try_way(context, &weights.here, way, here), SPG_OK);
        const int64_t row = 22; /* of zeros, but for this */
        double *at = (double *)weights.here.values + test_offset(&weights.host, row) + 4000;
        test_send(&wrong[way % 2], sizeof *wrong, at);
        assert_int_equal(try_way(context, &weights.here, way, here), SPG_ERROR_FORMAT);
        test_assert_message(context, "row 22, item 4000");
        test_bring(context, here, sizeof draws, draws);
        spg_context_destroy(context);
        test_close_weights(&weights);
    }
}

static void no_row_is_a_row_only_of_tables_that_may_have_empty_ones(void **state)
{
    test_weights weights;
    const int64_t length = 5;
    int32_t rows[] = {0, -1, 0}, draws[3] = {0};
    (void)state;
    test_open_weights(&length, 1, TEST_EVEN, SPG_F64, false, &weights);
    spg_context *context = test_context_at_place(1);
    int32_t *rows_here = test_take(context, rows, sizeof rows), *here = test_take(context, draws, sizeof draws);
    for (int allowed = 0; allowed < 2; ++allowed) {
        const spg_draw_options options = {.empty_rows = allowed};
        assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
        spg_alias *alias = test_build_alias(context, &weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
        spg_forest *forest = test_open_forest(context, &weights.here, SPG_FOREST_AUTO, 0);
        const spg_status expected = allowed ? SPG_OK : SPG_ERROR_ARGUMENT;
        assert_int_equal(spg_alias_draw_rows(context, alias, 3, rows_here, &numbers, here), expected);
        if (!allowed) test_assert_message(context, "rows: entry 1: row -1");
        assert_int_equal(spg_forest_draw(context, forest, 3, rows_here, &numbers, NULL, here, NULL), expected);
        if (!allowed) test_assert_message(context, "rows: entry 1: row -1");
        spg_alias_destroy(alias);
        spg_forest_destroy(forest);
    }
    assert_int_equal(spg_context_set_draw_options(NULL, NULL), SPG_ERROR_ARGUMENT);
    test_bring(context, here, sizeof draws, draws);
    test_bring(context, rows_here, sizeof rows, rows);
    spg_context_destroy(context);
    test_close_weights(&weights);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_nothing_give_minus_one_and_others_what_they_would),
        cmocka_unit_test(alias_tables_have_rows_of_nothing_the_same_on_every_place),
        cmocka_unit_test(forests_have_rows_of_nothing_the_same_on_every_place),
        cmocka_unit_test(matrices_without_any_weight_are_drawn_from),
        cmocka_unit_test(faults_are_named_past_rows_of_nothing_and_these_only_with_the_option),
        cmocka_unit_test(no_row_is_a_row_only_of_tables_that_may_have_empty_ones),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_empty_rows", tests);
}
