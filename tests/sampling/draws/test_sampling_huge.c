/* Where 31 and 32 bits of an index end: a distribution of 2^31 - 1 items, rows of more weights in all, calls of more
 * draws. Takes minutes and tens of gigabytes: where the environment's SPG_TEST_LARGE is 1. */
#include "sampling_support.h"
#include "statistics.h"

#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = INT32_MAX, /* items of a distribution */
    DRAWS = 1 << 22,
    BLOCKS = 4096,
    MOST_ROWS = 5,
    GIGABYTES = 90, /* of memory for weights and the largest tables */
    FEW_ITEMS = 1000,
    LAST = 4096 /* draws of a call that another one repeats */
};

/* Weights and the sums of `BLOCKS` parts of each row. */
typedef struct huge_weights {
    spg_csr host, here;
    int64_t lengths[MOST_ROWS];
    double sums[MOST_ROWS][BLOCKS];
} huge_weights;

/* Light items, then heavy ones, so that each light one lacks what a far one has to spare; zeros here and there; of long
 * rows the last item takes about a thousandth of all draws. */
static float weight_of(int64_t item, int64_t items)
{
    const uint32_t mixed = (uint32_t)item * 2654435761u >> 16;
    if (item == items - 1) return 0.0015f * (float)items;
    if (item % 1001 == 0) return 0;
    return (0.25f + (float)mixed * 0x1p-16f) * (item < items / 3 ? 1 : 3);
}

static void open_weights(const int64_t *lengths, int64_t rows, huge_weights *weights)
{
    int64_t nnz = 0;
    memset(weights, 0, sizeof *weights);
    for (int64_t i = 0; i < rows; ++i) nnz += lengths[i];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    float *values = malloc((size_t)nnz * sizeof *values);
    assert_true(offsets != NULL && values != NULL);
    for (int64_t i = 0; i < rows; ++i) {
        weights->lengths[i] = lengths[i];
        offsets[i + 1] = offsets[i] + lengths[i];
        for (int64_t k = 0; k < lengths[i]; ++k) {
            values[offsets[i] + k] = weight_of(k, lengths[i]);
            weights->sums[i][k * BLOCKS / lengths[i]] += (double)values[offsets[i] + k];
        }
    }
    weights->host = (spg_csr){rows, MOST, nnz, SPG_I64, SPG_F32, SPG_PLACE_HOST, offsets, NULL, values};
    weights->here = weights->host;
    if (test_place() == SPG_PLACE_HOST) return;
    weights->here.place = SPG_PLACE_DEVICE;
    weights->here.row_offsets = test_lend(offsets, ((size_t)rows + 1) * sizeof *offsets);
    weights->here.values = test_lend(values, (size_t)nnz * sizeof *values);
}

static void close_weights(huge_weights *weights)
{
    if (test_place() != SPG_PLACE_HOST) {
        test_give_back(weights->here.row_offsets, ((size_t)weights->here.rows + 1) * sizeof(int64_t));
        test_give_back(weights->here.values, (size_t)weights->here.nnz * sizeof(float));
    }
    free(weights->host.row_offsets);
    free(weights->host.values);
}

/* Draws by each kind of table, in two orders. */
enum { ALIAS_COMPACT, ALIAS_EXACT, CUTPOINT, RADIX, TABLES };
enum { INDEPENDENT, IN_ORDER }; /* grouped by section; stratified */

typedef struct any_table {
    spg_alias *alias;
    spg_forest *forest;
} any_table;

static void build(spg_context *context, const spg_csr *weights, int kind, any_table *table)
{
    const spg_alias_options of_alias = {.resolution = kind == ALIAS_EXACT ? SPG_ALIAS_EXACT : SPG_ALIAS_COMPACT};
    const spg_forest_options of_forest = {kind == CUTPOINT ? SPG_FOREST_CUTPOINT : SPG_FOREST_RADIX, 0};
    *table = (any_table){NULL, NULL};
    const spg_status status = kind <= ALIAS_EXACT ? spg_alias_build(context, weights, &of_alias, &table->alias)
                                                  : spg_forest_build(context, weights, &of_forest, &table->forest);
    if (status != SPG_OK) fail_msg("table %d: %s", kind, spg_context_message(context));
}

static void draw(spg_context *context, const any_table *table, int64_t row, int order, int32_t *draws)
{
    const spg_random random = {11, (uint64_t)row, 5};
    const spg_alias_draw_options how = {SPG_SAMPLER_AUTO, order == IN_ORDER};
    int32_t *rows = malloc(DRAWS * sizeof *rows);
    assert_non_null(rows);
    for (int64_t k = 0; k < DRAWS; ++k) rows[k] = (int32_t)row;
    int32_t *here = test_take(context, draws, DRAWS * sizeof *draws);
    int32_t *rows_here = test_take(context, rows, DRAWS * sizeof *rows);
    spg_status status;
    if (table->alias != NULL)
        status = spg_alias_draw(context, table->alias, row, DRAWS, &random, &how, here);
    else if (order == IN_ORDER)
        status = spg_forest_draw_stratified(context, table->forest, row, DRAWS, &random, here, NULL);
    else
        status = spg_forest_draw(context, table->forest, DRAWS, rows_here, &random, NULL, here, NULL);
    if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_bring(context, rows_here, DRAWS * sizeof *rows, rows);
    test_bring(context, here, DRAWS * sizeof *draws, draws);
    free(rows);
}

/* By blocks, within two of their shares where draws are stratified; none of weight zero. */
static void assert_follow(const huge_weights *weights, int64_t row, bool stratified, const int32_t *draws)
{
    static double seen[BLOCKS];
    const int64_t items = weights->lengths[row];
    double total = 0;
    chi_square test;
    memset(seen, 0, sizeof seen);
    for (int64_t k = 0; k < DRAWS; ++k) {
        assert_in_range(draws[k], 0, items - 1);
        assert_true(weight_of(draws[k], items) > 0);
        ++seen[draws[k] * (int64_t)BLOCKS / items];
    }
    for (int b = 0; b < BLOCKS; ++b) total += weights->sums[row][b];
    chi_square_begin(&test, DRAWS, total);
    for (int b = 0; b < BLOCKS; ++b) {
        chi_square_add(&test, weights->sums[row][b], seen[b]);
        if (stratified) assert_true(fabs(seen[b] - weights->sums[row][b] / total * DRAWS) < 2.01);
    }
    chi_square_end(&test);
    if (!stratified && !chi_square_holds(&test, 4))
        fail_msg("row %lld: z %.2f of %lld degrees", (long long)row, test.z, (long long)test.degrees);
}

static spg_context *host_of_all_threads(void)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    return test_context_of(&config);
}

/* Each table's draws follow the weights, and are those of the host. */
static void assert_drawn_as_on_the_host(const huge_weights *weights)
{
    int32_t *draws = malloc(DRAWS * sizeof *draws), *wanted = malloc(DRAWS * sizeof *wanted);
    assert_true(draws != NULL && wanted != NULL);
    spg_context *context = test_context_at_place(0), *host = host_of_all_threads();
    for (int kind = 0; kind < TABLES; ++kind) {
        any_table here, of_host;
        build(context, &weights->here, kind, &here);
        build(host, &weights->host, kind, &of_host);
        for (int64_t row = 0; row < weights->host.rows; ++row)
            for (int order = INDEPENDENT; order <= IN_ORDER; ++order) {
                draw(context, &here, row, order, draws);
                assert_follow(weights, row, kind >= CUTPOINT && order == IN_ORDER, draws);
                draw(host, &of_host, row, order, wanted);
                assert_memory_equal(draws, wanted, DRAWS * sizeof *draws);
            }
        spg_alias_destroy(here.alias), spg_alias_destroy(of_host.alias);
        spg_forest_destroy(here.forest), spg_forest_destroy(of_host.forest);
    }
    spg_context_destroy(host);
    spg_context_destroy(context);
    free(wanted);
    free(draws);
}

/* One draw from each row by uniforms at both ends and between. */
static void assert_rows_drawn_as_on_the_host(const huge_weights *weights)
{
    static const float us[] = {0, 0.3f, 0.7f, 1 - 0x1p-24f};
    spg_context *context = test_context_at_place(0), *host = host_of_all_threads();
    for (size_t u = 0; u < sizeof us / sizeof *us; ++u) {
        float uniforms[MOST_ROWS];
        int32_t draws[MOST_ROWS], wanted[MOST_ROWS];
        const size_t bytes = (size_t)weights->host.rows * sizeof *draws;
        for (int k = 0; k < MOST_ROWS; ++k) uniforms[k] = us[u], draws[k] = wanted[k] = -1;
        int32_t *here = test_take(context, draws, bytes);
        float *uniforms_here = test_take(context, uniforms, bytes);
        spg_status status = spg_butterfly_draw(context, &weights->here, SPG_BUTTERFLY_AUTO, NULL, uniforms_here, here);
        if (status != SPG_OK) fail_msg("%s", spg_context_message(context));
        test_bring(context, here, bytes, draws);
        test_bring(context, uniforms_here, bytes, uniforms);
        status = spg_butterfly_draw(host, &weights->host, SPG_BUTTERFLY_AUTO, NULL, uniforms, wanted);
        assert_int_equal(status, SPG_OK);
        for (int64_t row = 0; row < weights->host.rows; ++row) {
            const int64_t items = weights->lengths[row];
            assert_int_equal(draws[row], wanted[row]);
            if (us[u] == 0) assert_int_equal(draws[row], 1);
            if (u == 3) assert_int_equal(draws[row], items - 1);
        }
    }
    spg_context_destroy(host);
    spg_context_destroy(context);
}

static void a_distribution_of_the_most_items_is_drawn_from_as_on_the_host(void **state)
{
    static huge_weights weights;
    (void)state;
    test_require_large(GIGABYTES);
    open_weights(&(int64_t){MOST}, 1, &weights);
    assert_rows_drawn_as_on_the_host(&weights);
    assert_drawn_as_on_the_host(&weights);
    close_weights(&weights);
}

static void rows_of_more_weights_in_all_are_drawn_from_as_on_the_host(void **state)
{
    static const int64_t lengths[MOST_ROWS] = {1 << 30, 3, 1001, (1 << 30) - 5, 2049}; /* of 2^30 cells in a guide */
    static huge_weights weights;
    (void)state;
    test_require_large(GIGABYTES);
    open_weights(lengths, MOST_ROWS, &weights);
    assert_rows_drawn_as_on_the_host(&weights);
    assert_drawn_as_on_the_host(&weights);
    close_weights(&weights);
}

/* ---- More draws ---- */

static const int64_t MORE = ((int64_t)1 << 31) + 12345;

enum { ALIAS_INDEPENDENT, ALIAS_GROUPED, ALIAS_ROWS, FOREST_INDEPENDENT, FOREST_STRATIFIED, WAYS };

static spg_status draw_many(spg_context *context, const any_table *table, int way, int64_t first, int64_t count,
                            const int32_t *rows, int32_t *draws)
{
    const spg_random random = {3, 14, (uint64_t)first};
    const spg_alias_draw_options grouped = {SPG_SAMPLER_AUTO, 1};
    switch (way) {
    case ALIAS_INDEPENDENT: return spg_alias_draw(context, table->alias, 0, count, &random, NULL, draws);
    case ALIAS_GROUPED: return spg_alias_draw(context, table->alias, 0, count, &random, &grouped, draws);
    case ALIAS_ROWS: return spg_alias_draw_rows(context, table->alias, count, rows, &random, draws);
    case FOREST_INDEPENDENT: return spg_forest_draw(context, table->forest, count, NULL, &random, NULL, draws, NULL);
    default: return spg_forest_draw_stratified(context, table->forest, 0, count, &random, draws, NULL);
    }
}

static void assert_all_follow(const float *weights, int way, const int32_t *draws)
{
    int64_t counts[FEW_ITEMS] = {0};
    double total = 0;
    chi_square test;
    for (int64_t k = 0; k < MORE; ++k) {
        if (draws[k] < 0 || draws[k] >= FEW_ITEMS) fail_msg("draw %lld is %d", (long long)k, (int)draws[k]);
        ++counts[draws[k]];
        if (way == FOREST_STRATIFIED && k > 0) assert_true(draws[k] >= draws[k - 1]);
    }
    for (int k = 0; k < FEW_ITEMS; ++k) total += (double)weights[k];
    chi_square_begin(&test, (double)MORE, total);
    for (int k = 0; k < FEW_ITEMS; ++k) {
        const double expected = (double)weights[k] / total * (double)MORE;
        chi_square_add(&test, (double)weights[k], (double)counts[k]);
        if (way == FOREST_STRATIFIED) assert_true(fabs((double)counts[k] - expected) < 2.01);
    }
    chi_square_end(&test);
    if (way != FOREST_STRATIFIED && !chi_square_holds(&test, 4)) fail_msg("way %d: z %.2f", way, test.z);
}

static void more_draws_follow_the_weights_and_are_those_of_shorter_calls(void **state)
{
    static huge_weights weights;
    static int32_t last[LAST];
    any_table alias, forest;
    (void)state;
    test_require_large(GIGABYTES);
    open_weights(&(int64_t){FEW_ITEMS}, 1, &weights);
    spg_context *context = test_context_at_place(0);
    build(context, &weights.here, ALIAS_COMPACT, &alias);
    build(context, &weights.here, RADIX, &forest);
    int32_t *rows = calloc((size_t)MORE, sizeof *rows), *draws = calloc((size_t)MORE, sizeof *draws);
    assert_true(rows != NULL && draws != NULL);
    int32_t *rows_here = test_take(context, rows, (size_t)MORE * sizeof *rows);
    for (int way = 0; way < WAYS; ++way) {
        const any_table *table = way <= ALIAS_ROWS ? &alias : &forest;
        int32_t *here = test_take(context, draws, (size_t)MORE * sizeof *draws);
        if (draw_many(context, table, way, 0, MORE, rows_here, here) != SPG_OK)
            fail_msg("way %d: %s", way, spg_context_message(context));
        test_bring(context, here, (size_t)MORE * sizeof *draws, draws);
        assert_all_follow(weights.host.values, way, draws);
        if (way == ALIAS_GROUPED || way == FOREST_STRATIFIED) continue; /* can't be split */
        int32_t *last_here = test_take(context, last, sizeof last);
        assert_int_equal(draw_many(context, table, way, MORE - LAST, LAST, rows_here, last_here), SPG_OK);
        test_bring(context, last_here, sizeof last, last);
        assert_memory_equal(last, draws + MORE - LAST, sizeof last);
    }
    test_bring(context, rows_here, (size_t)MORE * sizeof *rows, rows);
    spg_alias_destroy(alias.alias);
    spg_forest_destroy(forest.forest);
    spg_context_destroy(context);
    close_weights(&weights);
    free(draws);
    free(rows);
}

static void more_numbers_are_those_of_shorter_calls(void **state)
{
    static uint64_t last[LAST], wanted[LAST];
    spg_random random = {1, 2, 0};
    void *bits = NULL;
    (void)state;
    test_require_large(GIGABYTES);
    spg_context *context = test_context_at_place(0);
    assert_int_equal(spg_allocate(context, MORE * (int64_t)sizeof *last, "a test", &bits), SPG_OK);
    assert_int_equal(spg_random_bits(context, &random, MORE, bits), SPG_OK);
    test_fetch((uint64_t *)bits + MORE - LAST, sizeof last, last);
    random.first = (uint64_t)(MORE - LAST);
    uint64_t *here = test_take(context, wanted, sizeof wanted);
    assert_int_equal(spg_random_bits(context, &random, LAST, here), SPG_OK);
    test_bring(context, here, sizeof wanted, wanted);
    assert_memory_equal(last, wanted, sizeof last);
    spg_release(context, bits, MORE * (int64_t)sizeof *last);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distribution_of_the_most_items_is_drawn_from_as_on_the_host),
        cmocka_unit_test(rows_of_more_weights_in_all_are_drawn_from_as_on_the_host),
        cmocka_unit_test(more_draws_follow_the_weights_and_are_those_of_shorter_calls),
        cmocka_unit_test(more_numbers_are_those_of_shorter_calls),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_huge", tests);
}
