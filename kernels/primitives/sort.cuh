/* Sorting networks in registers, for a thread or for lanes of a warp. Private. */
#ifndef SPG_KERNELS_PRIMITIVES_SORT_CUH
#define SPG_KERNELS_PRIMITIVES_SORT_CUH

#include "warp.cuh"

namespace spg
{

template <typename Key> __device__ inline void compare_exchange(Key &low, Key &high)
{
    Key a = low, b = high;
    low = min(a, b);
    high = max(a, b);
}

/* By one thread: sorts keys[BEGIN ... END) by Batcher's odd-even merge sort, which merges sorted runs of P keys in
 * steps of K and less, then doubles P; P above 1 if there are such runs already. BEGIN: a multiple of any 2P below its
 * size. (Batcher: Sorting networks and their applications, 1968.) */
template <int BEGIN, int END, int P = 1, int K = P, typename Key, int N>
__device__ inline void sort_in_thread(Key (&keys)[N])
{
#pragma unroll
    for (int low = BEGIN + K % P; low < END - K; ++low)
        if ((low - BEGIN - K % P) / K % 2 == 0 && (low - BEGIN) / (2 * P) == (low - BEGIN + K) / (2 * P))
            compare_exchange(keys[low], keys[low + K]);
    if constexpr (K > 1)
        sort_in_thread<BEGIN, END, P, K / 2>(keys);
    else if constexpr (2 * P < END - BEGIN)
        sort_in_thread<BEGIN, END, 2 * P>(keys);
}

/* The steps of a bitonic merge within a thread, from distance STRIDE down to 1. */
template <int STRIDE, typename Key, int K> __device__ inline void merge_bitonic(Key (&keys)[K])
{
    if constexpr (STRIDE >= 1) {
#pragma unroll
        for (int i = 0; i < K; ++i)
            if ((i & STRIDE) == 0) compare_exchange(keys[i], keys[i + STRIDE]);
        merge_bitonic<STRIDE / 2>(keys);
    }
}

/* By a warp: sorts 32 * K keys; lane l gets places l * K ... l * K + K - 1 of the result. A bitonic sort whose merges
 * first compare each key with its mirror image, so that all comparisons point the same way. */
template <typename Key, int K> __device__ inline void sort_in_warp(Key (&keys)[K])
{
    sort_in_thread<0, K>(keys);
    int lane = lane_in_warp();
    for (int group = 2; group <= WARP; group *= 2) {
        bool low = (lane & (group / 2)) == 0;
#pragma unroll
        for (int i = 0; i < (K + 1) / 2; ++i) {
            Key mine = keys[i], mirrored = keys[K - 1 - i];
            Key for_mine = __shfl_xor_sync(ALL_LANES, mirrored, group - 1);
            keys[i] = low ? min(mine, for_mine) : max(mine, for_mine);
            if (i == K - 1 - i) continue;
            Key for_mirrored = __shfl_xor_sync(ALL_LANES, mine, group - 1);
            keys[K - 1 - i] = low ? min(mirrored, for_mirrored) : max(mirrored, for_mirrored);
        }
        for (int distance = group / 4; distance > 0; distance /= 2) {
            low = (lane & distance) == 0;
#pragma unroll
            for (int i = 0; i < K; ++i) {
                Key other = __shfl_xor_sync(ALL_LANES, keys[i], distance);
                keys[i] = low ? min(keys[i], other) : max(keys[i], other);
            }
        }
        merge_bitonic<K / 2>(keys);
    }
}

template <typename Key> __device__ inline void order_pair(Key &a, Key &b, bool up)
{
    const Key least = min(a, b), most = max(a, b);
    a = up ? least : most;
    b = up ? most : least;
}

/* By G lanes: sorts G * E keys, lane l's from l * E on, by a bitonic network: first within lanes, then across more and
 * more of them. Only the steps within lanes are unrolled. */
template <int E, int G, typename Key> __device__ inline void sort_in_registers(Key (&key)[E], int lane)
{
#pragma unroll
    for (int size = 2; size <= E; size *= 2)
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2)
#pragma unroll
            for (int e = 0; e < E; e++)
                if ((e & step) == 0) order_pair(key[e], key[e | step], size < E ? (e & size) == 0 : (lane & 1) == 0);
#pragma unroll 1
    for (int lanes = 2; lanes <= G; lanes *= 2) {
        const bool up = (lane & lanes) == 0 || lanes == G;
#pragma unroll 1
        for (int step = lanes / 2; step > 0; step /= 2) {
            const bool least = ((lane & step) == 0) == up;
#pragma unroll
            for (int e = 0; e < E; e++) {
                const Key other = __shfl_xor_sync(~0u, key[e], step);
                key[e] = least ? min(key[e], other) : max(key[e], other);
            }
        }
#pragma unroll
        for (int step = E / 2; step > 0; step /= 2)
#pragma unroll
            for (int e = 0; e < E; e++)
                if ((e & step) == 0) order_pair(key[e], key[e | step], up);
    }
}

} // namespace spg

#endif
