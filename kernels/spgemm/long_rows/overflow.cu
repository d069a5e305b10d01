/* Counts the overflow rows of the previous kernel, within the host's wait for its counts.
 *
 * In: the list of overflow rows, and the counters, which are not posted yet if there are any. Out: their lengths. Warps
 * take rows in the order of the list and count each by a hash table; a row too long for that is counted by the whole
 * block, by windows of columns. Without overflow rows, as in most products, all blocks end at once. They also do if the
 * list is too short for all of them; the host sees it because rows are missing in the counters. */
#include "../../launch.cuh"
#include "../driver/counters.cuh"
#include "../hash_group/row_sums.cuh"
#include "mark.cuh"

#include <algorithm>

namespace spg
{

namespace
{

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    WORDS = WARPS * TABLE_MOST /* of a bitmap */
};
static_assert(WORDS % UNIT_WORDS == 0, "what close_bitmap counts at once");

/* Resident blocks a multiprocessor, which bounds the registers. */
template <typename Offset> constexpr int resident_blocks = sizeof(Offset) == 4 ? 4 : 3;

template <typename Offset>
constexpr int table_words = sums_bytes<Offset, none>(32, TABLE_MOST, COUNTED_SLOT_BYTES) / 16; /* of 16 bytes */

template <typename Offset> struct block_room {
    union {
        uint32_t words[WORDS];                   /* a bitmap, or */
        int4 tables[WARPS][table_words<Offset>]; /* a table for each warp */
    };
    Offset deltas[THREADS];
    uint32_t starts[THREADS];
    uint32_t longer[WARPS * MOST_EACH]; /* for the whole block: numbers in the list */
    int long_rows;
    bool is_refused; /* the product is refused: faulty operands */
};

/* Where the lengths go, and who posts the counters. */
struct overflow_job {
    length_sums sums;     /* of the previous kernel; memory = NULL: none */
    int32_t *lengths;     /* by number in the list; NULL: lengths go into C's row offsets, and into the sums */
    spg_mailbox *mailbox; /* NULL: a later kernel posts the counters */
    unsigned int post;
};

/* Writes the length of overflow row number k; one thread calls it. */
template <typename Offset>
__device__ inline void settle(const patterns<Offset> &pattern, const overflow_job &job, uint32_t k, int64_t length,
                              counts &found)
{
    const int32_t i = pattern.overflow.rows[k];
    if (job.lengths != nullptr)
        job.lengths[k] = (int32_t)length;
    else
        pattern.c_offsets[i] = (Offset)length;
    if (job.sums.memory != nullptr)
        atomicAdd(reinterpret_cast<unsigned long long *>(job.sums.memory) + i / job.sums.rows_each,
                  (unsigned long long)length);
    found.add_row((unsigned int)length, 0);
}

/* The length of the row of C that a row of A makes, by a bitmap over a range of columns at a time. The bitmap is clear
 * before and after. All threads call it. */
template <typename Offset>
__device__ inline int64_t count_by_windows(const patterns<Offset> &pattern, const block_memory<Offset> &memory,
                                           span<Offset> row, counts &found)
{
    int64_t length = 0;
    for (int64_t low = 0; low < pattern.cols; low += WORDS * 32) {
        const int64_t high = min(low + WORDS * 32, (int64_t)pattern.cols);
        mark_columns<Offset, b_order::checked>(pattern, memory, row, low, high, found);
        length += close_bitmap<false>(memory.bitmap, WORDS, (int32_t)low, nullptr);
    }
    return length;
}

/* Counts overflow rows `begin` to `end` of the list, a warp each, then those that no table holds. With faulty operands
 * it skips the latter: the product is refused, and overlapping rows could make this run without end. All threads call
 * it. */
template <typename Offset>
__device__ inline void count_listed(const patterns<Offset> &pattern, const overflow_job &job, uint32_t begin,
                                    uint32_t end, block_room<Offset> &room, counts &found)
{
    const lane_group<32> group;
    const numbers<none> number{};
    counts counted{};
    row_sums<Offset, none, 32, 16, reads::checked> sums(pattern, number, group, TABLE_MOST, room.tables[group.in_block],
                                                        counted);
    if (threadIdx.x == 0) room.long_rows = 0;
    __syncthreads();
    for (uint32_t k = begin + (uint32_t)group.in_block; k < end; k += WARPS) {
        const span<Offset> row = checked_a_row(pattern, pattern.overflow.rows[k], found.faults);
        bool fits = row.end - row.begin <= WARP_MOST_A;
        int length = 0;
        if (fits) {
            sums.take_row(0, row);
            length = sums.table.taken(group);
            fits = !group.any(sums.full) && length <= table_holds(TABLE_MOST);
            if (fits) found.products += sums.products;
            sums.clear();
            __syncwarp();
        }
        if (group.lane != 0) continue;
        if (!fits)
            room.longer[atomicAdd(&room.long_rows, 1)] = k;
        else
            settle(pattern, job, k, length, found);
    }
    found.faults |= counted.faults;
    __syncthreads();
    const int rows = room.long_rows;
    if (rows > 0)
        for (int k = (int)threadIdx.x; k < WORDS; k += THREADS) room.words[k] = 0;
    for (int n = 0; n < rows; ++n) {
        __syncthreads();
        if (threadIdx.x == 0) room.is_refused = is_malformed(pattern.counters);
        __syncthreads();
        if (room.is_refused) break;
        const uint32_t k = room.longer[n];
        const span<Offset> row = checked_a_row(pattern, pattern.overflow.rows[k], found.faults);
        const block_memory<Offset> memory{room.deltas, room.words, room.starts};
        const int64_t length = count_by_windows(pattern, memory, row, found);
        if (threadIdx.x == 0) settle(pattern, job, k, length, found);
    }
    __syncthreads();
}

/* Given lengths or sums, the previous kernel posts the counters itself unless there are overflow rows; then this kernel
 * does. Otherwise this kernel always posts, if given a mailbox, and zeroes the length after the last row's for the
 * scan. */
template <typename Offset>
__global__ void __launch_bounds__(THREADS, resident_blocks<Offset>)
    count_overflow_rows_kernel(const patterns<Offset> pattern, const overflow_job job)
{
    __shared__ block_room<Offset> room;
    wait_and_trigger();
    const bool first = blockIdx.x == 0 && threadIdx.x < 32;
    const bool posts_always = job.mailbox != nullptr && job.sums.memory == nullptr && job.lengths == nullptr;
    const unsigned int overflow = *const_cast<volatile unsigned int *>(&pattern.counters->overflow);
    if (first && threadIdx.x == 0 && posts_always) pattern.c_offsets[pattern.rows] = 0;
    if (overflow == 0) {
        if (first && posts_always) send_counters(pattern.counters, job.mailbox, job.post);
        return;
    }
    counts found{};
    if (overflow <= pattern.overflow.room) {
        const unsigned int each = min(overflow / (gridDim.x * WARPS) + 1, (unsigned int)MOST_EACH);
        for (unsigned int begin = blockIdx.x * WARPS * each; begin < overflow; begin += gridDim.x * WARPS * each)
            count_listed(pattern, job, begin, min(begin + WARPS * each, overflow), room, found);
    }
    __syncthreads();
    add_counts(pattern.counters, {found.nnz, found.products, 0, found.rows, 0, found.faults});
    if (found.longest > 0) atomicMax(&pattern.counters->longest_overflow_row, found.longest);
    __syncthreads();
    if (threadIdx.x < 32 && job.mailbox != nullptr) send_counters_if_last(pattern.counters, job.mailbox, job.post);
}

spg_status count_listed_overflow_rows(cuda_product &product, const overflow_job &job)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const int64_t most = (int64_t)product.cuda->multiprocessors * resident_blocks<Offset>;
        const auto blocks = (unsigned int)std::min((product.C->rows + THREADS - 1) / THREADS, most);
        return launch_programmatic(product.context, product.cuda->stream, "counting overflow rows", blocks, THREADS, 0,
                                   count_overflow_rows_kernel<Offset>, patterns_of<Offset>(product), job);
    });
}

template <typename Offset>
__global__ void __launch_bounds__(THREADS)
    place_lengths(const int32_t *rows, const int32_t *lengths, uint32_t count, Offset *c_offsets)
{
    const uint32_t k = blockIdx.x * THREADS + threadIdx.x;
    if (k < count) c_offsets[rows[k]] = (Offset)lengths[k];
}

/* Rows in the list, which fits a block of the small pool. */
enum { MOST_LISTED = SPG_SMALL_BYTES / (int)sizeof(int32_t) };

} // namespace

void take_overflow_list(cuda_product &product)
{
    if (product.overflow.rows != nullptr) return;
    const int64_t limit = product.context->config.workspace_limit;
    int64_t room = std::min<int64_t>(product.A->rows, MOST_LISTED);
    if (limit > 0) room = std::min(room, (limit - product.held_bytes) / PART_OF_LIMIT / (int64_t)sizeof(int32_t));
    void *memory = room > 0 ? take_spare_workspace(product, room * (int64_t)sizeof(int32_t)) : nullptr;
    if (memory != nullptr) product.overflow = {static_cast<int32_t *>(memory), (uint32_t)room};
}

void give_overflow_list(cuda_product &product)
{
    give_workspace(product, product.overflow.rows, product.overflow.room * (int64_t)sizeof(int32_t));
    product.overflow = {};
}

spg_status count_overflow_rows(cuda_product &product)
{
    return count_listed_overflow_rows(product, {{}, nullptr, nullptr, 0});
}

spg_status count_overflow_rows_and_post(cuda_product &product, const length_sums &sums, int32_t *lengths,
                                        unsigned int post)
{
    return count_listed_overflow_rows(product, {sums, lengths, product.cuda->device_mailbox, post});
}

spg_status place_overflow_lengths(cuda_product &product, unsigned int overflow, const int32_t *lengths)
{
    const unsigned int blocks = (overflow + THREADS - 1) / THREADS;
    return launch_typed(product, "lengths of overflow rows", [&](auto offset, cudaStream_t stream) {
        place_lengths<<<blocks, THREADS, 0, stream>>>(product.overflow.rows, lengths, overflow,
                                                      static_cast<decltype(offset) *>(product.C->row_offsets));
    });
}

} // namespace spg
