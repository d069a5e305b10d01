/* What a user of streams and graphs relies on: work is queued on the caller's stream, a product waits at most twice, a
 * plan's run not at all, so that it can be captured and replayed with new values. */
#include "count_waits.h"
#include "products.h"

#include <cuda_runtime_api.h>
#include <string.h>

typedef struct operands {
    cudaStream_t stream;
    spg_context *context;
    spg_csr A, B, here_A, here_B;
} operands;

/* Rows of so many entries on average, so that products of every class of rows come up. */
static void open_operands(operands *o, int64_t rows, double a_mean, double b_mean, spg_type value_type)
{
    assert_int_equal(cudaStreamCreateWithFlags(&o->stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    config.stream = o->stream;
    o->context = test_context_of(&config);
    test_random_csr(test_host(), rows, rows, a_mean, SPG_I32, value_type, 3, TEST_INTEGER, &o->A);
    test_random_csr(test_host(), rows, rows, b_mean, SPG_I32, value_type, 4, TEST_INTEGER, &o->B);
    test_to_place(o->context, &o->A, &o->here_A);
    test_to_place(o->context, &o->B, &o->here_B);
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

static void a_product_waits_at_most_twice(void **state)
{
    (void)state;
    for (int s = 0; s < SHAPES; ++s) {
        operands o;
        open_operands(&o, shapes[s].rows, shapes[s].a_mean, shapes[s].b_mean, SPG_F64);
        spg_csr C;
        waits = 0;
        assert_int_equal(spgemm_csr(o.context, &o.here_A, &o.here_B, &C), SPG_OK);
        assert_in_range(waits, 1, 2);
        assert_product(&o, &C, "a product");
        spg_csr_free(o.context, &C);
        close_operands(&o);
    }
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
        cmocka_unit_test(work_follows_what_was_queued_on_the_stream_before),
        cmocka_unit_test(a_captured_plan_is_replayed_with_new_values),
    };
    return TEST_RUN_HERE(2, arguments, "streams and graphs", tests);
}
