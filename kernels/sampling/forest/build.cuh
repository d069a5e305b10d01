/* The stages of building the bounds, guide tables and trees of all rows at once. Private.
 *
 *   sum_rows       each row's sum, and the scale of its units
 *   fill_bounds    units of all items, one prefix sum over all rows, bounds
 *   fill_guides    the guides of CUTPOINT, from the bounds
 *   plant_trees    the trees of RADIX, and the guides that lead to them
 *
 * The last three free their own workspace, as large as the weights or larger, when they end; `held` is the caller's. */
#ifndef SPG_KERNELS_SAMPLING_FOREST_BUILD_CUH
#define SPG_KERNELS_SAMPLING_FOREST_BUILD_CUH

#include "../sampling.cuh"
#include "../weight_sum.cuh"

#include "sampling/forest.h"

namespace spg
{
namespace forest
{

/* Data of a row between the stages, in device memory. */
struct row_facts {
    row_sum sum;
    uint64_t before, total, reciprocal; /* units of the rows before, modulo 2^64; units of the row; spg_reciprocal */
};

/* Bounds of a row's items: contiguous numbers, or those in the nodes. */
struct bounds_view {
    uint64_t *bounds; /* or NULL */
    spg_forest_node *nodes;

    __device__ uint64_t operator[](int64_t k) const { return nodes != nullptr ? nodes[k].bound : bounds[k]; }
    __device__ bounds_view from(int64_t k) const
    {
        return nodes != nullptr ? bounds_view{nullptr, nodes + k} : bounds_view{bounds + k, nullptr};
    }
};

/* The arrays of all rows. */
struct forest_view {
    const int64_t *offsets, *guide_offsets;
    const int32_t *columns;
    bounds_view bounds;
    int32_t *guide;
    double cells_per_item;

    /* The lower bound of item `item` of a row; item == items: the end of all. */
    __device__ uint64_t bound(int64_t begin, int64_t items, int64_t item) const
    {
        return item == items ? SPG_FOREST_END : bounds[begin + item];
    }
    /* A row has 2^bits cells, and one entry more. */
    __device__ int guide_bits(int64_t row) const
    {
        return 63 - __clzll((long long)(guide_offsets[row + 1] - guide_offsets[row] - 1));
    }
};

forest_view view_of(const spg_forest &forest);

spg_status sum_rows(workspace &work, const spg_csr &weights, row_facts *facts, unsigned long long *first_fault);
spg_status fill_bounds(const workspace &held, const spg_csr &weights, const forest_view &forest, row_facts *facts);
spg_status fill_guides(const workspace &held, const spg_csr &weights, const forest_view &forest, int64_t guide_count);
spg_status plant_trees(const workspace &held, const spg_csr &weights, const forest_view &forest, int64_t guide_count);

} // namespace forest
} // namespace spg

#endif
