/* What a user of streams and graphs relies on: work is queued on the caller's stream, a product waits at most twice
 * (once more where rows of A are not what a sample of them promised, twice more where rows of B do not ascend), a
 * plan's run not at all, so that it can be captured and replayed with new values. */
#include "count_waits.h"
#include "products.h"

#include "spg/sampling.h"

#include <cuda_runtime_api.h>
#include <string.h>

typedef struct operands {
    cudaStream_t stream;
    spg_context *context;
    spg_csr A, B, here_A, here_B;
} operands;

/* A and B are made. */
static void send_operands(operands *o)
{
    assert_int_equal(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = o->stream;
    o->context = test_context_of(&config);
    test_to_place(o->context, &o->A, &o->here_A);
    test_to_place(o->context, &o->B, &o->here_B);
}

/* Rows of so many entries on average, so that products of every class of rows come up. */
static void open_operands(operands *o, int64_t rows, double a_mean, double b_mean, spg_type value_type)
{
    test_random_csr(test_host(), rows, rows, a_mean, SPG_I32, value_type, 3, TEST_INTEGER, &o->A);
    test_random_csr(test_host(), rows, rows, b_mean, SPG_I32, value_type, 4, TEST_INTEGER, &o->B);
    send_operands(o);
}

static void close_operands(operands *o)
{
    spg_csr_free(o->context, &o->here_A);
    spg_csr_free(o->context, &o->here_B);
    spg_csr_free(test_host(), &o->A);
    spg_csr_free(test_host(), &o->B);
    spg_context_destroy(o->context);
    assert_int_equal(cudaStreamDestroy(o->stream), cudaSuccess);
}

static const struct {
    int64_t rows;
    double a_mean, b_mean;
} shapes[] = {{3000, 4, 3}, {2000, 12, 9}, {1500, 30, 30}, {900, 200, 150}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* New values in both operands, on the host and, by a copy on their stream, on the device. */
static void renew_values(operands *o, uint64_t seed)
{
    size_t size = spg_type_size(o->A.value_type);
    test_random_values(seed, TEST_INTEGER, o->A.value_type, o->A.nnz, o->A.values);
    test_random_values(seed + 1, TEST_INTEGER, o->B.value_type, o->B.nnz, o->B.values);
    assert_int_equal(
        cudaMemcpyAsync(o->here_A.values, o->A.values, size * (size_t)o->A.nnz, cudaMemcpyHostToDevice, o->stream),
        cudaSuccess);
    assert_int_equal(
        cudaMemcpyAsync(o->here_B.values, o->B.values, size * (size_t)o->B.nnz, cudaMemcpyHostToDevice, o->stream),
        cudaSuccess);
}

static void assert_product(operands *o, const spg_csr *here_C, const char *where)
{
    spg_csr expected, C;
    test_reference_product(&o->A, &o->B, &expected);
    test_to_host(o->context, here_C, &C);
    test_assert_same_product(&C, &expected, where);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &C);
}

static int waits_of_a_product(operands *o, const char *what)
{
    spg_csr C;
    waits = 0;
    assert_int_equal(spgemm_csr(o->context, &o->here_A, &o->here_B, &C), SPG_OK);
    const int waited = waits;
    assert_product(o, &C, what);
    spg_csr_free(o->context, &C);
    return waited;
}

static void a_product_waits_at_most_twice(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; ++s) {
        operands o;
        open_operands(&o, shapes[s].rows, shapes[s].a_mean, shapes[s].b_mean, SPG_F64);
        assert_in_range(waits_of_a_product(&o, "a product"), 1, 2);
        close_operands(&o);
    }
}

/* Rows of 20 entries, but for one of 600 that no sample of every sixth row or fewer has. */
static void a_row_that_no_sample_has_costs_a_wait_at_most(void **state)
{
    enum { ROWS = 6000 };
    test_pattern a = {0};
    uint64_t random = 5;
    operands o;
    (void)state;
    for (int64_t i = 0; i < ROWS; ++i) {
        test_add_random(&a, &random, i == 5 ? 600 : 20, 0, ROWS, true);
        test_end_row(&a);
    }
    test_matrix_of(&a, ROWS, SPG_I32, SPG_F64, 6, TEST_INTEGER, &o.A);
    test_free_pattern(&a);
    test_random_csr(test_host(), ROWS, ROWS, 6, SPG_I32, SPG_F64, 7, TEST_INTEGER, &o.B);
    send_operands(&o);
    assert_in_range(waits_of_a_product(&o, "a row that no sample has"), 1, 3);
    close_operands(&o);
}

/* The last shape has rows of class global, which are done in slices. */
static void rows_of_b_that_do_not_ascend_cost_two_waits_at_most(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES - 1; ++s) {
        const int64_t rows = shapes[s].rows;
        operands o;
        test_random_csr(test_host(), rows, rows, shapes[s].a_mean, SPG_I32, SPG_F64, 8, TEST_INTEGER, &o.A);
        test_random_csr(test_host(), rows, rows, shapes[s].b_mean, SPG_I32, SPG_F64, 9, TEST_INTEGER | TEST_UNSORTED,
                        &o.B);
        send_operands(&o);
        assert_in_range(waits_of_a_product(&o, "rows of B that do not ascend"), 1, 4);
        close_operands(&o);
    }
}

static void draws_from_tables_wait_for_nothing(void **state)
{
    enum { COUNT = 50000 };
    const spg_random random = {1, 2, 3};
    const spg_alias_draw_options grouped = {SPG_SAMPLER_AUTO, 1};
    spg_context *context = test_context_at_place(1);
    test_pattern pattern = {0};
    spg_csr weights, here;
    spg_alias *alias = NULL;
    spg_forest *forest = NULL;
    (void)state;
    for (int64_t k = 0; k < COUNT; ++k) test_add(&pattern, k);
    test_end_row(&pattern);
    test_matrix_of(&pattern, COUNT, SPG_I64, SPG_F64, 1, 0, &weights);
    test_free_pattern(&pattern);
    for (int64_t k = 0; k < COUNT; ++k) ((double *)weights.values)[k] += 1;
    test_to_place(context, &weights, &here);
    assert_int_equal(spg_alias_build(context, &here, NULL, &alias), SPG_OK);
    assert_int_equal(spg_forest_build(context, &here, NULL, &forest), SPG_OK);
    void *room = test_lend(weights.values, COUNT * sizeof(uint64_t));
    waits = 0;
    assert_int_equal(spg_random_bits(context, &random, COUNT, room), SPG_OK);
    assert_int_equal(spg_alias_draw(context, alias, 0, COUNT, &random, NULL, room), SPG_OK);
    assert_int_equal(spg_alias_draw(context, alias, 0, COUNT, &random, &grouped, room), SPG_OK);
    assert_int_equal(spg_forest_draw(context, forest, COUNT, NULL, &random, NULL, room, NULL, NULL), SPG_OK);
    assert_int_equal(spg_forest_draw_stratified(context, forest, 0, COUNT, &random, room, NULL, NULL), SPG_OK);
    assert_int_equal(waits, 0);
    spg_alias_destroy(alias);
    spg_forest_destroy(forest);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    test_give_back(room, COUNT * sizeof(uint64_t));
    spg_csr_free(test_host(), &weights);
}

static void work_follows_what_was_queued_on_the_stream_before(void **state)
{
    (void)state;
    operands o;
    open_operands(&o, 200000, 5, 3, SPG_F64);
    spg_csr C;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        renew_values(&o, seed);
        assert_int_equal(spgemm_csr(o.context, &o.here_A, &o.here_B, &C), SPG_OK);
        assert_product(&o, &C, "after a copy on its stream");
        spg_csr_free(o.context, &C);
    }
    close_operands(&o);
}

static void a_captured_plan_is_replayed_with_new_values(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; ++s)
        for (int v = 0; v < TEST_VALUE_TYPES; ++v) {
            operands o;
            open_operands(&o, shapes[s].rows, shapes[s].a_mean, shapes[s].b_mean, test_value_types[v]);
            spgemm_plan *plan;
            spg_csr C = {0};
            assert_int_equal(spgemm_plan_create(o.context, &o.here_A, &o.here_B, &plan), SPG_OK);
            assert_int_equal(spgemm_plan_run(plan, &o.here_A, &o.here_B, &C), SPG_OK);
            cudaGraph_t graph;
            cudaGraphExec_t replay;
            waits = 0;
            assert_int_equal(cudaStreamBeginCapture(o.stream, cudaStreamCaptureModeGlobal), cudaSuccess);
            spg_status status = spgemm_plan_run(plan, &o.here_A, &o.here_B, &C);
            assert_int_equal(cudaStreamEndCapture(o.stream, &graph), cudaSuccess);
            assert_int_equal(status, SPG_OK);
            assert_int_equal(waits, 0);
            assert_int_equal(cudaGraphInstantiate(&replay, graph, 0), cudaSuccess);
            for (uint64_t seed = 10; seed < 13; ++seed) {
                renew_values(&o, seed);
                assert_int_equal(cudaGraphLaunch(replay, o.stream), cudaSuccess);
                assert_int_equal(cudaStreamSynchronize(o.stream), cudaSuccess);
                assert_product(&o, &C, "a replayed plan");
            }
            cudaGraphExecDestroy(replay);
            cudaGraphDestroy(graph);
            spg_csr_free(o.context, &C);
            spgemm_plan_destroy(plan);
            close_operands(&o);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_waits_at_most_twice),
        cmocka_unit_test(a_row_that_no_sample_has_costs_a_wait_at_most),
        cmocka_unit_test(rows_of_b_that_do_not_ascend_cost_two_waits_at_most),
        cmocka_unit_test(draws_from_tables_wait_for_nothing),
        cmocka_unit_test(work_follows_what_was_queued_on_the_stream_before),
        cmocka_unit_test(a_captured_plan_is_replayed_with_new_values),
    };
    return TEST_RUN_HERE(2, arguments, "streams and graphs", tests);
}
