/* The pattern of the smoothed prolongator: row i has the aggregates of its own node and of its neighbours', ascending.
 *
 * In: A's pattern and the aggregates. Out: P, whole but for its values. A thread lists the aggregates of a row in
 * registers, in order, as it meets them. Rows with more than a list holds are left to their block, which marks theirs
 * in a bitmap in shared memory, a window of aggregates at a time. All is done twice: to count, and to write. */
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

enum { SHORT_LIST = 8, LONG_LIST = 16, MOST_LISTED = 512 }; /* MOST_LISTED: entries that one thread looks at */
enum { WORDS = 8192, WINDOW = 32 * WORDS, WORDS_A_THREAD = WORDS / THREADS }; /* of a bitmap */

static_assert(WORDS * 4 + THREADS * 4 + 2048 <= 48 * 1024, "a bitmap must fit static shared memory");

/* What to list, and where it goes: to count, lengths of rows and their sum; to write, columns where offsets say. */
struct pattern_job {
    int64_t rows;
    numbers_view offsets; /* of A */
    const int32_t *columns;
    aggregate_view aggregates;
    bool smooth; /* else a row's own aggregate alone */
    int candidates;
    int32_t *lengths;
    spg_tally *tally;
    numbers_view p_offsets;
    int32_t *p_columns; /* NULL: count */

    __device__ int64_t begin(int64_t row) const { return smooth ? offsets[row] : 0; }
    __device__ int64_t end(int64_t row) const { return smooth ? offsets[row + 1] : 0; }
};

/* Puts an aggregate into its place in an ascending list that ends in INT32_MAX, unless it is there; false if the list
 * cannot hold it. */
template <int List> __device__ inline bool insert(int32_t (&list)[List], int32_t aggregate)
{
    bool is_there = aggregate < 0;
#pragma unroll
    for (int t = 0; t < List; ++t) is_there = is_there || list[t] == aggregate;
    if (is_there) return true;
#pragma unroll
    for (int t = 0; t < List; ++t) {
        int32_t less = min(list[t], aggregate);
        aggregate = max(list[t], aggregate);
        list[t] = less;
    }
    return aggregate == INT32_MAX;
}

/* False if the row is one for its block. */
template <int List> __device__ inline bool list_row(const pattern_job &job, int64_t row, int32_t (&list)[List])
{
#pragma unroll
    for (int t = 0; t < List; ++t) list[t] = INT32_MAX;
    int64_t k = job.begin(row), end = job.end(row);
    if (end - k > MOST_LISTED) return false;
    bool fits = insert(list, job.aggregates[row]);
    for (; k < end && fits; k += ENTRIES_IN_FLIGHT) {
        int32_t found[ENTRIES_IN_FLIGHT];
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) found[u] = k + u < end ? job.columns[k + u] : -1;
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) found[u] = found[u] >= 0 ? job.aggregates[found[u]] : -1;
#pragma unroll
        for (int u = 0; u < ENTRIES_IN_FLIGHT; ++u) fits = insert(list, found[u]) && fits;
    }
    return fits;
}

/* Counts or writes a list. */
template <int List>
__device__ inline unsigned long long put_list(const pattern_job &job, int64_t row, const int32_t (&list)[List])
{
    int count = 0;
    int32_t *to = job.p_columns != nullptr ? job.p_columns + job.p_offsets[row] : nullptr;
#pragma unroll
    for (int t = 0; t < List; ++t) {
        if (list[t] == INT32_MAX) continue;
        ++count;
        for (int c = 0; to != nullptr && c < job.candidates; ++c) *to++ = list[t] * job.candidates + c;
    }
    if (to == nullptr) job.lengths[row] = count * job.candidates;
    return (unsigned long long)count * (unsigned long long)job.candidates;
}

/* The least and the most aggregate of a row, in all threads of a block. */
__device__ inline void find_range(const pattern_job &job, int64_t row, int32_t *least, int32_t *most)
{
    using block_reduce = cub::BlockReduce<int32_t, THREADS>;
    __shared__ typename block_reduce::TempStorage memory;
    __shared__ int32_t range[2];
    int32_t low = job.aggregates[row], high = low;
    if (low < 0) low = INT32_MAX;
    for (int64_t k = job.begin(row) + threadIdx.x, end = job.end(row); k < end; k += THREADS) {
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

/* Marks the aggregates of a row from `first` on, as far as a window goes. */
__device__ inline void mark_window(const pattern_job &job, int64_t row, int32_t first, uint32_t *words)
{
    for (int w = (int)threadIdx.x; w < WORDS; w += THREADS) words[w] = 0;
    __syncthreads();
    if (threadIdx.x == 0) mark(first, job.aggregates[row], words);
    for (int64_t k = job.begin(row) + threadIdx.x, end = job.end(row); k < end; k += THREADS)
        mark(first, job.aggregates[job.columns[k]], words);
    __syncthreads();
}

/* Counts or writes a row by a block; the length, in thread 0. A thread has neighbouring words of the bitmap. */
__device__ inline unsigned long long put_long_row(const pattern_job &job, int64_t row, uint32_t *words)
{
    using block_scan = cub::BlockScan<int, THREADS>;
    __shared__ typename block_scan::TempStorage memory;
    int32_t least, most;
    int64_t found = 0;
    find_range(job, row, &least, &most);
    for (int64_t first = least; first <= most; first += WINDOW) {
        mark_window(job, row, (int32_t)first, words);
        const uint32_t *mine = words + (int)threadIdx.x * WORDS_A_THREAD;
        int marked = 0, before, all;
        for (int w = 0; w < WORDS_A_THREAD; ++w) marked += __popc(mine[w]);
        block_scan(memory).ExclusiveSum(marked, before, all);
        if (job.p_columns != nullptr) {
            int32_t *to = job.p_columns + job.p_offsets[row] + (found + before) * job.candidates;
            for (int w = 0; w < WORDS_A_THREAD; ++w)
                for (uint32_t bits = mine[w]; bits != 0; bits &= bits - 1) {
                    int32_t bit = ((int)threadIdx.x * WORDS_A_THREAD + w) * 32 + __ffs((int)bits) - 1;
                    for (int c = 0; c < job.candidates; ++c) *to++ = ((int32_t)first + bit) * job.candidates + c;
                }
        }
        found += all;
        __syncthreads();
    }
    if (threadIdx.x == 0 && job.p_columns == nullptr) job.lengths[row] = (int32_t)(found * job.candidates);
    return threadIdx.x == 0 ? (unsigned long long)(found * job.candidates) : 0;
}

template <int List> __global__ __launch_bounds__(THREADS) void put_rows(pattern_job job)
{
    __shared__ uint32_t words[WORDS];
    __shared__ int32_t long_rows[THREADS];
    __shared__ int long_count;
    unsigned long long nnz = 0;
    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < job.rows; first += (int64_t)gridDim.x * THREADS) {
        int64_t row = first + threadIdx.x;
        int32_t list[List];
        if (threadIdx.x == 0) long_count = 0;
        __syncthreads();
        if (row < job.rows) {
            if (list_row(job, row, list))
                nnz += put_list(job, row, list);
            else
                long_rows[atomicAdd(&long_count, 1)] = (int32_t)row;
        }
        __syncthreads();
        for (int at = 0; at < long_count; ++at) nnz += put_long_row(job, long_rows[at], words);
        __syncthreads();
    }
    nnz = reduce(nnz, plus());
    if (job.p_columns == nullptr && lane_in_warp() == 0 && nnz > 0) atomicAdd(&job.tally->nnz, nnz);
}

/* Rows of few entries fit a short list, whatever their aggregates. */
spg_status queue_rows(spg_context *context, const pattern_job &job, bool are_short)
{
    if (job.rows == 0) return SPG_OK;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    unsigned int blocks = blocks_for_groups(context, job.rows, 1);
    if (are_short)
        put_rows<SHORT_LIST><<<blocks, THREADS, 0, stream>>>(job);
    else
        put_rows<LONG_LIST><<<blocks, THREADS, 0, stream>>>(job);
    return spg_cuda_check_launch(context, "a prolongator's rows");
}

spg_status make_pattern(spg_context *context, const spg_csr &A, const spg_amg_aggregates &aggregates, bool smooth,
                        spg_csr *P)
{
    workspace work(context);
    pattern_job job = {
        A.rows, offsets_of(A), A.columns, aggregate_view(aggregates), smooth, aggregates.candidates, nullptr, nullptr,
        {},     nullptr};
    job.tally = spg_cuda_of(context)->tally;
    bool are_short = !smooth || A.nnz <= (SHORT_LIST - 1) * A.rows;
    spg_tally counts;
    spg_status status = work.take(A.rows + 1, "a prolongator's pattern", &job.lengths);
    if (status == SPG_OK) status = queue_rows(context, job, are_short);
    if (status == SPG_OK) status = take_counts(context, &counts);
    if (status == SPG_OK) status = spg_check_offset_range(context, (int64_t)counts.nnz, A.offset_type, "P");
    if (status == SPG_OK)
        status = spg_csr_alloc(context, A.rows, aggregates.aggregates * aggregates.candidates, (int64_t)counts.nnz,
                               A.offset_type, A.value_type, P);
    if (status != SPG_OK) return status;
    status = scan_lengths(context, job.lengths, P->rows, P->offset_type, P->row_offsets);
    job.p_offsets = offsets_of(*P);
    job.p_columns = P->columns;
    if (status == SPG_OK && P->nnz > 0) status = queue_rows(context, job, are_short);
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
