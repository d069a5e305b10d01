/* Method hash_thread, counting pass: a thread inserts the columns of its row of C into a hash table of its own.
 *
 * Input: A, unchecked, and the packed rows of B. Output: the lengths of C's rows. Rows with more than HASH_THREAD_MOST
 * entries, or HASH_THREAD_MOST_A entries of A, become overflow rows. Each row of B is visited once, one after the
 * other; unlike a merge, which returns to all of them until it ends, this needs no L1. Chosen by product_rows.cu for
 * uniform rows up to HASH_THREAD_MOST entries. Contraction while expanding replaces the paper's sort (section 3.3). */
#include "../../launch.cuh"
#include "../driver/counters.cuh"
#include "../merge/heads.cuh"
#include "table.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 256, WARPS = THREADS / 32 };
enum { LEAST_TILES = 2, MOST_BLOCKS = 4096 }; /* above MOST_BLOCKS blocks, a block takes more tiles */

/* Takes a row of B that is not packed. */
__device__ void take_unpacked(const patterns<int32_t> &pattern, const packed_row &row, thread_table &table,
                              thread_found &found)
{
    if (!check_unpacked(pattern, row, found)) return;
    uint32_t number[1];
    for (uint32_t q = 0; q < row.beyond[0]; ++q) {
        const uint32_t column[1] = {(uint32_t)pattern.b_columns[row.begin + q]};
        table.numbers_of(column, 1, number);
    }
}

/* Loads the columns of entries k to k + A_AT_ONCE - 1 of a row of A. */
__device__ void load_columns(const patterns<int32_t> &pattern, span<int32_t> a, int k, int32_t (&columns)[A_AT_ONCE])
{
#pragma unroll
    for (int n = 0; n < A_AT_ONCE; ++n)
        columns[n] = load_if(a.begin + k + n < a.end, pattern.a_columns + a.begin + k + n, 0);
}

/* Inserts the columns of a row of B. A whole warp calls it. */
__device__ void take_row(const patterns<int32_t> &pattern, const packed_row &row, thread_table &table,
                         thread_found &found)
{
    int length = length_of(row);
    if (length > PACKED_MOST) {
        take_unpacked(pattern, row, table, found);
        length = 0;
    }
    found.products += length;
    const int most = __reduce_max_sync(~0u, length);
#pragma unroll
    for (int q = 0; q < PACKED_MOST; q += B_AT_ONCE) {
        if (q >= most) break;
        uint32_t column[B_AT_ONCE], number[B_AT_ONCE];
#pragma unroll
        for (int n = 0; n < B_AT_ONCE; ++n) column[n] = column_of(row, q + n);
        table.numbers_of(column, length - q, number);
    }
}

/* The length of row i, if `active` and found.fits. A whole warp calls it. */
__device__ int32_t count_row(const patterns<int32_t> &pattern, const packed_row *packed, bool active, int32_t i,
                             thread_table &table, thread_found &found)
{
    span<int32_t> a{0, 0};
    if (active) a = checked_a_row(pattern, i, found.faults);
    if (a.end - a.begin > HASH_THREAD_MOST_A) {
        found.fits = false;
        a.end = a.begin;
    }
    const int longest = __reduce_max_sync(~0u, a.end - a.begin);
    int32_t columns[A_AT_ONCE];
    load_columns(pattern, a, 0, columns);
    packed_row next = checked_packed(pattern, packed, a.begin < a.end, columns[0], found);
#pragma unroll 1
    for (int k = 0; k < longest; ++k) {
        const packed_row row = next;
#pragma unroll
        for (int n = 0; n + 1 < A_AT_ONCE; ++n) columns[n] = columns[n + 1];
        if ((k + 1) % A_AT_ONCE == 0) load_columns(pattern, a, k + 1, columns);
        next = checked_packed(pattern, packed, a.begin + k + 1 < a.end, columns[0], found);
        take_row(pattern, row, table, found);
    }
    if (table.taken > HASH_THREAD_MOST) found.fits = false;
    return (int32_t)table.taken;
}

/* A block takes `tiles` consecutive tiles, a row a thread. */
__global__ void __launch_bounds__(THREADS, 4)
    count_hash_thread(patterns<int32_t> pattern, const packed_row *packed, int tiles, long long *of_blocks,
                      spg_mailbox *mailbox, unsigned int post)
{
    extern __shared__ uint2 shared[];
    __shared__ thread_counts of_warps[WARPS];
    wait_and_trigger();
    const int warp = threadIdx.x / 32;
    thread_table table(reinterpret_cast<table_memory *>(shared)[warp]);
    thread_counts sums{0, 0, 0, 0, 0};
    /* There are fewer than 2^31 rows, and a tile that begins among them ends below 2^32. */
    uint32_t i = (uint32_t)((uint64_t)blockIdx.x * tiles * THREADS) + threadIdx.x;
    for (int tile = 0; tile < tiles; ++tile, i += THREADS) {
        const bool active = i < (uint32_t)pattern.rows;
        thread_found found{0, 0, true};
        table.clear();
        const int32_t length = count_row(pattern, packed, active, (int32_t)i, table, found);
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
    add_counts(pattern.counters, sums.nnz, sums.products, sums.longest, sums.rows, sums.faults);
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
