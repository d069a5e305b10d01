/* Contraction (section 3.4 of the paper): the sorted products of a row of C become its entries. Private.
 *
 * A head is the first product of a column. Scanned head flags give each entry its index in the row. An entry is summed
 * from +0 in the order of its products, as in a loop, never in a tree, so that the bits do not depend on the class. */
#ifndef SPG_KERNELS_SPGEMM_SORT_CONTRACT_CUH
#define SPG_KERNELS_SPGEMM_SORT_CONTRACT_CUH

#include "../../primitives/warp.cuh"

namespace spg
{

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
