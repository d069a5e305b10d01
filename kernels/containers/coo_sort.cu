/* Orders triples by row, then column. Does nothing if they are in order; otherwise sorts them by their places.
 * Workspace grows with the triples, not with the rows. */
#include "../cuda_backend.h"
#include "order.cuh"

namespace spg
{

namespace
{

template <typename Index> spg_status sort_by_place(spg_context *context, const spg_coo &matrix)
{
    workspace work(context);
    key_order<uint64_t, Index> order;
    place_code code = code_of(matrix.rows, matrix.cols);
    spg_status status = allocate_order(work, matrix.nnz, "sorting triples", &order);
    if (status != SPG_OK) return status;
    uint64_t *keys = order.keys;
    const int32_t *rows = matrix.row_indices, *columns = matrix.columns;
    status = for_each(context, matrix.nnz, "sorting triples",
                      [=] __device__(int64_t k) { keys[k] = code.key(rows[k], columns[k]); });
    if (status == SPG_OK) status = sort_order(work, matrix.nnz, code.bits(), "sorting triples", &order);
    return status == SPG_OK ? store_order(context, order, code, matrix.nnz, matrix.value_type, matrix.row_indices,
                                          matrix.columns, matrix.values)
                            : status;
}

spg_status sort_triples(spg_context *context, const spg_coo &matrix)
{
    bool in_order;
    spg_status status = are_in_order(context, matrix.row_indices, matrix.columns, matrix.nnz, &in_order);
    if (status != SPG_OK || in_order) return status;
    return with_index_type(matrix.nnz, [&](auto index) { return sort_by_place<decltype(index)>(context, matrix); });
}

} // namespace

} // namespace spg

spg_status spg_cuda_coo_sort(spg_context *context, spg_coo *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::sort_triples(context, *matrix);
    spg_cuda_leave(context);
    return status;
}
