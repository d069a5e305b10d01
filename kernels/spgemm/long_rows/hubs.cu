/* Counts hubs: misfits with so many entries or products that a block alone would keep the others waiting.
 *
 * In: those that long_rows/misfits.cu listed, their bitmaps clear. Out: their lengths, and the tally posted, if that is
 * not left to another kernel. Blocks take chunks of the rows of A, find their columns by windows in shared memory and
 * OR them into the row's bitmap in global memory; whichever ends a row's last chunk counts its bitmap. No block waits
 * for another. Without hubs, as in most products, all blocks end at once. */
#include "../../launch.cuh"
#include "../../primitives/warp.cuh"
#include "../driver/tally.cuh"
#include "misfits.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    HUB_BYTES = 4 << 20,  /* of all hubs' bitmaps; but one has room where C has no more columns than B entries */
    HUBLESS_NNZ = 1 << 16 /* entries of A of which any row may be a block's */
};

template <typename Offset> struct chunk_room {
    alignas(16) uint32_t words[MISFIT_WORDS];
    Offset deltas[MISFIT_THREADS];
    uint32_t starts[MISFIT_THREADS];
    int hub;
    uint32_t chunk;
};

/* Deals the chunks of all hubs, one after the other; by the first warp. */
struct chunk_dealer {
    uint32_t own, upto; /* chunks of hub `lane`, and with those before */

    __device__ chunk_dealer(const hub_list &list, uint32_t hubs)
    {
        const uint32_t lane = threadIdx.x % 32;
        own = lane < hubs ? list.hubs[lane].chunks : 0;
        upto = inclusive_scan(own, plus{});
    }
    /* Which hub's, or -1 if there are no more, and which of its chunks. */
    __device__ void deal(spg_tally *tally, int &hub, uint32_t &chunk) const
    {
        uint32_t ticket = 0;
        if (threadIdx.x == 0) ticket = atomicAdd(&tally->hub_chunks_dealt, 1u);
        ticket = __shfl_sync(~0u, ticket, 0);
        const int of = __ffs((int)__ballot_sync(~0u, ticket < upto)) - 1;
        const uint32_t first = __shfl_sync(~0u, upto - own, max(of, 0));
        if (threadIdx.x == 0) hub = of, chunk = ticket - first;
    }
};

/* Counts a merged bitmap. All threads. */
template <typename Offset>
__device__ inline int64_t count_merged(chunk_room<Offset> &room, const uint32_t *whole, int64_t whole_words)
{
    int64_t length = 0;
    for (int64_t first = 0; first < whole_words; first += MISFIT_WORDS) {
        const int words = (int)min(whole_words - first, (int64_t)MISFIT_WORDS);
        for (int k = (int)threadIdx.x; k < words; k += MISFIT_THREADS) room.words[k] = __ldcg(whole + first + k);
        __syncthreads();
        length += close_bitmap<false>(room.words, words, 0, nullptr);
    }
    return length;
}

/* Does a chunk, and counts the row if it was the last. All threads. */
template <typename Offset>
__device__ inline void do_chunk(const patterns<Offset> &pattern, const misfit_job &job, const hub_list &list,
                                chunk_room<Offset> &room, findings &found)
{
    hub &mine = list.hubs[room.hub];
    uint32_t *const whole = list.bitmaps + room.hub * list.bitmap_words;
    span<Offset> row = checked_a_row(pattern, pattern.misfits.rows[mine.misfit], found.faults);
    row.begin += (Offset)room.chunk * (Offset)mine.chunk_entries;
    if (row.end - row.begin > mine.chunk_entries) row.end = row.begin + mine.chunk_entries;
    const block_memory<Offset> memory{room.deltas, room.words, room.starts};
    count_by_windows(pattern, memory, row, whole, list.bitmap_words, found);
    if (!chunk_is_last(&mine.chunks_done, mine.chunks)) return;
    const int64_t length = count_merged(room, whole, list.bitmap_words);
    if (threadIdx.x == 0) settle(pattern, job, mine.misfit, length, found);
}

template <typename Offset>
__global__ void __launch_bounds__(MISFIT_THREADS, resident_misfits<Offset>)
    count_hub_rows(const patterns<Offset> pattern, const misfit_job job, const hub_list list)
{
    __shared__ chunk_room<Offset> room;
    take_turn();
    const uint32_t hubs = min(*const_cast<volatile unsigned int *>(&pattern.tally->hubs), list.most);
    if (hubs == 0) return;
    for (int k = (int)threadIdx.x; k < MISFIT_WORDS; k += MISFIT_THREADS) room.words[k] = 0;
    findings found{};
    const chunk_dealer dealer(list, hubs);
    while (true) {
        if (threadIdx.x < 32) dealer.deal(pattern.tally, room.hub, room.chunk);
        __syncthreads();
        if (room.hub < 0) break;
        do_chunk(pattern, job, list, room, found);
        __syncthreads();
    }
    tally_misfits(pattern.tally, found);
    __syncthreads();
    if (threadIdx.x < 32 && job.mailbox != nullptr) send_tally_if_last(pattern.tally, job.mailbox, job.post);
}

int64_t bytes_of(const hub_list &list)
{
    return list.most * (int64_t)sizeof(hub) + list.most * list.bitmap_words * (int64_t)sizeof(uint32_t);
}

} // namespace

void take_hubs(cuda_product &product, hub_list *list)
{
    *list = {};
    if (product.A->nnz <= HUBLESS_NNZ && product.B->nnz <= MISFIT_MOST_PRODUCTS) return;
    list->bitmap_words = (product.B->cols / (32 * UNIT_WORDS) + 1) * UNIT_WORDS;
    list->most = 1;
    const int64_t each = bytes_of(*list), limit = product.context->config.workspace_limit;
    int64_t room = HUB_BYTES;
    if (product.B->cols <= product.B->nnz) room = std::max(room, each);
    if (limit > 0) room = std::min(room, (limit - product.held_bytes) / 2);
    list->most = room > 0 ? (uint32_t)std::min<int64_t>(room / each, MOST_HUBS) : 0;
    if (list->most == 0) return;
    void *memory = take_spare_workspace(product, bytes_of(*list));
    if (memory == nullptr) list->most = 0;
    list->hubs = static_cast<hub *>(memory);
    list->bitmaps = reinterpret_cast<uint32_t *>(list->hubs + list->most);
}

void give_hubs(cuda_product &product, const hub_list &list) { give_workspace(product, list.hubs, bytes_of(list)); }

spg_status count_hubs(cuda_product &product, const hub_list &list, const misfit_job &job)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const int blocks = product.cuda->multiprocessors * resident_misfits<Offset>;
        return launch_in_turn(product.context, product.cuda->stream, "counting hubs", (unsigned int)blocks,
                              MISFIT_THREADS, 0, count_hub_rows<Offset>, patterns_of<Offset>(product), job, list);
    });
}

} // namespace spg
