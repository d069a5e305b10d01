/* See primitives.h. */
#include "primitives.h"

#include "primitives/bins.cuh"

#include "memory.h"

using namespace spg;

namespace
{

enum { THREADS = 256 };

struct listed_class {
    const int8_t *class_of;
    __device__ int operator()(int32_t row) const { return class_of[row]; }
};

template <int Width> __global__ void scan_lanes(const int32_t *values, int64_t n, lane_results *results)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i / WARP * WARP >= n) return;
    const int32_t value = values[i];
    lane_results mine;
    mine.sum = reduce<Width>(value, plus{});
    mine.most = reduce<Width>(value, maximum{});
    mine.through = inclusive_scan<Width>(value, plus{});
    mine.most_through = inclusive_scan<Width>(value, maximum{});
    mine.before = exclusive_scan<Width>(value, (int32_t)0, plus{}, &mine.all);
    results[i] = mine;
}

template <int Width> void launch(spg_context *context, const int32_t *values, int64_t n, lane_results *results)
{
    const unsigned int blocks = (unsigned int)((n + THREADS - 1) / THREADS);
    scan_lanes<Width><<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(values, n, results);
}

} // namespace

spg_status bin_on_device(spg_context *context, const int32_t *rows, int32_t count, const uint32_t *device_count,
                         const int8_t *class_of, int classes, binned_arrays to)
{
    int64_t bytes = 0;
    void *workspace = nullptr;
    spg_status status = bins_workspace_bytes(context, count, classes, &bytes);
    if (status == SPG_OK) status = spg_allocate(context, bytes, "a test of bins", &workspace);
    if (status == SPG_OK)
        status = bin_rows(context, {rows, count, device_count}, listed_class{class_of}, classes, workspace,
                          {to.rows, to.begins, to.counts});
    spg_release(context, workspace, bytes);
    return status == SPG_OK ? spg_cuda_wait(context) : status;
}

spg_status scan_on_device(spg_context *context, int width, const int32_t *values, int64_t n, lane_results *results)
{
    switch (width) {
    case 1: launch<1>(context, values, n, results); break;
    case 2: launch<2>(context, values, n, results); break;
    case 4: launch<4>(context, values, n, results); break;
    case 8: launch<8>(context, values, n, results); break;
    case 16: launch<16>(context, values, n, results); break;
    default: launch<32>(context, values, n, results); break;
    }
    spg_status status = spg_cuda_check_launch(context, "a test of scans");
    return status == SPG_OK ? spg_cuda_wait(context) : status;
}
