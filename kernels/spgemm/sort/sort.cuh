/* Sorting the products of one row of C by column, and contracting them (sections 3.3 and 3.4 of the paper). Private.
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

/* Contraction (section 3.4): the sorted products become the entries of the row. A head is the first product of a
 * column. Scanned head flags give each entry its index in the row. An entry is summed from +0 in the order of its
 * products, as in a loop, never in a tree, so that the bits do not depend on the class. */

/* Head flags of a lane's K neighbouring keys; the column is key >> shift, and `products` keys of the warp are used. Bit
 * k: key k. */
template <typename Key, int K> __device__ inline unsigned int head_flags(const Key (&keys)[K], int shift, int products)
{
    static_assert(K <= 32, "a bit each");
    int first = lane_in_warp() * K;
    Key before = __shfl_up_sync(ALL_LANES, keys[K - 1], 1);
    unsigned int flags = 0;
#pragma unroll
    for (int k = 0; k < K; ++k) {
        bool head = k + first == 0 || keys[k] >> shift != before >> shift;
        if (head && first + k < products) flags |= 1u << k;
        before = keys[k];
    }
    return flags;
}

/* The sums of a row by `lanes` lanes, an entry each. heads[j]: index of entry j's first product among the sorted ones;
 * order(index): a product's number; values[]: the products by number. */
template <typename Value, typename Order>
__device__ inline void sum_entries(const uint16_t *heads, int entries, int products, const Value *values, Order order,
                                   int lane, int lanes, Value *c_values)
{
    for (int j = lane; j < entries; j += lanes) {
        int end = j + 1 < entries ? heads[j + 1] : products;
        Value sum = zero<Value>();
        for (int place = heads[j]; place < end; ++place) sum = add(sum, values[order(place)]);
        c_values[j] = sum;
    }
}

/* The same for a row of at most one product a lane, by a segmented sum across the warp. `value`: the lane's sorted
 * product; `head`: whether an entry begins with it. */
template <typename Value>
__device__ inline void sum_entries_across(Value value, bool head, int products, Value *c_values)
{
    int lane = lane_in_warp();
    const segments<> entries(head);
    Value sum = ordered_segmented_sum(head ? add(zero<Value>(), value) : value, entries);
    bool last = lane == products - 1 || (lane < products - 1 && (entries.heads >> (lane + 1) & 1) != 0);
    if (last) c_values[__popc(entries.heads & lanes_through()) - 1] = sum;
}

} // namespace spg

#endif
