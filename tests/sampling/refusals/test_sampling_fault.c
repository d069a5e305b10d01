/* Whichever allocation fails, a call says so and leaves nothing behind. */
#include "fault.h"
#include "matrices_for_tests.h"
#include "sampling_support.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 50000 };

typedef struct inputs {
    test_weights weights;
    spg_lda lda;
    int32_t *draws;
    int64_t *counts;
} inputs;

static const spg_random number = {1, 2, 3};

typedef spg_status call(spg_context *context, inputs *in);

static spg_status draw_rows(spg_context *context, inputs *in, spg_butterfly_method method)
{
    return spg_butterfly_draw(context, &in->weights.here, method, &number, NULL, in->draws);
}

static spg_status auto_rows(spg_context *context, inputs *in) { return draw_rows(context, in, SPG_BUTTERFLY_AUTO); }
static spg_status plain_rows(spg_context *context, inputs *in) { return draw_rows(context, in, SPG_BUTTERFLY_PLAIN); }
static spg_status table_rows(spg_context *context, inputs *in) { return draw_rows(context, in, SPG_BUTTERFLY_TABLE); }

static spg_status lda(spg_context *context, inputs *in)
{
    return spg_lda_draw(context, &in->lda, SPG_BUTTERFLY_AUTO, &number, in->draws);
}

static spg_status alias(spg_context *context, inputs *in, spg_alias_builder builder, int grouped)
{
    const spg_alias_options options = {.builder = builder, .resolution = grouped ? SPG_ALIAS_EXACT : SPG_ALIAS_COMPACT};
    const spg_alias_draw_options how = {SPG_SAMPLER_AUTO, grouped};
    spg_alias *made = (spg_alias *)(void *)in;
    spg_status status = spg_alias_build(context, &in->weights.here, &options, &made);
    if (status != SPG_OK) assert_null(made);
    if (status == SPG_OK) status = spg_alias_draw(context, made, 18, COUNT, &number, &how, in->draws);
    spg_alias_destroy(made);
    return status;
}

static spg_status sweep(spg_context *context, inputs *in) { return alias(context, in, SPG_ALIAS_SWEEP, 0); }
static spg_status psa(spg_context *context, inputs *in) { return alias(context, in, SPG_ALIAS_PSA, 1); }
static spg_status psa_plus(spg_context *context, inputs *in) { return alias(context, in, SPG_ALIAS_PSA_PLUS, 1); }

static spg_status forest(spg_context *context, inputs *in, spg_forest_method method)
{
    const spg_forest_options options = {method, 0};
    spg_forest *made = (spg_forest *)(void *)in;
    spg_status status = spg_forest_build(context, &in->weights.here, &options, &made);
    if (status != SPG_OK) assert_null(made);
    if (status == SPG_OK) status = spg_forest_draw(context, made, COUNT, NULL, &number, NULL, in->draws, NULL);
    spg_forest_destroy(made);
    return status;
}

static spg_status cutpoint(spg_context *context, inputs *in) { return forest(context, in, SPG_FOREST_CUTPOINT); }
static spg_status radix(spg_context *context, inputs *in) { return forest(context, in, SPG_FOREST_RADIX); }

static spg_status counts(spg_context *context, inputs *in)
{
    return spg_multinomial_draw(context, &in->weights.here, COUNT, NULL, &number, in->counts);
}

static void every_refused_allocation_is_a_status_and_leaves_nothing(void **state)
{
    static call *const calls[] = {auto_rows, plain_rows, table_rows, lda,   sweep,
                                  psa,       psa_plus,   cutpoint,   radix, counts};
    static const double ones[4] = {1, 1, 1, 1};
    static const int64_t offsets[] = {0, 1, 3};
    static const int32_t words[] = {1, 0, 1}, zeros[COUNT];
    inputs in;
    (void)state;
    test_open_weights(test_lengths, TEST_LENGTHS, TEST_ZEROS, SPG_F64, true, &in.weights);
    double *values = test_lend(ones, sizeof ones);
    int64_t *offsets_here = test_lend(offsets, sizeof offsets);
    int32_t *words_here = test_lend(words, sizeof words);
    in.draws = test_lend(zeros, sizeof zeros);
    const size_t count_bytes = (size_t)in.weights.host.nnz * sizeof *in.counts;
    void *no_counts = calloc(1, count_bytes);
    assert_non_null(no_counts);
    in.counts = test_lend(no_counts, count_bytes);
    free(no_counts);
    in.lda = (spg_lda){2, 2, 3, 2, SPG_F64, values, values, offsets_here, words_here};
    for (size_t c = 0; c < sizeof calls / sizeof *calls; ++c)
        for (int64_t k = 1;; ++k) {
            test_allocator memory;
            spg_context *context = test_faulty_context(&memory, 2, 0);
            int64_t before = test_live(&memory);
            test_fail_at(&memory, k);
            spg_status status = calls[c](context, &in);
            bool failed = test_failed(&memory);
            test_fail_at(&memory, 0);
            assert_int_equal(status, failed ? SPG_ERROR_MEMORY : SPG_OK);
            if (failed) test_assert_message(context, "bytes");
            if (test_is_on_host(context)) assert_int_equal(test_live(&memory), before); /* a device's may keep some */
            spg_context_destroy(context);
            assert_int_equal(test_live(&memory), 0);
            if (!failed) break;
        }
    test_give_back(values, sizeof ones);
    test_give_back(offsets_here, sizeof offsets);
    test_give_back(words_here, sizeof words);
    test_give_back(in.draws, sizeof zeros);
    test_give_back(in.counts, count_bytes);
    test_close_weights(&in.weights);
}

static void workspace_over_the_limit_is_refused(void **state)
{
    inputs in;
    static const int64_t items = 200000;
    static const int32_t zeros[COUNT];
    (void)state;
    memset(&in, 0, sizeof in);
    test_open_weights(&items, 1, TEST_EVEN, SPG_F64, false, &in.weights);
    in.draws = test_lend(zeros, sizeof zeros);
    spg_config config = test_config();
    config.workspace_limit = 64;
    spg_context *context = test_context_of(&config);
    spg_alias *made = NULL;
    assert_int_equal(spg_alias_build(context, &in.weights.here, NULL, &made), SPG_ERROR_MEMORY);
    assert_null(made);
    test_assert_message(context, "64");
    spg_context_destroy(context);
    test_give_back(in.draws, sizeof zeros);
    test_close_weights(&in.weights);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_refused_allocation_is_a_status_and_leaves_nothing),
        cmocka_unit_test(workspace_over_the_limit_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_fault", tests);
}
