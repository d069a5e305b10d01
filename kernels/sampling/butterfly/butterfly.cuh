/* The butterfly-patterned table of partial sums of 32 x 32 items (Steele, Tristan 2017, Algorithms 8 and 10), in the
 * registers of a warp. Private.
 *
 * Before: lane r holds in values[k] item r of row k's block. After make_table, values[31] of lane r is the sum of row
 * r, and the other values are sums of parts of other lanes' rows, from which search selects what each step needs. All
 * lanes call these functions together. Sums are tree sums in the items' type. */
#ifndef SPG_KERNELS_SAMPLING_BUTTERFLY_BUTTERFLY_CUH
#define SPG_KERNELS_SAMPLING_BUTTERFLY_BUTTERFLY_CUH

#include "../../primitives/warp.cuh"

namespace spg
{
namespace butterfly
{

/* BIT: the bit of row and item numbers that the step adds over. */
template <int BIT, typename Real> __device__ inline void make_step(Real (&values)[WARP])
{
    if constexpr (BIT < WARP) {
        bool upper = threadIdx.x & BIT;
#pragma unroll
        for (int i = 0; i < WARP / (2 * BIT); ++i) {
            const int d = 2 * BIT * i + BIT - 1;
            Real give = upper ? values[d] : values[d + BIT];
            Real got = __shfl_xor_sync(ALL_LANES, give, BIT);
            if (upper) values[d] = values[d + BIT];
            values[d + BIT] = add(values[d], got);
        }
        make_step<2 * BIT>(values);
    }
}

template <typename Real> __device__ inline void make_table(Real (&values)[WARP]) { make_step<1>(values); }

/* One step down, from nodes of 2 * BIT items to their halves. value(d, row) is this lane's entry d of the table that
 * row `row` searches. flip ^ lane: the first item of the lane's current node. */
template <int BIT, typename Real, typename Value>
__device__ inline void search_step(Value value, Real target, Real &low, Real &high, int &flip)
{
    if constexpr (BIT > 0) {
        int lane = (int)threadIdx.x % WARP;
        constexpr int MASK = (WARP - 1) * (2 * BIT) & (WARP - 1);
        Real part = 0;
#pragma unroll
        for (int i = 0; i < WARP / (2 * BIT); ++i) {
            const int d = BIT - 1 + 2 * BIT * i;
            Real other = __shfl_sync(ALL_LANES, value(d, (d & MASK) + (lane & ~MASK)), lane ^ flip);
            if (((lane ^ d) & MASK) == 0) part = other;
        }
        Real middle = (lane & BIT) != 0 ? subtract(high, part) : add(low, part);
        bool left = target < middle;
        (left ? high : low) = middle;
        flip ^= left ? BIT & lane : BIT & ~lane;
        search_step<BIT / 2>(value, target, low, high, flip);
    }
}

/* Where each lane's target lies in its row's block, between the sums before (low) and through (high) the block. */
template <typename Real, typename Value>
__device__ inline int search_apart(Value value, Real target, Real low, Real high)
{
    int flip = 0;
    search_step<WARP / 2>(value, target, low, high, flip);
    return (flip ^ (int)threadIdx.x) % WARP;
}

/* The same, with one table for all rows. */
template <typename Real> __device__ inline int search(const Real (&values)[WARP], Real target, Real low, Real high)
{
    return search_apart([&](int d, int) { return values[d]; }, target, low, high);
}

/* The nearest item of weight > 0: the given one, else the next, else the last one. */
template <typename Positive> __device__ inline int64_t mend(int64_t item, int64_t items, Positive positive)
{
    if (positive(item)) return item;
    for (int64_t k = item + 1; k < items; ++k)
        if (positive(k)) return k;
    for (int64_t k = item - 1; k > 0; --k)
        if (positive(k)) return k;
    return 0;
}

} // namespace butterfly
} // namespace spg

#endif
