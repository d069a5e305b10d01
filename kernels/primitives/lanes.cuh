/* Groups of the lanes of a warp that work together, on a row for example. Private.
 *
 * The whole warp calls every function together. */
#ifndef SPG_KERNELS_PRIMITIVES_LANES_CUH
#define SPG_KERNELS_PRIMITIVES_LANES_CUH

#include <cstdint>

namespace spg
{

/* A group of consecutive lanes. */
template <int Lanes> struct lane_group {
    static constexpr int lanes = Lanes;
    int lane, in_block; /* lane: in the group; in_block: number of the group */

    __device__ lane_group() : lane((int)threadIdx.x % Lanes), in_block((int)threadIdx.x / Lanes) {}
    __device__ bool any(bool what) const
    {
        if (Lanes == 32) return __any_sync(~0u, what);
        const unsigned mask = (~0u >> (32 - Lanes)) << (threadIdx.x & 31u & ~(Lanes - 1u));
        return (__ballot_sync(~0u, what) & mask) != 0;
    }
    /* The group's bits of a ballot. */
    __device__ uint32_t ballot(bool what) const
    {
        return __ballot_sync(~0u, what) >> (threadIdx.x & 31u & ~(Lanes - 1u)) & (~0u >> (32 - Lanes));
    }
    __device__ int sum(int value) const
    {
#pragma unroll
        for (int step = Lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(~0u, value, step);
        return value;
    }
    __device__ uint32_t least(uint32_t value) const
    {
#pragma unroll
        for (int step = Lanes / 2; step > 0; step /= 2) value = min(value, __shfl_xor_sync(~0u, value, step));
        return value;
    }
};

} // namespace spg

#endif
