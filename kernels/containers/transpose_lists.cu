/* The transpose by counting. Entries get numbers in the rows of the transpose as they arrive, by atomics, and are
 * listed there; then every row is put into storage order. This is an order of distinct integers, so the result does not
 * depend on the order of arrival.
 *
 * In a short row, a group of lanes finds the place of each entry by counting those before it; a block sorts a longer
 * row. */
#include "../cuda_backend.h"
#include "../values.cuh"
#include "order.cuh"
#include "transpose.cuh"

#include <cub/block/block_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace spg
{

namespace
{

enum { OWN = 4 }; /* entries that a thread or a lane handles at a time */
/* Longer rows are sorted by a block; a whole warp takes longer ones than a part of it. */
enum { SHORT_ROW = 64, SHORT_ROW_OF_WARP = 256 };

__device__ inline uint32_t add_to(int32_t *count, int by) { return (uint32_t)atomicAdd(count, by); }
__device__ inline uint32_t add_to(int64_t *count, int by)
{
    return (uint32_t)atomicAdd(reinterpret_cast<unsigned long long *>(count), (unsigned long long)by);
}

/* The number of this lane's entry in its column; lanes with the same column share one atomic. Column -1: none. All
 * lanes of a warp call it together. */
template <typename Offset> __device__ inline uint32_t number_in_column(Offset *counts, int32_t column)
{
    unsigned int peers = __match_any_sync(ALL_LANES, column);
    int first = __ffs((int)peers) - 1;
    uint32_t before = 0;
    if (column >= 0 && lane_in_warp() == first) before = add_to(counts + column, __popc(peers));
    return __shfl_sync(ALL_LANES, before, first) + (uint32_t)__popc(peers & lanes_below());
}

struct count_job {
    const int32_t *columns;
    int64_t nnz, rows, cols;
    numbers_view row_offsets; /* of the matrix */
    bool checks;
    uint32_t *numbers;
    largest_post post;
};

/* Whether a row has invalid offsets; all threads of the grid call it. */
__device__ inline bool finds_bad_row(const count_job &job)
{
    const int64_t step = (int64_t)gridDim.x * LOOP_THREADS;
    bool bad = job.row_offsets[0] != 0 || job.row_offsets[job.rows] != job.nnz;
    for (int64_t i = (int64_t)blockIdx.x * LOOP_THREADS + threadIdx.x; i < job.rows; i += step)
        bad |= job.row_offsets[i + 1] < job.row_offsets[i];
    return bad;
}

/* Skips an entry outside of the matrix. */
template <typename Offset> __global__ __launch_bounds__(LOOP_THREADS) void count_columns(count_job job, Offset *counts)
{
    uint32_t longest = job.checks && finds_bad_row(job) ? (uint32_t)MALFORMED : 0;
    for (int64_t first = (int64_t)blockIdx.x * LOOP_ENTRIES; first < job.nnz;
         first += (int64_t)gridDim.x * LOOP_ENTRIES) {
        int32_t found[OWN];
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = first + u * LOOP_THREADS + threadIdx.x;
            found[u] = k < job.nnz ? job.columns[k] : 0;
            const bool is_bad = (uint32_t)found[u] >= (uint32_t)job.cols;
            if (is_bad) longest = MALFORMED;
            if (is_bad || k >= job.nnz) found[u] = -1;
        }
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            uint32_t number = number_in_column(counts, found[u]);
            if (found[u] < 0) continue;
            job.numbers[first + u * LOOP_THREADS + threadIdx.x] = number;
            longest = max(longest, number + 1);
        }
    }
    post_largest(job.post, longest);
}

/* Turns counts into offsets, in place. */
template <typename Offset> spg_status scan_counts(workspace &work, int64_t rows, Offset *offsets)
{
    const char *what = "the transpose's row offsets";
    cudaStream_t stream = spg_cuda_of(work.context)->stream;
    size_t bytes = 0;
    char *memory = nullptr;
    cudaError_t error = cub::DeviceScan::ExclusiveSum(nullptr, bytes, offsets, offsets, rows + 1, stream);
    spg_status status = spg_cuda_check(work.context, error, what);
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &memory);
    if (status != SPG_OK) return status;
    error = cub::DeviceScan::ExclusiveSum(memory, bytes, offsets, offsets, rows + 1, stream);
    return spg_cuda_check(work.context, error, what);
}

static_assert(OWN * LOOP_THREADS == LOOP_ENTRIES, "a tile is what the threads of a block have in hand");

struct list_job {
    const int32_t *columns;
    int64_t nnz, rows;
    numbers_view row_offsets; /* of the matrix */
    const uint32_t *numbers;
    numbers_view offsets; /* of the transpose */
    uint64_t *entries;
};

/* Writes entries where their numbers say. Loads what does not depend on the rows before these are found. */
__global__ __launch_bounds__(LOOP_THREADS) void list_entries(list_job job)
{
    __shared__ tile_rows of_tile;
    for (int64_t begin = (int64_t)blockIdx.x * LOOP_ENTRIES; begin < job.nnz;
         begin += (int64_t)gridDim.x * LOOP_ENTRIES) {
        int32_t columns[OWN];
        int64_t to[OWN];
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = begin + u * LOOP_THREADS + threadIdx.x;
            columns[u] = k < job.nnz ? job.columns[k] : -1;
            to[u] = k < job.nnz ? job.numbers[k] : 0;
        }
#pragma unroll
        for (int u = 0; u < OWN; ++u)
            if (columns[u] >= 0) to[u] += job.offsets[columns[u]];
        int64_t end = begin + LOOP_ENTRIES < job.nnz ? begin + LOOP_ENTRIES : job.nnz;
        find_tile_rows(job.row_offsets, job.rows, begin, end, of_tile);
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = begin + u * LOOP_THREADS + threadIdx.x;
            if (columns[u] < 0) continue;
            int64_t row = row_in_tile(job.row_offsets, of_tile, begin, k);
            job.entries[to[u]] = (uint64_t)row << 32 | (uint32_t)k;
        }
        __syncthreads();
    }
}

struct write_job {
    int64_t rows, longest;
    numbers_view offsets;
    const uint64_t *entries;
    transpose_parts parts;
    const void *values; /* of the matrix */
    int value_bytes;
    int most_short; /* entries of a short row */
    int bits;       /* of the entries' numbers, and of one larger than any */
    int lanes;      /* of a group */
    int *long_rows; /* their number, and the rows */
};

/* Writes entry k of the transpose. */
__device__ inline void write_entry(const write_job &job, int64_t k, int32_t row, uint32_t source)
{
    if (job.parts.columns != nullptr) job.parts.columns[k] = row;
    if (job.parts.map != nullptr) job.parts.map[k] = source;
    if (job.parts.values == nullptr) return;
    if (job.value_bytes == 8)
        static_cast<uint64_t *>(job.parts.values)[k] = static_cast<const uint64_t *>(job.values)[source];
    else if (job.value_bytes == 4)
        static_cast<uint32_t *>(job.parts.values)[k] = static_cast<const uint32_t *>(job.values)[source];
    else
        static_cast<uint4 *>(job.parts.values)[k] = static_cast<const uint4 *>(job.values)[source];
}

/* A lane finds the places of some entries of its row at a time. */
__device__ inline void write_short_row(const write_job &job, const uint64_t *entries, int64_t begin, int length,
                                       int lane)
{
    for (int first = lane; first < length; first += OWN * job.lanes) {
        uint64_t own[OWN];
        int place[OWN];
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            own[u] = first + u * job.lanes < length ? entries[first + u * job.lanes] : 0;
            place[u] = 0;
        }
#pragma unroll 4
        for (int other = 0; other < length; ++other) {
            uint32_t number = (uint32_t)entries[other];
#pragma unroll
            for (int u = 0; u < OWN; ++u) place[u] += number < (uint32_t)own[u];
        }
#pragma unroll
        for (int u = 0; u < OWN; ++u)
            if (first + u * job.lanes < length)
                write_entry(job, begin + place[u], (int32_t)(own[u] >> 32), (uint32_t)own[u]);
    }
}

__global__ __launch_bounds__(LOOP_THREADS) void write_short_rows(write_job job)
{
    const int groups = LOOP_THREADS / job.lanes, lane = (int)threadIdx.x % job.lanes;
    int64_t step = (int64_t)gridDim.x * groups;
    for (int64_t row = (int64_t)blockIdx.x * groups + threadIdx.x / job.lanes; row < job.rows; row += step) {
        int64_t begin = job.offsets[row], length = job.offsets[row + 1] - begin;
        if (length <= job.most_short)
            write_short_row(job, job.entries + begin, begin, (int)length, lane);
        else if (lane == 0)
            job.long_rows[1 + atomicAdd(job.long_rows, 1)] = (int32_t)row;
    }
}

/* Sorts rows of more than `least` entries, and at most what the block holds. */
template <int Threads, int Items> __global__ __launch_bounds__(Threads) void write_sorted_rows(write_job job, int least)
{
    using sorter = cub::BlockRadixSort<uint32_t, Threads, Items, uint32_t>;
    __shared__ typename sorter::TempStorage memory;
    const int count = job.long_rows[0];
    for (int at = (int)blockIdx.x; at < count; at += (int)gridDim.x) {
        int64_t row = job.long_rows[1 + at], begin = job.offsets[row];
        int length = (int)(job.offsets[row + 1] - begin);
        if (length <= least || length > Threads * Items) continue;
        const uint64_t *entries = job.entries + begin;
        uint32_t numbers[Items], rows[Items];
#pragma unroll
        for (int u = 0; u < Items; ++u) {
            int place = u * Threads + (int)threadIdx.x;
            uint64_t entry = place < length ? entries[place] : ~UINT64_C(0);
            numbers[u] = (uint32_t)entry;
            rows[u] = (uint32_t)(entry >> 32);
        }
        sorter(memory).SortBlockedToStriped(numbers, rows, 0, job.bits);
#pragma unroll
        for (int u = 0; u < Items; ++u) {
            int place = u * Threads + (int)threadIdx.x;
            if (place < length) write_entry(job, begin + place, (int32_t)rows[u], numbers[u]);
        }
        __syncthreads();
    }
}

/* Enough lanes to do most rows at once. */
int choose_lanes(const spg_csr &matrix)
{
    int64_t mean = (matrix.nnz + matrix.cols - 1) / matrix.cols;
    int lanes = 1;
    while (lanes < WARP && lanes * OWN < mean + mean / 4) lanes *= 2;
    return lanes;
}

/* Queues the kernel for rows of more than `least` entries, if there may be any. */
template <int Threads, int Items>
void queue_sorted_rows(spg_context *context, const write_job &job, int64_t most_rows, int least)
{
    if (job.longest > least)
        write_sorted_rows<Threads, Items>
            <<<loop_blocks(context, most_rows), Threads, 0, spg_cuda_of(context)->stream>>>(job, least);
}

} // namespace

spg_status begin_counts(workspace &work, const spg_csr &matrix, bool checks, const transpose_parts &parts,
                        column_counts *counts)
{
    spg_context *context = work.context;
    spg_status status = work.take(matrix.nnz, "transposing", &counts->numbers);
    if (status == SPG_OK) status = begin_post(context, &counts->post);
    if (status != SPG_OK) return status;
    const count_job job = {matrix.columns,     matrix.nnz, matrix.rows,     matrix.cols,
                           offsets_of(matrix), checks,     counts->numbers, counts->post};
    return with_offset_type(parts.offset_type, [&](auto offset) {
        auto *offsets = static_cast<decltype(offset) *>(parts.offsets);
        count_columns<<<loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES), LOOP_THREADS, 0,
                        spg_cuda_of(context)->stream>>>(job, offsets);
        spg_status counted = spg_cuda_check_launch(context, "counting the entries of columns");
        return counted == SPG_OK ? scan_counts(work, matrix.cols, offsets) : counted;
    });
}

spg_status wait_for_longest(spg_context *context, const column_counts &counts, unsigned int *longest)
{
    return wait_for_largest(context, counts.post, longest);
}

spg_status list_by_column(spg_context *context, const spg_csr &matrix, const transpose_parts &parts,
                          const column_counts &counts, uint64_t *entries)
{
    list_job job = {matrix.columns, matrix.nnz,
                    matrix.rows,    offsets_of(matrix),
                    counts.numbers, {parts.offsets, parts.offset_type == SPG_I64},
                    entries};
    list_entries<<<loop_blocks(context, (matrix.nnz + LOOP_ENTRIES - 1) / LOOP_ENTRIES), LOOP_THREADS, 0,
                   spg_cuda_of(context)->stream>>>(job);
    return spg_cuda_check_launch(context, "transposing");
}

spg_status write_lists(workspace &work, const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries,
                       unsigned int longest)
{
    spg_context *context = work.context;
    const char *what = "transposing";
    spg_cuda *cuda = spg_cuda_of(context);
    const int lanes = choose_lanes(matrix);
    write_job job = {matrix.cols,
                     (int64_t)longest,
                     {parts.offsets, parts.offset_type == SPG_I64},
                     entries,
                     parts,
                     matrix.values,
                     (int)spg_type_size(matrix.value_type),
                     lanes < WARP ? (int)SHORT_ROW : (int)SHORT_ROW_OF_WARP,
                     bits_below(matrix.nnz + 1),
                     lanes,
                     nullptr};
    const int64_t most_long = matrix.nnz / job.most_short;
    spg_status status = SPG_OK;
    if (job.longest > job.most_short) {
        status = work.take(most_long + 1, what, &job.long_rows);
        if (status == SPG_OK)
            status = spg_cuda_check(context, cudaMemsetAsync(job.long_rows, 0, sizeof(int), cuda->stream), what);
        if (status != SPG_OK) return status;
    }
    int64_t groups = LOOP_THREADS / job.lanes;
    unsigned int blocks = loop_blocks(context, (job.rows + groups - 1) / groups);
    write_short_rows<<<blocks, LOOP_THREADS, 0, cuda->stream>>>(job);
    queue_sorted_rows<128, 4>(context, job, most_long, job.most_short);
    queue_sorted_rows<256, 8>(context, job, most_long, 512);
    queue_sorted_rows<512, 16>(context, job, most_long, 2048);
    return spg_cuda_check_launch(context, what);
}

} // namespace spg
