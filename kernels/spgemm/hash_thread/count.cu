/* Method hash_thread, counting pass: a thread inserts the columns of its row of C into a hash table of its own.
 *
 * Input: A, unchecked, and the packed rows of B. Output: the lengths of C's rows. Rows with more than HASH_THREAD_MOST
 * entries, or HASH_THREAD_MOST_A entries of A, become overflow rows. Each row of B is visited once, one after the
 * other; unlike a merge, which returns to all of them until it ends, this needs no L1. Chosen by product_count.cu for
 * uniform rows up to HASH_THREAD_MOST entries. Contraction while expanding replaces the paper's sort (section 3.3). */
#include "../../launch.cuh"
#include "../driver/counters.cuh"
#include "sums.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32 };
enum { LEAST_TILES = 2, MOST_BLOCKS = 4096 }; /* above MOST_BLOCKS blocks, a block takes more tiles */

/* A block takes `tiles` consecutive tiles, a row a thread. */
__global__ void __launch_bounds__(THREADS, 4)
    count_hash_thread(patterns<int32_t> pattern, const packed_row *packed, int tiles, long long *of_blocks,
                      spg_mailbox *mailbox, unsigned int post)
{
    extern __shared__ uint2 shared[];
    __shared__ thread_counts of_warps[WARPS];
    wait_and_trigger();
    const int warp = threadIdx.x / 32;
    thread_sums<none, false> columns{thread_table(reinterpret_cast<table_memory *>(shared)[warp]), nullptr, 0};
    thread_counts sums{0, 0, 0, 0, 0};
    /* There are fewer than 2^31 rows, and a tile that begins among them ends below 2^32. */
    uint32_t i = (uint32_t)((uint64_t)blockIdx.x * tiles * THREADS) + threadIdx.x;
    for (int tile = 0; tile < tiles; ++tile, i += THREADS) {
        const bool active = i < (uint32_t)pattern.rows;
        thread_found found{0, 0, true};
        columns.table.clear();
        const int32_t length = count_row(pattern, numbers<none>{}, packed, i, columns, found);
        if (active && found.fits) pattern.c_offsets[i] = length;
        if (!found.fits) leave_row(pattern, (int32_t)i);
        sums.add(active, found, length);
    }
    sums.reduce();
    if (threadIdx.x % 32 == 0) of_warps[warp] = sums;
    __syncthreads();
    if (warp > 0) return;
    sums = threadIdx.x < WARPS ? of_warps[threadIdx.x] : thread_counts{0, 0, 0, 0, 0};
    const int of_block = (int)__reduce_add_sync(~0u, sums.nnz);
    if (threadIdx.x == 0) of_blocks[blockIdx.x] = of_block;
    add_counts(pattern.counters, {sums.nnz, sums.products, sums.longest, sums.rows, 0, sums.faults});
    send_counters_if_last(pattern.counters, mailbox, post, &pattern.counters->overflow);
}

} // namespace

spg_status count_rows_hash_thread(cuda_product &product, unsigned int post, length_sums *sums)
{
    constexpr int bytes = WARPS * (int)sizeof(table_memory);
    static_assert(bytes <= 48 * 1024, "what every device allows");
    const int64_t tiles = (product.A->rows + THREADS - 1) / THREADS;
    const int64_t tiles_each = std::max<int64_t>((tiles + MOST_BLOCKS - 1) / MOST_BLOCKS, LEAST_TILES);
    const int64_t blocks = (tiles + tiles_each - 1) / tiles_each;
    spg_status status = take_sums(product, tiles_each * THREADS, (int)blocks, sums);
    if (status != SPG_OK) return status;
    return launch_programmatic(product.context, product.cuda->stream, "counting, class hash_thread",
                               (unsigned int)blocks, THREADS, bytes, count_hash_thread, patterns_of<int32_t>(product),
                               static_cast<const packed_row *>(product.packed.memory), (int)tiles_each, sums->memory,
                               product.cuda->device_mailbox, post);
}

} // namespace spg
