/* What every call of the library asks of CUDA: that it is in the order of the caller's stream, that a refusal of any
 * part of it is told and leaves nothing behind, and that what is to allocate nothing does not ask for memory. */
#include "cuda_calls.h"
#include "library_calls.h"

#include <string.h>

static library_inputs inputs;

static int open_inputs(void **state)
{
    (void)state;
    open_library_inputs(&inputs);
    return 0;
}

static int close_inputs(void **state)
{
    (void)state;
    close_library_inputs(&inputs);
    return 0;
}

static int64_t memory_held(void)
{
    int64_t held;
    spg_context_memory(inputs.context, &held, NULL);
    return held;
}

static void everything_follows_the_callers_stream_and_is_followed_by_it(void **state)
{
    (void)state;
    for (int c = 0; c < library_calls_count; ++c)
        for (int number = 0; number < library_calls[c].numbers; ++number) {
            cuda_calls_watch(0, inputs.stream);
            const spg_status status = library_calls[c].run(&inputs, number);
            cuda_calls_end();
            if (status != SPG_OK) fail_msg("%s: %s", library_calls[c].name, spg_context_message(inputs.context));
            if (cuda_calls_astray() != NULL) fail_msg("%s %d: %s", library_calls[c].name, number, cuda_calls_astray());
        }
}

/* Returns whether any call was refused. */
static bool is_told(const library_call *call, int number, int64_t k)
{
    const int64_t before = memory_held();
    cuda_calls_watch(k, inputs.stream);
    const spg_status status = call->run(&inputs, number);
    cuda_calls_end();
    const char *refused = cuda_calls_refused();
    if (refused == NULL) {
        if (status != SPG_OK) fail_msg("%s %d: %s", call->name, number, spg_context_message(inputs.context));
        return false;
    }
    if (status != SPG_ERROR_DEVICE)
        fail_msg("%s %d: call %lld, %s, was refused, and the status is %s", call->name, number, (long long)k, refused,
                 spg_status_name(status));
    if (strstr(spg_context_message(inputs.context), ": ") == NULL)
        fail_msg("%s: \"%s\" does not say what failed", call->name, spg_context_message(inputs.context));
    if (memory_held() != before) fail_msg("%s %d: %s was refused, and memory leaks", call->name, number, refused);
    return true;
}

/* Of calls that make very many, not each of them: each, and then every seventh. */
static void refuse_each_call_of(const char *prefix)
{
    for (int c = 0; c < library_calls_count; ++c)
        for (int number = 0; number < library_calls[c].numbers; ++number) {
            if (strncmp(library_calls[c].name, prefix, strlen(prefix)) != 0) continue;
            is_told(&library_calls[c], number, 0); /* makes what a hierarchy keeps for its later solves */
            for (int64_t k = 1; is_told(&library_calls[c], number, k); k += k < 60 ? 1 : 7) {
            }
        }
}

static void any_call_of_cuda_by_products_and_plans_may_fail(void **state)
{
    (void)state;
    refuse_each_call_of("spgemm_");
}

static void any_call_of_cuda_by_containers_may_fail(void **state)
{
    (void)state;
    refuse_each_call_of("spg_csr");
    refuse_each_call_of("spg_coo");
}

static void any_call_of_cuda_by_multigrid_may_fail(void **state)
{
    (void)state;
    refuse_each_call_of("spg_galerkin");
    refuse_each_call_of("spg_amg");
    refuse_each_call_of("spg_krylov");
}

static void any_call_of_cuda_by_sampling_may_fail(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"spg_butterfly", "spg_lda",    "spg_alias",
                                           "spg_forest",    "spg_subset", "spg_random"};
    for (size_t k = 0; k < sizeof prefixes / sizeof *prefixes; ++k) refuse_each_call_of(prefixes[k]);
}

static void multiply_to_host(int pair, spg_csr *C)
{
    spg_csr here;
    assert_int_equal(spgemm_csr(inputs.context, &inputs.pairs[pair].A, &inputs.pairs[pair].B, &here), SPG_OK);
    test_to_host(inputs.context, &here, C);
    spg_csr_free(inputs.context, &here);
}

static void a_product_is_right_after_any_refusal(void **state)
{
    (void)state;
    for (int pair = 0; pair < PAIRS; ++pair) {
        spg_csr expected, C;
        multiply_to_host(pair, &expected);
        for (int64_t k = 1; is_told(&library_calls[0], pair, k); ++k) {
            multiply_to_host(pair, &C);
            test_assert_same_product(&C, &expected, "after a refusal");
            spg_csr_free(test_host(), &C);
        }
        spg_csr_free(test_host(), &expected);
    }
}

static void run_plan_to_host(int number, spg_csr *C)
{
    library_system *system = &inputs.systems[number];
    assert_int_equal(spg_galerkin_plan_run(system->plan, NULL, &system->A, &system->P, &system->product), SPG_OK);
    test_to_host(inputs.context, &system->product, C);
}

/* Nothing that was counted is left to be taken for a sign that A is not symmetric: a run looks at that first. */
static void a_galerkin_plan_is_run_rightly_after_any_refusal_of_a_setup(void **state)
{
    (void)state;
    spg_csr expected[SYSTEMS], C;
    for (int s = 0; s < SYSTEMS; ++s) run_plan_to_host(s, &expected[s]);
    for (int c = 0; c < library_calls_count; ++c) {
        if (strcmp(library_calls[c].name, "spg_amg_setup") != 0) continue;
        for (int s = 0; s < SYSTEMS; ++s)
            for (int64_t k = 1; is_told(&library_calls[c], s, k); k += k < 60 ? 1 : 7) {
                run_plan_to_host(s, &C);
                test_assert_same_product(&C, &expected[s], "after a refusal");
                spg_csr_free(test_host(), &C);
            }
    }
    for (int s = 0; s < SYSTEMS; ++s) spg_csr_free(test_host(), &expected[s]);
}

/* Events of a first product lie there to be read. */
static void a_product_that_cannot_be_timed_says_so(void **state)
{
    (void)state;
    spg_config config = test_config();
    config.stream = inputs.stream;
    config.timing = true;
    spg_context *context = test_context_of(&config);
    int events = 0;
    for (int64_t k = 0;; ++k) {
        spg_csr C;
        int64_t left;
        cuda_calls_watch(k, inputs.stream);
        const spg_status status = spgemm_csr(context, &inputs.pairs[0].A, &inputs.pairs[0].B, &C);
        cuda_calls_end();
        const char *refused = cuda_calls_refused();
        if (refused == NULL) assert_int_equal(status, SPG_OK);
        if (refused != NULL && strcmp(refused, "cudaEventRecord") == 0) {
            assert_int_equal(status, SPG_ERROR_DEVICE);
            ++events;
        }
        spg_csr_free(context, &C);
        spg_context_memory(context, &left, NULL);
        assert_int_equal(left, 0);
        if (k > 0 && refused == NULL) break;
    }
    assert_true(events >= 5); /* the stages' beginning, and the end of each */
    spg_context_destroy(context);
}

static void runs_of_plans_updates_and_cycles_ask_for_no_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"spgemm_plan_run", "spg_galerkin_plan_run", "spg_amg_update", "spg_amg_cycle"};
    for (int c = 0; c < library_calls_count; ++c)
        for (int n = 0; n < 4; ++n)
            for (int number = 0; strcmp(library_calls[c].name, names[n]) == 0 && number < library_calls[c].numbers;
                 ++number) {
                const int64_t before = memory_held();
                int64_t peak;
                spg_context_memory_reset(inputs.context);
                cuda_calls_watch(0, inputs.stream);
                assert_int_equal(library_calls[c].run(&inputs, number), SPG_OK);
                cuda_calls_end();
                spg_context_memory(inputs.context, NULL, &peak);
                assert_int_equal(peak, before);
                assert_int_equal(cuda_calls_allocations(), 0);
            }
}

/* So that its operands may be changed at once, by anybody. */
static void a_plan_is_done_with_its_operands_when_it_is_there(void **state)
{
    (void)state;
    for (int c = 0; c < library_calls_count; ++c)
        for (int number = 0; strcmp(library_calls[c].name, "spgemm_plan_create") == 0 && number < PAIRS; ++number) {
            cuda_calls_watch(0, inputs.stream);
            assert_int_equal(library_calls[c].run(&inputs, number), SPG_OK);
            cuda_calls_end();
            assert_int_equal(cuda_calls_queued(), 0);
        }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(everything_follows_the_callers_stream_and_is_followed_by_it, open_inputs,
                                        close_inputs),
        cmocka_unit_test_setup_teardown(runs_of_plans_updates_and_cycles_ask_for_no_memory, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(a_plan_is_done_with_its_operands_when_it_is_there, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(a_product_is_right_after_any_refusal, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(a_galerkin_plan_is_run_rightly_after_any_refusal_of_a_setup, open_inputs,
                                        close_inputs),
        cmocka_unit_test_setup_teardown(a_product_that_cannot_be_timed_says_so, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(any_call_of_cuda_by_products_and_plans_may_fail, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(any_call_of_cuda_by_containers_may_fail, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(any_call_of_cuda_by_multigrid_may_fail, open_inputs, close_inputs),
        cmocka_unit_test_setup_teardown(any_call_of_cuda_by_sampling_may_fail, open_inputs, close_inputs),
    };
    return TEST_RUN_HERE(2, arguments, "calls of CUDA", tests);
}
