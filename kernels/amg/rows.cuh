/* Loops over the rows of a matrix by groups of lanes, and sums over all rows in a fixed order. Private.
 *
 * A group of `lanes` neighbouring lanes (a power of two up to a warp, chosen by the mean row length) takes a row: its
 * lanes read neighbouring entries, and their sums are combined in a tree. The choice depends only on the matrix, so
 * that results repeat bit for bit. */
#ifndef SPG_KERNELS_AMG_ROWS_CUH
#define SPG_KERNELS_AMG_ROWS_CUH

#include "../containers/entries.cuh"
#include "../primitives/row_sums.cuh"
#include "amg_stages.h"

namespace spg
{

namespace amg
{

enum { THREADS = 256, BLOCKS_A_MULTIPROCESSOR = 64 };

/* Threads of a block of cooperative kernels: few large blocks synchronise faster than many small ones. */
enum { MEETING_THREADS = 1024 };

/* Entries of a row that a lane loads together; groups of lanes are chosen to match. */
enum { ENTRIES_IN_FLIGHT = 4 };

template <typename Value> struct matrix_view {
    int64_t rows;
    numbers_view offsets;
    const int32_t *columns;
    const Value *values;
};

template <typename Value> matrix_view<Value> view_of(const spg_csr &matrix)
{
    return {matrix.rows, offsets_of(matrix), matrix.columns, static_cast<const Value *>(matrix.values)};
}

/* Calls function(Value{}) for float or double, the types of a hierarchy. */
template <typename Function> spg_status with_real_type(spg_type type, Function &&function)
{
    return type == SPG_F32 ? function(float{}) : function(double{});
}

/* The lanes of a group, so that each has about `entries` entries of a row of mean length. */
inline int lanes_for(int64_t rows, int64_t nnz, int entries)
{
    int64_t mean = rows > 0 ? (nnz + rows - 1) / rows : 1;
    int lanes = 1;
    while (lanes < WARP && (int64_t)lanes * entries < mean) lanes *= 2;
    return lanes;
}

/* Blocks for `rows` groups of lanes, at most a multiple of what is resident. */
inline unsigned int blocks_for_groups(const spg_context *context, int64_t rows, int lanes, int threads = THREADS)
{
    int64_t blocks = (rows * lanes + threads - 1) / threads;
    int64_t most = (int64_t)spg_cuda_of(context)->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    return (unsigned int)(blocks < most ? (blocks > 0 ? blocks : 1) : most);
}

/* The sum over a group, in all its lanes. All lanes of a warp call it together. */
template <typename T, typename Operator> __device__ inline T combine_lanes(T value, int lanes, Operator combine)
{
    for (int step = lanes / 2; step > 0; step /= 2) value = combine(value, __shfl_xor_sync(ALL_LANES, value, step));
    return value;
}

/* Calls body(row, lane) for every row, in each lane of its group. The lanes of a warp stay together: those without a
 * row get row -1. */
template <typename Body> __device__ inline void for_each_row(int64_t rows, int lanes, Body body)
{
    int64_t groups = (int)blockDim.x / lanes, step = (int64_t)gridDim.x * groups;
    for (int64_t first = (int64_t)blockIdx.x * groups; first < rows; first += step) {
        int64_t row = first + (int)threadIdx.x / lanes;
        body(row < rows ? row : -1, (int)threadIdx.x % lanes);
    }
}

template <typename Value> struct row_entry {
    int32_t column;
    Value value;
};

/* Calls each(row, product of the row with x) for all rows; all warps of all blocks call it (row_sums.cuh). Offset: of
 * A. */
template <typename Offset, typename Value, typename Entry, typename Each>
__device__ inline void for_each_product(const matrix_view<Value> &A, row_shares shares, row_tile<Value> &tile,
                                        const Entry *x, Each &&each)
{
    const int32_t *columns = A.columns;
    const Value *values = A.values;
    const auto read = [=](Offset k) { return row_entry<Value>{columns[k], values[k]}; };
    const auto term = [=](const row_entry<Value> &of) { return of.value * (Value)x[of.column]; };
    for_each_row_sum(A.rows, static_cast<const Offset *>(A.offsets.memory), shares, tile, read, term, each);
}

/* The values of a block of Threads threads combined, in thread 0. */
template <int Threads = THREADS, typename Operator>
__device__ inline double combine_block(double value, double neutral, Operator combine)
{
    __shared__ double parts[Threads / WARP];
    value = reduce(value, combine);
    __syncthreads();
    if (threadIdx.x % WARP == 0) parts[threadIdx.x / WARP] = value;
    __syncthreads();
    value = threadIdx.x < Threads / WARP ? parts[threadIdx.x] : neutral;
    return threadIdx.x < WARP ? reduce(value, combine) : value;
}

/* Writes each block's share to partials[block]. The last block to get here combines all shares in the order of blocks
 * and returns true in all threads, with the result in thread 0. *ticket is 0 between kernels. */
template <typename Operator>
__device__ inline bool combine_grid(double &value, double neutral, Operator combine, double *partials,
                                    unsigned int *ticket)
{
    __shared__ bool is_last;
    value = combine_block(value, neutral, combine);
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = value;
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
    double all = neutral;
    for (unsigned int b = threadIdx.x; b < gridDim.x; b += THREADS)
        all = combine(all, *(volatile const double *)(partials + b));
    value = combine_block(all, neutral, combine);
    if (threadIdx.x == 0) *ticket = 0;
    return true;
}

/* Zero between kernels; one kernel at a time uses it. */
inline unsigned int *ticket_of(const spg_context *context) { return &spg_cuda_of(context)->counters->blocks_done; }

} // namespace amg

} // namespace spg

#endif
