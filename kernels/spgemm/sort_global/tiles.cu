/* Class global, the products of a row by tiles: those in a window of columns are found, counted and written in order,
 * without memory for the others.
 *
 * In: entries of A with their scanned lengths, and a window. Out: see sort_global/global.cuh. A block takes a tile, so
 * the scanned counts of the blocks say where each one writes. sort_global/long_row.cu chooses the windows. */
#include "global.cuh"

namespace spg
{
namespace
{

/* Calls visit(source, column, is_there) for the block's tile, in order, by all threads together; column -1: out of
 * range. */
template <typename Offset, typename Visit>
__device__ void visit_tile(const patterns<Offset> &pattern, const global_slice &slice, const global_entries &entries,
                           const window_view &view, unsigned int &faults, Visit &&visit)
{
    const int64_t begin = view.from + blockIdx.x * view.tile, end = min(begin + view.tile, view.to);
    for (int64_t first = begin; first < end; first += GLOBAL_BLOCK) {
        const int64_t last = min(first + GLOBAL_BLOCK, end) - 1, k = first + threadIdx.x;
        const span<int64_t> range = range_at_most(entries.starts, entries.count, first, last);
        product_source<Offset> source{0, -1, 0};
        int32_t column = -1;
        if (k <= last) {
            source = source_of(pattern, slice, entries, range, k);
            if (source.b < 0)
                faults |= SPG_FAULT_A;
            else
                column = pattern.b_columns[source.b];
            if ((uint32_t)column >= (uint32_t)pattern.cols) {
                faults |= SPG_FAULT_B;
                column = -1;
            }
        }
        visit(source, column, column >= view.low && column < view.high);
    }
}

/* The number of marked threads of the block before this one; *all: of all marked threads. */
__device__ int rank_in_block(bool marked, int *all)
{
    __shared__ int counts[GLOBAL_BLOCK / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned int lanes = __ballot_sync(~0u, marked);
    if (lane == 0) counts[warp] = __popc(lanes);
    __syncthreads();
    int rank = __popc(lanes & ((1u << lane) - 1));
    *all = 0;
    for (int w = 0; w < GLOBAL_BLOCK / 32; ++w) {
        if (w < warp) rank += counts[w];
        *all += counts[w];
    }
    __syncthreads();
    return rank;
}

/* Products of each bucket of 2^shift columns from view.low on. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    histogram_kernel(patterns<Offset> pattern, global_slice slice, global_entries entries, window_view view, int shift,
                     unsigned long long *histogram)
{
    __shared__ unsigned long long counts[GLOBAL_BUCKETS];
    unsigned int faults = 0;
    for (int b = threadIdx.x; b < GLOBAL_BUCKETS; b += GLOBAL_BLOCK) counts[b] = 0;
    __syncthreads();
    visit_tile(pattern, slice, entries, view, faults, [&](const product_source<Offset> &, int32_t column, bool inside) {
        if (inside) atomicAdd(&counts[(column - view.low) >> shift], 1ull);
    });
    __syncthreads();
    for (int b = threadIdx.x; b < GLOBAL_BUCKETS; b += GLOBAL_BLOCK)
        if (counts[b] > 0) atomicAdd(&histogram[b], counts[b]);
    if (faults != 0) atomicOr(&pattern.counters->faults, faults);
}

/* counts[t] = products of tile t in the window; counts[tiles] = 0. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    count_tiles_kernel(patterns<Offset> pattern, global_slice slice, global_entries entries, window_view view,
                       int64_t *counts)
{
    unsigned int faults = 0;
    int64_t count = 0;
    visit_tile(pattern, slice, entries, view, faults,
               [&](const product_source<Offset> &, int32_t, bool inside) { count += __syncthreads_count(inside); });
    if (threadIdx.x > 0) return;
    counts[blockIdx.x] = count;
    if (blockIdx.x == 0) counts[view.tiles] = 0;
}

/* Writes the key of product `at` of the window; counts have been scanned. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    write_keys_kernel(patterns<Offset> pattern, global_slice slice, global_entries entries, window_view view,
                      const int64_t *counts, int64_t before, global_keys keys, uint32_t *order)
{
    unsigned int faults = 0;
    int64_t next = before + counts[blockIdx.x];
    visit_tile(pattern, slice, entries, view, faults, [&](const product_source<Offset> &, int32_t column, bool inside) {
        int all;
        const int64_t at = next + rank_in_block(inside, &all);
        next += all;
        if (!inside) return;
        set_key(keys, at, 0, (uint32_t)(column - view.low));
        if (order != nullptr) order[at] = (uint32_t)at;
    });
}

template <typename Offset, typename Value>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    write_numbers_kernel(patterns<Offset> pattern, numbers<Value> number, global_slice slice, global_entries entries,
                         window_view view, const int64_t *counts, int64_t before, Value *products)
{
    unsigned int faults = 0;
    int64_t next = before + counts[blockIdx.x];
    visit_tile(pattern, slice, entries, view, faults, [&](const product_source<Offset> &source, int32_t, bool inside) {
        int all;
        const int64_t at = next + rank_in_block(inside, &all);
        next += all;
        if (inside) products[at] = multiply(number.a_values[source.a], number.b_values[source.b]);
    });
}

/* Calls launch with the type of offsets. */
template <typename Launch> spg_status with_offsets(cuda_product &product, Launch &&launch)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        launch(offset);
        return spg_cuda_check_launch(product.context, "the tiles of a long row");
    });
}

} // namespace

spg_status histogram_tiles(cuda_product &product, const global_slice &slice, const global_entries &entries,
                           const window_view &view, int shift, int64_t *histogram)
{
    return with_offsets(product, [&](auto offset) {
        histogram_kernel<<<view.tiles, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), slice, entries, view, shift,
            reinterpret_cast<unsigned long long *>(histogram));
    });
}

spg_status count_tiles(cuda_product &product, const global_slice &slice, const global_entries &entries,
                       const window_view &view, int64_t *counts, void *temporary, size_t temporary_bytes)
{
    spg_status status = with_offsets(product, [&](auto offset) {
        count_tiles_kernel<<<view.tiles, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), slice, entries, view, counts);
    });
    return status == SPG_OK ? scan(product, counts, view.tiles + 1, temporary, temporary_bytes) : status;
}

spg_status write_tile_keys(cuda_product &product, const global_slice &slice, const global_entries &entries,
                           const window_view &view, const int64_t *counts, int64_t before,
                           const global_products &products)
{
    uint32_t *order = products.order_at > 0 ? order_of(products) : nullptr;
    return with_offsets(product, [&](auto offset) {
        write_keys_kernel<<<view.tiles, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
            patterns_of<decltype(offset)>(product), slice, entries, view, counts, before, products.keys, order);
    });
}

spg_status write_tile_numbers(cuda_product &product, const global_slice &slice, const global_entries &entries,
                              const window_view &view, const int64_t *counts, int64_t before, void *numbers)
{
    return with_value_type(product.A->value_type, [&](auto value) {
        using Value = decltype(value);
        return with_offsets(product, [&](auto offset) {
            write_numbers_kernel<<<view.tiles, GLOBAL_BLOCK, 0, product.cuda->stream>>>(
                patterns_of<decltype(offset)>(product), numbers_of<Value>(product), slice, entries, view, counts,
                before, static_cast<Value *>(numbers));
        });
    });
}

} // namespace spg
