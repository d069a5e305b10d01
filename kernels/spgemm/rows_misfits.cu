/* Counts the misfits of the kernel before, so that the host, which waits for the counts, need not be asked once more.
 *
 * In: C's lengths, MISFIT where the kernel before could not hold a row, or row offsets that are scanned of such; the
 * tally, not yet posted if it has any. Out: their lengths, and the tally posted. Blocks look for marks in groups of
 * rows, dealt so that neighbours, and rows at any regular distance, come to different blocks. A warp counts a row by a
 * table; a row too long for that is its whole block's, by windows of columns; one that would keep a block too long
 * stays marked, for count_misfits. Where there are no misfits, as in most products, all blocks end at once. */
#include "../launch.cuh"
#include "table_count.cuh"
#include "tally.cuh"
#include "window_set.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    WARP_MOST_A = 256, /* entries of A of a row that a warp counts */
    GROUP = 8,         /* rows that are dealt together: the lengths of 32 bytes */
    SPREAD = 37,
    WORDS = WARPS * TABLE_MOST
};
/* Of a multiprocessor, which bounds the registers. */
template <typename Offset> constexpr int resident = sizeof(Offset) == 4 ? 4 : 3;
static_assert(WORDS % UNIT_WORDS == 0, "what close_bitmap counts at once");

template <typename Offset> struct block_room {
    alignas(16) uint32_t words[WORDS]; /* a table for each warp, or a bitmap */
    Offset deltas[THREADS];
    uint32_t starts[THREADS];
    int32_t marked[THREADS], longer[THREADS]; /* rows; those for the whole block */
    int marks, long_marks;
    unsigned long long products;
};

struct misfit_findings : findings {
    unsigned int counted;
};

/* By one thread. */
template <typename Offset>
__device__ inline void settle(const patterns<Offset> &pattern, const length_sums &sums, int32_t i, int64_t length,
                              misfit_findings &found)
{
    pattern.c_offsets[i] = (Offset)length;
    if (sums.memory != nullptr)
        atomicAdd(reinterpret_cast<unsigned long long *>(sums.memory) + i / sums.rows_each,
                  (unsigned long long)(length - MISFIT));
    found.nnz += (unsigned long long)length;
    found.longest = max(found.longest, (unsigned int)length);
    ++found.counted;
}

/* Whether a row is not too much for one block. All threads. */
template <typename Offset>
__device__ inline bool is_bearable(const patterns<Offset> &pattern, block_room<Offset> &room, span<Offset> row,
                                   unsigned int &faults)
{
    if (row.end - row.begin > MISFIT_MOST_A) return false;
    if (threadIdx.x == 0) room.products = 0;
    __syncthreads();
    unsigned long long products = 0;
    for (Offset k = threadIdx.x; k < row.end - row.begin; k += THREADS) {
        const span<Offset> b = checked_b_row(pattern, pattern.a_columns[row.begin + k], faults);
        products += (unsigned long long)(b.end - b.begin);
    }
    if (products > 0) atomicAdd(&room.products, products);
    __syncthreads();
    return room.products <= MISFIT_MOST_PRODUCTS;
}

/* Counts a row; the bitmap is clear before and after. All threads. */
template <typename Offset>
__device__ inline int64_t count_by_windows(const patterns<Offset> &pattern, block_room<Offset> &room, span<Offset> row,
                                           findings &found)
{
    const block_memory<Offset> memory{room.deltas, room.words, room.starts};
    int64_t length = 0;
    for (int64_t low = 0; low < pattern.cols; low += WORDS * 32) {
        const int64_t high = min(low + WORDS * 32, (int64_t)pattern.cols);
        for (Offset at = row.begin; at < row.end;) {
            flat_products<Offset> flat;
            const Offset taken = lay_batch<Offset, false>(pattern, memory, at, row.end, low, high, flat, found);
            set_bits<Offset, false>(pattern, flat, room.words, low, high, found);
            __syncthreads();
            if (row.end - at <= taken) break;
            at += taken;
        }
        length += close_bitmap<false>(room.words, WORDS, (int32_t)low, nullptr);
    }
    return length;
}

/* The listed rows, a warp each, and then those that no table holds. All threads; the lists are empty afterwards. */
template <typename Offset>
__device__ inline void count_listed(const patterns<Offset> &pattern, const length_sums &sums, block_room<Offset> &room,
                                    misfit_findings &found)
{
    const lane_group<32> group;
    column_table table{reinterpret_cast<int32_t *>(room.words) + group.in_block * TABLE_MOST, TABLE_MOST,
                       32 - TABLE_MOST_LOG};
    for (int k = group.in_block; k < room.marks; k += WARPS) {
        const int32_t i = room.marked[k];
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        row_count_state state;
        int length = MISFIT;
        if (row.end - row.begin <= WARP_MOST_A) {
            table.clear(group);
            __syncwarp();
            length = count_row<true>(pattern, group, table, row, state, found.faults);
            __syncwarp();
        }
        if (length != MISFIT) found.products += state.products;
        if (group.lane != 0) continue;
        if (length != MISFIT)
            settle(pattern, sums, i, length, found);
        else
            room.longer[atomicAdd(&room.long_marks, 1)] = i;
    }
    __syncthreads();
    const int rows = room.long_marks;
    if (rows > 0)
        for (int k = (int)threadIdx.x; k < WORDS; k += THREADS) room.words[k] = 0;
    for (int k = 0; k < rows; ++k) {
        const int32_t i = room.longer[k];
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        __syncthreads();
        if (!is_bearable(pattern, room, row, found.faults)) continue;
        const int64_t length = count_by_windows(pattern, room, row, found);
        if (threadIdx.x == 0) settle(pattern, sums, i, length, found);
    }
    __syncthreads();
    if (threadIdx.x == 0) room.marks = room.long_marks = 0;
}

/* Where the kernel before leaves sums, or has scanned, it posts the tally itself, unless that has misfits, and what is
 * meant for lengths may be in use; else this one posts always, and what it leaves for the scan is the length after the
 * last row's. */
template <typename Offset>
__global__ void __launch_bounds__(THREADS, resident<Offset>)
    count_misfit_rows(patterns<Offset> pattern, const Offset *scanned, length_sums sums, spg_mailbox *mailbox,
                      unsigned int post)
{
    __shared__ block_room<Offset> room;
    take_turn();
    const bool first = blockIdx.x == 0 && threadIdx.x < 32, posts = sums.memory == nullptr && scanned == nullptr;
    const bool is_needed = *const_cast<volatile unsigned int *>(&pattern.tally->misfits) > 0;
    if (first && threadIdx.x == 0 && (posts || is_needed)) pattern.c_offsets[pattern.rows] = 0;
    if (!is_needed) {
        if (first && posts) send_tally(pattern.tally, mailbox, post);
        return;
    }
    misfit_findings found{};
    if (threadIdx.x == 0) room.marks = room.long_marks = 0;
    const int64_t step = (int64_t)gridDim.x * THREADS;
    unsigned int turn = threadIdx.x / GROUP;
    for (int64_t begin = 0; begin < pattern.rows; begin += step, turn += THREADS / GROUP) {
        const int64_t place = (blockIdx.x + (uint64_t)turn * SPREAD) % gridDim.x;
        const int64_t i = begin + ((int64_t)(threadIdx.x / GROUP) * gridDim.x + place) * GROUP + threadIdx.x % GROUP;
        if (scanned != nullptr && i < pattern.rows) pattern.c_offsets[i] = scanned[i + 1] - scanned[i];
        const bool marked = i < pattern.rows && pattern.c_offsets[i] == (Offset)MISFIT;
        if (__syncthreads_or(marked) == 0) continue;
        if (marked) room.marked[atomicAdd(&room.marks, 1)] = (int32_t)i;
        __syncthreads();
        count_listed(pattern, sums, room, found);
    }
    __syncthreads();
    tally_counts(pattern.tally, found.nnz, found.products, 0, 0, found.faults);
    if (found.counted > 0) {
        atomicAdd(&pattern.tally->misfits_counted, found.counted);
        atomicMax(&pattern.tally->longest_misfit, found.longest);
    }
    __syncthreads();
    if (threadIdx.x < 32) send_tally_if_last(pattern.tally, mailbox, post);
}

} // namespace

spg_status count_misfits_and_post(cuda_product &product, const length_sums &sums, void *lengths, unsigned int post)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        patterns<Offset> pattern = patterns_of<Offset>(product);
        const Offset *scanned = lengths != nullptr ? pattern.c_offsets : nullptr;
        if (lengths != nullptr) pattern.c_offsets = static_cast<Offset *>(lengths);
        const int64_t most = (int64_t)product.cuda->multiprocessors * resident<Offset>;
        const auto blocks = (unsigned int)std::min((product.C->rows + THREADS - 1) / THREADS, most);
        return launch_in_turn(product.context, product.cuda->stream, "counting misfits", blocks, THREADS, 0,
                              count_misfit_rows<Offset>, pattern, scanned, sums, product.cuda->device_mailbox, post);
    });
}

} // namespace spg
