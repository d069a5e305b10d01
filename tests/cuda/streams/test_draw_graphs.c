/* Draws that trust their operands wait for nothing, allocate nothing and can be captured in a graph; what is replayed
 * draws from the weights, rows and uniforms that the arrays then hold. */
#include "alias_support.h"
#include "count_waits.h"

#include "matrices_for_tests.h"

enum { ROWS = 2000, LONG_ROW = 60000, TOPICS = 40, WORDS = 64, WAYS = 6 };
static const spg_random numbers = {3, 1, 4};

typedef struct draw_operands {
    cudaStream_t stream;
    spg_context *context;
    test_weights weights;
    spg_alias *alias;
    spg_forest *forest;
    spg_lda lda;
    int32_t *rows;
    double *uniforms;
    int32_t *draws;
} draw_operands;

static int32_t rows[ROWS], words[WORDS], zeros[ROWS];
static double uniforms[ROWS], shares[2 * WORDS * TOPICS];
static int64_t offsets[] = {0, WORDS};

static void renew(uint64_t seed)
{
    for (int i = 0; i < ROWS; ++i) {
        rows[i] = (int32_t)(test_random(&seed) % (ROWS + 1)) - 1;
        uniforms[i] = (double)(test_random(&seed) >> 11) * 0x1p-53;
    }
    for (int k = 0; k < 2 * WORDS * TOPICS; ++k) shares[k] = (double)(1 + test_random(&seed) % 9);
}

static void send_all(draw_operands *o)
{
    test_send(rows, sizeof rows, o->rows);
    test_send(uniforms, sizeof uniforms, o->uniforms);
    test_send(shares, sizeof shares, (void *)(uintptr_t)o->lda.theta);
}

static void open_draws(draw_operands *o)
{
    static int64_t lengths[ROWS];
    for (int i = 0; i < ROWS; ++i) lengths[i] = i == 700 || i == 701 ? LONG_ROW : i % 40;
    for (int w = 0; w < WORDS; ++w) words[w] = w;
    renew(1);
    assert_int_equal(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = o->stream;
    o->context = test_context_of(&config);
    const spg_draw_options options = {.empty_rows = 1};
    assert_int_equal(spg_context_set_draw_options(o->context, &options), SPG_OK);
    test_open_weights(lengths, ROWS, TEST_EVEN, SPG_F64, true, &o->weights);
    o->alias = test_build_alias(o->context, &o->weights.here, SPG_ALIAS_AUTO, SPG_ALIAS_EXACT);
    o->forest = test_open_forest(o->context, &o->weights.here, SPG_FOREST_RADIX, 0);
    o->rows = test_lend(rows, sizeof rows);
    o->uniforms = test_lend(uniforms, sizeof uniforms);
    o->draws = test_lend(zeros, sizeof zeros);
    const double *theta = test_lend(shares, sizeof shares);
    o->lda = (spg_lda){1,
                       WORDS,
                       WORDS,
                       TOPICS,
                       SPG_F64,
                       theta,
                       theta + TOPICS,
                       test_lend(offsets, sizeof offsets),
                       test_lend(words, sizeof words)};
}

static void close_draws(draw_operands *o)
{
    test_give_back((void *)(uintptr_t)o->lda.theta, sizeof shares);
    test_give_back((void *)(uintptr_t)o->lda.word_offsets, sizeof offsets);
    test_give_back((void *)(uintptr_t)o->lda.words, sizeof words);
    test_give_back(o->rows, sizeof rows);
    test_give_back(o->uniforms, sizeof uniforms);
    test_give_back(o->draws, sizeof zeros);
    spg_alias_destroy(o->alias);
    spg_forest_destroy(o->forest);
    spg_context_destroy(o->context);
    test_close_weights(&o->weights);
    assert_int_equal(cudaStreamDestroy(o->stream), cudaSuccess);
}

static void trust(draw_operands *o, int trusted)
{
    const spg_draw_options options = {.empty_rows = 1, .trusted = trusted};
    assert_int_equal(spg_context_set_draw_options(o->context, &options), SPG_OK);
}

static spg_status draw(draw_operands *o, int way)
{
    switch (way) {
    case 0: return spg_butterfly_draw(o->context, &o->weights.here, SPG_BUTTERFLY_AUTO, &numbers, NULL, o->draws);
    case 1: return spg_butterfly_draw(o->context, &o->weights.here, SPG_BUTTERFLY_AUTO, NULL, o->uniforms, o->draws);
    case 2: return spg_lda_draw(o->context, &o->lda, SPG_BUTTERFLY_AUTO, &numbers, o->draws);
    case 3: return spg_alias_draw_rows(o->context, o->alias, ROWS, o->rows, &numbers, o->draws);
    case 4: return spg_forest_draw(o->context, o->forest, ROWS, o->rows, &numbers, NULL, o->draws, NULL);
    default: return spg_forest_draw(o->context, o->forest, ROWS, o->rows, NULL, o->uniforms, o->draws, NULL);
    }
}

static void fetch_draws(const draw_operands *o, int32_t *draws)
{
    assert_int_equal(cudaStreamSynchronize(o->stream), cudaSuccess);
    test_fetch(o->draws, sizeof zeros, draws);
}

static void a_captured_draw_is_replayed_from_new_contents(void **state)
{
    static int32_t expected[ROWS], found[ROWS];
    (void)state;
    for (int way = 0; way < WAYS; ++way) {
        draw_operands o;
        cudaGraph_t graph;
        cudaGraphExec_t replay;
        open_draws(&o);
        trust(&o, 1);
        int64_t held, held_after;
        spg_context_memory(o.context, &held, NULL);
        waits = 0;
        assert_int_equal(cudaStreamBeginCapture(o.stream, cudaStreamCaptureModeGlobal), cudaSuccess);
        const spg_status status = draw(&o, way);
        assert_int_equal(cudaStreamEndCapture(o.stream, &graph), cudaSuccess);
        assert_int_equal(status, SPG_OK);
        assert_int_equal(waits, 0);
        spg_context_memory(o.context, &held_after, NULL);
        assert_int_equal(held_after, held);
        assert_int_equal(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
        for (uint64_t seed = 2; seed < 4; ++seed) {
            renew(seed);
            send_all(&o);
            trust(&o, 0);
            assert_int_equal(draw(&o, way), SPG_OK);
            fetch_draws(&o, expected);
            test_send(zeros, sizeof zeros, o.draws);
            assert_int_equal(cudaGraphLaunch(replay, o.stream), cudaSuccess);
            fetch_draws(&o, found);
            assert_memory_equal(found, expected, sizeof found);
        }
        cudaGraphExecDestroy(replay);
        cudaGraphDestroy(graph);
        close_draws(&o);
    }
}

static void trusting_draws_wait_for_nothing(void **state)
{
    (void)state;
    draw_operands o;
    open_draws(&o);
    trust(&o, 1);
    waits = 0;
    for (int way = 0; way < WAYS; ++way) assert_int_equal(draw(&o, way), SPG_OK);
    assert_int_equal(waits, 0);
    trust(&o, 0);
    for (int way = 0; way < WAYS; ++way) {
        waits = 0;
        assert_int_equal(draw(&o, way), SPG_OK);
        assert_int_not_equal(waits, 0);
    }
    close_draws(&o);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_captured_draw_is_replayed_from_new_contents),
        cmocka_unit_test(trusting_draws_wait_for_nothing),
    };
    return TEST_RUN_HERE(2, arguments, "draws in graphs", tests);
}
