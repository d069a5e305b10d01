/* Rows of very different work: see rows_mixed.cuh. How many rows a bin has is known to the device alone, so that the
 * host need not wait: every bin's kernel is launched. */
#include "rows_mixed.cuh"

#include "row_bins.cuh"

#include <cstring>

namespace spg
{

namespace
{

/* Bin 0: rows left alone. Bins 1 to 6: tables of 32, 64, ..., 1024 slots. Bin 7: windows. */
enum { TABLE_BINS = 6, WINDOW_BIN, BINS };
static_assert(TABLE_LEAST << (TABLE_BINS - 1) == TABLE_MOST, "a bin for each size of table");

__device__ int bin_of(int64_t length)
{
    if (length <= 0) return 0;
    int bin = 1;
    while (bin < WINDOW_BIN && length > table_holds(TABLE_LEAST << (bin - 1))) ++bin;
    return bin;
}

/* A row of C has no more entries than products, and no more than columns. */
template <typename Offset> struct bin_by_products {
    const int64_t *row_products;
    const Offset *lengths; /* NULL: all rows, else those with MISFIT */
    int32_t cols;
    __device__ int operator()(int32_t i) const
    {
        if (lengths != nullptr && lengths[i] != MISFIT) return 0;
        return bin_of(min(row_products[i], (int64_t)cols));
    }
};

template <typename Offset> struct bin_by_length {
    const Offset *c_offsets, *a_offsets;
    int longer_than;
    __device__ int operator()(int32_t i) const
    {
        Offset length = c_offsets[i + 1] - c_offsets[i];
        bool alone = longer_than == longer_than_list ? fits_list(length, (Offset)(a_offsets[i + 1] - a_offsets[i]))
                                                     : length <= longer_than;
        return alone ? 0 : bin_of(length);
    }
};

/* Bins the rows and calls the kernels of the bins, the longest rows first. */
template <typename RowBin>
spg_status for_each_bin(cuda_product &product, const RowBin &row_bin,
                        spg_status (*table)(cuda_product &, const row_set &, int, int),
                        spg_status (*window)(cuda_product &, const row_set &))
{
    int32_t rows = (int32_t)product.A->rows;
    int64_t begins_bytes = 2 * BINS * (int64_t)sizeof(uint32_t), bytes = begins_bytes + rows * (int64_t)sizeof(int32_t);
    void *memory = nullptr;
    spg_status status = take_workspace(product, bytes, "the rows by size", &memory);
    if (status != SPG_OK) return status;
    uint32_t *begins = static_cast<uint32_t *>(memory);
    int32_t *permutation = reinterpret_cast<int32_t *>(begins + 2 * BINS);
    status = bin_rows(product, row_bin, BINS, permutation, begins);
    for (int bin = WINDOW_BIN; bin > 0 && status == SPG_OK; --bin) {
        row_set set{permutation, rows, begins + BINS + bin, begins + bin};
        status = bin == WINDOW_BIN ? window(product, set) : table(product, set, TABLE_LEAST << (bin - 1), 1);
    }
    give_workspace(product, memory, bytes);
    return status;
}

} // namespace

spg_status count_rows_mixed(cuda_product &product, bool misfits_only, mixed_rows *rows)
{
    spg_row_limits limits = spg_resolve_row_limits(product.context, nullptr);
    rows->row_products_bytes = product.A->rows * (int64_t)sizeof(int64_t);
    spg_status status =
        take_workspace(product, rows->row_products_bytes, "the products of each row", &rows->row_products);
    const int64_t *row_products = static_cast<const int64_t *>(rows->row_products);
    if (status == SPG_OK) status = analyse_rows(product, limits, static_cast<int64_t *>(rows->row_products));
    /* The counting kernels count the products, too. */
    if (status == SPG_OK)
        status = spg_cuda_zero_bytes(product.context, &product.cuda->tally->products, sizeof(unsigned long long));
    int64_t bytes = (product.C->rows + 1) * (int64_t)spg_type_size(product.offset_type);
    if (status == SPG_OK && !misfits_only)
        status = spg_cuda_zero_bytes(product.context, product.C->row_offsets, bytes); /* empty rows */
    if (status != SPG_OK) return status;
    return with_offset_type(product.offset_type, [&](auto offset) {
        const auto *lengths = static_cast<const decltype(offset) *>(product.C->row_offsets);
        bin_by_products<decltype(offset)> row_bin{row_products, misfits_only ? lengths : nullptr,
                                                  (int32_t)product.B->cols};
        return for_each_bin(product, row_bin, count_rows_table, count_rows_window);
    });
}

spg_status fill_rows_mixed(cuda_product &product, int longer_than, mixed_rows *rows)
{
    release_mixed(product, rows);
    return with_offset_type(product.offset_type, [&](auto offset) {
        patterns<decltype(offset)> pattern = patterns_of<decltype(offset)>(product);
        bin_by_length<decltype(offset)> row_bin{pattern.c_offsets, pattern.a_offsets, longer_than};
        return for_each_bin(product, row_bin, fill_rows_table, fill_rows_window);
    });
}

void release_mixed(cuda_product &product, mixed_rows *rows)
{
    give_workspace(product, rows->row_products, rows->row_products_bytes);
    memset(rows, 0, sizeof *rows);
}

} // namespace spg
