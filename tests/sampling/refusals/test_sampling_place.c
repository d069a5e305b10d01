/* Arrays on the host, given to a context on a device: each is refused by its name. They would crash otherwise. */
#include "sampling_support.h"

#include <stdio.h>
#include <string.h>

enum { COUNT = 8 };

/* At the place, and on the host. */
typedef struct arrays {
    spg_context *context;
    test_weights weights;
    uint64_t *here, *there;
} arrays;

static const int64_t lengths[] = {5, 7, 3};
enum { ROWS = 3 };
static const spg_random numbers = {1, 2, 3};

static void open_arrays(arrays *a)
{
    static uint64_t on_host[COUNT];
    memset(on_host, 0, sizeof on_host);
    a->context = test_context_at_place(1);
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &a->weights);
    a->here = test_take(a->context, on_host, sizeof on_host);
    a->there = on_host;
}

static void close_arrays(arrays *a)
{
    uint64_t back[COUNT];
    test_bring(a->context, a->here, sizeof back, back);
    test_close_weights(&a->weights);
    spg_context_destroy(a->context);
}

static void assert_refused(const arrays *a, spg_status status, const char *name)
{
    assert_int_equal(status, SPG_ERROR_PLACE);
    if (strstr(spg_context_message(a->context), name) == NULL)
        fail_msg("\"%s\" does not name %s", spg_context_message(a->context), name);
}

static void numbers_and_draws_of_rows(void **state)
{
    arrays a;
    (void)state;
    open_arrays(&a);
    const spg_csr *rows = &a.weights.here;
    int32_t *draws = (int32_t *)a.here, *wrong = (int32_t *)a.there;
    assert_refused(&a, spg_random_bits(a.context, &numbers, COUNT, a.there), "bits");
    assert_refused(&a, spg_random_uniforms(a.context, &numbers, COUNT, SPG_F64, a.there), "uniforms");
    assert_refused(&a, spg_butterfly_draw(a.context, rows, SPG_BUTTERFLY_AUTO, &numbers, NULL, wrong), "draws");
    assert_refused(&a, spg_butterfly_draw(a.context, rows, SPG_BUTTERFLY_AUTO, NULL, a.there, draws), "uniforms");
    spg_csr broken = *rows;
    broken.values = a.weights.host.values;
    assert_refused(&a, spg_butterfly_draw(a.context, &broken, SPG_BUTTERFLY_AUTO, &numbers, NULL, draws), "weights");
    close_arrays(&a);
}

static void topics_of_words(void **state)
{
    arrays a;
    (void)state;
    open_arrays(&a);
    const spg_lda sound = {1, 1, 2, 2, SPG_F64, a.here, a.here, (int64_t *)a.here, (int32_t *)a.here};
    int32_t *topics = (int32_t *)a.here;
    spg_lda wrong[4] = {sound, sound, sound, sound};
    static const char *const names[] = {"theta", "phi", "word_offsets", "words"};
    wrong[0].theta = a.there;
    wrong[1].phi = a.there;
    wrong[2].word_offsets = (int64_t *)a.there;
    wrong[3].words = (int32_t *)a.there;
    for (int k = 0; k < 4; ++k)
        assert_refused(&a, spg_lda_draw(a.context, &wrong[k], SPG_BUTTERFLY_AUTO, &numbers, topics), names[k]);
    assert_refused(&a, spg_lda_draw(a.context, &sound, SPG_BUTTERFLY_AUTO, &numbers, (int32_t *)a.there), "topics");
    close_arrays(&a);
}

static void draws_from_alias_tables(void **state)
{
    arrays a;
    spg_alias *alias = NULL;
    (void)state;
    open_arrays(&a);
    int32_t *here = (int32_t *)a.here, *there = (int32_t *)a.there;
    spg_csr broken = a.weights.here;
    broken.values = a.weights.host.values;
    assert_refused(&a, spg_alias_build(a.context, &broken, NULL, &alias), "weights");
    broken.columns = NULL;
    assert_refused(&a, spg_alias_build(a.context, &broken, NULL, &alias), "weights: values");
    assert_int_equal(spg_alias_build(a.context, &a.weights.here, NULL, &alias), SPG_OK);
    assert_refused(&a, spg_alias_draw(a.context, alias, 0, COUNT, &numbers, NULL, there), "draws");
    assert_refused(&a, spg_alias_draw_rows(a.context, alias, COUNT, there, &numbers, here), "rows");
    assert_refused(&a, spg_alias_draw_rows(a.context, alias, ROWS, NULL, &numbers, there), "draws");
    spg_alias_destroy(alias);
    close_arrays(&a);
}

static void draws_by_inversion(void **state)
{
    arrays a;
    spg_forest *forest = NULL;
    (void)state;
    open_arrays(&a);
    int32_t *here = (int32_t *)a.here, *there = (int32_t *)a.there;
    double *u = (double *)a.here, *wrong = (double *)a.there;
    spg_csr broken = a.weights.here;
    broken.columns = a.weights.host.columns;
    assert_refused(&a, spg_forest_build(a.context, &broken, NULL, &forest), "weights");
    assert_int_equal(spg_forest_build(a.context, &a.weights.here, NULL, &forest), SPG_OK);
    assert_refused(&a, spg_forest_draw(a.context, forest, COUNT, there, NULL, u, here, NULL), "rows");
    assert_refused(&a, spg_forest_draw(a.context, forest, COUNT, NULL, NULL, wrong, here, NULL), "uniforms");
    assert_refused(&a, spg_forest_draw(a.context, forest, COUNT, NULL, NULL, u, there, NULL), "draws");
    assert_refused(&a,
                   spg_forest_draw(a.context, forest, COUNT, NULL, NULL, u, here, &(spg_forest_details){wrong, NULL}),
                   "probabilities");
    assert_refused(&a,
                   spg_forest_draw(a.context, forest, COUNT, NULL, NULL, u, here, &(spg_forest_details){NULL, wrong}),
                   "remapped");
    assert_refused(&a, spg_forest_draw_stratified(a.context, forest, 0, COUNT, &numbers, there, NULL), "draws");
    assert_refused(&a, spg_forest_loads(a.context, forest, COUNT, there, u, here), "rows");
    assert_refused(&a, spg_forest_loads(a.context, forest, COUNT, NULL, wrong, here), "uniforms");
    assert_refused(&a, spg_forest_loads(a.context, forest, COUNT, NULL, u, there), "loads");
    spg_forest_destroy(forest);
    close_arrays(&a);
}

int main(int argc, char **argv)
{
    if (!test_asks_for_device(argc, argv)) {
        puts("for a device alone");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_draws_of_rows),
        cmocka_unit_test(topics_of_words),
        cmocka_unit_test(draws_from_alias_tables),
        cmocka_unit_test(draws_by_inversion),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_place", tests);
}
