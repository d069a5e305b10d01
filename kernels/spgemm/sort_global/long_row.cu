/* Class global, a row larger than a slice: done in windows of columns, each a slice of its own.
 *
 * In: a slice of one row. Out: its length in C, or its columns and values. A histogram of the columns of its products
 * divides them into windows with as many products as fit. All products of a column are in one window, in storage order,
 * so its sum is the same as without windows. A column that alone does not fit is summed in parts, one after the other.
 * If the row's entries of A do not fit they come in chunks; its products are read in tiles, one a block. The host waits
 * for the counts it needs: this is the last resort under a tight workspace limit. */
#include "../../containers/entries.cuh"
#include "global.cuh"

#include <algorithm>

namespace spg
{
namespace
{

enum { MOST_TILES = 2048, LEAST_TILE = 4096 };

/* *sum += the products, one after the other. */
template <typename Value> __global__ void sum_kernel(const Value *products, const int64_t *count, Value *sum)
{
    Value running = *sum;
    const int64_t end = *count;
#pragma unroll 8
    for (int64_t k = 0; k < end; ++k) running = add(running, products[k]);
    *sum = running;
}

template <typename Value>
__global__ void store_kernel(numbers<Value> number, const int64_t *base, int32_t column, const Value *sum)
{
    number.c_columns[*base] = column;
    if constexpr (has_values<Value>) number.c_values[*base] = *sum;
}

template <typename Offset>
__global__ void finish_count_kernel(patterns<Offset> pattern, global_slice slice, int64_t length)
{
    pattern.c_offsets[row_at(slice.set, slice.first)] = (Offset)length;
    atomicAdd(&pattern.counters->nnz, (unsigned long long)length);
    atomicAdd(&pattern.counters->products, (unsigned long long)slice.product_count);
    atomicMax(&pattern.counters->longest_row, (unsigned int)length);
    atomicAdd(&pattern.counters->rows, 1u);
}

/* The row while it is being done. */
struct long_row {
    cuda_product &product;
    const global_slice &slice;
    const bool counting;
    int64_t *histogram = nullptr, *tile_counts = nullptr, *base = nullptr;
    char *sum = nullptr;
    global_entries chunk = {-1, 0, nullptr, nullptr};
    int64_t chunk_most = 0, chunk_products = 0; /* entries of a chunk; products of the current chunk */
    cub_memory temporary = {nullptr, 0};
    char *window = nullptr;
    int64_t window_bytes = 0, window_most = 0;
    int64_t done = 0; /* entries of C so far */

    spg_status lay_out(int64_t budget, part_taker *parts);
    cudaStream_t stream() const { return product.cuda->stream; }
    spg_status copy_to_host(void *to, const void *from, size_t bytes);
    spg_status load_chunk(int64_t first);
    template <typename Function> spg_status for_each_chunk(Function &&function);
    spg_status count_columns(int64_t low, int64_t high, int shift, int64_t *counts);
    tiled_products tiles_of(int64_t from, int64_t to, int64_t low, int64_t high) const;
    template <typename Write> spg_status write_window(int64_t low, int64_t high, Write &&write);
    spg_status place();
    spg_status do_window(int64_t low, int64_t high, int64_t count);
    spg_status sum_column(int32_t column);
    spg_status do_column(int32_t column);
    spg_status do_columns(int64_t low, int64_t high);
};

spg_status long_row::lay_out(int64_t budget, part_taker *parts)
{
    const int64_t product_bytes = bytes_per_product(product, counting);
    chunk_most = std::min(slice.entry_count, budget / 4 / ENTRY_BYTES);
    parts->take_array(GLOBAL_BUCKETS, &histogram);
    parts->take_array(MOST_TILES + 1, &tile_counts);
    parts->take_array(1, &base);
    parts->take(2 * (int64_t)sizeof(double), &sum);
    parts->take_array(chunk_most + 1, &chunk.starts);
    parts->take_array(chunk_most, &chunk.rows);
    size_t scanning = 0;
    int64_t sorting = 0;
    spg_status status = scan_bytes(product, std::max<int64_t>(chunk_most, MOST_TILES) + 1, &scanning);
    if (status == SPG_OK) status = temporary_bytes_within(product, counting, budget, &sorting);
    temporary.bytes = std::max((size_t)sorting, scanning);
    parts->take((int64_t)temporary.bytes, &temporary.memory);
    window_bytes = budget - parts->used - SLACK_BYTES;
    window_most = window_bytes / product_bytes;
    /* If a window cannot hold one product, the workspace limit is too low: then this fails. */
    if (status == SPG_OK && window_most < 1)
        status = spg_check_workspace(product.context, product.held_bytes + parts->used + SLACK_BYTES + product_bytes,
                                     "a long row of a product");
    parts->take(window_bytes + SLACK_BYTES / 2, &window);
    return status;
}

spg_status long_row::copy_to_host(void *to, const void *from, size_t bytes)
{
    return spg_cuda_copy_bytes(product.context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, (int64_t)bytes);
}

spg_status long_row::load_chunk(int64_t first)
{
    if (chunk.first == first) return SPG_OK;
    chunk.first = first;
    chunk.count = std::min(chunk_most, slice.entry_count - first);
    spg_status status = find_entries(product, slice, chunk, temporary);
    if (status != SPG_OK) return status;
    return copy_to_host(&chunk_products, chunk.starts + chunk.count, sizeof chunk_products);
}

template <typename Function> spg_status long_row::for_each_chunk(Function &&function)
{
    spg_status status = SPG_OK;
    for (int64_t first = 0; status == SPG_OK && first < slice.entry_count; first += chunk_most) {
        status = load_chunk(first);
        if (status == SPG_OK && chunk_products > 0) status = function();
    }
    return status;
}

spg_status long_row::count_columns(int64_t low, int64_t high, int shift, int64_t *counts)
{
    const size_t bytes = GLOBAL_BUCKETS * sizeof(int64_t);
    spg_status status = spg_cuda_zero_bytes(product.context, histogram, (int64_t)bytes);
    if (status != SPG_OK) return status;
    status = for_each_chunk(
        [&] { return histogram_tiles(product, tiles_of(0, chunk_products, low, high), shift, histogram); });
    return status == SPG_OK ? copy_to_host(counts, histogram, bytes) : status;
}

/* Products from <= k < to of the chunk, with columns [low, high). */
tiled_products long_row::tiles_of(int64_t from, int64_t to, int64_t low, int64_t high) const
{
    const int64_t even = (to - from + MOST_TILES - 1) / MOST_TILES;
    const int64_t tile = (std::max<int64_t>(even, LEAST_TILE) + GLOBAL_BLOCK - 1) / GLOBAL_BLOCK * GLOBAL_BLOCK;
    return {slice, chunk, from, to, tile, (int32_t)((to - from + tile - 1) / tile), low, high};
}

/* Calls write(tiles, before) chunk by chunk. */
template <typename Write> spg_status long_row::write_window(int64_t low, int64_t high, Write &&write)
{
    int64_t before = 0;
    return for_each_chunk([&] {
        const tiled_products tiles = tiles_of(0, chunk_products, low, high);
        spg_status status = count_tiles(product, tiles, tile_counts, temporary);
        if (status == SPG_OK) status = write(tiles, before);
        if (status != SPG_OK || chunk.count == slice.entry_count) return status;
        int64_t more = 0;
        status = copy_to_host(&more, tile_counts + tiles.tiles, sizeof more);
        before += more;
        return status;
    });
}

/* Where the row's entries go, after the first `done`. */
spg_status long_row::place()
{
    const numbers_view offsets = offsets_of(*product.C);
    const row_set set = slice.set;
    const int32_t first = slice.first;
    int64_t *to = base, before = done;
    return for_each(product.context, 1, "the place of a long row",
                    [=] __device__(int64_t) { *to = offsets[row_at(set, first)] + before; });
}

/* The columns [low, high), which have `count` products. */
spg_status long_row::do_window(int64_t low, int64_t high, int64_t count)
{
    if (count == 0) return SPG_OK;
    global_products products;
    products.keys = keys_for(1, high - low);
    part_taker parts{window, 0};
    lay_out_products(product, counting, count, 1, &parts, &products);
    products.first_column = (int32_t)low;
    products.bases = base;
    products.temporary = temporary;
    spg_status status = write_window(low, high, [&](const tiled_products &tiles, int64_t before) {
        return write_tile_keys(product, tiles, tile_counts, before, products);
    });
    if (status == SPG_OK) status = sort_products(product, &products);
    if (status == SPG_OK) status = find_heads(product, products);
    if (status == SPG_OK && !counting) status = place();
    if (status == SPG_OK && !counting && !product.pattern_only)
        status = write_window(low, high, [&](const tiled_products &tiles, int64_t before) {
            return write_tile_numbers(product, tiles, tile_counts, before, spare_of(products));
        });
    if (status == SPG_OK && !counting) status = contract(product, products);
    uint32_t found = 0;
    if (status == SPG_OK) status = copy_to_host(&found, products.head_count, sizeof found);
    done += found;
    return status;
}

/* Adds the products of one column to `sum`, as many at a time as fit. */
spg_status long_row::sum_column(int32_t column)
{
    const int64_t room = window_bytes / (int64_t)spg_type_size(product.A->value_type);
    const spg_status status = spg_cuda_zero_bytes(product.context, sum, 2 * sizeof(double));
    if (status != SPG_OK) return status;
    return for_each_chunk([&] {
        spg_status done_so_far = SPG_OK;
        for (int64_t from = 0; done_so_far == SPG_OK && from < chunk_products; from += room) {
            const tiled_products tiles =
                tiles_of(from, std::min(from + room, chunk_products), column, (int64_t)column + 1);
            done_so_far = count_tiles(product, tiles, tile_counts, temporary);
            if (done_so_far == SPG_OK) done_so_far = write_tile_numbers(product, tiles, tile_counts, 0, window);
            if (done_so_far != SPG_OK) continue;
            done_so_far = with_value_type(product.A->value_type, [&](auto value) {
                using Value = decltype(value);
                sum_kernel<<<1, 1, 0, stream()>>>(reinterpret_cast<const Value *>(window), tile_counts + tiles.tiles,
                                                  reinterpret_cast<Value *>(sum));
                return spg_cuda_check_launch(product.context, "the sum of a column");
            });
        }
        return done_so_far;
    });
}

/* A column with more products than fit. */
spg_status long_row::do_column(int32_t column)
{
    spg_status status = SPG_OK;
    if (!counting) status = place();
    if (status == SPG_OK && !counting && !product.pattern_only) status = sum_column(column);
    if (status == SPG_OK && !counting) {
        auto store = [&](auto value) {
            using Value = decltype(value);
            store_kernel<<<1, 1, 0, stream()>>>(numbers_of<Value>(product), base, column,
                                                reinterpret_cast<const Value *>(sum));
            return spg_cuda_check_launch(product.context, "the entry of a column");
        };
        status = product.pattern_only ? store(none{}) : with_value_type(product.A->value_type, store);
    }
    ++done;
    return status;
}

/* The columns [low, high), with any number of products: in windows of whole buckets; a bucket that is too large is
 * divided likewise. */
spg_status long_row::do_columns(int64_t low, int64_t high)
{
    int shift = 0;
    while ((high - low - 1) >> shift >= GLOBAL_BUCKETS) ++shift;
    int64_t counts[GLOBAL_BUCKETS];
    spg_status status = count_columns(low, high, shift, counts);
    int64_t begin = low, count = 0;
    for (int b = 0; status == SPG_OK && b <= (high - low - 1) >> shift; ++b) {
        const int64_t at = low + ((int64_t)b << shift), end = std::min(at + ((int64_t)1 << shift), high);
        if (count + counts[b] <= window_most) {
            count += counts[b];
            continue;
        }
        status = do_window(begin, at, count);
        begin = at;
        count = counts[b];
        if (status != SPG_OK || count <= window_most) continue;
        status = shift > 0 ? do_columns(at, end) : do_column((int32_t)at);
        begin = end;
        count = 0;
    }
    return status == SPG_OK ? do_window(begin, high, count) : status;
}

} // namespace

spg_status do_long_row(cuda_product &product, const global_slice &slice, bool counting, int64_t budget)
{
    long_row row{product, slice, counting};
    scoped_workspace block(product);
    spg_status status =
        block.take("a long row of a product", [&](part_taker *parts) { return row.lay_out(budget, parts); });
    if (status == SPG_OK) status = row.do_columns(0, product.B->cols);
    if (status != SPG_OK || !counting) return status;
    return launch_typed(product, "the length of a long row", [&](auto offset, cudaStream_t stream) {
        finish_count_kernel<<<1, 1, 0, stream>>>(patterns_of<decltype(offset)>(product), slice, row.done);
    });
}

} // namespace spg
