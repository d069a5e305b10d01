/* Which blocks of device memory are kept, for whom, and when they go back to their pools. The calls that give them back
 * are led here (--wrap in CMakeLists.txt) and memory is never touched, so that no device is needed. */
#include "device.h"
#include "test_support.h"

#include <string.h>

enum { SMALL = 1000, LARGE = SPG_SMALL_BYTES + 1, MOST = 1 << 30, RETURNS = 2 * SPG_BLOCKS };

static struct {
    int count;
    void *memory[RETURNS];
    cudaStream_t stream[RETURNS];
} returned;

cudaError_t __wrap_cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t __wrap_cudaFreeAsync(void *memory, cudaStream_t stream)
{
    assert_true(returned.count < RETURNS);
    returned.memory[returned.count] = memory;
    returned.stream[returned.count++] = stream;
    return cudaSuccess;
}

static char places[2 * SPG_BLOCKS], own, beside; /* stand for memory, and for streams */

static spg_cuda fresh(void)
{
    spg_cuda cuda;
    memset(&cuda, 0, sizeof cuda);
    memset(&returned, 0, sizeof returned);
    cuda.stream = (cudaStream_t)(void *)&own;
    cuda.other.stream = (cudaStream_t)(void *)&beside;
    return cuda;
}

/* As spg_cuda_use_side_stream does. */
static void turn(spg_cuda *cuda)
{
    const cudaStream_t stream = cuda->stream;
    cuda->stream = cuda->other.stream;
    cuda->other.stream = stream;
    cuda->on_side_stream = !cuda->on_side_stream;
}

static void assert_returned(int k, const void *memory, const void *stream)
{
    assert_true(k < returned.count);
    assert_ptr_equal(returned.memory[k], memory);
    assert_ptr_equal(returned.stream[k], stream);
}

static void a_block_is_kept_for_the_next_that_asks_for_as_many_bytes(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    spg_cuda_note_block(&cuda, &places[0], SMALL);
    spg_cuda_note_block(&cuda, &places[1], LARGE);
    assert_null(spg_cuda_take_kept(&cuda, SMALL)); /* both are in use */
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    assert_true(spg_cuda_keep(&cuda, &places[1], MOST));
    assert_int_equal(cuda.kept_bytes, SMALL + LARGE);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, LARGE), &places[1]);
    assert_int_equal(cuda.kept_bytes, SMALL);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, SMALL), &places[0]);
    assert_int_equal(cuda.kept_bytes, 0);
    assert_null(spg_cuda_take_kept(&cuda, SMALL)); /* nobody gets it twice */
    assert_int_equal(returned.count, 0);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST)); /* and it is known by its bytes still */
    assert_ptr_equal(spg_cuda_take_kept(&cuda, SMALL), &places[0]);
}

/* The smallest of those that have the bytes, and at most twice as many. */
static void a_small_block_serves_requests_of_half_its_bytes_or_more(void **state)
{
    (void)state;
    const int64_t sizes[] = {2 * SMALL + 1, SMALL - 1, 2 * SMALL, 2 * SMALL - 1};
    spg_cuda cuda = fresh();
    for (int k = 0; k < 4; ++k) spg_cuda_note_block(&cuda, &places[k], sizes[k]);
    for (int k = 0; k < 4; ++k) assert_true(spg_cuda_keep(&cuda, &places[k], MOST));
    assert_ptr_equal(spg_cuda_take_kept(&cuda, SMALL), &places[3]);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, SMALL), &places[2]);
    assert_null(spg_cuda_take_kept(&cuda, SMALL));
    assert_int_equal(cuda.kept_bytes, sizes[0] + sizes[1]); /* of what the blocks have, not of what was asked for */
    assert_true(spg_cuda_keep(&cuda, &places[3], MOST));
    assert_ptr_equal(spg_cuda_take_kept(&cuda, 2 * SMALL - 1), &places[3]);
    assert_int_equal(returned.count, 0);
}

static void a_large_block_serves_requests_of_its_size_only(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    spg_cuda_note_block(&cuda, &places[0], LARGE);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    assert_null(spg_cuda_take_kept(&cuda, SPG_SMALL_BYTES)); /* a small request does not get it */
    assert_int_equal(returned.count, 0);
    assert_null(spg_cuda_take_kept(&cuda, LARGE + 1));
    assert_int_equal(returned.count, 1);
}

static void a_large_size_that_is_not_kept_empties_what_is_kept_of_its_pool(void **state)
{
    (void)state;
    const int64_t sizes[] = {SMALL, SPG_SMALL_BYTES, LARGE, 3 * (int64_t)LARGE};
    spg_cuda cuda = fresh();
    for (int k = 0; k < 4; ++k) spg_cuda_note_block(&cuda, &places[k], sizes[k]);
    for (int k = 0; k < 4; ++k) assert_true(spg_cuda_keep(&cuda, &places[k], MOST));
    assert_null(spg_cuda_take_kept(&cuda, SPG_SMALL_BYTES / 4)); /* small ones stay */
    assert_int_equal(returned.count, 0);
    assert_null(spg_cuda_take_kept(&cuda, 2 * (int64_t)LARGE));
    assert_int_equal(returned.count, 2);
    assert_returned(0, &places[2], &own);
    assert_returned(1, &places[3], &own);
    assert_int_equal(cuda.kept_bytes, sizes[0] + sizes[1]);
    for (int k = 2; k < 4; ++k) assert_null(spg_cuda_take_kept(&cuda, sizes[k]));
    for (int k = 2; k < 4; ++k) assert_false(spg_cuda_keep(&cuda, &places[k], MOST)); /* the pool's by now */
    for (int k = 0; k < 2; ++k) assert_ptr_equal(spg_cuda_take_kept(&cuda, sizes[k]), &places[k]);
    assert_int_equal(returned.count, 2);
}

/* Blocks that are taken and freed in turn: from the second time on, nothing is allocated. */
static void a_sequence_of_small_sizes_finds_its_blocks_again(void **state)
{
    (void)state;
    int noted = 0;
    spg_cuda cuda = fresh();
    for (int time = 0; time < 3; ++time)
        for (int k = 0; k < 8; ++k) {
            void *memory = spg_cuda_take_kept(&cuda, SMALL << k);
            if (memory == NULL) {
                memory = &places[noted++];
                spg_cuda_note_block(&cuda, memory, SMALL << k);
            }
            assert_true(spg_cuda_keep(&cuda, memory, MOST));
        }
    assert_int_equal(noted, 8);
    assert_int_equal(returned.count, 0);
}

static void what_is_kept_stays_within_its_bound(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    for (int k = 0; k < 3; ++k) spg_cuda_note_block(&cuda, &places[k], SMALL);
    assert_true(spg_cuda_keep(&cuda, &places[0], 2 * SMALL));
    assert_true(spg_cuda_keep(&cuda, &places[1], 2 * SMALL));
    assert_false(spg_cuda_keep(&cuda, &places[2], 2 * SMALL)); /* its caller gives it back */
    assert_int_equal(cuda.kept_bytes, 2 * SMALL);
    assert_int_equal(returned.count, 0);
    spg_cuda_give_back_kept(&cuda, true, true);
    assert_int_equal(returned.count, 2);
    assert_int_equal(cuda.kept_bytes, 0);
    spg_cuda_note_block(&cuda, &places[2], SMALL);
    assert_false(spg_cuda_keep(&cuda, &places[2], 0));
    assert_null(spg_cuda_take_kept(&cuda, SMALL));
}

static void a_block_that_nobody_noted_is_not_kept(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    spg_cuda_note_block(&cuda, &places[0], SMALL);
    assert_false(spg_cuda_keep(&cuda, &places[1], MOST));
    assert_int_equal(cuda.kept_bytes, 0);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    assert_false(spg_cuda_keep(&cuda, &places[0], MOST)); /* it is kept already */
    assert_int_equal(cuda.kept_bytes, SMALL);
}

/* The block that was handed out longest ago makes room: a kept one goes back, one in use is no longer known. */
static void only_the_blocks_handed_out_lately_are_known(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    for (int k = 0; k < SPG_BLOCKS; ++k) spg_cuda_note_block(&cuda, &places[k], SMALL + k);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    spg_cuda_note_block(&cuda, &places[SPG_BLOCKS], LARGE);
    assert_int_equal(returned.count, 1);
    assert_returned(0, &places[0], &own);
    assert_int_equal(cuda.kept_bytes, 0);
    spg_cuda_note_block(&cuda, &places[SPG_BLOCKS + 1], LARGE);
    assert_int_equal(returned.count, 1);
    assert_false(spg_cuda_keep(&cuda, &places[1], MOST));
    for (int k = 2; k < SPG_BLOCKS + 2; ++k) assert_true(spg_cuda_keep(&cuda, &places[k], MOST));
}

/* While work is queued beside other work, what one gives back is not the other's until they are joined. */
static void a_block_is_free_in_the_order_of_the_stream_that_gave_it_back(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    for (int k = 0; k < 3; ++k) spg_cuda_note_block(&cuda, &places[k], LARGE);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST)); /* before the fork: free for both */
    spg_cuda_merge_orders(&cuda);
    cuda.is_forked = true;
    assert_true(spg_cuda_keep(&cuda, &places[1], MOST));
    turn(&cuda);
    assert_true(spg_cuda_keep(&cuda, &places[2], MOST));
    assert_ptr_equal(spg_cuda_take_kept(&cuda, LARGE), &places[0]);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, LARGE), &places[2]);
    assert_true(spg_cuda_keep(&cuda, &places[2], MOST));
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    turn(&cuda);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, LARGE), &places[1]);
    assert_true(spg_cuda_keep(&cuda, &places[1], MOST));
    cuda.is_forked = false;
    spg_cuda_merge_orders(&cuda);
    for (int k = 0; k < 3; ++k) assert_non_null(spg_cuda_take_kept(&cuda, LARGE));
    assert_int_equal(returned.count, 0);
}

/* A block that another context freed: its address comes again, with other bytes. */
static void a_block_that_came_again_has_its_new_bytes_only(void **state)
{
    (void)state;
    spg_cuda cuda = fresh();
    spg_cuda_note_block(&cuda, &places[0], LARGE + 100);
    spg_cuda_note_block(&cuda, &places[1], 2 * SMALL);
    spg_cuda_note_block(&cuda, &places[0], LARGE);
    spg_cuda_note_block(&cuda, &places[1], SMALL);
    assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
    assert_true(spg_cuda_keep(&cuda, &places[1], MOST));
    assert_int_equal(cuda.kept_bytes, LARGE + SMALL);
    assert_null(spg_cuda_take_kept(&cuda, 2 * SMALL));
    assert_ptr_equal(spg_cuda_take_kept(&cuda, SMALL), &places[1]);
    assert_ptr_equal(spg_cuda_take_kept(&cuda, LARGE), &places[0]);
    assert_null(spg_cuda_take_kept(&cuda, LARGE + 100));
    assert_int_equal(returned.count, 0);
}

/* In the order of the stream that gave it back, whichever it is the turn of. */
static void a_block_goes_back_to_its_pool_on_the_stream_that_it_is_free_on(void **state)
{
    (void)state;
    for (int from_beside = 0; from_beside < 2; ++from_beside) {
        spg_cuda cuda = fresh();
        for (int k = 0; k < 3; ++k) spg_cuda_note_block(&cuda, &places[k], LARGE + k);
        assert_true(spg_cuda_keep(&cuda, &places[0], MOST));
        cuda.is_forked = true;
        assert_true(spg_cuda_keep(&cuda, &places[1], MOST));
        turn(&cuda);
        assert_true(spg_cuda_keep(&cuda, &places[2], MOST));
        if (!from_beside) turn(&cuda);
        assert_null(spg_cuda_take_kept(&cuda, MOST));
        assert_int_equal(returned.count, 3);
        assert_returned(0, &places[0], from_beside ? &beside : &own);
        assert_returned(1, &places[1], &own);
        assert_returned(2, &places[2], &beside);
        assert_int_equal(cuda.kept_bytes, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_kept_for_the_next_that_asks_for_as_many_bytes),
        cmocka_unit_test(a_small_block_serves_requests_of_half_its_bytes_or_more),
        cmocka_unit_test(a_large_block_serves_requests_of_its_size_only),
        cmocka_unit_test(a_large_size_that_is_not_kept_empties_what_is_kept_of_its_pool),
        cmocka_unit_test(a_sequence_of_small_sizes_finds_its_blocks_again),
        cmocka_unit_test(what_is_kept_stays_within_its_bound),
        cmocka_unit_test(a_block_that_nobody_noted_is_not_kept),
        cmocka_unit_test(only_the_blocks_handed_out_lately_are_known),
        cmocka_unit_test(a_block_is_free_in_the_order_of_the_stream_that_gave_it_back),
        cmocka_unit_test(a_block_that_came_again_has_its_new_bytes_only),
        cmocka_unit_test(a_block_goes_back_to_its_pool_on_the_stream_that_it_is_free_on),
    };
    return cmocka_run_group_tests_name("kept blocks", tests, NULL, NULL);
}
