/* Class global: rows of any length, expanded to memory in slices, sorted and contracted by CUB.
 *
 * In: a set of rows and the products of each. Out: the lengths of their rows of C, or the rows themselves. The rows are
 * planned in batches: products and entries of A are scanned, and the scans cut into slices as large as the workspace
 * allows. A row larger than a slice is done in parts (sort_global/long_row.cu). Takes any operands, and waits for the
 * device. It is the paper's reference method and the last resort of all other classes. Dalton, Bell, Olson,
 * Algorithm 1. */
#include "global.cuh"

#include <algorithm>

namespace spg
{
namespace
{

/* Without a limit: products of a slice, assuming an entry of A and a row for each; and rows of a batch. */
enum { SLICE_PRODUCTS = 1 << 24, BATCH_ROWS = 1 << 20, PAGE_SLICES = 64 };

struct slice_cut {
    int32_t first, rows;
    int64_t products, entries;
};
struct slice_page {
    int32_t count;
    slice_cut cuts[PAGE_SLICES];
};

/* The memory of a slice, apart from CUB's. Doubles, because the sums may exceed 64 bits; they are exact near the
 * budget. */
struct slice_weights {
    int product_bytes;
    double budget;
    __device__ __host__ double of(int64_t products, int64_t entries, int64_t rows) const
    {
        return (double)products * product_bytes + (double)entries * ENTRY_BYTES + (double)rows * ROW_BYTES;
    }
};

/* products[k] and entries[k] of row first + k of the set; entries are counted only for rows that have products. */
template <typename Offset>
__global__ void __launch_bounds__(GLOBAL_BLOCK)
    measure_rows_kernel(patterns<Offset> pattern, row_set set, int32_t first, int32_t rows, const int64_t *row_products,
                        int64_t *products, int64_t *entries)
{
    unsigned int faults = 0;
    for (int64_t k = (int64_t)blockIdx.x * GLOBAL_BLOCK + threadIdx.x; k <= rows;
         k += (int64_t)gridDim.x * GLOBAL_BLOCK) {
        int64_t of_row = 0, length = 0;
        if (k < rows) {
            const int32_t i = row_at(set, first + (int32_t)k);
            span<Offset> row = checked_a_row(pattern, i, faults);
            length = row.end - row.begin;
            of_row = length > 0 ? row_products[i] : 0;
        }
        products[k] = of_row;
        entries[k] = of_row > 0 ? length : 0;
    }
    if (faults != 0) atomicOr(&pattern.counters->faults, faults);
}

/* Cuts the rows from `first` on greedily; one thread, because each cut depends on the one before. */
__global__ void cut_slices_kernel(const int64_t *products, const int64_t *entries, int32_t first, int32_t rows,
                                  slice_weights weights, slice_page *page)
{
    int count = 0;
    for (; count < PAGE_SLICES && first < rows; ++count) {
        int32_t least = first + 1, most = rows;
        while (least < most) {
            const int32_t end = least + (most - least + 1) / 2;
            if (weights.of(products[end] - products[first], entries[end] - entries[first], end - first) <=
                weights.budget)
                least = end;
            else
                most = end - 1;
        }
        page->cuts[count] = {first, least - first, products[least] - products[first], entries[least] - entries[first]};
        first = least;
    }
    page->count = count;
}

/* A slice's arrays within one block of workspace. */
struct slice_memory {
    global_entries entries;
    global_products products;
};

spg_status lay_out_slice(cuda_product &product, bool counting, const global_slice &slice, part_taker *parts,
                         slice_memory *memory)
{
    memory->products.keys = keys_for(slice.rows, product.B->cols);
    lay_out_products(product, counting, slice.product_count, slice.rows, parts, &memory->products);
    memory->entries.first = 0;
    memory->entries.count = slice.entry_count;
    parts->take_array(slice.entry_count + 1, &memory->entries.starts);
    parts->take_array(slice.entry_count, &memory->entries.rows);
    size_t sorting = 0, scanning = 0;
    spg_status status = sort_bytes(product, memory->products, &sorting);
    if (status == SPG_OK) status = scan_bytes(product, slice.entry_count + 1, &scanning);
    memory->products.temporary.bytes = std::max(sorting, scanning);
    parts->take((int64_t)memory->products.temporary.bytes, &memory->products.temporary.memory);
    return status;
}

spg_status expand_and_sort(cuda_product &product, const global_slice &slice, slice_memory *memory)
{
    global_products *products = &memory->products;
    spg_status status = find_entries(product, slice, memory->entries, products->temporary);
    if (status == SPG_OK) status = expand_keys(product, slice, memory->entries, *products);
    if (status == SPG_OK) status = sort_products(product, products);
    return status == SPG_OK ? find_heads(product, *products) : status;
}

spg_status count_slice(cuda_product &product, const global_slice &slice, slice_memory *memory)
{
    const spg_status status =
        slice.product_count > 0
            ? expand_and_sort(product, slice, memory)
            : spg_cuda_zero_bytes(product.context, memory->products.head_count, sizeof *memory->products.head_count);
    return status == SPG_OK ? count_heads(product, slice, memory->products) : status;
}

spg_status fill_slice(cuda_product &product, const global_slice &slice, slice_memory *memory)
{
    spg_status status = expand_and_sort(product, slice, memory);
    if (status == SPG_OK) status = place_rows(product, slice, memory->products);
    if (status == SPG_OK && !product.pattern_only)
        status = expand_numbers(product, slice, memory->entries, memory->products);
    return status == SPG_OK ? contract(product, memory->products) : status;
}

spg_status do_slice(cuda_product &product, const global_slice &slice, bool counting)
{
    if (slice.product_count == 0 && !counting) return SPG_OK;
    slice_memory memory;
    scoped_workspace block(product);
    const spg_status status = block.take("a slice of a product", [&](part_taker *parts) {
        return lay_out_slice(product, counting, slice, parts, &memory);
    });
    if (status != SPG_OK) return status;
    return counting ? count_slice(product, slice, &memory) : fill_slice(product, slice, &memory);
}

/* A batch of rows while it is being done. */
struct row_batch {
    row_set set;
    int32_t first, rows;
    int64_t *products, *entries;
    slice_page *page;
    cub_memory temporary;
};

spg_status lay_out_batch(cuda_product &product, int32_t rows, part_taker *parts, row_batch *batch)
{
    parts->take_array(rows + (int64_t)1, &batch->products);
    parts->take_array(rows + (int64_t)1, &batch->entries);
    parts->take_array(1, &batch->page);
    const spg_status status = scan_bytes(product, rows + (int64_t)1, &batch->temporary.bytes);
    parts->take((int64_t)batch->temporary.bytes, &batch->temporary.memory);
    return status;
}

spg_status measure_batch(cuda_product &product, const row_batch &batch, const int64_t *row_products)
{
    const int blocks = grid_for(product, batch.rows + (int64_t)1, 1, GLOBAL_BLOCK);
    spg_status status = launch_typed(product, "the sizes of rows", [&](auto offset, cudaStream_t stream) {
        measure_rows_kernel<<<blocks, GLOBAL_BLOCK, 0, stream>>>(patterns_of<decltype(offset)>(product), batch.set,
                                                                 batch.first, batch.rows, row_products, batch.products,
                                                                 batch.entries);
    });
    const int64_t count = batch.rows + (int64_t)1;
    if (status == SPG_OK) status = scan(product, batch.products, count, batch.temporary);
    if (status == SPG_OK) status = scan(product, batch.entries, count, batch.temporary);
    return status;
}

spg_status cut_page(cuda_product &product, const row_batch &batch, int32_t first, slice_weights weights,
                    slice_page *page)
{
    spg_status status = spg_cuda_zero_bytes(product.context, batch.page, sizeof *page);
    if (status != SPG_OK) return status;
    cut_slices_kernel<<<1, 1, 0, product.cuda->stream>>>(batch.products, batch.entries, first, batch.rows, weights,
                                                         batch.page);
    status = spg_cuda_check_launch(product.context, "the cuts of slices");
    if (status != SPG_OK) return status;
    return spg_cuda_copy_bytes(product.context, page, SPG_PLACE_HOST, batch.page, SPG_PLACE_DEVICE, sizeof *page);
}

spg_status do_batch(cuda_product &product, const row_batch &batch, const int64_t *row_products, bool counting,
                    slice_weights weights, int64_t left)
{
    spg_status status = measure_batch(product, batch, row_products);
    for (int32_t first = 0; status == SPG_OK && first < batch.rows;) {
        slice_page page;
        status = cut_page(product, batch, first, weights, &page);
        for (int s = 0; status == SPG_OK && s < page.count; ++s) {
            const slice_cut &cut = page.cuts[s];
            const global_slice slice{batch.set,
                                     batch.first + cut.first,
                                     cut.rows,
                                     batch.products + cut.first,
                                     batch.entries + cut.first,
                                     cut.products,
                                     cut.entries};
            first = cut.first + cut.rows;
            status = weights.of(cut.products, cut.entries, cut.rows) <= weights.budget
                         ? do_slice(product, slice, counting)
                         : do_long_row(product, slice, counting, left);
        }
    }
    return status;
}

} // namespace

spg_status do_rows_global(cuda_product &product, const row_set &rows, const int64_t *row_products, bool filling)
{
    if (rows.count == 0) return SPG_OK;
    const bool counting = !filling;
    spg_context *context = product.context;
    spg_status status = spg_check_workspace(context, product.held_bytes + GLOBAL_LEAST, "a product in slices");
    if (status != SPG_OK) return status;
    const int64_t limit = context->config.workspace_limit, product_bytes = bytes_per_product(product, counting);
    int64_t left = SLICE_PRODUCTS * (product_bytes + ENTRY_BYTES + ROW_BYTES) + (64 << 20);
    if (limit > 0) left = std::min(left, limit - product.held_bytes);
    row_batch batch{};
    const int64_t batch_rows = std::min<int64_t>(std::min<int64_t>(rows.count, BATCH_ROWS), left / 8 / 16);
    scoped_workspace block(product);
    status = block.take("the slices of a product",
                        [&](part_taker *parts) { return lay_out_batch(product, (int32_t)batch_rows, parts, &batch); });
    if (status != SPG_OK) return status;
    left -= block.held.bytes;
    int64_t temporary = 0;
    status = temporary_bytes_within(product, counting, left, &temporary);
    const slice_weights weights{(int)product_bytes, (double)(left - temporary - SLACK_BYTES)};
    batch.set = rows;
    for (int64_t first = 0; status == SPG_OK && first < rows.count; first += batch_rows) {
        batch.first = (int32_t)first;
        batch.rows = (int32_t)std::min(batch_rows, rows.count - first);
        status = do_batch(product, batch, row_products, counting, weights, left);
    }
    return status;
}

} // namespace spg
