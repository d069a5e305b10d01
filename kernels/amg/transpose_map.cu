/* Where each entry of a transpose comes from: made like a transpose, without the rest. With it new values go into a
 * kept transpose in one pass. */
#include "../containers/order.cuh"
#include "../containers/transpose.cuh"
#include "amg_stages.h"

namespace spg
{

namespace amg
{

namespace
{

spg_status find_map(spg_context *context, const spg_csr &A, int64_t *map)
{
    workspace work(context);
    char *offsets = nullptr;
    int64_t bytes = (A.cols + 1) * (int64_t)spg_type_size(A.offset_type);
    spg_status status = work.take(bytes, "the entries of a transpose", &offsets);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, offsets, bytes);
    return status == SPG_OK
               ? write_transpose(context, work.held_bytes(), A, {A.offset_type, offsets, nullptr, nullptr, map})
               : status;
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
    status = spg::amg::find_map(context, *A, map);
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
