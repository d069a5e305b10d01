/* Counts the misfits of the kernel before, so that the host, which waits for the counts, need not be asked once more.
 *
 * In: C's lengths, MISFIT where the kernel before could not hold a row, or row offsets that are scanned of such; the
 * tally, not yet posted if it has any. Out: their lengths, and the tally posted. Blocks look for marks in groups of
 * rows, dealt so that neighbours, and rows at any regular distance, come to different blocks. A warp counts a row by a
 * table; a row too long for that is its whole block's, by windows of columns; one that would keep a block too long, a
 * hub, is listed for rows_hubs.cu, which then posts, if there is room to list it. Where there are no misfits, as in
 * most products, all blocks end at once. */
#include "../launch.cuh"
#include "misfits.cuh"
#include "table_count.cuh"
#include "tally.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    THREADS = MISFIT_THREADS,
    WARPS = THREADS / 32,
    WARP_MOST_A = 256, /* entries of A of a row that a warp counts */
    GROUP = 8,         /* rows that are dealt together: the lengths of 32 bytes */
    SPREAD = 37,
    CHUNK_PRODUCTS = 1 << 16 /* of a hub, where they are known */
};

/* What becomes of a hub. */
enum hub_fate { LISTED, LEFT, ALONE };

template <typename Offset> struct block_room {
    alignas(16) uint32_t words[MISFIT_WORDS];
    Offset deltas[THREADS];
    uint32_t starts[THREADS];
    int32_t marked[THREADS], longer[THREADS]; /* rows; those for the whole block */
    int marks, long_marks;
    unsigned long long products; /* of a row of up to MISFIT_MOST_A entries of A */
    uint32_t place;
    hub_fate fate;
};

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

/* Lists a hub and clears its bitmap, if there is room. Where operands are faulty it is left: the product is refused,
 * and rows that overlap might never end. All threads. */
template <typename Offset>
__device__ inline hub_fate list_hub(const patterns<Offset> &pattern, block_room<Offset> &room, const hub_list &list,
                                    int32_t i, int64_t a_length)
{
    if (threadIdx.x == 0) {
        const bool is_sound = !is_malformed(pattern.tally);
        room.place = is_sound && list.most > 0 ? atomicAdd(hubs_in(pattern.tally), 1u) : list.most;
        room.fate = !is_sound ? LEFT : room.place < list.most ? LISTED : ALONE;
        /* Of up to MISFIT_MOST_A entries the products are known; of more, chunks are as many as a block has threads. */
        const unsigned long long each =
            a_length <= MISFIT_MOST_A ? (unsigned long long)a_length * CHUNK_PRODUCTS / room.products : THREADS;
        const int32_t entries = (int32_t)min(max(each, 1ull), (unsigned long long)THREADS);
        if (room.fate == LISTED)
            list.hubs[room.place] = {i, entries, (uint32_t)((a_length + entries - 1) / entries), 0};
    }
    __syncthreads();
    const hub_fate fate = room.fate;
    if (fate != LISTED) return fate;
    auto *quads = reinterpret_cast<uint4 *>(list.bitmaps + room.place * list.bitmap_words);
    for (int64_t k = threadIdx.x; k < list.bitmap_words / 4; k += THREADS) quads[k] = make_uint4(0, 0, 0, 0);
    return fate;
}

/* The listed rows, a warp each, and then those that no table holds. All threads; the lists are empty afterwards. */
template <typename Offset>
__device__ inline void count_listed(const patterns<Offset> &pattern, const length_sums &sums, const hub_list &list,
                                    block_room<Offset> &room, misfit_findings &found)
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
        for (int k = (int)threadIdx.x; k < MISFIT_WORDS; k += THREADS) room.words[k] = 0;
    for (int k = 0; k < rows; ++k) {
        const int32_t i = room.longer[k];
        const span<Offset> row = checked_a_row(pattern, i, found.faults);
        __syncthreads();
        if (!is_bearable(pattern, room, row, found.faults) &&
            list_hub(pattern, room, list, i, row.end - row.begin) != ALONE)
            continue;
        const block_memory<Offset> memory{room.deltas, room.words, room.starts};
        const int64_t length = count_by_windows(pattern, memory, row, nullptr, 0, found);
        if (threadIdx.x == 0) settle(pattern, sums, i, length, found);
    }
    __syncthreads();
    if (threadIdx.x == 0) room.marks = room.long_marks = 0;
}

/* Where the kernel before leaves sums, or has scanned, it posts the tally itself, unless that has misfits, and what is
 * meant for lengths may be in use; else this one posts always, and what it leaves for the scan is the length after the
 * last row's. */
template <typename Offset>
__global__ void __launch_bounds__(THREADS, resident_misfits<Offset>)
    count_misfit_rows(patterns<Offset> pattern, const Offset *scanned, length_sums sums, hub_list list,
                      spg_mailbox *mailbox, unsigned int post)
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
        count_listed(pattern, sums, list, room, found);
    }
    __syncthreads();
    tally_misfits(pattern.tally, found);
    __syncthreads();
    if (threadIdx.x < 32) send_tally_if_last(pattern.tally, mailbox, post, hubs_in(pattern.tally));
}

} // namespace

spg_status count_misfits_and_post(cuda_product &product, const length_sums &sums, void *lengths, unsigned int post)
{
    hub_list list;
    spg_status status = take_hubs(product, &list);
    if (status != SPG_OK) return status;
    void *const to = lengths != nullptr ? lengths : product.C->row_offsets;
    status = with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        patterns<Offset> pattern = patterns_of<Offset>(product);
        const Offset *scanned = lengths != nullptr ? pattern.c_offsets : nullptr;
        pattern.c_offsets = static_cast<Offset *>(to);
        const int64_t most = (int64_t)product.cuda->multiprocessors * resident_misfits<Offset>;
        const auto blocks = (unsigned int)std::min((product.C->rows + THREADS - 1) / THREADS, most);
        return launch_in_turn(product.context, product.cuda->stream, "counting misfits", blocks, THREADS, 0,
                              count_misfit_rows<Offset>, pattern, scanned, sums, list, product.cuda->device_mailbox,
                              post);
    });
    if (status == SPG_OK && list.most > 0) status = count_hubs_and_post(product, list, sums, to, post);
    give_hubs(product, list);
    return status;
}

} // namespace spg
