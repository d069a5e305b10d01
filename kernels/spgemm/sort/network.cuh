/* A sorting network of any size in a thread's registers (hash_thread/sums.cuh, sort/thread_fill.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_SORT_NETWORK_CUH
#define SPG_KERNELS_SPGEMM_SORT_NETWORK_CUH

#include <cstdint>

namespace spg
{

/* Batcher's odd-even merge network: merges sorted runs of P keys in steps of K and less, then doubles P. */
template <int P, int K, int N> __device__ inline void sort_keys(uint32_t (&key)[N])
{
#pragma unroll
    for (int low = K % P; low < N - K; ++low)
        if ((low - K % P) / K % 2 == 0 && low / (2 * P) == (low + K) / (2 * P)) {
            const uint32_t least = min(key[low], key[low + K]);
            key[low + K] = max(key[low], key[low + K]);
            key[low] = least;
        }
    if constexpr (K > 1)
        sort_keys<P, K / 2>(key);
    else if constexpr (2 * P < N)
        sort_keys<2 * P, 2 * P>(key);
}

} // namespace spg

#endif
