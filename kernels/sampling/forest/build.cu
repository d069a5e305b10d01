/* Builds bounds, guide tables and trees of all rows. The host waits once: whether rows are sound, and the total length
 * of their guides. */
#include "build.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace forest
{

forest_view view_of(const spg_forest &forest)
{
    return {forest.offsets, forest.guide_offsets, forest.columns, {forest.bounds, forest.nodes},
            forest.guide,   forest.cells_per_item};
}

namespace
{

/* Where each row's guide begins. */
spg_status scan_guides(workspace &work, spg_forest *forest)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    void *memory = nullptr;
    int64_t count = forest->rows + 1, rows = forest->rows;
    spg_status status =
        spg_allocate(context, spg_array_bytes(count, sizeof(int64_t)), "offsets of guide tables", &memory);
    int64_t *guide_offsets = forest->guide_offsets = static_cast<int64_t *>(memory);
    const int64_t *offsets = forest->offsets;
    double cells_per_item = forest->cells_per_item;
    if (status == SPG_OK)
        status = for_each(context, count, "lengths of guide tables", [=] __device__(int64_t i) {
            int64_t items = i < rows ? offsets[i + 1] - offsets[i] : 0;
            guide_offsets[i] = i < rows ? ((int64_t)1 << spg_guide_bits(items, cells_per_item)) + 1 : 0;
        });
    size_t bytes = 0;
    char *temporary = nullptr;
    if (status == SPG_OK)
        status = spg_cuda_check(
            context, cub::DeviceScan::ExclusiveSum(nullptr, bytes, guide_offsets, guide_offsets, count, stream),
            "guides");
    if (status == SPG_OK) status = work.take((int64_t)bytes, "the scan of guide tables", &temporary);
    if (status != SPG_OK) return status;
    return spg_cuda_check(context,
                          cub::DeviceScan::ExclusiveSum(temporary, bytes, guide_offsets, guide_offsets, count, stream),
                          "guides");
}

spg_status allocate(spg_context *context, int64_t guide_count, spg_forest *forest)
{
    void *memory = nullptr;
    bool radix = forest->method == SPG_FOREST_RADIX;
    spg_status status = spg_allocate(context, spg_array_bytes(guide_count, sizeof(int32_t)), "guide tables", &memory);
    if (status != SPG_OK) return status;
    forest->guide = static_cast<int32_t *>(memory);
    forest->guide_count = guide_count;
    size_t size = radix ? sizeof *forest->nodes : sizeof *forest->bounds;
    status = spg_allocate(context, spg_array_bytes(forest->nnz, size), radix ? "nodes" : "bounds", &memory);
    if (radix)
        forest->nodes = static_cast<spg_forest_node *>(memory);
    else
        forest->bounds = static_cast<uint64_t *>(memory);
    return status;
}

spg_status build(spg_context *context, const spg_csr &weights, spg_forest *forest)
{
    workspace work(context);
    row_facts *facts = nullptr;
    spg_report *shared = spg_cuda_of(context)->report, report;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = copy_shape(context, weights, &forest->offsets, &forest->columns);
    if (status == SPG_OK) status = work.take(weights.rows, "sums of rows", &facts);
    if (status == SPG_OK) status = sum_rows(work, weights, facts, &shared->first[0]);
    if (status == SPG_OK) status = scan_guides(work, forest);
    const int64_t *guide_offsets = forest->guide_offsets;
    int64_t rows = weights.rows;
    if (status == SPG_OK)
        status = for_each(context, 1, "lengths of guide tables",
                          [=] __device__(int64_t) { shared->figures[0] = guide_offsets[rows]; });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status == SPG_OK && report.first[0] != NONE_FIRST) status = fail_by_report(context, weights, report);
    if (status == SPG_OK) status = allocate(context, report.figures[0], forest);
    if (status != SPG_OK || rows == 0) return status;
    forest_view view = view_of(*forest);
    status = fill_bounds(work, weights, view, facts);
    if (status == SPG_OK) status = fill_guides(work, weights, view, forest->guide_count);
    if (status != SPG_OK || forest->method != SPG_FOREST_RADIX) return status;
    return plant_trees(work, weights, view, forest->guide_count);
}

} // namespace

} // namespace forest
} // namespace spg

spg_status spg_cuda_forest_build(spg_context *context, const spg_csr *weights, spg_forest *forest)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::forest::build(context, *weights, forest);
    /* The caller may free the weights now, and other contexts may draw. */
    if (status == SPG_OK) status = spg_cuda_wait(context);
    if (status != SPG_OK) spg_forest_free_arrays(forest);
    spg_cuda_leave(context);
    return status;
}
