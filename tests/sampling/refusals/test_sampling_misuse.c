/* Every wrong argument and every fault in contents is a status and a message that names it. */
#include "sampling_support.h"

#include "matrices_for_tests.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4, ITEMS = 10 };

/* Arrays at the place, and a context there. */
typedef struct fixture {
    spg_context *context;
    int32_t offsets[ROWS + 1], columns[ITEMS];
    double values[ITEMS];
    int32_t *offsets_here, *columns_here, *draws, *rows;
    double *values_here, *uniforms;
    uint64_t *bits;
    spg_csr weights;
} fixture;

static const spg_random number = {1, 2, 3};

static int set_up(void **state)
{
    static fixture f;
    const int32_t offsets[] = {0, 3, 4, 7, 10};
    const double zeros[ITEMS] = {0};
    memset(&f, 0, sizeof f);
    memcpy(f.offsets, offsets, sizeof offsets);
    for (int k = 0; k < ITEMS; ++k) f.columns[k] = k, f.values[k] = 1 + k;
    f.context = test_context_at_place(2);
    f.offsets_here = test_lend(f.offsets, sizeof f.offsets);
    f.columns_here = test_lend(f.columns, sizeof f.columns);
    f.values_here = test_lend(f.values, sizeof f.values);
    f.uniforms = test_lend(zeros, sizeof zeros);
    f.draws = test_lend(zeros, sizeof zeros);
    f.rows = test_lend(zeros, sizeof zeros);
    f.bits = test_lend(zeros, sizeof zeros);
    f.weights =
        (spg_csr){ROWS, ITEMS, ITEMS, SPG_I32, SPG_F64, test_place(), f.offsets_here, f.columns_here, f.values_here};
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    test_give_back(f->offsets_here, sizeof f->offsets);
    test_give_back(f->columns_here, sizeof f->columns);
    test_give_back(f->values_here, sizeof f->values);
    void *others[] = {f->uniforms, f->draws, f->rows, f->bits};
    for (int k = 0; k < 4; ++k) test_give_back(others[k], ITEMS * sizeof(double));
    spg_context_destroy(f->context);
    return 0;
}

static void assert_refused(const fixture *f, spg_status status, spg_status expected, const char *words)
{
    const char *message = spg_context_message(f->context);
    if (status != expected)
        fail_msg("%s, expected %s: %s", spg_status_name(status), spg_status_name(expected), message);
    if (strstr(message, words) == NULL) fail_msg("'%s' does not say '%s'", message, words);
}

/* Every call that reads weights refuses them; what it makes is NULL. */
static void assert_weights_refused(fixture *f, const spg_csr *weights, spg_status expected, const char *words)
{
    for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE; ++method)
        assert_refused(f,
                       spg_butterfly_draw(f->context, weights, (spg_butterfly_method)method, &number, NULL, f->draws),
                       expected, words);
    for (int builder = SPG_ALIAS_AUTO; builder <= SPG_ALIAS_PSA_PLUS; ++builder) {
        const spg_alias_options options = {.builder = (spg_alias_builder)builder};
        spg_alias *alias = (spg_alias *)(void *)f;
        assert_refused(f, spg_alias_build(f->context, weights, &options, &alias), expected, words);
        assert_null(alias);
    }
    for (int method = SPG_FOREST_AUTO; method <= SPG_FOREST_RADIX; ++method) {
        const spg_forest_options options = {(spg_forest_method)method, 0};
        spg_forest *forest = (spg_forest *)(void *)f;
        assert_refused(f, spg_forest_build(f->context, weights, &options, &forest), expected, words);
        assert_null(forest);
    }
}

static void weights_that_cannot_be_are_refused_by_row_item_and_kind(void **state)
{
    static const struct {
        int k;
        double value;
        const char *words;
    } wrong[] = {
        {0, -1, "row 0, item 0: weight -1 is negative"},
        {5, NAN, "row 2, item 1"},
        {5, NAN, "is NaN"},
        {9, INFINITY, "row 3, item 2: weight inf is infinite"},
        {3, -INFINITY, "row 1, item 0: weight -inf is negative"},
        {3, 0, "row 1: all 1 weights are zero"},
        {3, -0.0, "row 1: all 1 weights are zero"},
    };
    fixture *f = *state;
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
        double values[ITEMS];
        memcpy(values, f->values, sizeof values);
        values[wrong[w].k] = wrong[w].value;
        test_send(values, sizeof values, f->values_here);
        assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, wrong[w].words);
    }
    double two[ITEMS] = {1, 1, 1, 1, 1, 1, -2, 1, NAN, 1}; /* the first row at fault is named */
    test_send(two, sizeof two, f->values_here);
    assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, "row 2, item 2: weight -2 is negative");
    test_send(f->values, sizeof f->values, f->values_here);
}

/* They are counted before anything is read. */
static void more_rows_than_alias_tables_on_a_device_take_are_refused(void **state)
{
    fixture *f = *state;
    if (test_place() == SPG_PLACE_HOST) skip();
    spg_csr weights = f->weights;
    spg_alias *alias = (spg_alias *)(void *)f;
    weights.rows = (int64_t)INT32_MAX + 1;
    assert_refused(f, spg_alias_build(f->context, &weights, NULL, &alias), SPG_ERROR_UNSUPPORTED, "2147483648 rows");
    assert_null(alias);
}

/* The same among rows of which tables are built many at once. */
static void weights_that_cannot_be_are_refused_in_long_rows(void **state)
{
    enum { LONG = 3000, LONG_ROWS = 5, ALL = LONG * LONG_ROWS };
    static const struct {
        int row;
        double value;
        const char *words;
    } wrong[] = {{4, -1, "row 4, item 2999: weight -1 is negative"},
                 {1, NAN, "row 1, item 2999"},
                 {2, INFINITY, "row 2, item 2999: weight inf is infinite"},
                 {3, 0, "row 3: all 3000 weights are zero"}};
    static double values[ALL];
    int32_t offsets[LONG_ROWS + 1];
    fixture *f = *state;
    for (int i = 0; i <= LONG_ROWS; ++i) offsets[i] = i * LONG;
    int32_t *offsets_here = test_lend(offsets, sizeof offsets);
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; ++w) {
        for (int k = 0; k < ALL; ++k) values[k] = 1 + k % 7;
        double *row = values + (ptrdiff_t)wrong[w].row * LONG;
        if (wrong[w].value == 0) memset(row, 0, LONG * sizeof *row);
        row[LONG - 1] = wrong[w].value;
        double *here = test_lend(values, sizeof values);
        spg_csr weights = {LONG_ROWS, LONG, ALL, SPG_I32, SPG_F64, test_place(), offsets_here, NULL, here};
        assert_weights_refused(f, &weights, SPG_ERROR_FORMAT, wrong[w].words);
        test_give_back(here, sizeof values);
    }
    test_give_back(offsets_here, sizeof offsets);
}

/* Such a row is added up by many threads. */
static void a_long_row_is_refused_wherever_its_fault_lies(void **state)
{
    static const int64_t length = 300000, items[] = {0, 2047, 150000, 299999};
    static const double values[] = {-1, NAN, INFINITY};
    fixture *f = *state;
    test_weights weights;
    test_open_weights(&length, 1, TEST_EVEN, SPG_F64, false, &weights);
    double *here = weights.here.values;
    for (int k = 0; k < 4; ++k)
        for (int v = 0; v < 3; ++v) {
            char words[32];
            snprintf(words, sizeof words, "row 0, item %lld", (long long)items[k]);
            test_send(&values[v], sizeof *values, here + items[k]);
            assert_weights_refused(f, &weights.here, SPG_ERROR_FORMAT, words);
            test_send((double *)weights.host.values + items[k], sizeof *values, here + items[k]);
        }
    test_close_weights(&weights);
}

/* Of these, the second row ends three items after it begins, as far as 64 bits tell. */
static void offsets_so_far_apart_that_their_difference_wraps_are_refused(void **state)
{
    fixture *f = *state;
    const int64_t offsets[ROWS + 1] = {0, INT64_MAX - 1, INT64_MIN + 1, 7, ITEMS};
    int64_t *offsets_here = test_lend(offsets, sizeof offsets);
    spg_csr weights = f->weights;
    weights.offset_type = SPG_I64;
    weights.row_offsets = offsets_here;
    assert_weights_refused(f, &weights, SPG_ERROR_FORMAT, "row 0: row_offsets reach 9223372036854775806, nnz is 10");
    test_give_back(offsets_here, sizeof offsets);
}

static void rows_and_columns_that_cannot_be_are_refused(void **state)
{
    fixture *f = *state;
    int32_t offsets[] = {0, 3, 3, 7, 10}, columns[ITEMS];
    test_send(offsets, sizeof offsets, f->offsets_here);
    assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, "row 1 is empty");
    offsets[2] = 2;
    test_send(offsets, sizeof offsets, f->offsets_here);
    assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, "row 1: row_offsets fall from 3 to 2");
    spg_csr named_by_place = f->weights;
    named_by_place.columns = NULL;
    assert_weights_refused(f, &named_by_place, SPG_ERROR_FORMAT, "row 1: row_offsets fall from 3 to 2");
    static const struct {
        int32_t offsets[ROWS + 1];
        const char *words;
    } spans[] = {{{1, 3, 4, 7, 10}, "row 0: row_offsets begin at 1, not at 0"},
                 {{0, 3, 4, 7, 9}, "row 3: row_offsets end at 9, nnz is 10"},
                 {{0, 3, 4, 12, 10}, "row 2: row_offsets reach 12, nnz is 10"},
                 {{0, 3, -4, 7, 10}, "row 1: row_offsets fall from 3 to -4"}};
    for (size_t k = 0; k < sizeof spans / sizeof *spans; ++k) {
        test_send(spans[k].offsets, sizeof offsets, f->offsets_here);
        assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, spans[k].words);
        assert_weights_refused(f, &named_by_place, SPG_ERROR_FORMAT, spans[k].words);
    }
    named_by_place.values = NULL;
    assert_weights_refused(f, &named_by_place, SPG_ERROR_ARGUMENT, "weights: values is NULL with 10 entries");
    test_send(f->offsets, sizeof f->offsets, f->offsets_here);
    memcpy(columns, f->columns, sizeof columns);
    columns[4] = ITEMS;
    test_send(columns, sizeof columns, f->columns_here);
    assert_weights_refused(f, &f->weights, SPG_ERROR_FORMAT, "row 2: column 10 lies outside [0, 10)");
    test_send(f->columns, sizeof f->columns, f->columns_here);
    assert_weights_refused(f, NULL, SPG_ERROR_ARGUMENT, "weights is NULL");
    spg_csr wrong = f->weights;
    wrong.value_type = SPG_C32;
    assert_weights_refused(f, &wrong, SPG_ERROR_ARGUMENT, "value_type c32");
    wrong = f->weights;
    wrong.values = NULL;
    assert_weights_refused(f, &wrong, SPG_ERROR_ARGUMENT, "values is NULL");
    wrong = f->weights;
    wrong.rows = -1;
    assert_weights_refused(f, &wrong, SPG_ERROR_ARGUMENT, "negative size");
    wrong = f->weights;
    wrong.place = test_place_elsewhere();
    assert_weights_refused(f, &wrong, SPG_ERROR_PLACE, "weights");
}

static void arguments_of_draws_without_tables_are_checked(void **state)
{
    fixture *f = *state;
    spg_context *c = f->context;
    assert_int_equal(spg_random_bits(NULL, &number, 1, f->bits), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_random_uniforms(NULL, &number, 1, SPG_F32, f->bits), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_butterfly_draw(NULL, &f->weights, SPG_BUTTERFLY_AUTO, &number, NULL, f->draws),
                     SPG_ERROR_ARGUMENT);
    assert_refused(f, spg_random_bits(c, NULL, 1, f->bits), SPG_ERROR_ARGUMENT, "random is NULL");
    assert_refused(f, spg_random_bits(c, &number, -1, f->bits), SPG_ERROR_ARGUMENT, "count is -1");
    assert_refused(f, spg_random_bits(c, &number, 1, NULL), SPG_ERROR_ARGUMENT, "bits is NULL");
    assert_int_equal(spg_random_bits(c, &number, 0, NULL), SPG_OK);
    assert_refused(f, spg_random_uniforms(c, &number, 1, SPG_I32, f->bits), SPG_ERROR_ARGUMENT, "type i32");
    assert_refused(f, spg_random_uniforms(c, &number, 1, SPG_F32, NULL), SPG_ERROR_ARGUMENT, "uniforms is NULL");
    assert_refused(f, spg_butterfly_draw(c, &f->weights, (spg_butterfly_method)4, &number, NULL, f->draws),
                   SPG_ERROR_ARGUMENT, "method 4");
    assert_refused(f, spg_butterfly_draw(c, &f->weights, SPG_BUTTERFLY_AUTO, NULL, NULL, f->draws), SPG_ERROR_ARGUMENT,
                   "random is NULL");
    assert_refused(f, spg_butterfly_draw(c, &f->weights, SPG_BUTTERFLY_AUTO, &number, NULL, NULL), SPG_ERROR_ARGUMENT,
                   "draws is NULL");
    const double bad[] = {-0.1, 1, NAN};
    for (int k = 0; k < 3; ++k) {
        double uniforms[ITEMS] = {0.5, 0.5, bad[k], 0.5};
        test_send(uniforms, sizeof uniforms, f->uniforms);
        assert_refused(f, spg_butterfly_draw(c, &f->weights, SPG_BUTTERFLY_AUTO, NULL, f->uniforms, f->draws),
                       SPG_ERROR_ARGUMENT, "uniforms: number 2");
    }
}

static void arguments_of_tables_and_their_draws_are_checked(void **state)
{
    fixture *f = *state;
    spg_context *c = f->context;
    spg_alias *alias = NULL;
    const spg_alias_options builders = {.builder = (spg_alias_builder)4},
                            resolutions = {.resolution = (spg_alias_resolution)2},
                            splits = {.split = (spg_alias_split)2}, few = {.chunks = -1}, many = {.chunks = 1025};
    spg_alias_stats stats = {.left = 1};
    assert_refused(f, spg_alias_build(c, &f->weights, &builders, &alias), SPG_ERROR_ARGUMENT, "builder 4");
    assert_refused(f, spg_alias_build(c, &f->weights, &resolutions, &alias), SPG_ERROR_ARGUMENT, "resolution 2");
    assert_refused(f, spg_alias_build(c, &f->weights, &splits, &alias), SPG_ERROR_ARGUMENT, "split 2");
    assert_refused(f, spg_alias_build(c, &f->weights, &few, &alias), SPG_ERROR_ARGUMENT, "-1 chunks");
    assert_refused(f, spg_alias_build(c, &f->weights, &many, &alias), SPG_ERROR_ARGUMENT, "1025 chunks");
    assert_int_equal(spg_alias_build_stats(NULL, &stats), SPG_ERROR_ARGUMENT);
    assert_int_equal(stats.left, 0);
    assert_refused(f, spg_alias_build(c, &f->weights, NULL, NULL), SPG_ERROR_ARGUMENT, "alias is NULL");
    assert_int_equal(spg_alias_build(NULL, &f->weights, NULL, &alias), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_alias_build(c, &f->weights, NULL, &alias), SPG_OK);
    assert_int_equal(spg_alias_build_stats(alias, NULL), SPG_ERROR_ARGUMENT);
    const spg_alias_draw_options samplers = {(spg_alias_sampler)5, 0}, both = {SPG_SAMPLER_BASELINE, 1};
    assert_int_equal(spg_alias_draw(NULL, alias, 0, 1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT);
    assert_refused(f, spg_alias_draw(c, NULL, 0, 1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT, "alias is NULL");
    assert_refused(f, spg_alias_draw(c, alias, -1, 1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT, "row -1");
    assert_refused(f, spg_alias_draw(c, alias, ROWS, 1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT, "row 4");
    assert_refused(f, spg_alias_draw(c, alias, 0, -1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT, "count is -1");
    assert_refused(f, spg_alias_draw(c, alias, 0, 1, NULL, NULL, f->draws), SPG_ERROR_ARGUMENT, "random is NULL");
    assert_refused(f, spg_alias_draw(c, alias, 0, 1, &number, NULL, NULL), SPG_ERROR_ARGUMENT, "draws is NULL");
    assert_refused(f, spg_alias_draw(c, alias, 0, 1, &number, &samplers, f->draws), SPG_ERROR_ARGUMENT, "sampler 5");
    assert_refused(f, spg_alias_draw(c, alias, 0, 1, &number, &both, f->draws), SPG_ERROR_ARGUMENT, "baseline");
    assert_int_equal(spg_alias_draw(c, alias, 0, 0, &number, NULL, NULL), SPG_OK);
    assert_refused(f, spg_alias_draw_rows(c, alias, ROWS + 1, NULL, &number, f->draws), SPG_ERROR_ARGUMENT,
                   "count is 5; without rows it must be at most 4");
    int32_t rows[ITEMS] = {0, 3, 4, -1};
    test_send(rows, sizeof rows, f->rows);
    assert_refused(f, spg_alias_draw_rows(c, alias, 3, f->rows, &number, f->draws), SPG_ERROR_ARGUMENT,
                   "rows: entry 2: row 4 lies outside [0, 4)");
    assert_int_equal(spg_alias_draw_rows(c, alias, 2, f->rows, &number, f->draws), SPG_OK);
    spg_alias_destroy(alias);
    spg_alias_destroy(NULL);
}

static void arguments_of_forests_and_their_draws_are_checked(void **state)
{
    fixture *f = *state;
    spg_context *c = f->context;
    spg_forest *forest = NULL;
    const spg_forest_options methods = {(spg_forest_method)3, 0}, cells = {SPG_FOREST_AUTO, -1},
                             many = {SPG_FOREST_AUTO, NAN};
    assert_refused(f, spg_forest_build(c, &f->weights, &methods, &forest), SPG_ERROR_ARGUMENT, "method 3");
    assert_refused(f, spg_forest_build(c, &f->weights, &cells, &forest), SPG_ERROR_ARGUMENT, "cells_per_item -1");
    assert_refused(f, spg_forest_build(c, &f->weights, &many, &forest), SPG_ERROR_ARGUMENT, "cells_per_item nan");
    assert_refused(f, spg_forest_build(c, &f->weights, NULL, NULL), SPG_ERROR_ARGUMENT, "forest is NULL");
    assert_int_equal(spg_forest_build(NULL, &f->weights, NULL, &forest), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_forest_build(c, &f->weights, NULL, &forest), SPG_OK);
    assert_int_equal(spg_forest_draw(NULL, forest, 1, NULL, &number, NULL, f->draws, NULL), SPG_ERROR_ARGUMENT);
    assert_refused(f, spg_forest_draw(c, NULL, 1, NULL, &number, NULL, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "forest is NULL");
    assert_refused(f, spg_forest_draw(c, forest, 1, NULL, NULL, NULL, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "random is NULL");
    assert_refused(f, spg_forest_draw(c, forest, 1, NULL, &number, NULL, NULL, NULL), SPG_ERROR_ARGUMENT,
                   "draws is NULL");
    assert_refused(f, spg_forest_draw(c, forest, -7, NULL, &number, NULL, NULL, NULL), SPG_ERROR_ARGUMENT,
                   "count is -7");
    double uniforms[ITEMS] = {0, 0.5, 1};
    int32_t rows[ITEMS] = {0, -5};
    test_send(uniforms, sizeof uniforms, f->uniforms);
    test_send(rows, sizeof rows, f->rows);
    assert_refused(f, spg_forest_draw(c, forest, 3, NULL, NULL, f->uniforms, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "uniforms: number 2, 1, lies outside [0, 1)");
    assert_refused(f, spg_forest_draw(c, forest, 2, f->rows, NULL, f->uniforms, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "rows: entry 1: row -5");
    rows[1] = ROWS;
    test_send(rows, sizeof rows, f->rows);
    assert_refused(f, spg_forest_draw(c, forest, 2, f->rows, NULL, f->uniforms, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "rows: entry 1: row 4 lies outside [0, 4)");
    assert_refused(f, spg_forest_draw_stratified(c, NULL, 0, 1, &number, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "forest is NULL");
    assert_refused(f, spg_forest_draw_stratified(c, forest, ROWS, 1, &number, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "row 4 lies outside [0, 4)");
    assert_refused(f, spg_forest_draw_stratified(c, forest, -1, 1, &number, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "row -1");
    assert_refused(f, spg_forest_draw_stratified(c, forest, 0, -2, &number, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "count is -2");
    assert_refused(f, spg_forest_draw_stratified(c, forest, 0, 1, NULL, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "random is NULL");
    assert_refused(f, spg_forest_draw_stratified(c, forest, 0, 1, &number, NULL, NULL), SPG_ERROR_ARGUMENT,
                   "draws is NULL");
    assert_int_equal(spg_forest_draw_stratified(NULL, forest, 0, 1, &number, f->draws, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_forest_draw_stratified(c, forest, 0, 0, &number, NULL, NULL), SPG_OK);
    assert_refused(f, spg_forest_loads(c, forest, 1, NULL, NULL, f->draws), SPG_ERROR_ARGUMENT, "uniforms is NULL");
    assert_refused(f, spg_forest_loads(c, forest, 1, NULL, f->uniforms, NULL), SPG_ERROR_ARGUMENT, "loads is NULL");
    spg_forest_destroy(forest);
    spg_forest_destroy(NULL);
}

static void no_rows_and_no_draws_are_fine(void **state)
{
    fixture *f = *state;
    spg_csr none = {0, 0, 0, SPG_I32, SPG_F32, test_place(), f->offsets_here, NULL, NULL};
    spg_alias *alias = NULL;
    spg_forest *forest = NULL;
    assert_int_equal(spg_butterfly_draw(f->context, &none, SPG_BUTTERFLY_AUTO, &number, NULL, NULL), SPG_OK);
    assert_int_equal(spg_alias_build(f->context, &none, NULL, &alias), SPG_OK);
    assert_int_equal(spg_alias_draw_rows(f->context, alias, 0, NULL, &number, NULL), SPG_OK);
    assert_refused(f, spg_alias_draw(f->context, alias, 0, 1, &number, NULL, f->draws), SPG_ERROR_ARGUMENT, "row 0");
    assert_int_equal(spg_forest_build(f->context, &none, NULL, &forest), SPG_OK);
    assert_int_equal(spg_forest_draw(f->context, forest, 0, NULL, &number, NULL, NULL, NULL), SPG_OK);
    assert_refused(f, spg_forest_draw(f->context, forest, 1, NULL, &number, NULL, f->draws, NULL), SPG_ERROR_ARGUMENT,
                   "no row");
    assert_refused(f, spg_forest_draw(f->context, forest, 1, f->rows, &number, NULL, f->draws, NULL),
                   SPG_ERROR_ARGUMENT, "rows: entry 0: row 0 lies outside [0, 0)");
    spg_alias_destroy(alias);
    spg_forest_destroy(forest);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights_that_cannot_be_are_refused_by_row_item_and_kind, set_up, tear_down),
        cmocka_unit_test_setup_teardown(more_rows_than_alias_tables_on_a_device_take_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(weights_that_cannot_be_are_refused_in_long_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_long_row_is_refused_wherever_its_fault_lies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offsets_so_far_apart_that_their_difference_wraps_are_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rows_and_columns_that_cannot_be_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_of_draws_without_tables_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_of_tables_and_their_draws_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arguments_of_forests_and_their_draws_are_checked, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_rows_and_no_draws_are_fine, set_up, tear_down),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_misuse", tests);
}
