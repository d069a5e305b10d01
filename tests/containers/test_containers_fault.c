/* Each allocation of each call refused in turn, through the caller's allocator: a status, zeroed outputs, nothing
 * leaked. So for workspace limits from one byte on: the call fails, or does without. */
#include "container_calls.h"
#include "fault.h"

/* How many allocations the call makes. */
static int64_t fail_each(test_allocator *memory, spg_context *context, const container_call *call,
                         container_inputs *inputs)
{
    int64_t live = test_live(memory);
    for (int64_t k = 1;; ++k) {
        test_fail_at(memory, k);
        spg_status status = test_run_container_call(context, call, inputs);
        bool failed = test_failed(memory);
        test_fail_at(memory, 0);
        assert_int_equal(test_live(memory), live);
        assert_int_equal(status, failed ? SPG_ERROR_MEMORY : SPG_OK);
        if (!failed) return k - 1;
    }
}

static void fail_each_call(int64_t rows, double mean, int threads)
{
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, threads, 0);
    container_inputs inputs;
    test_open_inputs(context, rows, mean, &inputs);
    int64_t allocations = 0;
    for (int c = 0; c < TEST_CONTAINER_CALLS; ++c)
        allocations += fail_each(&memory, context, &test_container_calls[c], &inputs);
    assert_in_range(allocations, 20, 200);
    test_close_inputs(context, &inputs);
    assert_int_equal(test_live(&memory), 0);
    int64_t bytes;
    spg_context_memory(context, &bytes, NULL);
    assert_int_equal(bytes, 0);
    spg_context_destroy(context);
}

static void any_allocation_of_a_call_may_be_refused(void **state)
{
    (void)state;
    fail_each_call(40, 3, 2);
    fail_each_call(40, 100, 1); /* long rows */
    fail_each_call(600, 100, 3);
}

/* Peak bytes of the call beside its inputs and its result, or -1 if it was refused. */
static int64_t workspace_of(spg_context *context, const container_call *call, container_inputs *inputs)
{
    container_outputs outputs = {0};
    int64_t held, made, peak;
    spg_context_memory(context, &held, NULL);
    spg_context_memory_reset(context);
    spg_status status = call->run(context, inputs, &outputs);
    spg_context_memory(context, &made, &peak);
    if (status != SPG_OK) {
        assert_int_equal(status, SPG_ERROR_MEMORY);
        test_assert_message(context, "limit is");
        test_assert_zeroed(&outputs, sizeof outputs);
        assert_int_equal(made, held);
        return -1;
    }
    spg_csr_free(context, &outputs.csr);
    spg_coo_free(context, &outputs.coo);
    return peak - made;
}

static void workspace_stays_within_its_limit_or_the_call_is_refused(void **state)
{
    (void)state;
    for (int64_t limit = 1; limit < (int64_t)1 << 26; limit *= 3)
        for (int threads = 1; threads <= 3; threads += 2) {
            test_allocator memory;
            spg_context *context = test_faulty_context(&memory, threads, limit);
            container_inputs inputs;
            test_open_inputs(context, 600, 100, &inputs);
            for (int c = 0; c < TEST_CONTAINER_CALLS; ++c)
                assert_in_range(workspace_of(context, &test_container_calls[c], &inputs) + 1, 0, limit + 1);
            test_close_inputs(context, &inputs);
            assert_int_equal(test_live(&memory), 0);
            spg_context_destroy(context);
        }
}

/* Whether the call is done with so much workspace; of triples of which no two are of the same place, or of any. */
static bool is_done_within(int64_t limit, int threads, const container_call *call, bool distinct)
{
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, threads, limit);
    container_inputs inputs;
    test_open_inputs(context, 600, 100, &inputs);
    if (distinct) {
        spg_coo coo;
        spg_coo_free(context, &inputs.coo);
        test_random_coo(test_host(), 600, 300, 100, SPG_F64, 8, 0, &coo);
        test_coo_to_place(context, &coo, &inputs.coo);
        spg_coo_free(test_host(), &coo);
    }
    const bool is_done = workspace_of(context, call, &inputs) >= 0;
    test_close_inputs(context, &inputs);
    spg_context_destroy(context);
    return is_done;
}

/* Threads share what there is: what is held already counts when it is dealt out. */
static void a_limit_that_one_thread_does_with_is_enough_for_many(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) skip();
    for (int c = 0; c < 2 * TEST_CONTAINER_CALLS; ++c) {
        const container_call *call = &test_container_calls[c / 2];
        const bool distinct = c % 2 != 0;
        int64_t refused = 0, done = (int64_t)1 << 22;
        assert_true(is_done_within(done, 1, call, distinct));
        while (done - refused > (test_is_short() ? 4096 : 64)) {
            const int64_t middle = (refused + done) / 2;
            if (is_done_within(middle, 1, call, distinct))
                done = middle;
            else
                refused = middle;
        }
        if (!is_done_within(done, 4, call, distinct))
            fail_msg("%s: %lld bytes do for one thread, not for four", call->name, (long long)done);
    }
}

/* Where all triples are summed, their unsummed rows are workspace, 12 bytes a triple, and so is what sorts these. */
static void triples_that_are_summed_are_workspace(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) skip();
    enum { TRIPLES = 100000, CALL = 5 };
    const container_call *call = &test_container_calls[CALL];
    assert_string_equal(call->name, "spg_csr_from_coo");
    for (int threads = 1; threads <= 4; threads += 3) {
        int done = 0;
        for (int64_t limit = 12 * TRIPLES; limit <= 24 * TRIPLES + 1000; limit += TRIPLES / 2) {
            test_allocator memory;
            spg_context *context = test_faulty_context(&memory, threads, limit);
            container_inputs inputs = {0};
            assert_int_equal(spg_coo_alloc(context, 3, 5, TRIPLES, SPG_F64, &inputs.coo), SPG_OK);
            for (int32_t k = 0; k < TRIPLES; ++k) {
                inputs.coo.row_indices[k] = k % 7 % 3;
                inputs.coo.columns[k] = (4 * k + k / 5) % 5;
                ((double *)inputs.coo.values)[k] = k;
            }
            const int64_t bytes = workspace_of(context, call, &inputs);
            if (bytes > limit) fail_msg("%lld bytes of %lld, %d threads", (long long)bytes, (long long)limit, threads);
            done += bytes >= 0;
            spg_coo_free(context, &inputs.coo);
            spg_context_destroy(context);
        }
        assert_in_range(done, 1, 24);
    }
}

static void a_transpose_does_without_workspace_where_none_is_allowed(void **state)
{
    (void)state;
    if (test_place() != SPG_PLACE_HOST) skip();
    for (int threads = 1; threads <= 3; ++threads) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, threads, 1);
        container_inputs inputs;
        test_open_inputs(context, 600, 100, &inputs);
        const container_call transpose = test_container_calls[3];
        assert_string_equal(transpose.name, "spg_csr_transpose");
        assert_int_equal(workspace_of(context, &transpose, &inputs), 0);
        test_close_inputs(context, &inputs);
        spg_context_destroy(context);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_of_a_call_may_be_refused),
        cmocka_unit_test(workspace_stays_within_its_limit_or_the_call_is_refused),
        cmocka_unit_test(a_limit_that_one_thread_does_with_is_enough_for_many),
        cmocka_unit_test(triples_that_are_summed_are_workspace),
        cmocka_unit_test(a_transpose_does_without_workspace_where_none_is_allowed),
    };
    return TEST_RUN_HERE(argc, argv, "containers: fault", tests);
}
