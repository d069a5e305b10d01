/* See bins.cuh; the part that does not depend on the functor. */
#include "bins.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace
{

enum { ALIGNMENT = 256 };

/* The counts come first, then CUB's workspace. */
int64_t counts_bytes(int64_t count)
{
    return (count * (int64_t)sizeof(uint32_t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

spg_status scan_bytes(spg_context *context, int64_t count, size_t *bytes)
{
    uint32_t *none = nullptr;
    *bytes = 0;
    return spg_cuda_check(context, cub::DeviceScan::ExclusiveSum(nullptr, *bytes, none, none, count), "bins");
}

} // namespace

spg_status bins_workspace_bytes(spg_context *context, int32_t count, int classes, int64_t *bytes)
{
    int64_t tile_counts = bins::tiles_of(count) * classes + 1;
    size_t of_scan;
    spg_status status = scan_bytes(context, tile_counts, &of_scan);
    *bytes = counts_bytes(tile_counts) + (int64_t)of_scan;
    return status;
}

spg_status bins::scan_tile_counts(spg_context *context, uint32_t *tile_counts, int64_t count, void *workspace)
{
    size_t bytes;
    spg_status status = scan_bytes(context, count, &bytes);
    if (status != SPG_OK) return status;
    void *rest = static_cast<char *>(workspace) + counts_bytes(count);
    return spg_cuda_check(
        context,
        cub::DeviceScan::ExclusiveSum(rest, bytes, tile_counts, tile_counts, count, spg_cuda_of(context)->stream),
        "scanning the rows of each class");
}

} // namespace spg
