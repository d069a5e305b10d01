/* Class global, the products of a row by tiles: those in a window of columns are found, counted and written in order,
 * without memory for the others.
 *
 * In: entries of A with their scanned lengths, and a window. Out: see sort_global/global.cuh. A block takes a tile, so
 * the scanned counts of the blocks say where each one writes. sort_global/long_row.cu chooses the windows. */
#include "../../primitives/block.cuh"
#include "global.cuh"

namespace spg
{
namespace
{

/* Calls visit(source, column, is_there) for the block's tile, in order, by all threads together; column -1: out of
 * range. Then records the faults. */
template <typename Offset, typename Visit>
__device__ void visit_tile(const patterns<Offset> &pattern, const tiled_products &of, Visit &&visit)
{
    unsigned int faults = 0;
    const int64_t begin = of.from + blockIdx.x * of.tile, end = min(begin + of.tile, of.to);
    for (int64_t first = begin; first < end; first += GLOBAL_BLOCK) {
        const int64_t last = min(first + GLOBAL_BLOCK, end) - 1, k = first + threadIdx.x;
        const span<int64_t> range = range_at_most(of.entries.starts, of.entries.count, first, last);
        product_source<Offset> source{0, -1, 0};
        int32_t column = -1;
        if (k <= last) {
            source = source_of(pattern, of.slice, of.entries, range, k);
            column = column_of(pattern, source, faults);
        }
        visit(source, column, column >= of.low && column < of.high);
    }
    if (faults != 0) atomicOr(&pattern.counters->faults, faults);
}

/* Products of each bucket of 2^shift columns from `low` on. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    histogram_kernel(patterns<Offset> pattern, tiled_products of, int shift, unsigned long long *histogram)
{
    __shared__ unsigned long long counts[GLOBAL_BUCKETS];
    for (int b = threadIdx.x; b < GLOBAL_BUCKETS; b += GLOBAL_BLOCK) counts[b] = 0;
    __syncthreads();
    visit_tile(pattern, of, [&](const product_source<Offset> &, int32_t column, bool inside) {
        if (inside) atomicAdd(&counts[(column - of.low) >> shift], 1ull);
    });
    __syncthreads();
    for (int b = threadIdx.x; b < GLOBAL_BUCKETS; b += GLOBAL_BLOCK)
        if (counts[b] > 0) atomicAdd(&histogram[b], counts[b]);
}

/* counts[t] = products of tile t in the window; counts[tiles] = 0. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    count_tiles_kernel(patterns<Offset> pattern, tiled_products of, int64_t *counts)
{
    int64_t count = 0;
    visit_tile(pattern, of,
               [&](const product_source<Offset> &, int32_t, bool inside) { count += __syncthreads_count(inside); });
    if (threadIdx.x > 0) return;
    counts[blockIdx.x] = count;
    if (blockIdx.x == 0) counts[of.tiles] = 0;
}

/* Calls write(at, source, column) for each product of the window; `at` is its number, by the scanned counts. */
template <typename Offset, typename Write>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    write_tiles_kernel(patterns<Offset> pattern, tiled_products of, const int64_t *counts, int64_t before, Write write)
{
    int64_t next = before + counts[blockIdx.x];
    visit_tile(pattern, of, [&](const product_source<Offset> &source, int32_t column, bool inside) {
        int all;
        const int64_t at = next + rank_in_block<GLOBAL_BLOCK>(inside, &all);
        next += all;
        if (inside) write(at, source, column);
    });
}

struct key_writer {
    global_keys keys;
    uint32_t *order;
    int64_t low;
    template <typename Source> __device__ void operator()(int64_t at, const Source &, int32_t column) const
    {
        set_key(keys, at, 0, (uint32_t)(column - low));
        if (order != nullptr) order[at] = (uint32_t)at;
    }
};
template <typename Value> struct number_writer {
    numbers<Value> number;
    Value *products;
    template <typename Source> __device__ void operator()(int64_t at, const Source &source, int32_t) const
    {
        products[at] = multiply(number.a_values[source.a], number.b_values[source.b]);
    }
};

template <typename Write>
spg_status write_tiles(cuda_product &product, const tiled_products &of, const int64_t *counts, int64_t before,
                       const Write &write)
{
    return launch_typed(product, "the tiles of a long row", [&](auto offset, cudaStream_t stream) {
        write_tiles_kernel<<<of.tiles, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), of, counts,
                                                                  before, write);
    });
}

} // namespace

spg_status histogram_tiles(cuda_product &product, const tiled_products &of, int shift, int64_t *histogram)
{
    return launch_typed(product, "the tiles of a long row", [&](auto offset, cudaStream_t stream) {
        histogram_kernel<<<of.tiles, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), of, shift,
                                                                reinterpret_cast<unsigned long long *>(histogram));
    });
}

spg_status count_tiles(cuda_product &product, const tiled_products &of, int64_t *counts, const cub_memory &temporary)
{
    spg_status status = launch_typed(product, "the tiles of a long row", [&](auto offset, cudaStream_t stream) {
        count_tiles_kernel<<<of.tiles, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), of, counts);
    });
    return status == SPG_OK ? scan(product, counts, of.tiles + 1, temporary) : status;
}

spg_status write_tile_keys(cuda_product &product, const tiled_products &of, const int64_t *counts, int64_t before,
                           const global_products &products)
{
    uint32_t *order = products.order_at > 0 ? order_of(products) : nullptr;
    return write_tiles(product, of, counts, before, key_writer{products.keys, order, of.low});
}

spg_status write_tile_numbers(cuda_product &product, const tiled_products &of, const int64_t *counts, int64_t before,
                              void *numbers)
{
    return with_value_type(product.A->value_type, [&](auto value) {
        using Value = decltype(value);
        return write_tiles(product, of, counts, before,
                           number_writer<Value>{numbers_of<Value>(product), static_cast<Value *>(numbers)});
    });
}

} // namespace spg
