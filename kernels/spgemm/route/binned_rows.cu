/* Rows of very different work (route/binned_rows.cuh). Only the device knows how many rows a bin has, so that the host
 * need not wait: the kernel of every bin is launched. No bin fills the device alone, so bins run concurrently, on
 * streams that events keep within the order of the context's own. Long rows start first, because their longest sums may
 * take as long as all other rows. */
#include "binned_rows.cuh"

#include "../analysis/row_bins.cuh"
#include "../assemble/assemble.cuh"
#include "../long_rows/long_rows.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Bin 0: rows to skip. Bins 1 to 6: tables of 32, 64, ..., 1024 slots. Bin 7: bitmap, when filling. Bin 8: long
 * rows. */
enum { TABLE_BINS = 6, MIDDLE_BIN, WINDOW_BIN, BINS };
static_assert(TABLE_LEAST << (TABLE_BINS - 1) == TABLE_MOST, "a bin for each size of table");

/* The bin of a row. */
template <typename Offset> struct bin_rule {
    const Offset *a_offsets;
    int table_entries;        /* the most entries of a table */
    int64_t middle, middle_a; /* the limits of the middle bin: products or entries of C, and entries of A */
    __device__ int operator()(int32_t i, int64_t length, int64_t products) const
    {
        if (length <= 0) return 0;
        const Offset a_length = a_offsets[i + 1] - a_offsets[i];
        if (a_length > LONG_A) return WINDOW_BIN;
        if (length > table_entries) return products <= middle && a_length <= middle_a ? MIDDLE_BIN : WINDOW_BIN;
        int bin = 1;
        while (length > table_holds(TABLE_LEAST << (bin - 1))) ++bin;
        return bin;
    }
};

template <typename Offset> bin_rule<Offset> bin_rule_for(const cuda_product &product, int64_t middle, int64_t middle_a)
{
    return {static_cast<const Offset *>(product.a_offsets),
            product.B->cols <= FEW_COLUMNS_C ? (int)FEW_COLUMNS_TABLE_ENTRIES : table_holds(TABLE_MOST), middle,
            middle_a};
}

/* A row of C has no more entries than products, and no more than columns. least = 1 also counts rows without products;
 * with 0 their lengths are already there. */
template <typename Offset> struct bin_by_products {
    bin_rule<Offset> bin_of;
    const int64_t *row_products;
    int32_t cols, least;
    __device__ int operator()(int32_t i) const
    {
        const int64_t products = row_products[i];
        return bin_of(i, max(min(products, (int64_t)cols), (int64_t)least), products);
    }
};

template <typename Offset> struct bin_by_length {
    bin_rule<Offset> bin_of;
    const Offset *c_offsets, *a_offsets;
    int longer_than;
    __device__ int operator()(int32_t i) const
    {
        const Offset length = c_offsets[i + 1] - c_offsets[i], a_length = a_offsets[i + 1] - a_offsets[i];
        const bool is_done = longer_than == longer_than_list ? fits_list(length, a_length) : length <= longer_than;
        return is_done ? 0 : bin_of(i, length, length);
    }
};

/* What the kernels of the bins do: count, or fill. */
struct bin_work {
    bool fills;
    const int64_t *row_products; /* of every row; NULL: not known */
    int span, longest;           /* of the middle bin; span 0: it is empty */
};

/* The result of binning, in device memory. */
struct binned {
    int32_t *permuted; /* rows by bin */
    int32_t count;     /* rows in all */
    uint32_t *begins;  /* where each bin begins in them, then the number of rows of each */
};

row_set rows_of_bin(const binned &rows, int bin)
{
    return {rows.permuted, rows.count, rows.begins + BINS + bin, rows.begins + bin};
}

/* The streams of the bins; they start when the context's own stream reaches the fork. long_rows takes workspace that is
 * freed in the order of its stream, which neither a caller's allocator nor a device without pools supports. */
struct bin_streams {
    cudaStream_t own, windows, middle, tables[2];
};

spg_status fork_streams(cuda_product &product, bin_streams *streams)
{
    spg_cuda *cuda = product.cuda;
    const bool urgent = cuda->pool != nullptr;
    const cudaStream_t own = cuda->stream, *side = cuda->side_streams;
    *streams = {own, urgent ? cuda->urgent_stream : own, side[0], {urgent ? own : side[0], side[1]}};
    cudaError_t error = cudaEventRecord(cuda->fork, own);
    if (urgent && error == cudaSuccess) error = cudaStreamWaitEvent(cuda->urgent_stream, cuda->fork, 0);
    for (int k = 0; k < SPG_SIDE_STREAMS && error == cudaSuccess; ++k)
        error = cudaStreamWaitEvent(side[k], cuda->fork, 0);
    return spg_cuda_check(product.context, error, "forking a stream");
}

/* Makes the context's stream wait for the others. After a failure, waits on the host, because the workspace that they
 * use is freed now. */
spg_status join_streams(cuda_product &product)
{
    spg_cuda *cuda = product.cuda;
    cudaError_t error = cudaEventRecord(cuda->urgent_join, cuda->urgent_stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, cuda->urgent_join, 0);
    for (int side = 0; side < SPG_SIDE_STREAMS && error == cudaSuccess; ++side) {
        error = cudaEventRecord(cuda->joins[side], cuda->side_streams[side]);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(cuda->stream, cuda->joins[side], 0);
    }
    if (error != cudaSuccess) {
        cudaStreamSynchronize(cuda->urgent_stream);
        for (int side = 0; side < SPG_SIDE_STREAMS; ++side) cudaStreamSynchronize(cuda->side_streams[side]);
    }
    return spg_cuda_check(product.context, error, "joining streams");
}

/* Queues the bins: long rows first, then the bins with most of the rows, because each launch takes host time; tables
 * alternate between two streams. */
spg_status queue_bins(cuda_product &product, const binned &rows, const bin_work &work, const bin_streams &streams)
{
    cudaStream_t &stream = product.cuda->stream;
    const row_set windows = rows_of_bin(rows, WINDOW_BIN);
    const bool heavy = work.span > 0; /* the middle bin has the others */
    stream = streams.windows;
    spg_status status =
        work.fills ? fill_window_columns(product, windows, heavy) : count_window_columns(product, windows);
    stream = streams.middle;
    if (status == SPG_OK && work.span > 0)
        status = fill_rows_bitmap(product, rows_of_bin(rows, MIDDLE_BIN), work.span, work.longest, 1);
    stream = streams.windows;
    if (status == SPG_OK && work.fills && !product.pattern_only)
        status = fill_window_values(product, windows, work.row_products, heavy);
    for (int bin = TABLE_BINS; bin > 0 && status == SPG_OK; --bin) {
        stream = streams.tables[bin % 2];
        const auto do_rows = work.fills ? fill_rows_hash_group : count_rows_hash_group;
        status = do_rows(product, rows_of_bin(rows, bin), TABLE_LEAST << (bin - 1));
    }
    stream = streams.own;
    return status;
}

/* Bins rows and launches the kernels of the bins. */
template <typename RowBin>
spg_status for_each_bin(cuda_product &product, const binned_rows &all, const RowBin &row_bin, const bin_work &work)
{
    const int64_t bytes = (2 * BINS + all.count) * (int64_t)sizeof(int32_t);
    scoped_workspace block(product);
    spg_status status = block.take(bytes, "the rows by size");
    if (status != SPG_OK) return status;
    uint32_t *words = block.as<uint32_t>();
    const binned rows{block.as<int32_t>() + 2 * BINS, all.count, words};
    status = bin_rows(product, all, row_bin, BINS, rows.permuted, rows.begins);
    if (status != SPG_OK) return status;
    bin_streams streams;
    status = fork_streams(product, &streams);
    if (status == SPG_OK) status = queue_bins(product, rows, work, streams);
    const spg_status joined = join_streams(product);
    return status == SPG_OK ? joined : status;
}

} // namespace

/* Counts all rows, or the listed ones; row_products: of every row. */
static spg_status count_bins(cuda_product &product, const binned_rows &all, const int64_t *row_products)
{
    return with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        const bin_by_products<Offset> row_bin{bin_rule_for<Offset>(product, 0, 0), row_products,
                                              (int32_t)product.B->cols, all.rows != nullptr ? 1 : 0};
        return for_each_bin(product, all, row_bin, bin_work{});
    });
}

static spg_status find_row_products(cuda_product &product, products_of_rows *rows)
{
    const spg_status status = analyse_rows(product, spg_resolve_row_limits(product.context, nullptr), rows);
    return status == SPG_OK ? forget_products(product) : status;
}

spg_status count_rows_binned(cuda_product &product, products_of_rows *rows)
{
    spg_status status = find_row_products(product, rows);
    if (status == SPG_OK) status = zero_lengths(product);
    if (status != SPG_OK) return status;
    return count_bins(product, {nullptr, (int32_t)product.A->rows, nullptr}, rows->memory);
}

spg_status count_overflow_rows_binned(cuda_product &product, unsigned int overflow, products_of_rows *rows)
{
    const spg_status status = find_row_products(product, rows);
    if (status != SPG_OK) return status;
    return count_bins(product, {product.overflow.rows, (int32_t)overflow, nullptr}, rows->memory);
}

spg_status fill_rows_binned(cuda_product &product, int longer_than, const span_of_rows &narrow, products_of_rows *rows)
{
    /* Under a limit its memory is needed for filling. */
    if (product.context->config.workspace_limit != 0) release(product, rows);
    const bool bitmap = narrow.span > 0;
    bin_work work{true, rows->memory, narrow.span, std::min(narrow.longest, (int)BITMAP_MOST)};
    spg_status status = with_offset_type(product.offset_type, [&](auto offset) {
        using Offset = decltype(offset);
        patterns<Offset> pattern = patterns_of<Offset>(product);
        bin_by_length<Offset> row_bin{bin_rule_for<Offset>(product, bitmap ? work.longest : 0, BITMAP_A),
                                      pattern.c_offsets, pattern.a_offsets, longer_than};
        return for_each_bin(product, {nullptr, (int32_t)product.A->rows, nullptr}, row_bin, work);
    });
    release(product, rows);
    return status;
}

} // namespace spg
