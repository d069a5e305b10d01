/* Scans and orders used in making a plan, by CUB, in scratch memory. */
#include "plan.cuh"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

namespace spg
{

namespace
{

/* Calls function(memory, bytes) of CUB, first without memory, to ask for the bytes. */
template <typename Function> spg_status with_temporary(plan_maker &maker, const char *what, Function function)
{
    size_t bytes = 0;
    scratch temporary(maker);
    char *memory = nullptr;
    spg_status status = spg_cuda_check(maker.context, function(nullptr, bytes), what);
    if (status == SPG_OK) status = temporary.allocate((int64_t)bytes, &memory);
    return status == SPG_OK ? spg_cuda_check(maker.context, function(memory, bytes), what) : status;
}

} // namespace

spg_status begin_scan(plan_maker &maker, int64_t *values, int64_t count)
{
    cudaStream_t stream = maker.cuda->stream;
    const spg_status status = spg_cuda_zero_bytes(maker.context, values + count, sizeof *values);
    if (status != SPG_OK) return status;
    return with_temporary(maker, "a scan", [=](void *memory, size_t &bytes) {
        return cub::DeviceScan::ExclusiveSum(memory, bytes, values, count + 1, stream);
    });
}

spg_status scan_counts(plan_maker &maker, int64_t *values, int64_t count, int64_t *total)
{
    const spg_status status = begin_scan(maker, values, count);
    if (status != SPG_OK) return status;
    return spg_cuda_copy_bytes(maker.context, total, SPG_PLACE_HOST, values + count, SPG_PLACE_DEVICE, sizeof *total);
}

spg_status scan_two_counts(plan_maker &maker, int64_t *const (&values)[2], int64_t count, int64_t (&totals)[2])
{
    scratch both_memory(maker);
    int64_t *both = nullptr;
    spg_status status = both_memory.allocate(2, &both);
    for (int k = 0; k < 2 && status == SPG_OK; k++) status = begin_scan(maker, values[k], count);
    if (status != SPG_OK) return status;
    const int64_t *first = values[0] + count, *second = values[1] + count;
    status = for_each(maker.context, 2, "totals", [=] __device__(int64_t k) { both[k] = k == 0 ? *first : *second; });
    if (status != SPG_OK) return status;
    return spg_cuda_copy_bytes(maker.context, totals, SPG_PLACE_HOST, both, SPG_PLACE_DEVICE, sizeof totals);
}

spg_status order_descending(plan_maker &maker, const int64_t *keys, int64_t count, int64_t *order)
{
    cudaStream_t stream = maker.cuda->stream;
    scratch keys_memory(maker), numbers_memory(maker);
    int64_t *sorted_keys = nullptr, *numbers = nullptr;
    spg_status status = keys_memory.allocate(count, &sorted_keys);
    if (status == SPG_OK) status = numbers_memory.allocate(count, &numbers);
    if (status == SPG_OK)
        status = for_each(maker.context, count, "numbers", [=] __device__(int64_t k) { numbers[k] = k; });
    if (status != SPG_OK) return status;
    return with_temporary(maker, "a sort", [=](void *memory, size_t &bytes) {
        return cub::DeviceRadixSort::SortPairsDescending(memory, bytes, keys, sorted_keys, numbers, order, count, 0, 64,
                                                         stream);
    });
}

} // namespace spg
