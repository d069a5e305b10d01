/* Blocks of vectors (amg/many_backend.h): neighbouring lanes have the vectors of a row, so that they read and
 * write neighbouring values. Private.
 *
 * Arithmetic and its order depend on the matrix and the number of rows alone, not on the width: each vector has the
 * same bits in any block. */
#ifndef SPG_KERNELS_AMG_MANY_BLOCKS_CUH
#define SPG_KERNELS_AMG_MANY_BLOCKS_CUH

#include "../../containers/row_vectors.cuh"
#include "../rows.cuh"
#include "many_stages.h"

namespace spg
{

namespace amg
{

enum { MOST_SUM_BLOCKS = 1 << 11 };

/* The groups of a product with a matrix. Parts of a row are summed on their own where there are too few rows to occupy
 * a device, or rows are long: then each group has one row at most. */
inline row_groups share_block(int64_t rows, int64_t nnz, int lanes)
{
    constexpr int MOST_PART_BITS = 4, LEAST_ENTRIES = 4;
    constexpr int64_t ENOUGH = 1 << 14; /* rows times parts */
    static_assert(2 * ENOUGH <= (int64_t)MOST_SUM_BLOCKS * MOST_ROW_GROUPS, "each group has one row");
    const int64_t mean = rows > 0 ? nnz / rows : 0;
    row_groups groups = {bits_of(lanes), 0};
    while (groups.part_bits < MOST_PART_BITS && rows * groups.parts() < ENOUGH && mean / groups.parts() > LEAST_ENTRIES)
        ++groups.part_bits;
    return groups;
}

/* The sums of a row's parts, in the threads of part 0. All threads of a block call it. */
template <int Length, typename Value>
__device__ inline pack<Value, Length> combine_parts(const row_groups &groups, pack<Value, Length> sum)
{
    __shared__ pack<Value, Length> sums[GROUP_THREADS];
    if (groups.part_bits == 0) return sum;
    sums[threadIdx.x] = sum;
    for (int parts = groups.parts() / 2; parts > 0; parts /= 2) {
        __syncthreads();
        if (groups.part() >= parts) continue;
        const pack<Value, Length> other = sums[threadIdx.x + parts * groups.lanes()];
        for (int u = 0; u < Length; ++u) sums[threadIdx.x].of[u] += other.of[u];
    }
    return sums[threadIdx.x];
}

/* The sums of a block's groups of lanes, in the first group. All threads call it. */
template <int Length> __device__ inline void combine_groups(double (&sums)[Length], int lanes)
{
    __shared__ double shared[Length][GROUP_THREADS];
    const int group = (int)threadIdx.x / lanes;
    __syncthreads();
    for (int u = 0; u < Length; ++u) shared[u][threadIdx.x] = sums[u];
    for (int groups = (int)blockDim.x / lanes / 2; groups > 0; groups /= 2) {
        __syncthreads();
        if (group >= groups) continue;
        for (int u = 0; u < Length; ++u) shared[u][threadIdx.x] += shared[u][threadIdx.x + groups * lanes];
    }
    for (int u = 0; u < Length; ++u) sums[u] = shared[u][threadIdx.x];
}

/* Where the sums of a grid's blocks are kept. */
struct grid_sums {
    double *partials;     /* of MOST_SUM_BLOCKS blocks */
    unsigned int *ticket; /* 0 between kernels */
};

inline grid_sums sums_in(const spg_context *context, void *workspace)
{
    return {static_cast<double *>(workspace), ticket_of(context)};
}

/* sums = those of blocks first, first + step, ..., in this order; several are read before the first is added. */
template <int Length>
__device__ inline void add_partials(double (&sums)[Length], const double *partials, int width, int first, int step)
{
    constexpr int AT_ONCE = 8;
    for (int u = 0; u < Length; ++u) sums[u] = 0;
    for (int b = first; b < (int)gridDim.x; b += AT_ONCE * step) {
        double next[AT_ONCE][Length];
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e)
#pragma unroll
            for (int u = 0; u < Length; ++u)
                next[e][u] = b + e * step < (int)gridDim.x ? __ldcg(partials + (b + e * step) * width + u) : 0;
#pragma unroll
        for (int e = 0; e < AT_ONCE; ++e)
#pragma unroll
            for (int u = 0; u < Length; ++u) sums[u] += next[e][u];
    }
}

/* Calls end(vector, sum over all groups of the grid) in one thread for each vector; `lanes` lanes have Length vectors
 * each. The last block to get here adds the sums of blocks in their order. All threads call it. */
template <int Length, typename End>
__device__ inline void combine_blocks(double (&sums)[Length], int lanes, const grid_sums &of, End &&end)
{
    __shared__ bool is_last;
    const int group = (int)threadIdx.x / lanes, groups = (int)blockDim.x / lanes, width = lanes * Length;
    const int vector = (int)threadIdx.x % lanes * Length;
    combine_groups(sums, lanes);
    if (group == 0) {
        for (int u = 0; u < Length; ++u) of.partials[blockIdx.x * width + vector + u] = sums[u];
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(of.ticket, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    add_partials(sums, of.partials + vector, width, group, groups);
    combine_groups(sums, lanes);
    if (group == 0)
        for (int u = 0; u < Length; ++u) end(vector + u, sums[u]);
    if (threadIdx.x == 0) *of.ticket = 0;
}

/* Calls function(row, vector, index of the element) for all elements of a block, in any order. */
template <typename Function>
spg_status for_each_element(spg_context *context, int64_t n, int width, const char *what, Function function)
{
    const int bits = bits_of(width);
    return for_each(context, n * width, what,
                    [=] __device__(int64_t k) { function(k >> bits, (int)(k & ((1 << bits) - 1)), k); });
}

} // namespace amg

} // namespace spg

#endif
