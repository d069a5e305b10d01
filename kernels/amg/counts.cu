/* See counts.cuh. The host polls for the counts, as for those of products: faster than a copy and a wait. */
#include "counts.cuh"

#include "../values.cuh"

#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace spg
{

namespace amg
{

namespace
{

/* Length i, and 0 after the last: the scan reads one more than there are rows. */
struct length_of_row {
    const int32_t *lengths;
    int64_t rows;
    __device__ int32_t operator()(int64_t i) const { return i < rows ? lengths[i] : 0; }
};

/* The sums have the type of the offsets, whatever the type of the lengths. */
template <typename Offset>
spg_status scan_into(spg_context *context, const int32_t *row_lengths, int64_t rows, Offset *offsets)
{
    const int64_t count = rows + 1;
    const auto lengths =
        thrust::make_transform_iterator(thrust::counting_iterator<int64_t>(0), length_of_row{row_lengths, rows});
    const char *what = "scanning row lengths";
    cudaStream_t stream = spg_cuda_of(context)->stream;
    workspace work(context);
    char *memory = nullptr;
    size_t bytes = 0;
    cudaError_t error =
        cub::DeviceScan::ExclusiveScan(nullptr, bytes, lengths, offsets, cuda::std::plus<>{}, Offset{0}, count, stream);
    spg_status status = spg_cuda_check(context, error, what);
    if (status == SPG_OK) status = work.take((int64_t)bytes, what, &memory);
    if (status != SPG_OK) return status;
    error =
        cub::DeviceScan::ExclusiveScan(memory, bytes, lengths, offsets, cuda::std::plus<>{}, Offset{0}, count, stream);
    return spg_cuda_check(context, error, what);
}

} // namespace

spg_status scan_lengths(spg_context *context, const int32_t *lengths, int64_t rows, spg_type offset_type, void *offsets)
{
    return with_offset_type(offset_type, [&](auto offset) {
        return scan_into(context, lengths, rows, static_cast<decltype(offset) *>(offsets));
    });
}

spg_status clear_counts(spg_context *context)
{
    spg_cuda *cuda = spg_cuda_of(context);
    return spg_cuda_check(context, cudaMemsetAsync(cuda->counters, 0, sizeof *cuda->counters, cuda->stream),
                          "clearing counters");
}

spg_status take_counts(spg_context *context, spg_counters *counters)
{
    const count_post post = new_post(context);
    spg_status status = for_each(context, 1, "telling counts", [=] __device__(int64_t) { tell_counts(post); });
    return status == SPG_OK ? spg_cuda_wait_for_counters(context, post.number, counters) : status;
}

} // namespace amg

} // namespace spg
