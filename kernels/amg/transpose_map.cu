/* Where each entry of a transpose comes from: the order of the entries by column, stably, as csr_transpose.cu sorts
 * them. With it new values go into a kept transpose in one pass. */
#include "../containers/order.cuh"
#include "amg_stages.h"

namespace spg
{

namespace amg
{

namespace
{

template <typename Index> spg_status find_map(spg_context *context, const spg_csr &matrix, int64_t *map)
{
    const char *what = "the entries of a transpose";
    workspace work(context);
    key_order<Index, Index> sorted;
    spg_status status = allocate_order(work, matrix.nnz, what, &sorted);
    if (status != SPG_OK) return status;
    Index *keys = sorted.keys;
    const int32_t *columns = matrix.columns;
    status = for_each(context, matrix.nnz, what, [=] __device__(int64_t k) { keys[k] = (Index)columns[k]; });
    if (status == SPG_OK) status = sort_order(work, matrix.nnz, bits_below(matrix.cols), what, &sorted);
    if (status != SPG_OK) return status;
    const Index *order = sorted.order;
    return for_each(context, matrix.nnz, what, [=] __device__(int64_t k) { map[k] = (int64_t)order[k]; });
}

} // namespace

} // namespace amg

} // namespace spg

spg_status spg_cuda_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map)
{
    (void)transpose;
    if (A->nnz == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status =
        spg::with_index_type(A->nnz, [&](auto index) { return spg::amg::find_map<decltype(index)>(context, *A, map); });
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_gather_values(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::fetch_values(context, A->value_type, A->nnz, A->values, {map, true}, transpose->values);
    spg_cuda_leave(context);
    return status;
}
