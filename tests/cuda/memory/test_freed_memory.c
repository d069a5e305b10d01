/* How much of the device's memory a context keeps of what was freed: spg_config.keep_bytes beside what is in use,
 * however much that is. Others may use the device meanwhile, so the pools' own counts are read. */
#include "place.h"

#include "device.h"
#include "memory.h"

#include <cuda_runtime_api.h>

/* SLACK: a pool maps memory in pieces, and a piece stays while a block lies in it. */
enum { BLOCK = 64 << 20, BLOCKS = 24, KEPT = 3, SLACK = 192 << 20 };

static spg_context *context_keeping(int64_t keep_bytes)
{
    spg_config config = test_config();
    config.keep_bytes = keep_bytes;
    return test_context_of(&config);
}

/* Bytes of the device that the context's pool of large blocks holds, after a wait, when a pool gives back. */
static int64_t held(spg_context *context)
{
    uint64_t bytes = 0;
    assert_int_equal(spg_cuda_wait(context), SPG_OK);
    assert_int_equal(cudaMemPoolGetAttribute(spg_cuda_of(context)->pool, cudaMemPoolAttrReservedMemCurrent, &bytes),
                     cudaSuccess);
    return (int64_t)bytes;
}

/* Blocks of different sizes, so that none serves the request for another: that sends the blocks kept outside the pool
 * (kept_blocks.cu) back to it. */
static int64_t size_of_block(int k) { return BLOCK + k * ((int64_t)1 << 20); }

static int64_t allocate(spg_context *context, void *blocks[], int first, int end)
{
    int64_t bytes = 0;
    for (int k = first; k < end; ++k) {
        assert_int_equal(spg_allocate(context, size_of_block(k), "a block", &blocks[k]), SPG_OK);
        bytes += size_of_block(k);
    }
    return bytes;
}

static void release(spg_context *context, void *blocks[], int first, int end)
{
    for (int k = first; k < end; ++k) spg_release(context, blocks[k], size_of_block(k));
}

static void what_was_freed_stays_beside_what_is_in_use(void **state)
{
    (void)state;
    const int64_t keep = (KEPT + 1) * size_of_block(BLOCKS);
    spg_context *context = context_keeping(keep);
    void *blocks[BLOCKS + 1];
    const int64_t used = allocate(context, blocks, 0, BLOCKS - KEPT);
    assert_true(used > 2 * keep);
    const int64_t more = allocate(context, blocks, BLOCKS - KEPT, BLOCKS);
    release(context, blocks, BLOCKS - KEPT, BLOCKS);
    const int64_t last = allocate(context, blocks, BLOCKS, BLOCKS + 1);
    assert_true(held(context) >= used + more && last <= more);
    release(context, blocks, BLOCKS, BLOCKS + 1);
    release(context, blocks, 0, BLOCKS - KEPT);
    const int64_t left = held(context);
    if (left > keep + SLACK) fail_msg("%lld MB are held, %lld may be", (long long)left >> 20, (long long)keep >> 20);
    spg_context_destroy(context);
}

/* Reserved arrays are freed as fewer bytes than they took. */
static void freed_reservations_are_not_kept_beyond_the_limit(void **state)
{
    (void)state;
    spg_context *context = context_keeping(BLOCK);
    void *arrays[BLOCKS];
    for (int k = 0; k < BLOCKS; ++k) {
        assert_true(spg_reserve(context, size_of_block(k), &arrays[k]));
        arrays[k] = spg_trim(context, arrays[k], k % 2 == 0 ? 1000 : 0);
    }
    for (int k = 0; k < BLOCKS; k += 2) spg_release(context, arrays[k], 1000);
    assert_true(held(context) <= BLOCK + SLACK);
    spg_context_destroy(context);
}

static void nothing_is_kept_if_nothing_may_be(void **state)
{
    (void)state;
    spg_context *context = context_keeping(0);
    void *blocks[BLOCKS];
    const int64_t used = allocate(context, blocks, 0, BLOCKS / 2);
    allocate(context, blocks, BLOCKS / 2, BLOCKS);
    release(context, blocks, BLOCKS / 2, BLOCKS);
    const int64_t left = held(context);
    assert_true(left >= used && left <= used + SLACK);
    release(context, blocks, 0, BLOCKS / 2);
    assert_true(held(context) <= SLACK);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_freed_stays_beside_what_is_in_use),
        cmocka_unit_test(freed_reservations_are_not_kept_beyond_the_limit),
        cmocka_unit_test(nothing_is_kept_if_nothing_may_be),
    };
    return TEST_RUN_HERE(2, arguments, "freed memory", tests);
}
