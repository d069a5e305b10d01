/* Rows of a forest as draws see them, and the search for the item of a number. Private.
 *
 *   draw.cu    numbers of the generator or of the caller, in any order, from any rows
 *   strata.cu  stratified numbers, which ascend */
#ifndef SPG_KERNELS_SAMPLING_FOREST_DRAW_CUH
#define SPG_KERNELS_SAMPLING_FOREST_DRAW_CUH

#include "build.cuh"

namespace spg
{
namespace forest
{

/* A row's arrays. */
struct row_view {
    const int32_t *guide, *columns; /* columns may be NULL */
    bounds_view bounds;
    int64_t items;
    int shift; /* a number's cell is number >> shift */

    __device__ row_view(const forest_view &forest, int64_t row)
        : guide(forest.guide + forest.guide_offsets[row]), columns(forest.columns), bounds(forest.bounds),
          items(forest.offsets[row + 1] - forest.offsets[row]), shift(63 - forest.guide_bits(row))
    {
        int64_t begin = forest.offsets[row];
        if (columns != nullptr) columns += begin;
        bounds = bounds.from(begin);
    }
    /* The lower bound of item `item`; the end of all from `items` on. */
    __device__ uint64_t bound(int64_t item) const { return item < items ? bounds[item] : SPG_FOREST_END; }
    __device__ int32_t name(int32_t item) const
    {
        return item == SPG_FOREST_NOTHING ? SPG_NO_ITEM : columns != nullptr ? columns[item] : item;
    }
};

/* A search in progress: first the guide's entry, then down the tree or between two items. */
template <bool TREES> struct seeker {
    int32_t low, high; /* TREES: low is the node, ~item at the end */

    __device__ void begin(const row_view &row, uint64_t v)
    {
        const int32_t *entry = row.guide + (int64_t)(v >> row.shift);
        low = entry[0];
        high = TREES ? 0 : entry[1];
    }
    __device__ bool is_done() const { return TREES ? low < 0 : low >= high; }
    __device__ int32_t item() const { return TREES ? ~low : low; }
    __device__ void step(const row_view &row, uint64_t v)
    {
        if constexpr (TREES) {
            int4 node = *reinterpret_cast<const int4 *>(row.bounds.nodes + low);
            uint64_t bound = (uint32_t)node.x | (uint64_t)(uint32_t)node.y << 32;
            low = v >= bound ? node.w : node.z;
        } else {
            int32_t middle = low + (int32_t)(((uint32_t)(high - low) + 1) / 2);
            if (row.bounds.bounds[middle] <= v)
                low = middle;
            else
                high = middle - 1;
        }
    }
};

/* The item of v. */
template <bool TREES> __device__ inline int32_t search(const row_view &row, uint64_t v)
{
    seeker<TREES> seek;
    for (seek.begin(row, v); !seek.is_done();) seek.step(row, v);
    return seek.item();
}

/* Queues stratified draws from a row; writes items only. */
spg_status draw_strata(spg_context *context, const forest_view &forest, int64_t row, int64_t count,
                       const spg_random &random, int32_t *draws);

} // namespace forest
} // namespace spg

#endif
