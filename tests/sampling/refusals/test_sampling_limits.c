/* Tables and draws within workspace limits. */
#include "sampling_support.h"
#include "workspace_limits.h"

#include <stdlib.h>

enum { DRAWS = 70000, SUBSET = 5, ROWS = 24, TOPICS = 40, WORDS = 500, DOCUMENTS = 3 };

/* Rows of every kind of an alias table: of a warp, of a block, and of many tiles. */
static const int64_t lengths[ROWS] = {5,  6,    31,   32,   33,    100,  255, 256,  257,   1000, 2047, 2048,
                                      17, 2049, 4096, 5000, 12000, 2500, 64,  3000, 20000, 9000, 2100, 7};
static const int64_t one_length = 150000;

typedef struct inputs {
    test_weights weights;
    spg_alias *compact, *exact;
    spg_forest *forest;
    spg_lda lda;
    int32_t *draws;
    int64_t *counts;
} inputs;

static const spg_random number = {4, 5, 6};

static spg_status rows_of_method(spg_context *context, void *of, spg_butterfly_method method)
{
    inputs *in = of;
    return spg_butterfly_draw(context, &in->weights.here, method, &number, NULL, in->draws);
}

static spg_status automatic_rows(spg_context *context, void *of, test_made *made)
{
    (void)made;
    return rows_of_method(context, of, SPG_BUTTERFLY_AUTO);
}

static spg_status table_rows(spg_context *context, void *of, test_made *made)
{
    (void)made;
    return rows_of_method(context, of, SPG_BUTTERFLY_TABLE);
}

static spg_status topics(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_lda_draw(context, &in->lda, SPG_BUTTERFLY_AUTO, &number, in->draws);
}

static spg_status topics_by_tables(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_lda_draw(context, &in->lda, SPG_BUTTERFLY_TABLE, &number, in->draws);
}

static spg_status subsets(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_subset_draw(context, &in->weights.here, SUBSET, &number, in->draws);
}

static spg_status counts(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_multinomial_draw(context, &in->weights.here, DRAWS, NULL, &number, in->counts);
}

static spg_status build(spg_context *context, void *of, spg_alias_builder builder, spg_alias_resolution resolution,
                        test_made *made)
{
    inputs *in = of;
    const spg_alias_options options = {.builder = builder, .resolution = resolution};
    return spg_alias_build(context, &in->weights.here, &options, (spg_alias **)&made->handle);
}

static spg_status sweep(spg_context *context, void *of, test_made *made)
{
    return build(context, of, SPG_ALIAS_SWEEP, SPG_ALIAS_COMPACT, made);
}

static spg_status psa(spg_context *context, void *of, test_made *made)
{
    return build(context, of, SPG_ALIAS_PSA, SPG_ALIAS_EXACT, made);
}

static spg_status psa_plus(spg_context *context, void *of, test_made *made)
{
    return build(context, of, SPG_ALIAS_PSA_PLUS, SPG_ALIAS_COMPACT, made);
}

static void drop_alias(spg_context *context, test_made *made)
{
    (void)context;
    spg_alias_destroy(made->handle);
}

static spg_status rebuild(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_alias_rebuild(context, in->compact, &in->weights.here, in->weights.here.rows, NULL);
}

static spg_status grouped_draws(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    const spg_alias_draw_options options = {.grouped = 1};
    (void)made;
    return spg_alias_draw(context, in->exact, in->weights.here.rows - 1, DRAWS, &number, &options, in->draws);
}

static spg_status draws_of_rows(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_alias_draw_rows(context, in->compact, in->weights.here.rows, NULL, &number, in->draws);
}

static spg_status plant(spg_context *context, void *of, spg_forest_method method, test_made *made)
{
    inputs *in = of;
    const spg_forest_options options = {.method = method};
    return spg_forest_build(context, &in->weights.here, &options, (spg_forest **)&made->handle);
}

static spg_status radix(spg_context *context, void *of, test_made *made)
{
    return plant(context, of, SPG_FOREST_RADIX, made);
}

static spg_status cutpoint(spg_context *context, void *of, test_made *made)
{
    return plant(context, of, SPG_FOREST_CUTPOINT, made);
}

static void drop_forest(spg_context *context, test_made *made)
{
    (void)context;
    spg_forest_destroy(made->handle);
}

static spg_status draws_of_forest(spg_context *context, void *of, test_made *made)
{
    inputs *in = of;
    (void)made;
    return spg_forest_draw_stratified(context, in->forest, 0, DRAWS, &number, in->draws, NULL);
}

static const test_limited_call calls[] = {{"rows", automatic_rows, NULL},
                                          {"rows by tables", table_rows, NULL},
                                          {"topics", topics, NULL},
                                          {"topics by tables", topics_by_tables, NULL},
                                          {"subsets", subsets, NULL},
                                          {"counts", counts, NULL},
                                          {"sweep", sweep, drop_alias},
                                          {"psa", psa, drop_alias},
                                          {"psa+", psa_plus, drop_alias},
                                          {"new weights", rebuild, NULL},
                                          {"grouped draws", grouped_draws, NULL},
                                          {"draws of rows", draws_of_rows, NULL},
                                          {"radix forest", radix, drop_forest},
                                          {"cutpoints", cutpoint, drop_forest},
                                          {"stratified draws", draws_of_forest, NULL}};

static void *lend_zeros(size_t bytes)
{
    void *zeros = calloc(1, bytes), *lent;
    assert_non_null(zeros);
    lent = test_lend(zeros, bytes);
    free(zeros);
    return lent;
}

static void hold_to_all(const int64_t *row_lengths, int64_t rows, int kind)
{
    static const int64_t word_offsets[DOCUMENTS + 1] = {0, 7, 450, WORDS};
    static double ones[DOCUMENTS * TOPICS];
    static int32_t words[WORDS];
    for (int k = 0; k < DOCUMENTS * TOPICS; ++k) ones[k] = 1 + k % 3;
    for (int k = 0; k < WORDS; ++k) words[k] = k % DOCUMENTS;
    inputs in;
    test_open_weights(row_lengths, rows, kind, SPG_F64, true, &in.weights);
    const size_t count_bytes = (size_t)in.weights.host.nnz * sizeof *in.counts;
    in.draws = lend_zeros(DRAWS * sizeof *in.draws);
    in.counts = lend_zeros(count_bytes);
    void *factors = test_lend(ones, sizeof ones), *offsets = test_lend(word_offsets, sizeof word_offsets);
    void *numbers = test_lend(words, sizeof words);
    in.lda = (spg_lda){DOCUMENTS, DOCUMENTS, WORDS, TOPICS, SPG_F64, factors, factors, offsets, numbers};
    spg_context *context = test_context_at_place(2);
    const spg_alias_options exact = {.resolution = SPG_ALIAS_EXACT};
    assert_int_equal(spg_alias_build(context, &in.weights.here, NULL, &in.compact), SPG_OK);
    assert_int_equal(spg_alias_build(context, &in.weights.here, &exact, &in.exact), SPG_OK);
    assert_int_equal(spg_forest_build(context, &in.weights.here, NULL, &in.forest), SPG_OK);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) test_hold_to_limits(context, &calls[c], &in);
    spg_alias_destroy(in.compact);
    spg_alias_destroy(in.exact);
    spg_forest_destroy(in.forest);
    spg_context_destroy(context);
    test_give_back(factors, sizeof ones);
    test_give_back(offsets, sizeof word_offsets);
    test_give_back(numbers, sizeof words);
    test_give_back(in.draws, DRAWS * sizeof *in.draws);
    test_give_back(in.counts, count_bytes);
    test_close_weights(&in.weights);
}

static void many_rows_stay_within_limits(void **state)
{
    (void)state;
    hold_to_all(lengths, ROWS, TEST_EVEN);
}

static void rows_of_unlike_weights_stay_within_limits(void **state)
{
    (void)state;
    hold_to_all(lengths, ROWS, TEST_POWER);
}

static void one_long_row_stays_within_limits(void **state)
{
    (void)state;
    hold_to_all(&one_length, 1, TEST_POWER);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_rows_stay_within_limits),
        cmocka_unit_test(rows_of_unlike_weights_stay_within_limits),
        cmocka_unit_test(one_long_row_stays_within_limits),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_limits", tests);
}
