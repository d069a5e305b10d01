/* Method hash_thread: a thread contracts its row of C into a hash table of its own. Contraction while expanding
 * replaces the paper's sort (section 3.3). Each row of B is visited once, one after the other; unlike a merge, which
 * returns to all of them until it ends, this needs no L1. For uniform rows up to HASH_THREAD_MOST entries; chosen by
 * route/route.cu.
 *
 * First rows of B are packed. A faulty row is marked in its packed_row, so that only products that name it are refused.
 *
 * Rows with more than HASH_THREAD_MOST entries, or HASH_THREAD_MOST_A entries of A, become overflow rows.
 *
 * Counting, where no arrays are reserved. Input: A, unchecked, and the packed rows of B. Output: the lengths of C's
 * rows.
 *
 * One pass. Input: A, unchecked, the packed rows of B, B, and reserved arrays for C (assemble/reserved.cu). Output: C's
 * row offsets, columns and values. Rows of more than `most` entries are only counted, and are not written. With
 * overflow rows, the offsets are scanned as if these were empty, and no written row is valid. Invariant: sums are
 * stored in the order of arrival of their columns, each from +0 with its products in storage order; the table maps
 * columns to sums. At the end the keys (column and number) are sorted by a network in registers; CHUNK entries of every
 * row of a warp are staged where the table was and written in order. A block takes tiles of a row a thread: while it
 * sorts their columns, look-back finds where its rows begin in C (primitives/look_back.cuh). */
#include "../../launch.cuh"
#include "../assemble/tile_places.cuh"
#include "sums.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Smaller blocks mean more tiles to look back over (spgemm_bench, H100, A*P of tet3d by blocks of 128, 64 and 32
 * threads: 0.62, 0.65 and 0.66 ms; 0.74 in two passes; fe3d27 0.68, 0.69, and 0.78 in two passes). More blocks leave
 * less of the shared memory to L1. */
enum { PASS_THREADS = 128, PASS_WARPS = PASS_THREADS / 32, PASS_RESIDENT = 4 };

/* Counting: above MOST_BLOCKS blocks, a block takes more tiles of rows. */
enum { COUNT_THREADS = 256, COUNT_RESIDENT = 4, LEAST_TILES = 2, MOST_BLOCKS = 4096 };

enum { PACK_THREADS = 256 };

/* odd: number of values (0 or 1) before the first one aligned for a pair. */
__device__ packed_row pack_row(const patterns<int32_t> &pattern, int32_t odd, int32_t j)
{
    unsigned int faults = 0;
    const span<int32_t> b = checked_b_row(pattern, j, faults);
    packed_row row{(uint32_t)b.begin, 0, {0, 0, 0, 0, 0, 0}};
    const int length = b.end - b.begin;
    const bool in_pairs = (b.begin > 0 || odd == 0) && (b.end < pattern.b_nnz || (b.end - odd) % 2 == 0);
    uint32_t code = faults != 0 ? PACKED_FAULT : length > PACKED_MOST || !in_pairs ? PACKED_NOT : length;
    uint32_t first = 0, last = 0;
#pragma unroll
    for (int q = 0; q < PACKED_MOST; ++q) {
        if (q >= length || code > PACKED_MOST) continue;
        const uint32_t column = (uint32_t)pattern.b_columns[b.begin + q];
        if (q == 0) first = column;
        if (q > 0 && column <= last) code = PACKED_UNSORTED;
        if (column >= (uint32_t)pattern.cols) code = PACKED_FAULT;
        if (code <= PACKED_MOST && column - first > 0xffff) code = PACKED_NOT;
        last = column;
        row.beyond[q / 2] |= q % 2 == 0 ? column - first : (column - first) << 16;
    }
    if (code == PACKED_NOT) row.beyond[0] = (uint32_t)length;
    row.first_and_length = first << PACKED_LENGTH_BITS | code;
    return row;
}

__global__ void __launch_bounds__(PACK_THREADS) pack_kernel(patterns<int32_t> pattern, int32_t odd, packed_row *rows)
{
    const uint32_t j = blockIdx.x * PACK_THREADS + threadIdx.x;
    if (j >= (uint32_t)pattern.inner) return;
    const packed_row row = pack_row(pattern, odd, (int32_t)j);
    uint4 *to = reinterpret_cast<uint4 *>(rows + j);
    to[0] = uint4{row.begin, row.first_and_length, row.beyond[0], row.beyond[1]};
    to[1] = uint4{row.beyond[2], row.beyond[3], row.beyond[4], row.beyond[5]};
}

/* Adds the counts of a block's threads to the counters, and writes the sum of its rows' lengths to *lengths unless it
 * is NULL; the last block sends the counters. All threads call it. */
template <int WARPS>
__device__ inline void add_block(spg_counters *counters, thread_counts found, thread_counts (&of_warps)[WARPS],
                                 long long *lengths, spg_mailbox *mailbox, unsigned int post)
{
    found.reduce();
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = found;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    found = threadIdx.x < WARPS ? of_warps[threadIdx.x] : thread_counts{0, 0, 0, 0, 0};
    const unsigned int of_block = __reduce_add_sync(~0u, found.nnz);
    if (threadIdx.x == 0 && lengths != nullptr) *lengths = of_block;
    add_counts(counters, {found.nnz, found.products, found.longest, found.rows, 0, found.faults});
    send_counters_if_last(counters, mailbox, post);
}

/* A block takes `tiles` consecutive tiles, a row a thread. */
__global__ void __launch_bounds__(COUNT_THREADS, COUNT_RESIDENT)
    count_hash_thread(patterns<int32_t> pattern, const packed_row *packed, int tiles, long long *of_blocks,
                      spg_mailbox *mailbox, unsigned int post)
{
    extern __shared__ uint2 shared[];
    __shared__ thread_counts of_warps[COUNT_THREADS / 32];
    wait_and_trigger();
    thread_sums<none> columns{thread_table(reinterpret_cast<table_memory *>(shared)[threadIdx.x / 32]), nullptr, 0};
    thread_counts all{0, 0, 0, 0, 0};
    /* There are fewer than 2^31 rows, and a tile that begins among them ends below 2^32. */
    uint32_t i = (uint32_t)((uint64_t)blockIdx.x * tiles * COUNT_THREADS) + threadIdx.x;
    for (int tile = 0; tile < tiles; ++tile, i += COUNT_THREADS) {
        columns.table.clear();
        thread_found found{0, 0, true};
        const int32_t length = count_row(pattern, numbers<none>{}, packed, i, columns, found);
        const bool active = i < (uint32_t)pattern.rows;
        if (active && found.fits) pattern.c_offsets[i] = length;
        if (!found.fits) leave_row(pattern, (int32_t)i);
        all.add(active, found, length);
    }
    add_block(pattern.counters, all, of_warps, of_blocks + blockIdx.x, mailbox, post);
}

/* Clears the sums of a warp's rows. */
template <typename Value> __device__ void clear_sums(char *first, int each)
{
    uint4 *to = reinterpret_cast<uint4 *>(first);
    const int count = each * 32 * (int)sizeof(Value) / (int)sizeof *to;
    for (int k = (int)threadIdx.x % 32; k < count; k += 32) to[k] = uint4{0, 0, 0, 0};
}

template <typename Value>
__global__ void __launch_bounds__(PASS_THREADS, PASS_RESIDENT)
    one_pass_hash_thread_kernel(patterns<int32_t> pattern, numbers<Value> number, const packed_row *packed,
                                const reserved_job job)
{
    extern __shared__ uint2 shared[];
    __shared__ tile_board<PASS_WARPS> board;
    __shared__ thread_counts of_warps[PASS_WARPS];
    wait_and_trigger();
    tile_places<1, PASS_WARPS> places(job, board);
    char *memory = reinterpret_cast<char *>(shared) + places.warp * warp_bytes<Value>(job.most + 1);
    auto &tables = *reinterpret_cast<table_memory *>(memory);
    thread_sums<Value> sums{thread_table(tables), reinterpret_cast<Value *>(memory + sizeof tables) + places.lane,
                            (uint32_t)job.most};
    thread_counts all{0, 0, 0, 0, 0};
    unsigned int left = 0;
    while (true) {
        const int64_t tile = places.take_tile();
        if (tile >= job.tiles) break;
        const uint32_t i = (uint32_t)(tile * PASS_THREADS + threadIdx.x);
        sums.table.clear();
        clear_sums<Value>(memory + sizeof tables, job.most + 1);
        __syncwarp();
        thread_found found{0, 0, true};
        const int32_t length = count_row(pattern, number, packed, i, sums, found);
        all.add(i < (uint32_t)pattern.rows, found, length);
        if (!found.fits) list_overflow_row(pattern, (int32_t)i);
        const int n = length <= job.most ? length : 0;
        left += length > job.most;
        const bool are_long = places.publish_own(tile, length, n > NUMBERS / 2);
        pack_keys(tables, sums.table);
        const auto place = [&] {
            const int64_t begin = places.begin(tile, &pattern.c_offsets[pattern.rows]);
            if (i < (uint32_t)pattern.rows) pattern.c_offsets[i] = (int32_t)begin;
            const int32_t first = __shfl_sync(~0u, (int32_t)begin, 0);
            return rows_place{first, (int32_t)begin - first, places.has_room(begin, n) ? n : 0};
        };
        write_rows(number, tables, sums, n, are_long ? (int)NUMBERS : 0, place);
        __syncwarp();
    }
    left = __reduce_add_sync(~0u, left);
    if (places.lane == 0 && left > 0) atomicAdd(&pattern.counters->rows_left, left);
    add_block(pattern.counters, all, of_warps, nullptr, job.mailbox, job.post);
}

const packed_row *packed_rows_of(const cuda_product &product)
{
    return static_cast<const packed_row *>(product.packed.memory);
}

} // namespace

spg_status pack_rows(cuda_product &product)
{
    const int64_t rows = product.B->rows, bytes = rows * (int64_t)sizeof(packed_row);
    if (product.offset_type != SPG_I32 || rows == 0 || product.B->cols >= PACKED_COLUMNS) return SPG_OK;
    if (!take_spare(product, bytes, &product.packed)) return SPG_OK;
    const auto first = reinterpret_cast<uintptr_t>(product.B->values) / spg_type_size(product.B->value_type);
    pack_kernel<<<(unsigned int)((rows + PACK_THREADS - 1) / PACK_THREADS), PACK_THREADS, 0, product.cuda->stream>>>(
        patterns_of<int32_t>(product), (int32_t)(first % 2), static_cast<packed_row *>(product.packed.memory));
    return spg_cuda_check_launch(product.context, "packing rows of B");
}

spg_status count_rows_hash_thread(cuda_product &product, unsigned int post, length_sums *sums)
{
    constexpr int bytes = COUNT_THREADS / 32 * (int)sizeof(table_memory);
    static_assert(bytes + COUNT_THREADS / 32 * sizeof(thread_counts) <= 48 * 1024, "every device has it");
    const int64_t tiles = (product.A->rows + COUNT_THREADS - 1) / COUNT_THREADS;
    const int64_t tiles_each = std::max<int64_t>((tiles + MOST_BLOCKS - 1) / MOST_BLOCKS, LEAST_TILES);
    const int64_t blocks = (tiles + tiles_each - 1) / tiles_each;
    spg_status status = take_sums(product, tiles_each * COUNT_THREADS, (int)blocks, sums);
    if (status != SPG_OK) return status;
    return launch_programmatic(product.context, product.cuda->stream, "counting, class hash_thread",
                               (unsigned int)blocks, COUNT_THREADS, bytes, count_hash_thread,
                               patterns_of<int32_t>(product), packed_rows_of(product), (int)tiles_each, sums->memory,
                               product.cuda->device_mailbox, post);
}

int64_t hash_thread_one_pass_words(const cuda_product &product)
{
    return look_back::words_for((product.A->rows + PASS_THREADS - 1) / PASS_THREADS);
}

spg_status one_pass_hash_thread(cuda_product &product, const reserved_arrays &reserved, unsigned int post)
{
    return with_common_value(product, [&](auto value) {
        using Value = decltype(value);
        static_assert(PASS_WARPS * warp_bytes<Value>(HASH_THREAD_MOST + 1) + sizeof(tile_board<PASS_WARPS>) +
                              PASS_WARPS * sizeof(thread_counts) <=
                          48 * 1024,
                      "every device has it");
        const char *what = "one pass, class hash_thread";
        auto *kernel = one_pass_hash_thread_kernel<Value>;
        reserved_job job = reserved_job_of(product, reserved, PASS_THREADS, post);
        job.most = std::min(reserved.most, (int)HASH_THREAD_MOST);
        const int bytes = PASS_WARPS * warp_bytes<Value>(job.most + 1);
        int resident = 0;
        spg_status status = resident_blocks_of(product.context, what, kernel, PASS_THREADS, bytes, &resident);
        if (status != SPG_OK) return status;
        return launch_programmatic(product.context, product.cuda->stream, what, reserved_blocks(product, job, resident),
                                   PASS_THREADS, (size_t)bytes, kernel, patterns_of<int32_t>(product),
                                   reserved_numbers<Value>(product, reserved), packed_rows_of(product), job);
    });
}

} // namespace spg
