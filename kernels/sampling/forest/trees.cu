/* The radix trees of all cells of all rows at once (Binder, Keller 2019, Algorithm 1): from every leaf upward; of two
 * children that meet at a node, the second continues. Then, if some cell has enough items, trees that are too deep are
 * found, by a search for every item, and rebuilt balanced. See src/sampling/forest.h. */
#include "build.cuh"

namespace spg
{
namespace forest
{

namespace
{

enum { NOBODY = -1, DEGENERATE = -2 }; /* in `others` */

/* The cell in whose tree an item is a leaf, but not the lowest one, and the items that overlap it, by the guide of
 * CUTPOINT. It is the cell before the item's bound: an item that begins where a cell does is the lowest leaf of that
 * cell, but closes the tree of the cell before. */
struct cell_view {
    int64_t begin; /* of the row */
    int32_t low, high;
    bool is_leaf;        /* there is one: the item begins neither at 0 nor at the end of all */
    bool begins_in_cell; /* so draws in the cell may reach the item */

    __device__ cell_view(const forest_view &forest, const int32_t *cutpoints, int64_t k, int64_t row)
        : begin(forest.offsets[row]), low(0), high(0), is_leaf(false), begins_in_cell(false)
    {
        uint64_t bound = forest.bounds.nodes[k].bound;
        if (bound == 0 || bound >= SPG_FOREST_END) return;
        int shift = 63 - forest.guide_bits(row);
        const int32_t *entry = cutpoints + forest.guide_offsets[row] + (int64_t)((bound - 1) >> shift);
        low = entry[0];
        high = entry[1];
        is_leaf = true;
        begins_in_cell = bound >> shift == (bound - 1) >> shift;
    }
    /* No tree of so few items can be too deep. */
    __device__ int32_t most_loads() const { return SPG_FOREST_DEEPEST * spg_levels((int64_t)high - low + 1); }
    __device__ bool may_be_deep() const { return high - low > most_loads(); }
};

__device__ bool stands_above(const spg_forest_node *nodes, int32_t i, int32_t j)
{
    return spg_split_before(nodes[i - 1].bound, nodes[i].bound, i, nodes[j - 1].bound, nodes[j].bound, j);
}

/* Climbs from leaf `item` until the other child has not come yet, or to the root of the cell. Sets *may_be_deep if the
 * cell has enough items. */
__device__ void climb(spg_forest_node *nodes, int32_t *others, const cell_view &cell, int32_t item, int *may_be_deep)
{
    int32_t first = cell.low + 1, low = item, high = item, node = ~item;
    for (;;) {
        if (low == first && high == cell.high) {
            nodes[first].child[0] = ~cell.low;
            nodes[first].child[1] = node;
            if (cell.may_be_deep()) *may_be_deep = 1;
            return;
        }
        bool is_left = low == first || (high != cell.high && stands_above(nodes, low, high + 1));
        int32_t parent = is_left ? high + 1 : low;
        nodes[parent].child[is_left ? 0 : 1] = node;
        __threadfence();
        int32_t other = atomicExch(&others[parent], is_left ? low : high);
        if (other == NOBODY) return;
        __threadfence();
        if (is_left)
            high = other;
        else
            low = other;
        node = parent;
    }
}

/* Node `item` of the balanced tree over low ... high. */
__device__ void balance(spg_forest_node *nodes, int32_t low, int32_t high, int32_t item)
{
    auto middle = [](int64_t a, int64_t b) { return (int32_t)((a + b + 1) / 2); };
    int32_t a = low, b = high, node = middle(a, b);
    for (; node != item; node = middle(a, b)) {
        if (item < node)
            b = node - 1;
        else
            a = node;
    }
    nodes[item].child[0] = a == node - 1 ? ~a : middle(a, node - 1);
    nodes[item].child[1] = b == node ? ~b : middle(node, b);
}

/* The arrays that the stages share. */
struct trees_under_way {
    forest_view forest;
    int32_t *others;          /* by node: the far end of the child that came first; for a root: DEGENERATE */
    const int32_t *cutpoints; /* the guide of CUTPOINT */
    int *may_be_deep;         /* whether some cell has enough items for a tree that is too deep */
};

spg_status plant(spg_context *context, const spg_csr &weights, const trees_under_way &trees)
{
    spg_forest_node *nodes = trees.forest.bounds.nodes;
    return for_each_entry(context, weights, "planting trees", [=] __device__(int64_t k, int64_t row) {
        cell_view cell(trees.forest, trees.cutpoints, k, row);
        if (!cell.is_leaf) return;
        climb(nodes + cell.begin, trees.others + cell.begin, cell, (int32_t)(k - cell.begin), trees.may_be_deep);
    });
}

spg_status mend(spg_context *context, const spg_csr &weights, const trees_under_way &trees)
{
    spg_forest_node *nodes = trees.forest.bounds.nodes;
    spg_status status = for_each_entry(context, weights, "measuring trees", [=] __device__(int64_t k, int64_t row) {
        if (*trees.may_be_deep == 0) return;
        cell_view cell(trees.forest, trees.cutpoints, k, row);
        if (!cell.begins_in_cell || !cell.may_be_deep()) return;
        uint64_t v = nodes[k].bound;
        int32_t node = cell.low + 1, loads = 0;
        for (; node >= 0 && loads <= cell.most_loads(); ++loads) {
            const spg_forest_node &at = nodes[cell.begin + node];
            node = at.child[v >= at.bound];
        }
        if (loads > cell.most_loads()) trees.others[cell.begin + cell.low + 1] = DEGENERATE;
    });
    if (status != SPG_OK) return status;
    return for_each_entry(context, weights, "mending trees", [=] __device__(int64_t k, int64_t row) {
        if (*trees.may_be_deep == 0) return;
        cell_view cell(trees.forest, trees.cutpoints, k, row);
        if (!cell.is_leaf || trees.others[cell.begin + cell.low + 1] != DEGENERATE) return;
        balance(nodes + cell.begin, cell.low, cell.high, (int32_t)(k - cell.begin));
    });
}

spg_status lead_to_roots(spg_context *context, int64_t rows, int64_t guide_count, const trees_under_way &trees)
{
    const forest_view &forest = trees.forest;
    int32_t *guide = forest.guide;
    const int64_t *guide_offsets = forest.guide_offsets, *offsets = forest.offsets;
    /* The guides as if they were rows of a matrix; their last entries stay. */
    spg_csr cells = {
        rows,    1,      guide_count, SPG_I64, SPG_F64, SPG_PLACE_DEVICE, const_cast<int64_t *>(guide_offsets),
        nullptr, nullptr};
    return for_each_entry(context, cells, "guides to trees", [=] __device__(int64_t g, int64_t row) {
        if (g + 1 == guide_offsets[row + 1]) return;
        int32_t low = trees.cutpoints[g], high = trees.cutpoints[g + 1];
        bool mended = *trees.may_be_deep != 0 && low < high && trees.others[offsets[row] + low + 1] == DEGENERATE;
        guide[g] = low == high ? ~low : mended ? (int32_t)(((int64_t)low + high + 1) / 2) : low + 1;
    });
}

} // namespace

spg_status plant_trees(const workspace &held, const spg_csr &weights, const forest_view &forest, int64_t guide_count)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t nnz = weights.nnz;
    int32_t *cutpoints = nullptr;
    trees_under_way trees = {forest, nullptr, nullptr, nullptr};
    if (nnz == 0) return SPG_OK; /* without nodes, draws search the guide */
    spg_status status = work.take(nnz, "trees under way", &trees.others);
    if (status == SPG_OK) status = work.take(1, "trees under way", &trees.may_be_deep);
    if (status == SPG_OK) status = work.take(guide_count, "cutpoints of a forest", &cutpoints);
    if (status == SPG_OK)
        status = spg_cuda_check(context, cudaMemsetAsync(trees.may_be_deep, 0, sizeof(int), stream), "trees");
    if (status == SPG_OK && nnz > 0)
        status = spg_cuda_check(
            context, cudaMemsetAsync(trees.others, 0xff, (size_t)nnz * sizeof *trees.others, stream), "trees");
    if (status == SPG_OK)
        status = spg_cuda_copy_on_device(context, cutpoints, forest.guide, guide_count * (int64_t)sizeof *cutpoints);
    trees.cutpoints = cutpoints;
    if (status == SPG_OK) status = plant(context, weights, trees);
    if (status == SPG_OK) status = mend(context, weights, trees);
    return status == SPG_OK ? lead_to_roots(context, weights.rows, guide_count, trees) : status;
}

} // namespace forest
} // namespace spg
