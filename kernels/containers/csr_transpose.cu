/* The transpose: entries in the order of their columns, stably, so that rows come out sorted and entries of the same
 * place keep their order. */
#include "../cuda_backend.h"
#include "order.cuh"

namespace spg
{

namespace
{

template <typename Offset, typename Key>
spg_status find_rows(spg_context *context, const Key *keys, const spg_csr &transpose)
{
    Offset *offsets = static_cast<Offset *>(transpose.row_offsets);
    int64_t nnz = transpose.nnz;
    return for_each(context, transpose.rows + 1, "the transpose's row offsets",
                    [=] __device__(int64_t j) { offsets[j] = (Offset)first_not_below(keys, nnz, (Key)j); });
}

/* The rows that entries come from are the columns of the transpose. */
template <typename Index>
spg_status fetch_rows(spg_context *context, const spg_csr &matrix, const key_order<Index, Index> &sorted,
                      int32_t *columns)
{
    int32_t *row_of = reinterpret_cast<int32_t *>(sorted.spare_order);
    entry_order order = sorted.view();
    spg_status status = for_each_entry(context, matrix, "the rows of entries",
                                       [=] __device__(int64_t k, int64_t row) { row_of[k] = (int32_t)row; });
    if (status != SPG_OK) return status;
    return for_each(context, matrix.nnz, "fetching rows", [=] __device__(int64_t k) { columns[k] = row_of[order[k]]; });
}

/* Columns are keys of the width of the entries' numbers. */
template <typename Index> spg_status sort_by_column(spg_context *context, const spg_csr &matrix, spg_csr &transpose)
{
    workspace work(context);
    key_order<Index, Index> sorted;
    spg_status status = allocate_order(work, matrix.nnz, "transposing", &sorted);
    if (status != SPG_OK) return status;
    Index *keys = sorted.keys;
    const int32_t *columns = matrix.columns;
    status = for_each(context, matrix.nnz, "transposing", [=] __device__(int64_t k) { keys[k] = (Index)columns[k]; });
    if (status == SPG_OK) status = sort_order(work, matrix.nnz, bits_below(matrix.cols), "transposing", &sorted);
    if (status == SPG_OK)
        status = transpose.offset_type == SPG_I64 ? find_rows<int64_t>(context, sorted.keys, transpose)
                                                  : find_rows<int32_t>(context, sorted.keys, transpose);
    if (status == SPG_OK) status = fetch_rows(context, matrix, sorted, transpose.columns);
    return status == SPG_OK
               ? fetch_values(context, matrix.value_type, matrix.nnz, matrix.values, sorted.view(), transpose.values)
               : status;
}

spg_status make_transpose(spg_context *context, const spg_csr &matrix, spg_csr *transpose)
{
    spg_status status =
        spg_csr_alloc(context, matrix.cols, matrix.rows, matrix.nnz, matrix.offset_type, matrix.value_type, transpose);
    if (status != SPG_OK || matrix.nnz == 0) return status;
    status = with_index_type(matrix.nnz,
                             [&](auto index) { return sort_by_column<decltype(index)>(context, matrix, *transpose); });
    if (status != SPG_OK) spg_csr_free(context, transpose);
    return status;
}

} // namespace

} // namespace spg

spg_status spg_cuda_csr_transpose(spg_context *context, const spg_csr *matrix, spg_csr *transpose)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::make_transpose(context, *matrix, transpose);
    spg_cuda_leave(context);
    return status;
}
