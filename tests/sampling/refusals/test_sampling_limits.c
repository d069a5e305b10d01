/* What a call holds beside its result stays within the workspace limit: at the least limit that suffices, where what is
 * not counted shows, and at larger ones, until all of a call's choices have had their room. */
#include "sampling_support.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 70000, SUBSET = 5, MOST_LIMIT = 1 << 25, ROWS = 24 };

/* Rows of every kind of an alias table: of a warp, of a block, and of many tiles. */
static const int64_t lengths[ROWS] = {5,  6,    31,   32,   33,    100,  255, 256,  257,   1000, 2047, 2048,
                                      17, 2049, 4096, 5000, 12000, 2500, 64,  3000, 20000, 9000, 2100, 7};
static const int64_t one_length = 150000;

typedef struct inputs {
    test_weights weights;
    int32_t *draws;
    int64_t *counts;
} inputs;

static const spg_random number = {4, 5, 6};

/* A call. *made: what it made, which `drop` gives back; or NULL. */
typedef struct limited_call {
    const char *name;
    spg_status (*run)(spg_context *context, inputs *in, void **made);
    void (*drop)(void *made);
} limited_call;

static spg_status rows_of_method(spg_context *context, inputs *in, spg_butterfly_method method)
{
    return spg_butterfly_draw(context, &in->weights.here, method, &number, NULL, in->draws);
}

static spg_status automatic_rows(spg_context *context, inputs *in, void **made)
{
    (void)made;
    return rows_of_method(context, in, SPG_BUTTERFLY_AUTO);
}

static spg_status table_rows(spg_context *context, inputs *in, void **made)
{
    (void)made;
    return rows_of_method(context, in, SPG_BUTTERFLY_TABLE);
}

static spg_status subsets(spg_context *context, inputs *in, void **made)
{
    (void)made;
    return spg_subset_draw(context, &in->weights.here, SUBSET, &number, in->draws);
}

static spg_status counts(spg_context *context, inputs *in, void **made)
{
    (void)made;
    return spg_multinomial_draw(context, &in->weights.here, DRAWS, NULL, &number, in->counts);
}

static spg_status build(spg_context *context, inputs *in, spg_alias_options options, void **made)
{
    spg_alias *alias = NULL;
    const spg_status status = spg_alias_build(context, &in->weights.here, &options, &alias);
    *made = alias;
    return status;
}

static spg_status sweep(spg_context *context, inputs *in, void **made)
{
    return build(context, in, (spg_alias_options){.builder = SPG_ALIAS_SWEEP}, made);
}

static spg_status psa(spg_context *context, inputs *in, void **made)
{
    return build(context, in, (spg_alias_options){.builder = SPG_ALIAS_PSA, .resolution = SPG_ALIAS_EXACT}, made);
}

static spg_status psa_plus(spg_context *context, inputs *in, void **made)
{
    return build(context, in, (spg_alias_options){.builder = SPG_ALIAS_PSA_PLUS}, made);
}

static void drop_alias(void *made) { spg_alias_destroy(made); }

static spg_status plant(spg_context *context, inputs *in, spg_forest_method method, void **made)
{
    const spg_forest_options options = {.method = method};
    spg_forest *forest = NULL;
    const spg_status status = spg_forest_build(context, &in->weights.here, &options, &forest);
    *made = forest;
    return status;
}

static spg_status radix(spg_context *context, inputs *in, void **made)
{
    return plant(context, in, SPG_FOREST_RADIX, made);
}

static spg_status cutpoint(spg_context *context, inputs *in, void **made)
{
    return plant(context, in, SPG_FOREST_CUTPOINT, made);
}

static void drop_forest(void *made) { spg_forest_destroy(made); }

/* Returns whether the limit sufficed. */
static bool hold_to(spg_context *context, const limited_call *call, inputs *in, int64_t limit)
{
    int64_t held, peak;
    void *made = NULL;
    assert_int_equal(spg_context_set_workspace_limit(context, limit), SPG_OK);
    spg_context_memory_reset(context);
    const spg_status status = call->run(context, in, &made);
    spg_context_memory(context, &held, &peak);
    if (status != SPG_ERROR_MEMORY) assert_int_equal(status, SPG_OK);
    if (status == SPG_OK && peak - held > limit)
        fail_msg("%s: %lld bytes beside the result, the limit is %lld", call->name, (long long)(peak - held),
                 (long long)limit);
    if (made != NULL) call->drop(made);
    return status == SPG_OK;
}

static void hold_to_all(const int64_t *row_lengths, int64_t rows, int kind)
{
    static const limited_call calls[] = {
        {"rows", automatic_rows, NULL}, {"rows by tables", table_rows, NULL}, {"subsets", subsets, NULL},
        {"counts", counts, NULL},       {"sweep", sweep, drop_alias},         {"psa", psa, drop_alias},
        {"psa+", psa_plus, drop_alias}, {"radix forest", radix, drop_forest}, {"cutpoints", cutpoint, drop_forest},
    };
    static const int32_t no_draws[ROWS * SUBSET];
    inputs in;
    test_open_weights(row_lengths, rows, kind, SPG_F64, true, &in.weights);
    const size_t count_bytes = (size_t)in.weights.host.nnz * sizeof *in.counts;
    void *no_counts = calloc(1, count_bytes);
    assert_non_null(no_counts);
    in.draws = test_lend(no_draws, sizeof no_draws);
    in.counts = test_lend(no_counts, count_bytes);
    free(no_counts);
    spg_context *context = test_context_at_place(2);
    for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c) {
        int64_t refused = 0, least = MOST_LIMIT;
        assert_true(hold_to(context, &calls[c], &in, MOST_LIMIT));
        while (least - refused > 1) {
            const int64_t between = refused + (least - refused) / 2;
            if (hold_to(context, &calls[c], &in, between))
                least = between;
            else
                refused = between;
        }
        for (int64_t limit = least; limit < MOST_LIMIT; limit += limit / 4 + 1) hold_to(context, &calls[c], &in, limit);
    }
    spg_context_destroy(context);
    test_give_back(in.draws, sizeof no_draws);
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
