/* The pattern of the smoothed prolongator: row i has the aggregates of its own node and of its neighbours', ascending.
 *
 * In: A's pattern and the aggregates. Out: P, whole but for its values. A group of lanes lists the aggregates of a row
 * in shared memory: each lane looks one entry up, lanes that found the same agree on one of them, and what the list
 * lacks is appended; then each finds its place by counting the smaller ones. Rows with more than LIST aggregates are
 * left to blocks, which mark theirs in a bitmap, a window of aggregates at a time. Both are done twice: to count, and
 * to write. */
#include "counts.cuh"
#include "prolongator.cuh"

#include "../values.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace spg
{

namespace amg
{

namespace
{

enum { LIST = 32, LEAST_LANES = 8, ENTRIES_A_LANE = 2 };
enum { WORDS = 8192, WINDOW = 32 * WORDS, WORDS_A_THREAD = WORDS / THREADS }; /* of a bitmap */

static_assert(THREADS / LEAST_LANES * LIST * 4 + WORDS * 4 <= 48 * 1024, "lists and bitmaps must fit shared memory");

/* What to list. */
struct pattern_job {
    int64_t rows;
    numbers_view offsets; /* of A */
    const int32_t *columns;
    aggregate_view aggregates;
    bool smooth; /* else a row's own aggregate alone */
    int candidates;
};

/* Where lengths go, by the pass that counts. */
struct count_result {
    int32_t *lengths, *long_rows;
    spg_tally *tally;
};

/* Appends to a group's list what its lanes found and it lacks; the list may count past LIST, and is then no use. */
__device__ inline void append(int32_t *list, int *count, int lane, int lanes, int32_t aggregate)
{
    bool is_new = aggregate >= 0;
    for (int t = 0; t < *count && t < LIST; ++t) is_new = is_new && list[t] != aggregate;
    int group = lane_in_warp() / lanes;
    uint64_t key = is_new ? (uint64_t)group << 32 | (uint32_t)aggregate : ~(uint64_t)lane_in_warp();
    unsigned int alike = __match_any_sync(ALL_LANES, key);
    bool is_first = is_new && (alike & lanes_below()) == 0;
    unsigned int firsts = __ballot_sync(ALL_LANES, is_first) >> (group * lanes) & (ALL_LANES >> (WARP - lanes));
    int place = *count + __popc(firsts & ((1u << lane) - 1));
    if (is_first && place < LIST) list[place] = aggregate;
    *count += __popc(firsts);
    __syncwarp();
}

/* Lists the aggregates of a row; how many, or more than LIST. By all lanes of a warp together; row -1: none. */
__device__ inline int list_row(const pattern_job &job, int64_t row, int lane, int lanes, int32_t *list)
{
    int count = 0;
    __syncwarp();
    append(list, &count, lane, lanes, row >= 0 && lane == 0 ? job.aggregates[row] : -1);
    bool reads = row >= 0 && job.smooth;
    int64_t k = reads ? job.offsets[row] + lane : 0, end = reads ? job.offsets[row + 1] : 0;
    while (__any_sync(ALL_LANES, k < end && count <= LIST)) {
        append(list, &count, lane, lanes, k < end && count <= LIST ? job.aggregates[job.columns[k]] : -1);
        k += lanes;
    }
    return count;
}

__global__ __launch_bounds__(THREADS) void count_lists(pattern_job job, int lanes, count_result result)
{
    __shared__ int32_t lists[THREADS / LEAST_LANES][LIST];
    int32_t *list = lists[(int)threadIdx.x / lanes];
    unsigned long long nnz = 0;
    for_each_row(job.rows, lanes, [&](int64_t row, int lane) {
        int count = list_row(job, row, lane, lanes, list);
        if (row < 0 || lane != 0) return;
        if (count > LIST) {
            result.long_rows[atomicAdd(&result.tally->long_rows, 1u)] = (int32_t)row;
            return;
        }
        result.lengths[row] = count * job.candidates;
        nnz += (unsigned long long)count * (unsigned long long)job.candidates;
    });
    nnz = reduce(nnz, plus());
    if (lane_in_warp() == 0 && nnz > 0) atomicAdd(&result.tally->nnz, nnz);
}

template <typename Offset>
__global__ __launch_bounds__(THREADS) void write_lists(pattern_job job, int lanes, const Offset *offsets,
                                                       int32_t *columns)
{
    __shared__ int32_t lists[THREADS / LEAST_LANES][LIST];
    int32_t *list = lists[(int)threadIdx.x / lanes];
    for_each_row(job.rows, lanes, [&](int64_t row, int lane) {
        bool is_long = row >= 0 && offsets[row + 1] - offsets[row] > (Offset)LIST * job.candidates;
        int count = list_row(job, is_long ? -1 : row, lane, lanes, list);
        if (row < 0) return;
        for (int t = lane; t < count; t += lanes) {
            int32_t aggregate = list[t], rank = 0;
            for (int s = 0; s < count; ++s) rank += list[s] < aggregate;
            int32_t *to = columns + offsets[row] + (int64_t)rank * job.candidates;
            for (int c = 0; c < job.candidates; ++c) to[c] = aggregate * job.candidates + c;
        }
    });
}

/* The least and the most aggregate of a long row, in all threads. */
__device__ inline void find_range(const pattern_job &job, int64_t row, int32_t *least, int32_t *most)
{
    using block_reduce = cub::BlockReduce<int32_t, THREADS>;
    __shared__ typename block_reduce::TempStorage memory;
    __shared__ int32_t range[2];
    int32_t low = job.aggregates[row], high = low;
    if (low < 0) low = INT32_MAX;
    for (int64_t k = job.offsets[row] + threadIdx.x, end = job.offsets[row + 1]; k < end; k += THREADS) {
        int32_t aggregate = job.aggregates[job.columns[k]];
        if (aggregate >= 0 && aggregate < low) low = aggregate;
        if (aggregate > high) high = aggregate;
    }
    low = block_reduce(memory).Reduce(low, minimum());
    __syncthreads();
    high = block_reduce(memory).Reduce(high, maximum());
    if (threadIdx.x == 0) range[0] = low, range[1] = high;
    __syncthreads();
    *least = range[0], *most = range[1];
}

__device__ inline void mark(int32_t first, int32_t aggregate, uint32_t *words)
{
    uint32_t bit = (uint32_t)aggregate - (uint32_t)first;
    if (aggregate >= 0 && bit < WINDOW) atomicOr(words + bit / 32, 1u << bit % 32);
}

/* Marks the aggregates of a long row from `first` on, as far as a window goes. */
__device__ inline void mark_window(const pattern_job &job, int64_t row, int32_t first, uint32_t *words)
{
    for (int w = (int)threadIdx.x; w < WORDS; w += THREADS) words[w] = 0;
    __syncthreads();
    if (threadIdx.x == 0) mark(first, job.aggregates[row], words);
    for (int64_t k = job.offsets[row] + threadIdx.x, end = job.offsets[row + 1]; k < end; k += THREADS)
        mark(first, job.aggregates[job.columns[k]], words);
    __syncthreads();
}

/* Long rows, one a block at a time. columns NULL: counts; else writes to where offsets say. A thread has neighbouring
 * words of the bitmap. */
template <typename Offset>
__global__ __launch_bounds__(THREADS) void long_rows_by_bitmap(pattern_job job, const int32_t *rows, unsigned int count,
                                                               count_result result, const Offset *offsets,
                                                               int32_t *columns)
{
    using block_scan = cub::BlockScan<int, THREADS>;
    __shared__ typename block_scan::TempStorage memory;
    __shared__ uint32_t words[WORDS];
    for (unsigned int at = blockIdx.x; at < count; at += gridDim.x) {
        int64_t row = rows[at], found = 0;
        int32_t least, most;
        find_range(job, row, &least, &most);
        for (int64_t first = least; first <= most; first += WINDOW) {
            mark_window(job, row, (int32_t)first, words);
            const uint32_t *mine = words + (int)threadIdx.x * WORDS_A_THREAD;
            int marked = 0, before, all;
            for (int w = 0; w < WORDS_A_THREAD; ++w) marked += __popc(mine[w]);
            block_scan(memory).ExclusiveSum(marked, before, all);
            int32_t *to = columns != nullptr ? columns + offsets[row] + (found + before) * job.candidates : nullptr;
            for (int w = 0; w < WORDS_A_THREAD && columns != nullptr; ++w)
                for (uint32_t bits = mine[w]; bits != 0; bits &= bits - 1) {
                    int32_t bit = ((int)threadIdx.x * WORDS_A_THREAD + w) * 32 + __ffs((int)bits) - 1;
                    for (int c = 0; c < job.candidates; ++c) *to++ = ((int32_t)first + bit) * job.candidates + c;
                }
            found += all;
            __syncthreads();
        }
        if (columns != nullptr || threadIdx.x != 0) continue;
        result.lengths[row] = (int32_t)(found * job.candidates);
        atomicAdd(&result.tally->nnz, (unsigned long long)(found * job.candidates));
    }
}

template <typename Offset>
spg_status queue_long_rows(spg_context *context, const pattern_job &job, unsigned int count, const count_result &result,
                           const Offset *offsets, int32_t *columns)
{
    if (count == 0) return SPG_OK;
    unsigned int most = (unsigned int)spg_cuda_of(context)->multiprocessors * 4, blocks = count < most ? count : most;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    long_rows_by_bitmap<<<blocks, THREADS, 0, stream>>>(job, result.long_rows, count, result, offsets, columns);
    return spg_cuda_check_launch(context, "long rows of a prolongator");
}

/* Lengths of rows, and of long ones which they are. Waits. */
spg_status count_rows(spg_context *context, const pattern_job &job, int lanes, const count_result &result, int64_t *nnz,
                      unsigned int *long_rows)
{
    spg_tally counts;
    unsigned int blocks = blocks_for_groups(context, job.rows, lanes);
    count_lists<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, lanes, result);
    spg_status status = spg_cuda_check_launch(context, "counting a prolongator's rows");
    if (status == SPG_OK) status = take_counts(context, &counts);
    if (status != SPG_OK) return status;
    *nnz = (int64_t)counts.nnz;
    *long_rows = counts.long_rows;
    if (*long_rows == 0) return SPG_OK;
    status = queue_long_rows<int32_t>(context, job, *long_rows, result, nullptr, nullptr);
    if (status == SPG_OK) status = take_counts(context, &counts);
    *nnz += (int64_t)counts.nnz;
    return status;
}

template <typename Offset>
spg_status write_rows(spg_context *context, const pattern_job &job, int lanes, const count_result &result,
                      unsigned int long_rows, const spg_csr &P)
{
    spg_status status = scan_lengths(context, result.lengths, P.rows, P.offset_type, P.row_offsets);
    if (status != SPG_OK || P.nnz == 0) return status;
    const Offset *offsets = static_cast<const Offset *>(P.row_offsets);
    unsigned int blocks = blocks_for_groups(context, job.rows, lanes);
    write_lists<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, lanes, offsets, P.columns);
    status = spg_cuda_check_launch(context, "writing a prolongator's rows");
    return status == SPG_OK ? queue_long_rows(context, job, long_rows, result, offsets, P.columns) : status;
}

spg_status make_pattern(spg_context *context, const spg_csr &A, const spg_amg_aggregates &aggregates, bool smooth,
                        spg_csr *P)
{
    const char *what = "a prolongator's pattern";
    workspace work(context);
    count_result result = {nullptr, nullptr, spg_cuda_of(context)->tally};
    pattern_job job = {A.rows, offsets_of(A), A.columns, aggregate_view(aggregates), smooth, aggregates.candidates};
    int lanes = lanes_for(A.rows, smooth ? A.nnz : 0, ENTRIES_A_LANE);
    lanes = lanes < LEAST_LANES ? LEAST_LANES : lanes;
    int64_t nnz = 0;
    unsigned int long_rows = 0;
    spg_status status = work.take(A.rows + 1, what, &result.lengths);
    if (status == SPG_OK) status = work.take(A.rows, what, &result.long_rows);
    if (status == SPG_OK) status = count_rows(context, job, lanes, result, &nnz, &long_rows);
    if (status == SPG_OK) status = spg_check_offset_range(context, nnz, A.offset_type, "P");
    if (status == SPG_OK)
        status = spg_csr_alloc(context, A.rows, aggregates.aggregates * aggregates.candidates, nnz, A.offset_type,
                               A.value_type, P);
    if (status != SPG_OK) return status;
    status = with_offset_type(A.offset_type, [&](auto offset) {
        return write_rows<decltype(offset)>(context, job, lanes, result, long_rows, *P);
    });
    if (status != SPG_OK) spg_csr_free(context, P);
    return status;
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_prolongator_pattern(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                        bool smooth, spg_csr *P)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::amg::make_pattern(context, *A, *aggregates, smooth, P);
    spg_cuda_leave(context);
    return status;
}
