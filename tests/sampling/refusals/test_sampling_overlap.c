/* Arrays that a call writes lie apart from those that it reads and from each other. If not, the call is refused and
 * writes nothing. spg_forest_draw alone works in place. */
#include "matrices_for_tests.h"
#include "sampling_support.h"

#include <string.h>

enum { ROWS = 4, ITEMS = 10, STEPS = 3, TOPICS = 2 };

/* One stretch of memory with a room for each array, in the middle of it. */
enum { ROOM = 1024, MIDDLE = 512 };
typedef enum array_name {
    OFFSETS,
    COLUMNS,
    VALUES,
    FLOATS,
    UNIFORMS,
    FLOAT_UNIFORMS,
    TRIALS,
    NODES,
    THETA,
    PHI,
    WORD_OFFSETS,
    WORDS,
    ITEMS_DRAWN,
    MORE_ITEMS,
    COUNTED,
    PROBABILITIES,
    REMAPPED,
    ARRAYS
} array_name;

static const int32_t offsets[ROWS + 1] = {0, 3, 4, 7, ITEMS}, columns[ITEMS] = {0, 1, 2, 3, 1, 2, 3, 0, 2, 3},
                                    nodes[ROWS] = {3, 0, 2, 1}, words[ROWS] = {1, 0, 0, 1};
static const double values[ITEMS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, uniforms[ROWS] = {0.125, 0.75, 0.25, 0.5},
                    theta[2 * TOPICS] = {1, 2, 3, 4}, phi[2 * TOPICS] = {4, 3, 2, 1};
static const float floats[ITEMS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, float_uniforms[ROWS] = {0.125F, 0.75F, 0.25F, 0.5F};
static const int64_t trials[ROWS] = {5, 0, 7, 1}, word_offsets[] = {0, 1, ROWS};
static const spg_random numbers = {1, 2, 3};

/* What an array holds before a call; NULL: zeros. */
static const struct {
    const void *contents;
    size_t bytes;
} arrays[ARRAYS] = {[OFFSETS] = {offsets, sizeof offsets},
                    [COLUMNS] = {columns, sizeof columns},
                    [VALUES] = {values, sizeof values},
                    [FLOATS] = {floats, sizeof floats},
                    [UNIFORMS] = {uniforms, sizeof uniforms},
                    [FLOAT_UNIFORMS] = {float_uniforms, sizeof float_uniforms},
                    [TRIALS] = {trials, sizeof trials},
                    [NODES] = {nodes, sizeof nodes},
                    [THETA] = {theta, sizeof theta},
                    [PHI] = {phi, sizeof phi},
                    [WORD_OFFSETS] = {word_offsets, sizeof word_offsets},
                    [WORDS] = {words, sizeof words},
                    [ITEMS_DRAWN] = {NULL, ROWS * sizeof(int32_t)},
                    [MORE_ITEMS] = {NULL, ROWS *(STEPS + 1) * sizeof(int32_t)},
                    [COUNTED] = {NULL, ITEMS * sizeof(int64_t)},
                    [PROBABILITIES] = {NULL, ROWS * sizeof(double)},
                    [REMAPPED] = {NULL, ROWS * sizeof(double)}};

typedef struct fixture {
    spg_context *context;
    char start[ARRAYS * ROOM]; /* the stretch before a call */
    char *here;
    void *at[ARRAYS];
    spg_alias *alias;
    spg_forest *forest;
} fixture;

static spg_csr weights_of(const fixture *f, spg_type type)
{
    return (spg_csr){.rows = ROWS,
                     .cols = ROWS,
                     .nnz = ITEMS,
                     .offset_type = SPG_I32,
                     .value_type = type,
                     .place = test_place(),
                     .row_offsets = f->at[OFFSETS],
                     .columns = f->at[COLUMNS],
                     .values = f->at[type == SPG_F32 ? FLOATS : VALUES]};
}

static int set_up(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.context = test_context_at_place(2);
    for (int k = 0; k < ARRAYS; ++k)
        if (arrays[k].contents != NULL) memcpy(f.start + k * ROOM + MIDDLE, arrays[k].contents, arrays[k].bytes);
    f.here = test_take(f.context, f.start, sizeof f.start);
    for (int k = 0; k < ARRAYS; ++k) f.at[k] = f.here + k * ROOM + MIDDLE;
    const spg_csr weights = weights_of(&f, SPG_F64);
    assert_int_equal(spg_alias_build(f.context, &weights, NULL, &f.alias), SPG_OK);
    f.forest = test_open_forest(f.context, &weights, SPG_FOREST_AUTO, 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    spg_forest_destroy(f->forest);
    spg_alias_destroy(f->alias);
    test_bring(f->context, f->here, sizeof f->start, f->start);
    spg_context_destroy(f->context);
    return 0;
}

static spg_status draw_rows(const fixture *f, spg_type type, spg_butterfly_method method)
{
    const spg_csr weights = weights_of(f, type);
    return spg_butterfly_draw(f->context, &weights, method, NULL, f->at[type == SPG_F32 ? FLOAT_UNIFORMS : UNIFORMS],
                              f->at[ITEMS_DRAWN]);
}

static spg_status draw_rows_f64(const fixture *f) { return draw_rows(f, SPG_F64, SPG_BUTTERFLY_PLAIN); }
static spg_status draw_rows_f32(const fixture *f) { return draw_rows(f, SPG_F32, SPG_BUTTERFLY_AUTO); }

static spg_lda corpus_of(const fixture *f)
{
    return (spg_lda){.documents = 2,
                     .vocabulary = 2,
                     .words_total = ROWS,
                     .topics = TOPICS,
                     .type = SPG_F64,
                     .theta = f->at[THETA],
                     .phi = f->at[PHI],
                     .word_offsets = f->at[WORD_OFFSETS],
                     .words = f->at[WORDS]};
}

static spg_status draw_topics(const fixture *f)
{
    const spg_lda lda = corpus_of(f);
    return spg_lda_draw(f->context, &lda, SPG_BUTTERFLY_AUTO, &numbers, f->at[ITEMS_DRAWN]);
}

/* Of one item of each row, which all have. */
static spg_status draw_subsets(const fixture *f)
{
    const spg_csr weights = weights_of(f, SPG_F64);
    return spg_subset_draw(f->context, &weights, 1, &numbers, f->at[ITEMS_DRAWN]);
}

static spg_status count_draws(const fixture *f)
{
    const spg_csr weights = weights_of(f, SPG_F64);
    return spg_multinomial_draw(f->context, &weights, 0, f->at[TRIALS], &numbers, f->at[COUNTED]);
}

static spg_status draw_from_alias(const fixture *f)
{
    return spg_alias_draw_rows(f->context, f->alias, ROWS, f->at[NODES], &numbers, f->at[ITEMS_DRAWN]);
}

static spg_status walk(const fixture *f)
{
    return spg_alias_walk(f->context, f->alias, ROWS, f->at[NODES], STEPS, &numbers, NULL, f->at[MORE_ITEMS]);
}

static spg_status walk_no_step(const fixture *f)
{
    return spg_alias_walk(f->context, f->alias, ROWS, f->at[NODES], 0, &numbers, NULL, f->at[ITEMS_DRAWN]);
}

static spg_status draw_from_forest(const fixture *f)
{
    const spg_forest_details details = {f->at[PROBABILITIES], f->at[REMAPPED]};
    return spg_forest_draw(f->context, f->forest, ROWS, f->at[NODES], NULL, f->at[UNIFORMS], f->at[ITEMS_DRAWN],
                           &details);
}

static spg_status draw_strata(const fixture *f)
{
    const spg_forest_details details = {f->at[PROBABILITIES], f->at[REMAPPED]};
    return spg_forest_draw_stratified(f->context, f->forest, 0, ROWS, &numbers, f->at[ITEMS_DRAWN], &details);
}

static spg_status count_loads(const fixture *f)
{
    return spg_forest_loads(f->context, f->forest, ROWS, f->at[NODES], f->at[UNIFORMS], f->at[ITEMS_DRAWN]);
}

/* A call, an array that it writes and another that it must not overlap, and what the message says. */
typedef struct pair {
    spg_status (*call)(const fixture *f);
    array_name written, other;
    const char *message;
    bool in_place; /* it may begin where the other does */
} pair;

static const pair pairs[] = {
    {draw_rows_f64, ITEMS_DRAWN, OFFSETS, "draws and the row_offsets of weights overlap", false},
    {draw_rows_f64, ITEMS_DRAWN, COLUMNS, "draws and the columns of weights overlap", false},
    {draw_rows_f64, ITEMS_DRAWN, VALUES, "draws and the values of weights overlap", false},
    {draw_rows_f64, ITEMS_DRAWN, UNIFORMS, "draws and uniforms overlap", false},
    {draw_rows_f32, ITEMS_DRAWN, FLOATS, "draws and the values of weights overlap", false},
    {draw_rows_f32, ITEMS_DRAWN, FLOAT_UNIFORMS, "draws and uniforms overlap", false},
    {draw_topics, ITEMS_DRAWN, THETA, "topics and the theta of lda overlap", false},
    {draw_topics, ITEMS_DRAWN, PHI, "topics and the phi of lda overlap", false},
    {draw_topics, ITEMS_DRAWN, WORD_OFFSETS, "topics and the word_offsets of lda overlap", false},
    {draw_topics, ITEMS_DRAWN, WORDS, "topics and the words of lda overlap", false},
    {draw_subsets, ITEMS_DRAWN, OFFSETS, "draws and the row_offsets of weights overlap", false},
    {draw_subsets, ITEMS_DRAWN, COLUMNS, "draws and the columns of weights overlap", false},
    {draw_subsets, ITEMS_DRAWN, VALUES, "draws and the values of weights overlap", false},
    {count_draws, COUNTED, OFFSETS, "counts and the row_offsets of weights overlap", false},
    {count_draws, COUNTED, COLUMNS, "counts and the columns of weights overlap", false},
    {count_draws, COUNTED, VALUES, "counts and the values of weights overlap", false},
    {count_draws, COUNTED, TRIALS, "counts and trials overlap", false},
    {draw_from_alias, ITEMS_DRAWN, NODES, "draws and rows overlap", false},
    {walk, MORE_ITEMS, NODES, "walks and starts overlap", false},
    {walk_no_step, ITEMS_DRAWN, NODES, "walks and starts overlap", false},
    {draw_from_forest, ITEMS_DRAWN, NODES, "draws and rows overlap", true},
    {draw_from_forest, ITEMS_DRAWN, UNIFORMS, "draws and uniforms overlap", false},
    {draw_from_forest, PROBABILITIES, NODES, "probabilities and rows overlap", false},
    {draw_from_forest, PROBABILITIES, UNIFORMS, "probabilities and uniforms overlap", false},
    {draw_from_forest, REMAPPED, NODES, "remapped and rows overlap", false},
    {draw_from_forest, REMAPPED, UNIFORMS, "remapped and uniforms overlap", true},
    {draw_from_forest, ITEMS_DRAWN, PROBABILITIES, "draws and probabilities overlap", false},
    {draw_from_forest, ITEMS_DRAWN, REMAPPED, "draws and remapped overlap", false},
    {draw_from_forest, PROBABILITIES, REMAPPED, "probabilities and remapped overlap", false},
    {draw_strata, ITEMS_DRAWN, PROBABILITIES, "draws and probabilities overlap", false},
    {draw_strata, ITEMS_DRAWN, REMAPPED, "draws and remapped overlap", false},
    {draw_strata, PROBABILITIES, REMAPPED, "probabilities and remapped overlap", false},
    {count_loads, ITEMS_DRAWN, NODES, "loads and rows overlap", false},
    {count_loads, ITEMS_DRAWN, UNIFORMS, "loads and uniforms overlap", false},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* Every array begins at a multiple of this. */
enum { STEP = 8 };
static ptrdiff_t in_steps(size_t bytes) { return (ptrdiff_t)((bytes + STEP - 1) / STEP * STEP); }

/* The call, writing so many bytes after the other array's begin. */
static spg_status call_at(fixture *f, const pair *of, ptrdiff_t distance)
{
    void *apart = f->at[of->written];
    f->at[of->written] = (char *)f->at[of->other] + distance;
    const spg_status status = of->call(f);
    f->at[of->written] = apart;
    return status;
}

static void assert_nothing_written(const fixture *f)
{
    char after[sizeof f->start];
    test_fetch(f->here, sizeof after, after);
    assert_memory_equal(after, f->start, sizeof after);
}

static void arrays_that_overlap_are_named_and_nothing_is_written(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < PAIRS; ++k) {
        const pair *of = &pairs[k];
        const ptrdiff_t last = in_steps(arrays[of->other].bytes) - STEP,
                        first = STEP - in_steps(arrays[of->written].bytes);
        const ptrdiff_t distances[] = {0, first, last};
        for (int d = of->in_place ? 1 : 0; d < 3; ++d)
            for (int trusted = 0; trusted < 2; ++trusted) {
                const spg_draw_options options = {.trusted = trusted};
                assert_int_equal(spg_context_set_draw_options(f->context, &options), SPG_OK);
                assert_int_equal(call_at(f, of, distances[d]), SPG_ERROR_ARGUMENT);
                test_assert_message(f->context, of->message);
                assert_nothing_written(f);
            }
    }
}

/* Such arrays reach over all that come after them. */
static void sizes_past_64_bits_do_not_wrap(void **state)
{
    fixture *f = *state;
    spg_csr weights = weights_of(f, SPG_F64);
    weights.rows = INT64_MAX;
    assert_int_equal(spg_butterfly_draw(f->context, &weights, SPG_BUTTERFLY_AUTO, &numbers, NULL, f->at[ITEMS_DRAWN]),
                     SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "draws and the row_offsets of weights overlap");
    spg_lda lda = corpus_of(f);
    lda.documents = INT64_MAX;
    lda.topics = INT32_MAX;
    assert_int_equal(spg_lda_draw(f->context, &lda, SPG_BUTTERFLY_AUTO, &numbers, f->at[ITEMS_DRAWN]),
                     SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "topics and the theta of lda overlap");
    lda.theta = f->at[REMAPPED];
    assert_int_equal(spg_lda_draw(f->context, &lda, SPG_BUTTERFLY_AUTO, &numbers, f->at[ITEMS_DRAWN]),
                     SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "topics and the phi of lda overlap");
    lda.phi = f->at[REMAPPED];
    assert_int_equal(spg_lda_draw(f->context, &lda, SPG_BUTTERFLY_AUTO, &numbers, f->at[ITEMS_DRAWN]),
                     SPG_ERROR_ARGUMENT);
    test_assert_message(f->context, "topics and the word_offsets of lda overlap");
    assert_nothing_written(f);
}

static void arrays_that_touch_are_apart(void **state)
{
    fixture *f = *state;
    for (int k = 0; k < PAIRS; ++k) {
        const ptrdiff_t distances[] = {in_steps(arrays[pairs[k].other].bytes),
                                       -in_steps(arrays[pairs[k].written].bytes)};
        for (int d = 0; d < 2; ++d) {
            if (call_at(f, &pairs[k], distances[d]) != SPG_OK)
                fail_msg("%s: %s", pairs[k].message, spg_context_message(f->context));
            test_send(f->start, sizeof f->start, f->here);
        }
    }
}

static void a_forest_draws_the_same_in_place(void **state)
{
    fixture *f = *state;
    const spg_csr weights = weights_of(f, SPG_F64);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        int32_t items[ROWS], items_in_place[ROWS];
        double remapped[ROWS], remapped_in_place[ROWS];
        spg_forest *forest = test_open_forest(f->context, &weights, (spg_forest_method)method, 0);
        const spg_forest_details apart = {NULL, f->at[REMAPPED]}, in_place = {NULL, f->at[UNIFORMS]};
        assert_int_equal(
            spg_forest_draw(f->context, forest, ROWS, f->at[NODES], NULL, f->at[UNIFORMS], f->at[ITEMS_DRAWN], &apart),
            SPG_OK);
        test_fetch(f->at[ITEMS_DRAWN], sizeof items, items);
        test_fetch(f->at[REMAPPED], sizeof remapped, remapped);
        assert_int_equal(
            spg_forest_draw(f->context, forest, ROWS, f->at[NODES], NULL, f->at[UNIFORMS], f->at[NODES], &in_place),
            SPG_OK);
        test_fetch(f->at[NODES], sizeof items, items_in_place);
        test_fetch(f->at[UNIFORMS], sizeof remapped, remapped_in_place);
        assert_memory_equal(items_in_place, items, sizeof items);
        assert_memory_equal(remapped_in_place, remapped, sizeof remapped);
        test_send(f->start, sizeof f->start, f->here);
        spg_forest_destroy(forest);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrays_that_overlap_are_named_and_nothing_is_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_past_64_bits_do_not_wrap, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays_that_touch_are_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_forest_draws_the_same_in_place, set_up, tear_down),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_overlap", tests);
}
