/* Rows of very different work: see rows_mixed.cuh. How many rows a bin has is known to the device alone, so that the
 * host need not wait: every bin's kernel is launched. No bin alone fills the device, so tables run on side streams
 * beside the windows; events keep all of it within the order of the context's stream. */
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

enum {
    LONG_A = 1024,      /* entries of A: a table takes few at a time, windows split the row */
    NARROW_C = 1 << 17, /* columns whose bitmaps are small, so that windows take shorter rows than tables could */
    NARROW_TABLE_ENTRIES = 192 /* of a table then; spgemm_bench, H100, rmat16 (A*P: 1.34 ms, 1.54 with 768) */
};

/* Which bin a row goes to. */
template <typename Offset> struct bin_rule {
    const Offset *a_offsets;
    int table_entries; /* the most that a table takes */
    __device__ int operator()(int32_t i, int64_t length) const
    {
        if (length <= 0) return 0;
        if (length > table_entries || a_offsets[i + 1] - a_offsets[i] > LONG_A) return WINDOW_BIN;
        int bin = 1;
        while (length > table_holds(TABLE_LEAST << (bin - 1))) ++bin;
        return bin;
    }
};

template <typename Offset> bin_rule<Offset> bin_rule_for(const cuda_product &product)
{
    return {static_cast<const Offset *>(product.a_offsets),
            product.B->cols <= NARROW_C ? (int)NARROW_TABLE_ENTRIES : table_holds(TABLE_MOST)};
}

/* A row of C has no more entries than products, and no more than columns. */
template <typename Offset> struct bin_by_products {
    bin_rule<Offset> bin_of;
    const int64_t *row_products;
    const Offset *lengths; /* NULL: all rows, else those with MISFIT */
    int32_t cols;
    __device__ int operator()(int32_t i) const
    {
        if (lengths != nullptr && lengths[i] != MISFIT) return 0;
        return bin_of(i, min(row_products[i], (int64_t)cols));
    }
};

template <typename Offset> struct bin_by_length {
    bin_rule<Offset> bin_of;
    const Offset *c_offsets, *a_offsets;
    int longer_than;
    __device__ int operator()(int32_t i) const
    {
        Offset length = c_offsets[i + 1] - c_offsets[i];
        bool alone = longer_than == longer_than_list ? fits_list(length, (Offset)(a_offsets[i + 1] - a_offsets[i]))
                                                     : length <= longer_than;
        return alone ? 0 : bin_of(i, length);
    }
};

using table_launcher = spg_status (*)(cuda_product &, const row_set &, int, int);
using window_launcher = spg_status (*)(cuda_product &, const row_set &);

/* The rows of a bin; begins: where in the permuted rows each bin begins, then how many rows each has. */
row_set rows_of_bin(const cuda_product &product, const int32_t *permuted, const uint32_t *begins, int bin)
{
    return {permuted, (int32_t)product.A->rows, begins + BINS + bin, begins + bin};
}

/* Queues the tables on the side streams, bins in turn. They take no workspace, which is freed in the order of the
 * context's stream. */
spg_status queue_tables(cuda_product &product, const int32_t *permuted, const uint32_t *begins, table_launcher table)
{
    spg_cuda *cuda = product.cuda;
    const cudaStream_t own = cuda->stream;
    cudaError_t error = cudaEventRecord(cuda->fork, own);
    for (int side = 0; side < SPG_SIDE_STREAMS && error == cudaSuccess; ++side)
        error = cudaStreamWaitEvent(cuda->side_streams[side], cuda->fork, 0);
    spg_status status = spg_cuda_check(product.context, error, "forking a stream");
    for (int bin = TABLE_BINS; bin > 0 && status == SPG_OK; --bin) {
        cuda->stream = cuda->side_streams[bin % SPG_SIDE_STREAMS];
        status = table(product, rows_of_bin(product, permuted, begins, bin), TABLE_LEAST << (bin - 1), 1);
    }
    cuda->stream = own;
    return status;
}

/* What follows on the context's stream begins when the side streams have ended. */
spg_status join_tables(cuda_product &product)
{
    spg_cuda *cuda = product.cuda;
    cudaError_t error = cudaSuccess;
    for (int side = 0; side < SPG_SIDE_STREAMS && error == cudaSuccess; ++side) {
        error = cudaEventRecord(cuda->joins[side], cuda->side_streams[side]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, cuda->joins[side], 0);
    }
    return spg_cuda_check(product.context, error, "joining streams");
}

/* Bins the rows and calls the kernels of the bins. */
template <typename RowBin>
spg_status for_each_bin(cuda_product &product, const RowBin &row_bin, table_launcher table, window_launcher window)
{
    int32_t rows = (int32_t)product.A->rows;
    int64_t begins_bytes = 2 * BINS * (int64_t)sizeof(uint32_t), bytes = begins_bytes + rows * (int64_t)sizeof(int32_t);
    void *memory = nullptr;
    spg_status status = take_workspace(product, bytes, "the rows by size", &memory);
    if (status != SPG_OK) return status;
    uint32_t *begins = static_cast<uint32_t *>(memory);
    int32_t *permuted = reinterpret_cast<int32_t *>(begins + 2 * BINS);
    status = bin_rows(product, row_bin, BINS, permuted, begins);
    if (status == SPG_OK) {
        status = queue_tables(product, permuted, begins, table);
        if (status == SPG_OK) status = window(product, rows_of_bin(product, permuted, begins, WINDOW_BIN));
        const spg_status joined = join_tables(product);
        if (status == SPG_OK) status = joined;
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
        status =
            spg_cuda_zero_bytes(product.context, &product.cuda->product_tally->products, sizeof(unsigned long long));
    int64_t bytes = (product.C->rows + 1) * (int64_t)spg_type_size(product.offset_type);
    if (status == SPG_OK && !misfits_only)
        status = spg_cuda_zero_bytes(product.context, product.C->row_offsets, bytes); /* empty rows */
    if (status != SPG_OK) return status;
    return with_offset_type(product.offset_type, [&](auto offset) {
        const auto *lengths = static_cast<const decltype(offset) *>(product.C->row_offsets);
        bin_by_products<decltype(offset)> row_bin{bin_rule_for<decltype(offset)>(product), row_products,
                                                  misfits_only ? lengths : nullptr, (int32_t)product.B->cols};
        return for_each_bin(product, row_bin, count_rows_table, count_rows_window);
    });
}

spg_status fill_rows_mixed(cuda_product &product, int longer_than, mixed_rows *rows)
{
    release_mixed(product, rows);
    return with_offset_type(product.offset_type, [&](auto offset) {
        patterns<decltype(offset)> pattern = patterns_of<decltype(offset)>(product);
        bin_by_length<decltype(offset)> row_bin{bin_rule_for<decltype(offset)>(product), pattern.c_offsets,
                                                pattern.a_offsets, longer_than};
        return for_each_bin(product, row_bin, fill_rows_table, fill_rows_window);
    });
}

void release_mixed(cuda_product &product, mixed_rows *rows)
{
    give_workspace(product, rows->row_products, rows->row_products_bytes);
    memset(rows, 0, sizeof *rows);
}

} // namespace spg
