/* Draws of a context that trusts its operands are those of one that checks them, for every call and method. That they
 * do not wait: tests/cuda/streams/test_draw_graphs.c. */
#include "alias_support.h"

#include "matrices_for_tests.h"

enum { ROWS = 12, COUNT = 3000 };
static const int64_t lengths[ROWS] = {5, 0, 20000, 1, 140000, 40000, 33, 17000, 300, 0, 9, 100000};
static const spg_random numbers = {3, 1, 5};

/* Draws by one of the calls below, twice, and the second time trusting. */
typedef struct operands {
    test_weights weights;
    int32_t *rows;    /* COUNT of them */
    double *uniforms; /* COUNT of them, in [0, 1) */
    spg_lda lda;      /* COUNT words */
    void *lda_arrays[4];
} operands;

enum { DOCUMENTS = 30, VOCABULARY = 50, TOPICS = 43 };
static double shares[(DOCUMENTS + VOCABULARY) * TOPICS];
static int64_t offsets[DOCUMENTS + 1];
static int32_t words[COUNT], rows[COUNT];
static double uniforms[COUNT];

static void open_operands(operands *o, spg_type type)
{
    uint64_t state = 5;
    test_open_weights(lengths, ROWS, TEST_EVEN, type, false, &o->weights);
    for (int k = 0; k < (DOCUMENTS + VOCABULARY) * TOPICS; ++k) shares[k] = (double)(1 + test_random(&state) % 100);
    for (int m = 0; m <= DOCUMENTS; ++m) offsets[m] = COUNT * m / DOCUMENTS;
    for (int i = 0; i < COUNT; ++i) {
        words[i] = (int32_t)(test_random(&state) % VOCABULARY);
        rows[i] = (int32_t)(test_random(&state) % (ROWS + 1)) - 1;
        uniforms[i] = (double)(test_random(&state) >> 11) * 0x1p-53;
    }
    o->rows = test_lend(rows, sizeof rows);
    o->uniforms = test_lend(uniforms, sizeof uniforms);
    o->lda_arrays[0] = test_lend(shares, sizeof shares);
    o->lda_arrays[1] = test_lend(offsets, sizeof offsets);
    o->lda_arrays[2] = test_lend(words, sizeof words);
    double *theta = o->lda_arrays[0];
    o->lda = (spg_lda){
        DOCUMENTS,        VOCABULARY,      COUNT, TOPICS, SPG_F64, theta, theta + (ptrdiff_t)DOCUMENTS * TOPICS,
        o->lda_arrays[1], o->lda_arrays[2]};
}

static void close_operands(operands *o)
{
    test_give_back(o->rows, sizeof rows);
    test_give_back(o->uniforms, sizeof uniforms);
    test_give_back(o->lda_arrays[0], sizeof shares);
    test_give_back(o->lda_arrays[1], sizeof offsets);
    test_give_back(o->lda_arrays[2], sizeof words);
    test_close_weights(&o->weights);
}

enum { WAYS = 13 };

static spg_status draw(spg_context *context, const operands *o, const spg_alias *alias, const spg_forest *forest,
                       int way, int32_t *draws)
{
    const spg_butterfly_method method = (spg_butterfly_method)(way % 4);
    if (way < 4) return spg_butterfly_draw(context, &o->weights.here, method, &numbers, NULL, draws);
    if (way < 8) return spg_lda_draw(context, &o->lda, method, &numbers, draws);
    if (way == 8) return spg_alias_draw_rows(context, alias, COUNT, o->rows, &numbers, draws);
    if (way == 9) return spg_forest_draw(context, forest, COUNT, o->rows, &numbers, NULL, draws, NULL);
    if (way == 10) return spg_forest_draw(context, forest, COUNT, o->rows, NULL, o->uniforms, draws, NULL);
    if (way == 11) return spg_forest_loads(context, forest, COUNT, o->rows, o->uniforms, draws);
    spg_csr few = o->weights.here; /* their counts fit */
    few.rows = 2;
    few.nnz = 5;
    return spg_multinomial_draw(context, &few, COUNT, NULL, &numbers, (int64_t *)draws);
}

/* Each draw that trusts is the first of its context. */
static void trusting_changes_no_draw(void **state)
{
    static _Alignas(int64_t) int32_t found[2][COUNT];
    (void)state;
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
        operands o;
        open_operands(&o, type);
        spg_context *context = test_context_at_place(2);
        spg_draw_options options = {.empty_rows = 1};
        assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
        spg_alias *alias = test_build_alias(context, &o.weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
        spg_forest *forest = test_open_forest(context, &o.weights.here, SPG_FOREST_AUTO, 0);
        for (int way = 0; way < WAYS; ++way) {
            for (int trusted = 0; trusted < 2; ++trusted) {
                spg_context *fresh = test_context_at_place(2);
                options.trusted = trusted;
                assert_int_equal(spg_context_set_draw_options(fresh, &options), SPG_OK);
                memset(found[trusted], 0x33, sizeof found[trusted]);
                int32_t *here = test_take(fresh, found[trusted], sizeof found[trusted]);
                if (draw(fresh, &o, alias, forest, way, here) != SPG_OK)
                    fail_msg("way %d: %s", way, spg_context_message(fresh));
                test_bring(fresh, here, sizeof found[trusted], found[trusted]);
                spg_context_destroy(fresh);
            }
            assert_memory_equal(found[1], found[0], sizeof found[0]);
            assert_int_not_equal(found[1][0], 0x33333333);
        }
        spg_alias_destroy(alias);
        spg_forest_destroy(forest);
        spg_context_destroy(context);
        close_operands(&o);
    }
}

/* Draws of the words' topics stop where they find offsets at fault, which an earlier call has reported here. */
static void a_trusting_draw_does_not_read_the_faults_of_an_earlier_call(void **state)
{
    static int32_t found[2][COUNT];
    static int64_t wrong[DOCUMENTS + 1];
    operands o;
    (void)state;
    open_operands(&o, SPG_F64);
    memcpy(wrong, offsets, sizeof wrong);
    wrong[DOCUMENTS / 2] = COUNT + 1;
    int64_t *wrong_here = test_lend(wrong, sizeof wrong);
    spg_lda faulty = o.lda;
    faulty.word_offsets = wrong_here;
    for (spg_butterfly_method method = 0; method < 4; ++method) {
        spg_context *context = test_context_at_place(2);
        for (int trusted = 0; trusted < 2; ++trusted) {
            const spg_draw_options options = {.trusted = trusted};
            assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
            memset(found[trusted], 0x33, sizeof found[trusted]);
            int32_t *here = test_take(context, found[trusted], sizeof found[trusted]);
            assert_int_equal(spg_lda_draw(context, &o.lda, method, &numbers, here), SPG_OK);
            test_bring(context, here, sizeof found[trusted], found[trusted]);
            if (trusted) continue;
            here = test_take(context, found[1], sizeof found[1]);
            assert_int_equal(spg_lda_draw(context, &faulty, method, &numbers, here), SPG_ERROR_FORMAT);
            test_bring(context, here, sizeof found[1], found[1]);
        }
        assert_memory_equal(found[1], found[0], sizeof found[0]);
        spg_context_destroy(context);
    }
    test_give_back(wrong_here, sizeof wrong);
    close_operands(&o);
}

/* What a call of the host can look at without reading contents is looked at. */
static void arguments_are_checked_however_much_is_trusted(void **state)
{
    operands o;
    (void)state;
    open_operands(&o, SPG_F64);
    spg_context *context = test_context_at_place(1);
    const spg_draw_options options = {.empty_rows = 1, .trusted = 1};
    assert_int_equal(spg_context_set_draw_options(context, &options), SPG_OK);
    spg_alias *alias = test_build_alias(context, &o.weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_COMPACT);
    assert_int_equal(spg_alias_draw_rows(context, alias, COUNT, o.rows, &numbers, NULL), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_butterfly_draw(context, NULL, SPG_BUTTERFLY_AUTO, &numbers, NULL, o.rows), SPG_ERROR_ARGUMENT);
    const double wrong = -1; /* builds trust nothing */
    test_send(&wrong, sizeof wrong, o.weights.here.values);
    spg_alias *none = NULL;
    assert_int_equal(spg_alias_build(context, &o.weights.here, NULL, &none), SPG_ERROR_FORMAT);
    spg_forest *no_forest = NULL;
    assert_int_equal(spg_forest_build(context, &o.weights.here, NULL, &no_forest), SPG_ERROR_FORMAT);
    spg_alias_destroy(alias);
    spg_context_destroy(context);
    close_operands(&o);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusting_changes_no_draw),
        cmocka_unit_test(a_trusting_draw_does_not_read_the_faults_of_an_earlier_call),
        cmocka_unit_test(arguments_are_checked_however_much_is_trusted),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_trusted", tests);
}
