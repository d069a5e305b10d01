/* Sorting the products of one row of C by column (section 3.3 of the paper). Private.
 *
 * A key holds a product's column and its number, so that sorting keys alone yields the permutation, and equal columns
 * stay in the order of their products. Keys have 32 bits if column span and number fit, else 64. The networks compare
 * whole keys, with the number in the lower bits. The radix sort looks only at the bits of the column; the number is in
 * the upper bits. Unused slots hold no_key, which sorts last. */
#ifndef SPG_KERNELS_SPGEMM_SORT_SORT_CUH
#define SPG_KERNELS_SPGEMM_SORT_SORT_CUH

#include "../../primitives/sort.cuh"

#include <cub/block/block_radix_sort.cuh>

namespace spg
{

template <typename Key> constexpr Key no_key = (Key) ~(Key)0;

/* Sorts 32 keys a thread, of which the first `most` (the same for the whole warp) may be used. */
template <typename Key> __device__ inline void sort_row_in_thread(Key (&keys)[32], int most)
{
    sort_in_thread<0, 8>(keys);
    if (most <= 8) return;
    sort_in_thread<8, 16>(keys);
    sort_in_thread<0, 16, 8>(keys);
    if (most <= 16) return;
    sort_in_thread<16, 32>(keys);
    sort_in_thread<0, 32, 16>(keys);
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
