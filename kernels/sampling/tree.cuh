/* The tree sum of src/sampling/sums.h across the lanes of a warp, and the way down it. Private. All lanes of a warp
 * call these functions together.
 *
 * The way down goes right if target >= base + left and right > 0, where base is the rounded sum of what it has left
 * behind. Let B of a leaf be the sum of the left siblings on its own way down from the root. Then the leaf found is the
 * last one with a sum above 0 and target >= B: the way to any later leaf would have gone right where the target is too
 * small, and rounded sums do not decrease when more is added. So no lane needs to know the way of another. */
#ifndef SPG_KERNELS_SAMPLING_TREE_CUH
#define SPG_KERNELS_SAMPLING_TREE_CUH

#include "../primitives/warp.cuh"
#include "sampling.h"
#include "sampling/sums.h"

namespace spg
{
namespace tree
{

template <typename T> __device__ inline T exchange(T value, int step)
{
    return __shfl_xor_sync(ALL_LANES, value, step);
}

__host__ __device__ constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

/* Two lanes `step` apart have nodes of two chunks; each lane gets the sum over both lanes of one chunk, the upper lane
 * that of the right chunk. So chunks are summed by halving, with CHUNKS - 1 exchanges instead of CHUNKS *
 * log2(CHUNKS). */
__device__ inline double halve(double left, double right, int step)
{
    bool upper = (lane_in_warp() & step) != 0;
    return add(upper ? right : left, exchange(upper ? left : right, step));
}

/* The sum of chunk FIRST + lane % COUNT of COUNT chunks, within groups of COUNT lanes that have a node of each.
 * (Recursive: as a loop it would not be unrolled, and the nodes would be in local memory.) */
template <int COUNT, int FIRST = 0, int ROOM> __device__ inline double sum_chunks(const double (&nodes)[ROOM])
{
    if constexpr (COUNT == 1) return nodes[FIRST];
    return halve(sum_chunks < COUNT == 1 ? 1 : COUNT / 2, FIRST > (nodes), sum_chunks < COUNT == 1 ? 1 : COUNT / 2,
                 COUNT == 1 ? FIRST : FIRST + COUNT / 2 > (nodes), COUNT / 2);
}

/* The sum across the lanes of a group of LANES, over those FROM apart. */
template <int FROM, int LANES> __device__ inline double sum_across(double value)
{
#pragma unroll
    for (int step = FROM; step < LANES; step *= 2) value = add(value, exchange(value, step));
    return value;
}

/* The sum of COUNT chunks of 32 nodes, a node of each a lane. */
template <int COUNT> __device__ inline double sum_all_chunks(const double (&nodes)[COUNT])
{
    return sum_across<1, COUNT>(sum_across<COUNT, WARP>(sum_chunks<COUNT>(nodes)));
}

/* 32 nodes of one height, one a lane. */
struct lane_tree {
    static constexpr int LEVELS = log2_of(WARP);
    double mine[LEVELS + 1], other[LEVELS]; /* the lane's node, and the sibling at each height */

    __device__ explicit lane_tree(double node)
    {
        mine[0] = node;
#pragma unroll
        for (int level = 0; level < LEVELS; ++level) {
            other[level] = exchange(mine[level], 1 << level);
            mine[level + 1] = add(mine[level], other[level]);
        }
    }

    __device__ double root() const { return mine[LEVELS]; }

    /* The lane with the node that target lies in; *base becomes the sum before it, in every lane. Any lane if sums are
     * faulty. */
    __device__ int find(double target, double *base) const
    {
        double before = *base;
#pragma unroll
        for (int level = LEVELS - 1; level >= 0; --level)
            if ((lane_in_warp() >> level & 1) != 0) before = add(before, other[level]);
        unsigned int found = __ballot_sync(ALL_LANES, mine[0] > 0 && target >= before);
        int source = WARP - 1 - __clz((int)(found | 1));
        *base = __shfl_sync(ALL_LANES, before, source);
        return source;
    }
};

/* The same within one thread: a tree of COUNT nodes, a power of two. Node k has the children 2k and 2k + 1. */
template <int COUNT> struct item_tree {
    double sums[2 * COUNT];

    template <typename Node> __device__ void sum(const Node (&items)[COUNT])
    {
#pragma unroll
        for (int k = 0; k < COUNT; ++k) sums[COUNT + k] = (double)items[k];
#pragma unroll
        for (int k = COUNT - 1; k > 0; --k) sums[k] = add(sums[2 * k], sums[2 * k + 1]);
    }

    __device__ double root() const { return sums[1]; }

    /* The way down, step by step; *base becomes the sum before the leaf found. */
    __device__ int find(double target, double *base) const { return descend<COUNT>(sums, target, base); }

  private:
    /* From the root of a tree of N leaves. */
    template <int N, int ROOM> static __device__ int descend(const double (&tree)[ROOM], double target, double *base)
    {
        double before = add(*base, tree[2]);
        bool right = target >= before && tree[3] > 0;
        if (right) *base = before;
        if constexpr (N == 2) {
            return right;
        } else {
            double below[N];
#pragma unroll
            for (int first = 2; first < N; first *= 2)
#pragma unroll
                for (int k = first; k < 2 * first; ++k) below[k] = right ? tree[k + 2 * first] : tree[k + first];
            return (right ? N / 2 : 0) + descend<N / 2>(below, target, base);
        }
    }
};

} // namespace tree
} // namespace spg

#endif
