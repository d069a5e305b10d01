/* The default allocator: alignment, what is kept and for whom, reservations, and the counters. On a device what the
 * library itself does: counting, refusals, limits, and nothing of what is the host's alone. */
#include "fault.h"
#include "host_blocks.h"
#include "memory.h"
#include "place.h"

#include <stdio.h>
#include <string.h>

enum { MIB = 1 << 20 };

static spg_context *context_keeping(int64_t keep_bytes)
{
    spg_config config = test_config();
    config.keep_bytes = keep_bytes;
    return test_context_of(&config);
}

static char *allocate(spg_context *context, int64_t bytes)
{
    void *memory = NULL;
    assert_int_equal(spg_allocate(context, bytes, "a test", &memory), SPG_OK);
    assert_non_null(memory);
    return memory;
}

/* Large blocks are mapped, kept and reserved only where the system can. */
static spg_context *context_that_maps(int64_t keep_bytes)
{
    spg_context *context = context_keeping(keep_bytes);
    void *memory = NULL;
    if (spg_reserve(context, (int64_t)1 << 33, &memory)) {
        spg_cancel_reservation(context, memory);
        return context;
    }
    spg_context_destroy(context);
    skip();
    return NULL;
}

static char *reserve(spg_context *context, int64_t bytes)
{
    void *memory = NULL;
    assert_true(spg_reserve(context, bytes, &memory));
    return memory;
}

static void assert_counted(const spg_context *context, int64_t current, int64_t peak)
{
    int64_t now, most;
    spg_context_memory(context, &now, &most);
    assert_int_equal(now, current);
    assert_int_equal(most, peak);
}

static void every_size_is_aligned_to_a_cache_line_and_writable(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1,   63,      64,           65,           4096,    MIB - 65, MIB - 64,   MIB - 1,
                                    MIB, MIB + 1, 2 * MIB - 64, 2 * MIB - 63, 2 * MIB, 5 * MIB,  9 * MIB + 7};
    spg_context *context = context_keeping(0);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        char *memory = allocate(context, sizes[k]);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 1, (size_t)sizes[k]);
        assert_counted(context, sizes[k], sizes[k]);
        spg_release(context, memory, sizes[k]);
        spg_context_memory_reset(context);
        assert_counted(context, 0, 0);
    }
    spg_context_destroy(context);
}

static void no_bytes_are_no_allocation(void **state)
{
    (void)state;
    spg_context *context = context_keeping(MIB);
    void *memory = context;
    assert_int_equal(spg_allocate(context, 0, "nothing", &memory), SPG_OK);
    assert_null(memory);
    spg_release(context, NULL, 0);
    assert_counted(context, 0, 0);
    spg_context_destroy(context);
}

static void an_allocation_too_large_is_refused_with_what_was_asked(void **state)
{
    (void)state;
    spg_context *context = context_keeping(MIB);
    char *held = allocate(context, 100);
    static const int64_t sizes[] = {INT64_MAX, INT64_MAX / 4, INT64_MAX / 8, -1};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
        void *memory = held;
        assert_int_equal(spg_allocate(context, sizes[k], "the moon", &memory), SPG_ERROR_MEMORY);
        assert_null(memory);
        char expected[100];
        snprintf(expected, sizeof expected, "no memory for the moon: %lld bytes asked, 100 held", (long long)sizes[k]);
        assert_string_equal(spg_context_message(context), expected);
    }
    spg_release(context, held, 100);
    spg_context_destroy(context);
}

static void the_peak_is_the_highest_sum_since_the_reset(void **state)
{
    (void)state;
    spg_context *context = context_keeping(0);
    char *first = allocate(context, 1000), *second = allocate(context, 500);
    spg_release(context, first, 1000);
    assert_counted(context, 500, 1500);
    spg_context_memory_reset(context);
    assert_counted(context, 500, 500);
    first = allocate(context, 10);
    assert_counted(context, 510, 510);
    spg_release(context, first, 10);
    spg_release(context, second, 500);
    assert_counted(context, 0, 510);
    spg_context_destroy(context);
}

static void a_freed_block_is_kept_for_the_next_of_its_size(void **state)
{
    (void)state;
    spg_context *context = context_that_maps(64 * MIB);
    char *first = allocate(context, 8 * MIB);
    spg_release(context, first, 8 * MIB);
    assert_counted(context, 0, 8 * MIB);
    assert_in_range(context->kept_bytes, 8 * MIB, 12 * MIB);
    char *second = allocate(context, 7 * MIB);
    assert_ptr_equal(second, first);
    assert_int_equal(context->kept_bytes, 0);
    spg_release(context, second, 7 * MIB);
    char *small = allocate(context, 2 * MIB); /* would waste most of it */
    assert_ptr_not_equal(small, first);
    spg_release(context, small, 2 * MIB);
    spg_release_kept(context);
    assert_null(context->kept);
    assert_int_equal(context->kept_bytes, 0);
    spg_context_destroy(context);
}

static void what_is_kept_stays_within_its_bound_and_the_oldest_go_first(void **state)
{
    (void)state;
    spg_context *context = context_that_maps(20 * MIB);
    char *blocks[4];
    for (int k = 0; k < 4; ++k) blocks[k] = allocate(context, 7 * MIB); /* 8 MiB mapped each */
    for (int k = 0; k < 4; ++k) {
        spg_release(context, blocks[k], 7 * MIB);
        assert_in_range(context->kept_bytes, 0, 20 * MIB);
    }
    char *again = allocate(context, 7 * MIB), *more = allocate(context, 7 * MIB);
    assert_true((again == blocks[3] && more == blocks[2]) || (again == blocks[2] && more == blocks[3]));
    spg_release(context, again, 7 * MIB);
    spg_release(context, more, 7 * MIB);
    char *large = allocate(context, 30 * MIB);
    spg_release(context, large, 30 * MIB); /* larger than all that may be kept: evicts nothing */
    assert_int_equal(context->kept_bytes, 16 * MIB);
    spg_context_destroy(context);
}

/* For the next of the same size, and for none that is a quarter larger. */
static void smaller_blocks_are_kept_for_those_of_about_their_size(void **state)
{
    (void)state;
    spg_context *context = context_keeping(64 * MIB);
    for (int64_t bytes = 32 << 10; bytes < 1 * MIB; bytes += bytes / 5) {
        char *first = allocate(context, bytes);
        memset(first, 7, (size_t)bytes);
        spg_release(context, first, bytes);
        assert_in_range(context->kept_small_bytes, bytes, bytes + bytes / 8 + 128);
        assert_counted(context, 0, bytes);
        char *other = allocate(context, bytes + bytes / 4);
        assert_ptr_not_equal(other, first);
        char *second = allocate(context, bytes);
        assert_ptr_equal(second, first);
        assert_int_equal(context->kept_small_bytes, 0);
        memset(second, 8, (size_t)bytes);
        spg_release(context, second, bytes);
        spg_release(context, other, bytes + bytes / 4);
        assert_true(spg_release_kept(context));
        assert_int_equal(context->kept_small_bytes + context->kept_bytes, 0);
        spg_context_memory_reset(context);
    }
    assert_false(spg_release_kept(context));
    spg_context_destroy(context);
}

static void smaller_kept_blocks_have_bounds(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    static char *blocks[COUNT];
    for (int64_t most = 0; most <= 80 * MIB; most = most * 8 + MIB) { /* 0, 1, 9, 73 MiB */
        spg_context *context = context_keeping(most);
        for (int k = 0; k < COUNT; ++k) blocks[k] = allocate(context, 500000);
        for (int k = 0; k < COUNT; ++k) spg_release(context, blocks[k], 500000);
        const int64_t bound = most < 32 * MIB ? most : 32 * MIB;
        assert_in_range(context->kept_small_bytes, bound / 2, bound);
        spg_context_destroy(context);
    }
}

static void nothing_is_kept_where_nothing_may_be(void **state)
{
    (void)state;
    spg_context *context = context_keeping(0);
    char *memory = allocate(context, 8 * MIB);
    spg_release(context, memory, 8 * MIB);
    assert_null(context->kept);
    spg_release(context, allocate(context, 500000), 500000);
    assert_int_equal(context->kept_small_bytes, 0);
    spg_context_destroy(context);
}

static void a_reservation_costs_nothing_until_it_is_trimmed(void **state)
{
    (void)state;
    spg_context *context = context_that_maps(64 * MIB);
    char *memory = reserve(context, (int64_t)1 << 33);
    assert_counted(context, 0, 0);
    for (int k = 0; k < 5 * MIB; ++k) memory[k] = (char)k;
    char *trimmed = spg_trim(context, memory, 5 * MIB);
    assert_counted(context, 5 * MIB, 5 * MIB);
    assert_ptr_equal(trimmed, memory);
    for (int k = 0; k < 5 * MIB; k += 997) assert_int_equal(trimmed[k], (char)k);
    spg_release(context, trimmed, 5 * MIB);
    assert_counted(context, 0, 5 * MIB);
    assert_in_range(context->kept_bytes, 5 * MIB, 8 * MIB);
    spg_context_destroy(context);
}

static void a_small_result_moves_out_of_its_reservation(void **state)
{
    (void)state;
    spg_context *context = context_that_maps(64 * MIB);
    char *memory = reserve(context, (int64_t)1 << 33);
    memcpy(memory, "small", 6);
    char *trimmed = spg_trim(context, memory, 6);
    assert_string_equal(trimmed, "small");
    assert_counted(context, 6, 6);
    spg_release(context, trimmed, 6);
    memory = reserve(context, (int64_t)1 << 33);
    assert_null(spg_trim(context, memory, 0));
    memory = reserve(context, 100 * MIB);
    spg_cancel_reservation(context, memory);
    spg_cancel_reservation(context, NULL);
    assert_counted(context, 0, 6);
    spg_context_destroy(context);
}

/* Contents of fresh memory are nobody's business, but here they tell whose pages these are. */
static void a_reservation_begins_with_the_pages_of_the_last_one(void **state)
{
    (void)state;
    spg_context *context = context_that_maps(64 * MIB);
    for (int64_t size = 3 * MIB; size <= 24 * MIB; size *= 2) { /* each larger than the one before */
        char *memory = reserve(context, 2 * size);
        if (size > 3 * MIB) assert_memory_equal(memory + MIB, "pages", 6);
        memset(memory, 0, (size_t)size);
        memcpy(memory + MIB, "pages", 6);
        memory = spg_trim(context, memory, size);
        assert_int_equal((uintptr_t)memory % 64, 0);
        spg_release(context, memory, size);
        assert_in_range(context->kept_bytes, size, size + 2 * MIB);
    }
    spg_context_destroy(context);
}

static void a_reservation_is_not_given_where_the_caller_allocates(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 1, 0);
    void *reserved = context;
    assert_false(spg_reserve(context, 1000, &reserved));
    assert_null(reserved);
    assert_int_equal(memory.allocations, 0);
    spg_context_destroy(context);
}

static void a_callers_allocator_serves_everything(void **state)
{
    (void)state;
    test_allocator memory;
    spg_context *context = test_faulty_context(&memory, 2, 0);
    spg_csr matrix, transpose;
    assert_int_equal(spg_csr_alloc(context, 10, 10, 0, SPG_I32, SPG_F64, &matrix), SPG_OK);
    assert_int_equal(spg_csr_transpose(context, &matrix, &transpose), SPG_OK);
    assert_int_equal(test_live(&memory), 2);
    assert_counted(context, 88, 88);
    spg_csr_free(context, &matrix);
    spg_csr_free(context, &transpose);
    assert_int_equal(test_live(&memory), 0);
    spg_context_destroy(context);
}

static void a_device_serves_every_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 63, 64, 4096, MIB - 1, MIB, 9 * MIB + 7};
    spg_context *context = context_keeping(64 * MIB);
    for (int round = 0; round < 2; ++round)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k) {
            char *memory = allocate(context, sizes[k]);
            assert_int_equal((uintptr_t)memory % 64, 0);
            spg_context_memory_reset(context);
            assert_counted(context, sizes[k], sizes[k]);
            spg_release(context, memory, sizes[k]);
            assert_counted(context, 0, sizes[k]);
        }
    spg_context_destroy(context);
}

static void kept_blocks_are_freed_rather_than_to_refuse(void **state)
{
    (void)state;
    spg_context *context = context_keeping(64 * MIB);
    char *memory = allocate(context, 8 * MIB);
    spg_release(context, memory, 8 * MIB);
    void *impossible;
    assert_int_equal(spg_allocate(context, (int64_t)1 << 60, "too much", &impossible), SPG_ERROR_MEMORY);
    assert_null(context->kept);
    assert_int_equal(context->kept_bytes, 0);
    spg_context_destroy(context);
}

static void workspace_within_its_limit_is_granted_and_beyond_it_refused(void **state)
{
    (void)state;
    spg_context *context = context_keeping(0);
    void *memory;
    assert_int_equal(spg_context_set_workspace_limit(context, 1000), SPG_OK);
    assert_int_equal(spg_allocate_workspace(context, 400, 600, "work", &memory), SPG_OK);
    spg_release(context, memory, 600);
    assert_int_equal(spg_allocate_workspace(context, 401, 600, "work", &memory), SPG_ERROR_MEMORY);
    assert_null(memory);
    assert_string_equal(spg_context_message(context), "work: 1001 bytes of workspace are needed, the limit is 1000");
    assert_int_equal(spg_allocate_workspace(context, 2000, 0, "nothing more", &memory), SPG_OK);
    assert_int_equal(spg_pieces_within_limit(context, 100, 300, 8), 3);
    assert_int_equal(spg_pieces_within_limit(context, 100, 300, 2), 2);
    assert_int_equal(spg_pieces_within_limit(context, 0, 5000, 2), 1);
    assert_int_equal(spg_context_set_workspace_limit(context, 0), SPG_OK);
    assert_int_equal(spg_pieces_within_limit(context, 0, 5000, 2), 2);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_aligned_to_a_cache_line_and_writable),
        cmocka_unit_test(no_bytes_are_no_allocation),
        cmocka_unit_test(an_allocation_too_large_is_refused_with_what_was_asked),
        cmocka_unit_test(the_peak_is_the_highest_sum_since_the_reset),
        cmocka_unit_test(a_freed_block_is_kept_for_the_next_of_its_size),
        cmocka_unit_test(what_is_kept_stays_within_its_bound_and_the_oldest_go_first),
        cmocka_unit_test(smaller_blocks_are_kept_for_those_of_about_their_size),
        cmocka_unit_test(smaller_kept_blocks_have_bounds),
        cmocka_unit_test(nothing_is_kept_where_nothing_may_be),
        cmocka_unit_test(a_reservation_costs_nothing_until_it_is_trimmed),
        cmocka_unit_test(a_small_result_moves_out_of_its_reservation),
        cmocka_unit_test(a_reservation_begins_with_the_pages_of_the_last_one),
        cmocka_unit_test(a_reservation_is_not_given_where_the_caller_allocates),
        cmocka_unit_test(a_callers_allocator_serves_everything),
        cmocka_unit_test(kept_blocks_are_freed_rather_than_to_refuse),
        cmocka_unit_test(workspace_within_its_limit_is_granted_and_beyond_it_refused),
    };
    const struct CMUnitTest on_device[] = {
        cmocka_unit_test(a_device_serves_every_size),
        cmocka_unit_test(no_bytes_are_no_allocation),
        cmocka_unit_test(an_allocation_too_large_is_refused_with_what_was_asked),
        cmocka_unit_test(the_peak_is_the_highest_sum_since_the_reset),
        cmocka_unit_test(a_reservation_is_not_given_where_the_caller_allocates),
        cmocka_unit_test(a_callers_allocator_serves_everything),
        cmocka_unit_test(workspace_within_its_limit_is_granted_and_beyond_it_refused),
    };
    if (test_asks_for_device(argc, argv)) return TEST_RUN_HERE(argc, argv, "memory of a device", on_device);
    return TEST_RUN_HERE(argc, argv, "memory", tests);
}
