/* The system's memory refused in turn beneath the default allocator, for every call on containers. */
#include "container_calls.h"
#include "host_blocks.h"
#include "memory.h"
#include "system_memory.h"

static spg_context *context_keeping(int64_t keep_bytes)
{
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.threads = 2;
    config.oversubscribe = 1;
    config.keep_bytes = keep_bytes;
    spg_context *context = NULL;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    return context;
}

/* A refused request may be made up for by freeing what is kept; then the call succeeds. Kept blocks are not lost. */
static void fail_each(spg_context *context, const container_call *call, container_inputs *inputs, bool onwards)
{
    spg_release_kept(context);
    int64_t held, bytes, blocks = system_memory_blocks();
    spg_context_memory(context, &held, NULL);
    for (int64_t k = 1;; ++k) {
        system_memory_fail_at(k, onwards);
        spg_status status = test_run_container_call(context, call, inputs);
        int64_t calls = system_memory_calls();
        system_memory_fail_at(0, false);
        spg_context_memory(context, &bytes, NULL);
        assert_int_equal(bytes, held);
        if (calls < k) spg_release_kept(context);
        if (context->config.keep_bytes == 0 || calls < k) assert_int_equal(system_memory_blocks(), blocks);
        if (calls < k) {
            assert_int_equal(status, SPG_OK);
            return;
        }
    }
}

static void fail_each_call(int64_t rows, double mean, int64_t keep_bytes, bool onwards)
{
    int64_t mapped = system_memory_mapped();
    spg_context *context = context_keeping(keep_bytes);
    container_inputs inputs;
    test_open_inputs(context, rows, mean, &inputs);
    for (int c = 0; c < TEST_CONTAINER_CALLS; ++c) fail_each(context, &test_container_calls[c], &inputs, onwards);
    test_close_inputs(context, &inputs);
    spg_context_destroy(context);
    assert_int_equal(system_memory_mapped(), mapped);
    assert_int_equal(system_memory_blocks(), 0);
}

static void any_small_request_may_be_refused(void **state)
{
    (void)state;
    fail_each_call(100, 50, 0, false);
    fail_each_call(100, 50, 0, true);
}

static void any_large_request_may_be_refused(void **state)
{
    (void)state;
    for (int onwards = 0; onwards < 2; ++onwards) {
        fail_each_call(4000, 100, 0, onwards);
        fail_each_call(4000, 100, (int64_t)1 << 28, onwards);
    }
}

static void a_context_may_be_refused(void **state)
{
    (void)state;
    spg_context *context = NULL;
    system_memory_fail_at(1, false);
    spg_status status = spg_context_create(NULL, &context);
    system_memory_fail_at(0, false);
    assert_int_equal(status, SPG_ERROR_MEMORY);
    assert_null(context);
}

/* Pages of the last result may not be had; a reservation is then refused, and nothing is lost. */
static void a_reservation_may_be_refused_at_each_step(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= 3; ++k) {
        spg_context *context = context_keeping((int64_t)1 << 28);
        void *memory;
        if (!spg_reserve(context, 10 << 20, &memory)) skip();
        memory = spg_trim(context, memory, 5 << 20);
        spg_release(context, memory, 5 << 20);
        system_memory_fail_at(k, false);
        bool reserved = spg_reserve(context, 50 << 20, &memory);
        system_memory_fail_at(0, false);
        assert_int_equal(reserved, k == 3); /* it maps, then moves */
        spg_cancel_reservation(context, memory);
        spg_context_destroy(context);
        assert_int_equal(system_memory_mapped(), 0);
    }
}

/* A small result stays in its reservation if there is nowhere to move it to. */
static void a_result_that_cannot_move_stays(void **state)
{
    (void)state;
    spg_context *context = context_keeping(0);
    void *memory;
    if (!spg_reserve(context, 10 << 20, &memory)) skip();
    *(int *)memory = 42;
    system_memory_fail_at(1, true);
    void *trimmed = spg_trim(context, memory, 8);
    system_memory_fail_at(0, false);
    assert_ptr_equal(trimmed, memory);
    assert_int_equal(*(int *)trimmed, 42);
    spg_release(context, trimmed, 8);
    spg_context_destroy(context);
    assert_int_equal(system_memory_mapped(), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_small_request_may_be_refused), cmocka_unit_test(any_large_request_may_be_refused),
        cmocka_unit_test(a_context_may_be_refused),         cmocka_unit_test(a_reservation_may_be_refused_at_each_step),
        cmocka_unit_test(a_result_that_cannot_move_stays),
    };
    return TEST_RUN_HERE(argc, argv, "containers: system fault", tests);
}
