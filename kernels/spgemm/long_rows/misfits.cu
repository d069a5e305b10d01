/* Counts the misfits of the kernel before, so that the host, which waits for the counts, need not be asked once more.
 *
 * In: the list of the rows that the kernel before could not hold, and the tally, not yet posted if there are any. Out:
 * their lengths. The list is dealt in turn. A warp counts a row by a table; a row too long for that is its whole
 * block's, by windows of columns; one that would keep a block too long, a hub, is listed for long_rows/hubs.cu, which
 * then posts, if there is room to list it. Where there are no misfits, as in most products, all blocks end at once;
 * likewise where the list has not room for all of them, which the host sees by the rows that are missing in the tally.
 */
#include "../../launch.cuh"
#include "../driver/tally.cuh"
#include "../hash_group/count_row.cuh"
#include "misfits.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    THREADS = MISFIT_THREADS,
    WARPS = THREADS / 32,
    WARP_MOST_A = 256,       /* entries of A of a row that a warp counts */
    MOST_EACH = 8,           /* rows that a warp counts before its block meets */
    CHUNK_PRODUCTS = 1 << 16 /* of a hub, where they are known */
};

/* What becomes of a hub. */
enum hub_fate { LISTED, LEFT, ALONE };

template <typename Offset> struct block_room {
    alignas(16) uint32_t words[MISFIT_WORDS];
    Offset deltas[THREADS];
    uint32_t starts[THREADS];
    uint32_t longer[WARPS * MOST_EACH]; /* for the whole block, by number in the list */
    int long_rows;
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

/* Lists hub `misfit` of the list and clears its bitmap, if there is room. Where operands are faulty it is left: the
 * product is refused, and rows that overlap might never end. All threads. */
template <typename Offset>
__device__ inline hub_fate list_hub(const patterns<Offset> &pattern, block_room<Offset> &room, const hub_list &list,
                                    uint32_t misfit, int64_t a_length)
{
    if (threadIdx.x == 0) {
        const bool is_sound = !is_malformed(pattern.tally);
        room.place = is_sound && list.most > 0 ? atomicAdd(&pattern.tally->hubs, 1u) : list.most;
        room.fate = !is_sound ? LEFT : room.place < list.most ? LISTED : ALONE;
        /* Of up to MISFIT_MOST_A entries the products are known; of more, chunks are as many as a block has threads. */
        const unsigned long long each =
            a_length <= MISFIT_MOST_A ? (unsigned long long)a_length * CHUNK_PRODUCTS / room.products : THREADS;
        const int32_t entries = (int32_t)min(max(each, 1ull), (unsigned long long)THREADS);
        if (room.fate == LISTED)
            list.hubs[room.place] = {misfit, entries, (uint32_t)((a_length + entries - 1) / entries), 0};
    }
    __syncthreads();
    const hub_fate fate = room.fate;
    if (fate != LISTED) return fate;
    auto *quads = reinterpret_cast<uint4 *>(list.bitmaps + room.place * list.bitmap_words);
    for (int64_t k = threadIdx.x; k < list.bitmap_words / 4; k += THREADS) quads[k] = make_uint4(0, 0, 0, 0);
    return fate;
}

/* Misfits `begin` to `end` of the list, a warp each, and then those that no table holds. All threads. */
template <typename Offset>
__device__ inline void count_listed(const patterns<Offset> &pattern, const misfit_job &job, const hub_list &list,
                                    uint32_t begin, uint32_t end, block_room<Offset> &room, findings &found)
{
    const lane_group<32> group;
    column_table table{reinterpret_cast<int32_t *>(room.words) + group.in_block * TABLE_MOST, TABLE_MOST,
                       32 - TABLE_MOST_LOG};
    if (threadIdx.x == 0) room.long_rows = 0;
    __syncthreads();
    for (uint32_t k = begin + (uint32_t)group.in_block; k < end; k += WARPS) {
        const span<Offset> row = checked_a_row(pattern, pattern.misfits.rows[k], found.faults);
        row_count_state state{0, true};
        int length = 0;
        if (row.end - row.begin <= WARP_MOST_A) {
            table.clear(group);
            __syncwarp();
            length = count_row<true>(pattern, group, table, row, state, found.faults);
            __syncwarp();
        }
        if (!state.full) found.products += state.products;
        if (group.lane != 0) continue;
        if (state.full)
            room.longer[atomicAdd(&room.long_rows, 1)] = k;
        else
            settle(pattern, job, k, length, found);
    }
    __syncthreads();
    const int rows = room.long_rows;
    if (rows > 0)
        for (int k = (int)threadIdx.x; k < MISFIT_WORDS; k += THREADS) room.words[k] = 0;
    for (int n = 0; n < rows; ++n) {
        const uint32_t k = room.longer[n];
        const span<Offset> row = checked_a_row(pattern, pattern.misfits.rows[k], found.faults);
        __syncthreads();
        if (!is_bearable(pattern, room, row, found.faults) &&
            list_hub(pattern, room, list, k, row.end - row.begin) != ALONE)
            continue;
        const block_memory<Offset> memory{room.deltas, room.words, room.starts};
        const int64_t length = count_by_windows(pattern, memory, row, nullptr, 0, found);
        if (threadIdx.x == 0) settle(pattern, job, k, length, found);
    }
    __syncthreads();
}

/* Where the lengths go elsewhere, or to sums as well, the kernel before posts the tally itself, unless that has
 * misfits; else this one posts always, if it is to be posted here, and what it leaves for the scan is the length after
 * the last row's. */
template <typename Offset>
__global__ void __launch_bounds__(THREADS, resident_misfits<Offset>)
    count_misfit_rows(const patterns<Offset> pattern, const misfit_job job, const hub_list list)
{
    __shared__ block_room<Offset> room;
    take_turn();
    const bool first = blockIdx.x == 0 && threadIdx.x < 32;
    const bool posts_always = job.mailbox != nullptr && job.sums.memory == nullptr && job.lengths == nullptr;
    const unsigned int misfits = *const_cast<volatile unsigned int *>(&pattern.tally->misfits);
    if (first && threadIdx.x == 0 && posts_always) pattern.c_offsets[pattern.rows] = 0;
    if (misfits == 0) {
        if (first && posts_always) send_tally(pattern.tally, job.mailbox, job.post);
        return;
    }
    findings found{};
    if (misfits <= pattern.misfits.room) {
        const unsigned int each = min(misfits / (gridDim.x * WARPS) + 1, (unsigned int)MOST_EACH);
        for (unsigned int begin = blockIdx.x * WARPS * each; begin < misfits; begin += gridDim.x * WARPS * each)
            count_listed(pattern, job, list, begin, min(begin + WARPS * each, misfits), room, found);
    }
    __syncthreads();
    tally_misfits(pattern.tally, found);
    __syncthreads();
    if (threadIdx.x < 32 && job.mailbox != nullptr)
        send_tally_if_last(pattern.tally, job.mailbox, job.post, &pattern.tally->hubs);
}

spg_status count_listed_misfits(cuda_product &product, const misfit_job &job)
{
    hub_list list;
    take_hubs(product, &list);
    spg_status status = with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const int64_t most = (int64_t)product.cuda->multiprocessors * resident_misfits<Offset>;
        const auto blocks = (unsigned int)std::min((product.C->rows + THREADS - 1) / THREADS, most);
        return launch_in_turn(product.context, product.cuda->stream, "counting misfits", blocks, THREADS, 0,
                              count_misfit_rows<Offset>, patterns_of<Offset>(product), job, list);
    });
    if (status == SPG_OK && list.most > 0) status = count_hubs(product, list, job);
    give_hubs(product, list);
    return status;
}

template <typename Offset>
__global__ void __launch_bounds__(THREADS)
    place_lengths(const int32_t *rows, const int32_t *lengths, uint32_t count, Offset *c_offsets)
{
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    if (k < count) c_offsets[rows[k]] = (Offset)lengths[k];
}

/* Entries of the list: in a block of the small pool, and within a part of what the limit leaves, for those who take the
 * misfits over need some, too. */
enum { MOST_LISTED = SPG_SMALL_BYTES / (int)sizeof(int32_t), PART_OF_LIMIT = 4 };

} // namespace

void take_misfit_list(cuda_product &product)
{
    if (product.misfits.rows != nullptr) return;
    const int64_t limit = product.context->config.workspace_limit;
    int64_t room = std::min<int64_t>(product.A->rows, MOST_LISTED);
    if (limit > 0) room = std::min(room, (limit - product.held_bytes) / PART_OF_LIMIT / (int64_t)sizeof(int32_t));
    void *memory = room > 0 ? take_spare_workspace(product, room * (int64_t)sizeof(int32_t)) : nullptr;
    if (memory != nullptr) product.misfits = {static_cast<int32_t *>(memory), (uint32_t)room};
}

void give_misfit_list(cuda_product &product)
{
    give_workspace(product, product.misfits.rows, product.misfits.room * (int64_t)sizeof(int32_t));
    product.misfits = {};
}

spg_status count_misfits(cuda_product &product) { return count_listed_misfits(product, {{}, nullptr, nullptr, 0}); }

spg_status count_misfits_and_post(cuda_product &product, const length_sums &sums, int32_t *lengths, unsigned int post)
{
    return count_listed_misfits(product, {sums, lengths, product.cuda->device_mailbox, post});
}

spg_status place_misfit_lengths(cuda_product &product, unsigned int misfits, const int32_t *lengths)
{
    const unsigned int blocks = (misfits + THREADS - 1) / THREADS;
    return with_offset_type(product.offset_type, [&](auto offset) {
        place_lengths<<<blocks, THREADS, 0, product.cuda->stream>>>(
            product.misfits.rows, lengths, misfits, static_cast<decltype(offset) *>(product.C->row_offsets));
        return spg_cuda_check_launch(product.context, "lengths of misfits");
    });
}

} // namespace spg
