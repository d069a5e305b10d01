/* Scans and sums across the lanes of a warp, or of groups of Width lanes (1, 2, 4, 8, 16 or 32). Private.
 *
 * All 32 lanes of a warp call every function together, including lanes without work: give these the neutral value.
 * Groups of Width neighbouring lanes work independently. Nothing uses shared memory.
 *
 * Which one to use: the scans combine in a tree, in log2(Width) steps, so the operator must be associative: integers,
 * or maxima; segmented_scan does so within segments. For sums of rounded numbers whose bits must not depend on Width
 * use ordered_segmented_sum, which adds like a loop over the lanes. */
#ifndef SPG_KERNELS_PRIMITIVES_WARP_CUH
#define SPG_KERNELS_PRIMITIVES_WARP_CUH

#include "../values.cuh"

namespace spg
{

constexpr unsigned int ALL_LANES = ~0u;
constexpr int WARP = 32;

struct plus {
    template <typename T> __device__ T operator()(T a, T b) const { return a + b; }
};
struct maximum {
    template <typename T> __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct minimum {
    template <typename T> __device__ T operator()(T a, T b) const { return b < a ? b : a; }
};

__device__ inline int lane_in_warp() { return (int)(threadIdx.x % WARP); }

/* The mask of the lanes before this one; of these and this one. */
__device__ inline unsigned int lanes_below() { return (1u << lane_in_warp()) - 1; }
__device__ inline unsigned int lanes_through() { return ALL_LANES >> (WARP - 1 - lane_in_warp()); }

template <typename T> __device__ inline T shuffle_up(T value, int step, int width = WARP)
{
    return __shfl_up_sync(ALL_LANES, value, step, width);
}
template <typename Real> __device__ inline complex<Real> shuffle_up(complex<Real> value, int step, int width = WARP)
{
    return {shuffle_up(value.re, step, width), shuffle_up(value.im, step, width)};
}

template <typename T> __device__ inline T from_lane(T value, int lane, int width = WARP)
{
    return __shfl_sync(ALL_LANES, value, lane, width);
}
template <typename Real> __device__ inline complex<Real> from_lane(complex<Real> value, int lane, int width = WARP)
{
    return {from_lane(value.re, lane, width), from_lane(value.im, lane, width)};
}

template <typename T> __device__ inline T shuffle_xor(T value, int mask)
{
    return __shfl_xor_sync(ALL_LANES, value, mask);
}
template <typename Real> __device__ inline complex<Real> shuffle_xor(complex<Real> value, int mask)
{
    return {shuffle_xor(value.re, mask), shuffle_xor(value.im, mask)};
}

/* The combined value of all lanes of a group, in every lane. The operator must also be commutative. */
template <int Width = WARP, typename T, typename Operator> __device__ inline T reduce(T value, Operator combine)
{
#pragma unroll
    for (int step = Width / 2; step > 0; step /= 2)
        value = combine(value, __shfl_xor_sync(ALL_LANES, value, step, Width));
    return value;
}

/* Lane i of a group gets value(0) combined with ... value(i), in this order. */
template <int Width = WARP, typename T, typename Operator> __device__ inline T inclusive_scan(T value, Operator combine)
{
    int lane = lane_in_warp() % Width;
#pragma unroll
    for (int step = 1; step < Width; step *= 2) {
        T before = shuffle_up(value, step, Width);
        if (lane >= step) value = combine(before, value);
    }
    return value;
}

/* Lane i gets value(0) combined with ... value(i - 1), lane 0 `neutral`. *all: the group's combined value, in every
 * lane. */
template <int Width = WARP, typename T, typename Operator>
__device__ inline T exclusive_scan(T value, T neutral, Operator combine, T *all)
{
    T through = inclusive_scan<Width>(value, combine);
    *all = __shfl_sync(ALL_LANES, through, Width - 1, Width);
    T before = shuffle_up(through, 1, Width);
    return lane_in_warp() % Width == 0 ? neutral : before;
}

/* The first lane of the warp whose `until` is above this lane's `place`: if `until` is an inclusive scan of counts, the
 * lane that owns element number `place`. */
__device__ inline int lane_of_place(int until, int place)
{
    int lane = 0;
#pragma unroll
    for (int step = WARP / 2; step > 0; step /= 2)
        if (__shfl_sync(ALL_LANES, until, lane + step - 1) <= place) lane += step;
    return lane;
}

/* Segments of neighbouring lanes, from head flags. `head`: a segment begins at this lane; lane 0 of a group always
 * begins one. */
template <int Width = WARP> struct segments {
    unsigned int heads; /* mask of the warp's lanes where a segment begins */
    int from_head;      /* distance of this lane from the head of its segment; 0 at a head */
    int longest;        /* distance of the last lane of the warp's longest segment from its head */

    __device__ explicit segments(bool head)
    {
        heads = __ballot_sync(ALL_LANES, head || lane_in_warp() % Width == 0);
        from_head = lane_in_warp() - (WARP - 1 - __clz((int)(heads & lanes_through())));
        longest = __reduce_max_sync(ALL_LANES, from_head);
    }
};

/* Combines a segment's values from its head to this lane, in this order but in a tree: as many steps as the longest
 * segment has halvings. */
template <int Width, typename T, typename Operator>
__device__ inline T segmented_scan(T value, const segments<Width> &of, Operator combine)
{
#pragma unroll
    for (int step = 1; step < Width; step *= 2) {
        if (step > of.longest) break;
        T before = shuffle_up(value, step, Width);
        if (of.from_head >= step) value = combine(before, value);
    }
    return value;
}

/* The same for sums of rounded numbers, with the bits of a loop: a head keeps its value, every other lane adds its
 * value to the sum of the lane before. Takes as many steps as the longest segment has lanes after its head. To carry a
 * sum into a group, add it to lane 0's value first; a head whose sum must start from +0 passes add(zero, value). */
template <int Width, typename T> __device__ inline T ordered_segmented_sum(T value, const segments<Width> &of)
{
    for (int step = 1; step <= of.longest; ++step) {
        T before = shuffle_up(value, 1, Width);
        if (of.from_head == step) value = add(before, value);
    }
    return value;
}

} // namespace spg

#endif
