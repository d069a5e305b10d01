/* The passes of a transpose by counting (transpose_lists.cu), by blocks of Threads threads. Private. */
#ifndef SPG_KERNELS_CONTAINERS_TRANSPOSE_LISTS_CUH
#define SPG_KERNELS_CONTAINERS_TRANSPOSE_LISTS_CUH

#include "../cuda_backend.h"
#include "../values.cuh"
#include "order.cuh"
#include "transpose.cuh"

namespace spg
{

enum { OWN = ENTRIES_A_THREAD }; /* entries that a thread or a lane handles at a time */
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

struct count_pass {
    const int32_t *columns;
    int64_t nnz, rows, cols;
    numbers_view row_offsets; /* of the matrix */
    bool checks;
    uint32_t *numbers;
    largest_post post;
};

/* Whether a row has invalid offsets; all threads of the grid call it. */
template <int Threads> __device__ inline bool finds_bad_row(const count_pass &job)
{
    const int64_t step = (int64_t)gridDim.x * Threads;
    bool bad = job.row_offsets[0] != 0 || job.row_offsets[job.rows] != job.nnz;
    for (int64_t i = (int64_t)blockIdx.x * Threads + threadIdx.x; i < job.rows; i += step)
        bad |= job.row_offsets[i + 1] < job.row_offsets[i];
    return bad;
}

/* Numbers the entries in their columns, and returns the largest count that the thread has seen; MALFORMED if it has
 * found a fault. Skips an entry outside of the matrix. All threads of the grid call it. */
template <int Threads, typename Offset> __device__ inline uint32_t count_entries(const count_pass &job, Offset *counts)
{
    constexpr int TILE = OWN * Threads;
    uint32_t longest = job.checks && finds_bad_row<Threads>(job) ? (uint32_t)MALFORMED : 0;
    for (int64_t first = (int64_t)blockIdx.x * TILE; first < job.nnz; first += (int64_t)gridDim.x * TILE) {
        int32_t found[OWN];
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = first + u * Threads + threadIdx.x;
            found[u] = k < job.nnz ? job.columns[k] : 0;
            const bool is_bad = (uint32_t)found[u] >= (uint32_t)job.cols;
            if (is_bad) longest = MALFORMED;
            if (is_bad || k >= job.nnz) found[u] = -1;
        }
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            uint32_t number = number_in_column(counts, found[u]);
            if (found[u] < 0) continue;
            job.numbers[first + u * Threads + threadIdx.x] = number;
            longest = max(longest, number + 1);
        }
    }
    return longest;
}

struct list_pass {
    const int32_t *columns;
    int64_t nnz, rows;
    numbers_view row_offsets; /* of the matrix */
    const uint32_t *numbers;
    numbers_view offsets; /* of the transpose */
    uint64_t *entries;
};

/* Writes entries where their numbers say. Loads what does not depend on the rows before these are found. All threads of
 * the grid call it. */
template <int Threads> __device__ inline void list_entries_of(const list_pass &job)
{
    __shared__ tile_rows::memory memory[Threads / WARP];
    const int64_t first = ((int64_t)blockIdx.x * Threads + threadIdx.x) / WARP * tile_rows::ENTRIES;
    for (int64_t begin = first; begin < job.nnz; begin += (int64_t)gridDim.x * OWN * Threads) {
        int32_t columns[OWN];
        int64_t to[OWN];
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = begin + u * WARP + lane_in_warp();
            columns[u] = k < job.nnz ? job.columns[k] : -1;
            to[u] = k < job.nnz ? job.numbers[k] : 0;
        }
#pragma unroll
        for (int u = 0; u < OWN; ++u)
            if (columns[u] >= 0) to[u] += job.offsets[columns[u]];
        const int64_t end = begin + tile_rows::ENTRIES < job.nnz ? begin + tile_rows::ENTRIES : job.nnz;
        const tile_rows row_of(job.row_offsets, job.rows, begin, end, memory[threadIdx.x / WARP]);
#pragma unroll
        for (int u = 0; u < OWN; ++u) {
            int64_t k = begin + u * WARP + lane_in_warp();
            if (columns[u] >= 0) job.entries[to[u]] = (uint64_t)row_of(k) << 32 | (uint32_t)k;
        }
        __syncwarp();
    }
}

struct write_pass {
    int64_t rows;
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
__device__ inline void write_entry(const write_pass &job, int64_t k, int32_t row, uint32_t source)
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
__device__ inline void write_short_row(const write_pass &job, const uint64_t *entries, int64_t begin, int length,
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

/* All threads of the grid call it. */
template <int Threads> __device__ inline void write_short_rows_of(const write_pass &job)
{
    const int groups = Threads / job.lanes, lane = (int)threadIdx.x % job.lanes;
    int64_t step = (int64_t)gridDim.x * groups;
    for (int64_t row = (int64_t)blockIdx.x * groups + threadIdx.x / job.lanes; row < job.rows; row += step) {
        int64_t begin = job.offsets[row], length = job.offsets[row + 1] - begin;
        if (length <= job.most_short)
            write_short_row(job, job.entries + begin, begin, (int)length, lane);
        else if (lane == 0)
            job.long_rows[1 + atomicAdd(job.long_rows, 1)] = (int32_t)row;
    }
}

/* Enough lanes to do most rows at once. */
inline int choose_lanes(const spg_csr &matrix)
{
    int64_t mean = (matrix.nnz + matrix.cols - 1) / matrix.cols;
    int lanes = 1;
    while (lanes < WARP && lanes * OWN < mean + mean / 4) lanes *= 2;
    return lanes;
}

/* The passes of a transpose. */
inline count_pass count_pass_of(const spg_csr &matrix, bool checks, const column_counts &counts)
{
    return {matrix.columns,     matrix.nnz, matrix.rows,    matrix.cols,
            offsets_of(matrix), checks,     counts.numbers, counts.post};
}

inline list_pass list_pass_of(const spg_csr &matrix, const transpose_parts &parts, const column_counts &counts,
                              uint64_t *entries)
{
    return {matrix.columns, matrix.nnz,
            matrix.rows,    offsets_of(matrix),
            counts.numbers, {parts.offsets, parts.offset_type == SPG_I64},
            entries};
}

inline write_pass write_pass_of(const spg_csr &matrix, const transpose_parts &parts, const uint64_t *entries)
{
    const int lanes = choose_lanes(matrix);
    return {matrix.cols,
            {parts.offsets, parts.offset_type == SPG_I64},
            entries,
            parts,
            matrix.values,
            (int)spg_type_size(matrix.value_type),
            lanes < WARP ? (int)SHORT_ROW : (int)SHORT_ROW_OF_WARP,
            bits_below(matrix.nnz + 1),
            lanes,
            nullptr};
}

} // namespace spg

#endif
