/* Sorting the products of one row of C by column (section 3.3 of the paper). Private.
 *
 * A key holds a product's column and its number, so that sorting keys alone yields the permutation, and equal columns
 * stay in the order of their products. Keys have 32 bits if column span and number fit, else 64. The networks compare
 * whole keys, with the number in the lower bits. The radix sort looks only at the bits of the column; the number is in
 * the upper bits. Unused slots hold no_key, which sorts last. */
#ifndef SPG_KERNELS_SPGEMM_SORT_SORT_CUH
#define SPG_KERNELS_SPGEMM_SORT_SORT_CUH

#include "../../primitives/warp.cuh"

#include <cub/block/block_radix_sort.cuh>

namespace spg
{

template <typename Key> constexpr Key no_key = (Key) ~(Key)0;

template <typename Key> __device__ inline void compare_exchange(Key &low, Key &high)
{
    Key a = low, b = high;
    low = min(a, b);
    high = max(a, b);
}

/* By one thread: Batcher's odd-even merge sort. Merges the sorted runs of RUN keys among keys[BEGIN ... END) in pairs;
 * STEP goes from RUN down to 1. (Batcher: Sorting networks and their applications, 1968.) */
template <int BEGIN, int END, int RUN, int STEP = RUN, typename Key, int N>
__device__ inline void merge_pairs(Key (&keys)[N])
{
#pragma unroll
    for (int i = BEGIN; i + STEP < END; ++i) {
        bool low = STEP == RUN ? (i & STEP) == 0 : (i & STEP) != 0;
        if (low && i / (2 * RUN) == (i + STEP) / (2 * RUN)) compare_exchange(keys[i], keys[i + STEP]);
    }
    if constexpr (STEP > 1) merge_pairs<BEGIN, END, RUN, STEP / 2>(keys);
}

/* Sorts keys[BEGIN ... END), a power of two of them. */
template <int BEGIN, int END, typename Key, int N> __device__ inline void sort_in_thread(Key (&keys)[N])
{
    constexpr int HALF = (END - BEGIN) / 2;
    if constexpr (HALF >= 1) {
        sort_in_thread<BEGIN, BEGIN + HALF>(keys);
        sort_in_thread<BEGIN + HALF, END>(keys);
        merge_pairs<BEGIN, END, HALF>(keys);
    }
}

/* Sorts 32 keys a thread, of which the first `most` (the same for the whole warp) may be used. */
template <typename Key> __device__ inline void sort_row_in_thread(Key (&keys)[32], int most)
{
    sort_in_thread<0, 8>(keys);
    if (most <= 8) return;
    sort_in_thread<8, 16>(keys);
    merge_pairs<0, 16, 8>(keys);
    if (most <= 16) return;
    sort_in_thread<16, 32>(keys);
    merge_pairs<0, 32, 16>(keys);
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

/* The bits that hold the numbers 0 ... most. */
__device__ inline int bits_of(uint32_t most) { return 32 - __clz((int)most); }

/* By a block: CUB's radix sort of ITEMS keys a thread, from places t * ITEMS ... of thread t to places t + k * THREADS.
 * Key: column minus the row's least in the lower `bits`, product number above. Keys with equal columns keep their
 * order; no_key stays last, because it is behind all others from the start. */
template <typename Key, int THREADS, int ITEMS> using block_sort = cub::BlockRadixSort<Key, THREADS, ITEMS>;

template <int THREADS, typename Key, int ITEMS>
__device__ inline void sort_in_block(Key (&keys)[ITEMS], int bits, void *storage)
{
    using sort = block_sort<Key, THREADS, ITEMS>;
    sort(*static_cast<typename sort::TempStorage *>(storage)).SortBlockedToStriped(keys, 0, bits);
}

} // namespace spg

#endif
