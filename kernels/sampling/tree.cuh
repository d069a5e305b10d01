/* The tree sum of src/sampling_sums.h across the lanes of a warp, and the way down it. Private.
 *
 * A group of LANES neighbouring lanes holds CHUNKS * LANES neighbouring nodes of one height: lane l has node l of each
 * chunk of LANES. All lanes of the warp call together. The sums of the chunks are formed by halving: at every step a
 * lane keeps half of the chunks and passes its part of the others on, CHUNKS - 1 exchanges where CHUNKS * log2(LANES)
 * would be needed, after which a lane has the sum of one chunk. CHUNKS is a power of two up to LANES. */
#ifndef SPG_KERNELS_SAMPLING_TREE_CUH
#define SPG_KERNELS_SAMPLING_TREE_CUH

#include "../primitives/warp.cuh"
#include "sampling.h"
#include "sampling_sums.h"

namespace spg
{
namespace tree
{

template <typename T> __device__ inline T exchange(T value, int step)
{
    return __shfl_xor_sync(ALL_LANES, value, step);
}

__host__ __device__ constexpr int log2_of(int n) { return n <= 1 ? 0 : 1 + log2_of(n / 2); }

/* The nodes over a group's nodes that a lane stands under: at each level its own and its sibling's. */
template <int LANES, int CHUNKS> struct chunk_tree {
    static constexpr int LEVELS = log2_of(CHUNKS);
    double mine[LEVELS + 1], other[LEVELS + 1]; /* [0]: the lane's chunk; other of the root is not used */

    /* Which chunk the lane has: the halvings give it the upper half by its lowest bit first. */
    static __device__ int chunk_of_lane(int lane)
    {
        return LEVELS == 0 ? 0 : (int)(__brev((unsigned)lane) >> (32 - (LEVELS == 0 ? 1 : LEVELS)));
    }

    /* Halvings from `LEVEL` on; HALF chunks are kept at this one. (A recursion: as a loop it would not be unrolled, and
     * the parts would lie in local memory.) */
    template <int LEVEL, int HALF, int ROOM> static __device__ void halve(double (&part)[ROOM])
    {
        if constexpr (HALF > 0) {
            bool upper = lane_in_warp() >> LEVEL & 1;
#pragma unroll
            for (int c = 0; c < HALF; ++c) {
                double keep = upper ? part[c + HALF] : part[c], give = upper ? part[c] : part[c + HALF];
                part[c] = add(keep, exchange(give, 1 << LEVEL));
            }
            halve<LEVEL + 1, HALF / 2>(part);
        }
    }

    template <typename Node> __device__ void sum(const Node (&nodes)[CHUNKS])
    {
        int lane = lane_in_warp();
        double part[CHUNKS > 1 ? CHUNKS / 2 : 1];
        if (CHUNKS > 1) {
            bool upper = lane & 1;
#pragma unroll
            for (int c = 0; c < CHUNKS / 2; ++c) {
                Node keep = upper ? nodes[c + CHUNKS / 2] : nodes[c], give = upper ? nodes[c] : nodes[c + CHUNKS / 2];
                part[c] = add((double)keep, (double)exchange(give, 1));
            }
        } else {
            part[0] = (double)nodes[0];
        }
        halve<1, CHUNKS / 4>(part);
        double value = part[0];
#pragma unroll
        for (int step = CHUNKS; step < LANES; step *= 2) value = add(value, exchange(value, step));
        mine[0] = value;
#pragma unroll
        for (int level = 0; level < LEVELS; ++level) {
            other[level] = exchange(mine[level], CHUNKS >> (level + 1));
            mine[level + 1] = add(mine[level], other[level]);
        }
    }

    __device__ double root() const { return mine[LEVELS]; }

    /* Goes down to a chunk: *base takes what lies left of it in the group, in every lane. */
    __device__ int find_chunk(double target, double *base) const
    {
        int lane = lane_in_warp();
        bool on_path = true;
        double before = *base;
#pragma unroll
        for (int level = LEVELS - 1; level >= 0; --level) {
            bool right = lane & (CHUNKS >> (level + 1));
            double left_sum = right ? other[level] : mine[level], right_sum = right ? mine[level] : other[level];
            on_path &= (spg_goes_right(target, before, left_sum, right_sum) != 0) == right;
            if (right) before = add(before, left_sum);
        }
        unsigned int found = __ballot_sync(ALL_LANES, on_path);
        int first = lane / LANES * LANES;
        found = found >> first & (LANES == WARP ? ALL_LANES : (1u << LANES % WARP) - 1);
        int source = first + __ffs((int)found) - 1;
        *base = __shfl_sync(ALL_LANES, before, source);
        return chunk_of_lane(source % LANES);
    }
};

/* Goes down among the LANES nodes of a chunk, one a lane. Returns whether this lane's is the one found, and then *base
 * is what lies left of it. */
template <int LANES, typename Node> __device__ inline bool find_lane(Node node, double target, double *base)
{
    constexpr int LEVELS = log2_of(LANES);
    int lane = lane_in_warp();
    double mine[LEVELS + 1], other[LEVELS + 1];
    mine[0] = (double)node;
    other[0] = (double)exchange(node, 1);
#pragma unroll
    for (int level = 0; level < LEVELS; ++level) {
        if (level > 0) other[level] = exchange(mine[level], 1 << level);
        mine[level + 1] = add(mine[level], other[level]);
    }
    bool on_path = true;
    double before = *base;
#pragma unroll
    for (int level = LEVELS - 1; level >= 0; --level) {
        bool right = lane >> level & 1;
        double left_sum = right ? other[level] : mine[level], right_sum = right ? mine[level] : other[level];
        on_path &= (spg_goes_right(target, before, left_sum, right_sum) != 0) == right;
        if (right) before = add(before, left_sum);
    }
    *base = before;
    return on_path;
}

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

    __device__ int find(double target, double base) const { return descend<1>(1, target, base) - COUNT; }

  private:
    /* From node `found` of the SIZE of its level on. */
    template <int SIZE> __device__ int descend(int found, double target, double base) const
    {
        if constexpr (SIZE < COUNT) {
            double left = 0, right = 0;
#pragma unroll
            for (int k = 0; k < SIZE; ++k)
                if (found == SIZE + k) left = sums[2 * (SIZE + k)], right = sums[2 * (SIZE + k) + 1];
            bool goes_right = spg_goes_right(target, base, left, right);
            return descend<2 * SIZE>(2 * found + goes_right, target, goes_right ? add(base, left) : base);
        }
        return found;
    }
};

} // namespace tree
} // namespace spg

#endif
