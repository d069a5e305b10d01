/* Scans over the threads of a block, in shared memory. Private.
 *
 * All threads of the block call every function together. */
#ifndef SPG_KERNELS_PRIMITIVES_BLOCK_CUH
#define SPG_KERNELS_PRIMITIVES_BLOCK_CUH

#include "warp.cuh"

namespace spg
{

/* Inclusive sum over a block of at most MOST_WARPS warps. */
template <int MOST_WARPS, typename Sum> __device__ inline Sum inclusive_block_sum(Sum value)
{
    __shared__ Sum sums[MOST_WARPS];
    const int warp = threadIdx.x / 32;
    value = inclusive_scan(value, plus{});
    if (threadIdx.x % 32 == 31) sums[warp] = value;
    __syncthreads();
    if constexpr (MOST_WARPS == 32) { /* a lane for each warp's sum */
        const int lane = (int)threadIdx.x % 32;
        return value + reduce(lane < warp ? sums[lane] : Sum(0), plus{});
    }
    constexpr bool FEW = MOST_WARPS <= 4; /* then the loop is unrolled */
    for (int w = 0; w < (FEW ? MOST_WARPS - 1 : warp); ++w)
        if (!FEW || w < warp) value += sums[w];
    return value;
}

/* The number of marked threads before this one in a block of THREADS threads; *all: of all marked threads. */
template <int THREADS> __device__ inline int rank_in_block(bool marked, int *all)
{
    __shared__ int counts[THREADS / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned int lanes = __ballot_sync(~0u, marked);
    if (lane == 0) counts[warp] = __popc(lanes);
    __syncthreads();
    int rank = __popc(lanes & ((1u << lane) - 1));
    *all = 0;
    for (int w = 0; w < THREADS / 32; ++w) {
        if (w < warp) rank += counts[w];
        *all += counts[w];
    }
    __syncthreads();
    return rank;
}

} // namespace spg

#endif
