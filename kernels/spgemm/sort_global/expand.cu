/* Class global, expansion: every product of a slice, in storage order.
 *
 * In: a slice of rows. Out: its entries of A with their scanned lengths (find_entries), and for each product k its key
 * and k itself (expand_keys) or its value (expand_numbers). A thread finds its product by a search in the scanned
 * lengths, so the work is even for any rows; a block first searches for its first and last product. Dalton, Bell,
 * Olson, section 3.2. */
#include "global.cuh"

#include <cub/device/device_scan.cuh>

namespace spg
{
namespace
{

/* starts[e] = length of the row of B that entry e names; starts[count] = 0. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    find_entries_kernel(patterns<Offset> pattern, global_slice slice, global_entries entries)
{
    unsigned int faults = 0;
    const int64_t before = slice.entries[0];
    for (int64_t tile = (int64_t)blockIdx.x * GLOBAL_BLOCK; tile <= entries.count;
         tile += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const int64_t last = min(tile + GLOBAL_BLOCK, entries.count) - 1, first = min(tile, last);
        const int64_t base = before + entries.first;
        span<int64_t> range = range_at_most(slice.entries, slice.rows, base + first, base + last);
        const int64_t e = tile + threadIdx.x;
        if (e == entries.count) entries.starts[e] = 0;
        if (e >= entries.count) continue;
        const int64_t row = last_at_most(slice.entries, range.begin, range.end, base + e);
        span<Offset> a = checked_a_row(pattern, row_at(slice.set, slice.first + (int32_t)row), faults);
        const int64_t k = a.begin + (base + e - slice.entries[row]);
        span<Offset> b{0, 0};
        if (k < a.end) b = checked_b_row(pattern, pattern.a_columns[k], faults);
        entries.rows[e] = (uint32_t)row;
        entries.starts[e] = b.end - b.begin;
    }
    if (faults != 0) atomicOr(&pattern.counters->faults, faults);
}

template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    expand_keys_kernel(patterns<Offset> pattern, global_slice slice, global_entries entries, global_keys keys,
                       uint32_t *order)
{
    unsigned int faults = 0;
    for (int64_t tile = (int64_t)blockIdx.x * GLOBAL_BLOCK; tile < slice.product_count;
         tile += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const int64_t last = min(tile + GLOBAL_BLOCK, slice.product_count) - 1, k = tile + threadIdx.x;
        span<int64_t> range = range_at_most(entries.starts, entries.count, tile, last);
        if (k > last) continue;
        const product_source<Offset> source = source_of(pattern, slice, entries, range, k);
        set_key(keys, k, source.row, (uint32_t)max(column_of(pattern, source, faults), 0));
        if (order != nullptr) order[k] = (uint32_t)k;
    }
    if (faults != 0) atomicOr(&pattern.counters->faults, faults);
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    expand_numbers_kernel(patterns<Offset> pattern, numbers<Value> number, global_slice slice, global_entries entries,
                          Value *products)
{
    for (int64_t tile = (int64_t)blockIdx.x * GLOBAL_BLOCK; tile < slice.product_count;
         tile += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        const int64_t last = min(tile + GLOBAL_BLOCK, slice.product_count) - 1, k = tile + threadIdx.x;
        span<int64_t> range = range_at_most(entries.starts, entries.count, tile, last);
        if (k > last) continue;
        const product_source<Offset> source = source_of(pattern, slice, entries, range, k);
        products[k] = multiply(number.a_values[source.a], number.b_values[source.b]);
    }
}

} // namespace

spg_status scan_bytes(cuda_product &product, int64_t count, size_t *bytes)
{
    *bytes = 0;
    return spg_cuda_check(product.context,
                          cub::DeviceScan::ExclusiveSum(nullptr, *bytes, (int64_t *)nullptr, (int64_t *)nullptr, count),
                          "sizing a scan of lengths");
}

spg_status scan(cuda_product &product, int64_t *values, int64_t count, const cub_memory &temporary)
{
    size_t bytes = temporary.bytes;
    return spg_cuda_check(
        product.context,
        cub::DeviceScan::ExclusiveSum(temporary.memory, bytes, values, values, count, product.cuda->stream),
        "a scan of lengths");
}

spg_status find_entries(cuda_product &product, const global_slice &slice, const global_entries &entries,
                        const cub_memory &temporary)
{
    const int blocks = grid_for(product, entries.count + 1, 1, GLOBAL_BLOCK);
    spg_status status = launch_typed(product, "the entries of a slice", [&](auto offset, cudaStream_t stream) {
        find_entries_kernel<<<blocks, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), slice,
                                                                 entries);
    });
    return status == SPG_OK ? scan(product, entries.starts, entries.count + 1, temporary) : status;
}

spg_status expand_keys(cuda_product &product, const global_slice &slice, const global_entries &entries,
                       const global_products &products)
{
    const int blocks = grid_for(product, slice.product_count, 1, GLOBAL_BLOCK);
    uint32_t *order = products.order_at > 0 ? order_of(products) : nullptr;
    return launch_typed(product, "the expansion of a slice", [&](auto offset, cudaStream_t stream) {
        expand_keys_kernel<<<blocks, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), slice, entries,
                                                                products.keys, order);
    });
}

spg_status expand_numbers(cuda_product &product, const global_slice &slice, const global_entries &entries,
                          const global_products &products)
{
    const int blocks = grid_for(product, slice.product_count, 1, GLOBAL_BLOCK);
    return with_value_types(product, [&](auto offset, auto value) {
        using Value = decltype(value);
        expand_numbers_kernel<<<blocks, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), numbers_of<Value>(product), slice, entries,
            static_cast<Value *>(spare_of(products)));
        return spg_cuda_check_launch(product.context, "the products of a slice");
    });
}

} // namespace spg
