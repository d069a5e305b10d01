/* What a user of streams and graphs relies on: work is queued on the caller's stream; draws from tables wait
 * for nothing, nor does a plan's run, so that it can be captured and replayed with new values. */
#include "count_waits.h"
#include "stream_operands.h"

#include "spg/sampling.h"

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
    assert_int_equal(spg_forest_draw(context, forest, COUNT, NULL, &random, NULL, room, NULL), SPG_OK);
    assert_int_equal(spg_forest_draw_stratified(context, forest, 0, COUNT, &random, room, NULL), SPG_OK);
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
    open_operands(&o, &(operand_shape){200000, 5, 3}, SPG_F64);
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
            open_operands(&o, &shapes[s], test_value_types[v]);
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
        cmocka_unit_test(draws_from_tables_wait_for_nothing),
        cmocka_unit_test(work_follows_what_was_queued_on_the_stream_before),
        cmocka_unit_test(a_captured_plan_is_replayed_with_new_values),
    };
    return TEST_RUN_HERE(2, arguments, "streams and graphs", tests);
}
