/* Class global, a row larger than a slice: done in parts of its products, each a slice of its own.
 *
 * In: a slice of one row. Out: its length in C, or its columns and values. Bitmaps count its columns and write them
 * (long_rows/columns.cu). Then one part after the other is expanded, sorted, and added to the row's values in C, so
 * that every sum takes its products in storage order. If the row's entries of A do not fit, they come in chunks. The
 * host waits for the products of each chunk: this is the last resort under a tight workspace limit. */
#include "../../containers/entries.cuh"
#include "../long_rows/long_rows.cuh"
#include "global.cuh"

#include <algorithm>

namespace spg
{
namespace
{

/* The memory of the row's parts. */
struct row_parts {
    global_entries chunk; /* the current one */
    int64_t chunk_most;   /* entries of A of a chunk */
    cub_memory temporary;
    char *part;
    int64_t part_most; /* products of a part */
};

spg_status lay_out_parts(cuda_product &product, const global_slice &slice, int64_t budget, part_taker *parts,
                         row_parts *row)
{
    const int64_t product_bytes = bytes_per_product(product, false);
    row->chunk_most = std::min(slice.entry_count, budget / 4 / ENTRY_BYTES);
    parts->take_array(row->chunk_most + 1, &row->chunk.starts);
    parts->take_array(row->chunk_most, &row->chunk.rows);
    size_t scanning = 0;
    int64_t sorting = 0;
    spg_status status = scan_bytes(product, row->chunk_most + 1, &scanning);
    if (status == SPG_OK) status = temporary_bytes_within(product, false, budget, &sorting);
    row->temporary.bytes = std::max((size_t)sorting, scanning);
    parts->take((int64_t)row->temporary.bytes, &row->temporary.memory);
    const int64_t room = budget - parts->used - SLACK_BYTES;
    row->part_most = room / product_bytes;
    /* If a part cannot hold one product, the workspace limit is too low: then this fails. */
    if (status == SPG_OK && row->part_most < 1)
        status = spg_check_workspace(product.context, product.held_bytes + parts->used + SLACK_BYTES + product_bytes,
                                     "a long row of a product");
    parts->take(room + SLACK_BYTES / 2, &row->part);
    return status;
}

/* The row's length, or its columns. */
spg_status mark_row(cuda_product &product, const global_slice &slice, bool counting)
{
    scoped_workspace block(product);
    spg_status status = block.take(sizeof(int32_t), "a long row of a product");
    if (status != SPG_OK) return status;
    int32_t *const row = block.as<int32_t>();
    const row_set set = slice.set;
    const int32_t first = slice.first;
    status = for_each(product.context, 1, "the number of a long row",
                      [=] __device__(int64_t) { *row = row_at(set, first); });
    if (status != SPG_OK) return status;
    const row_set alone{row, 1, nullptr, nullptr};
    return counting ? count_columns_in_any_order(product, alone) : fill_columns_in_any_order(product, alone);
}

/* Every type's zero has no bit set. */
spg_status zero_values(cuda_product &product, const global_slice &slice)
{
    const int64_t most = std::min(slice.product_count, product.B->cols), bytes = spg_type_size(product.A->value_type);
    const numbers_view offsets = offsets_of(*product.C);
    const row_set set = slice.set;
    const int32_t first = slice.first;
    auto *const values = static_cast<char *>(product.C->values);
    return for_each(product.context, most * bytes, "the values of a long row", [=] __device__(int64_t byte) {
        const int64_t i = row_at(set, first), at = offsets[i] * bytes + byte;
        if (at < offsets[i + 1] * bytes) values[at] = 0;
    });
}

/* Adds the first products of the chunk, as many as `part` has. */
spg_status add_part(cuda_product &product, const global_slice &part, const row_parts &row)
{
    global_products products;
    products.keys = keys_for(1, product.B->cols);
    part_taker parts{row.part, 0};
    lay_out_products(product, false, part.product_count, 1, &parts, &products);
    products.temporary = row.temporary;
    spg_status status = expand_keys(product, part, row.chunk, products);
    if (status == SPG_OK) status = sort_products(product, &products);
    if (status == SPG_OK) status = find_heads(product, products);
    if (status == SPG_OK) status = expand_numbers(product, part, row.chunk, products);
    return status == SPG_OK ? add_to_row(product, part, products) : status;
}

spg_status add_chunk(cuda_product &product, const global_slice &slice, const row_parts &row)
{
    int64_t *const starts = row.chunk.starts, last = row.chunk.count;
    spg_status status = find_entries(product, slice, row.chunk, row.temporary);
    int64_t left = 0;
    if (status == SPG_OK)
        status =
            spg_cuda_copy_bytes(product.context, &left, SPG_PLACE_HOST, starts + last, SPG_PLACE_DEVICE, sizeof left);
    while (status == SPG_OK && left > 0) {
        global_slice part = slice;
        const int64_t count = part.product_count = std::min(left, row.part_most);
        status = add_part(product, part, row);
        left -= count;
        /* Then the products that follow are the chunk's first. */
        if (status == SPG_OK && left > 0)
            status = for_each(product.context, last + 1, "the parts of a long row",
                              [=] __device__(int64_t e) { starts[e] -= count; });
    }
    return status;
}

spg_status sum_row(cuda_product &product, const global_slice &slice, int64_t budget)
{
    row_parts row;
    scoped_workspace block(product);
    spg_status status = block.take("a long row of a product", [&](part_taker *parts) {
        return lay_out_parts(product, slice, budget, parts, &row);
    });
    if (status == SPG_OK) status = zero_values(product, slice);
    for (int64_t first = 0; status == SPG_OK && first < slice.entry_count; first += row.chunk_most) {
        row.chunk.first = first;
        row.chunk.count = std::min(row.chunk_most, slice.entry_count - first);
        status = add_chunk(product, slice, row);
    }
    return status;
}

} // namespace

spg_status do_long_row(cuda_product &product, const global_slice &slice, bool counting, int64_t budget)
{
    const spg_status status = mark_row(product, slice, counting);
    return status != SPG_OK || counting || product.pattern_only ? status : sum_row(product, slice, budget);
}

} // namespace spg
