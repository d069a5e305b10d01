/* CSR to COO: writes the row of every entry and copies the rest. */
#include "../cuda_backend.h"
#include "entries.cuh"

namespace spg
{

namespace
{

spg_status make_triples(spg_context *context, const spg_csr &source, spg_coo *matrix)
{
    spg_status status = spg_coo_alloc(context, source.rows, source.cols, source.nnz, source.value_type, matrix);
    if (status != SPG_OK) return status;
    int32_t *rows = matrix->row_indices;
    status = for_each_entry(context, source, "the rows of entries",
                            [=] __device__(int64_t k, int64_t row) { rows[k] = (int32_t)row; });
    if (status == SPG_OK)
        status = spg_cuda_copy_on_device(context, matrix->columns, source.columns,
                                         spg_array_bytes(source.nnz, sizeof *source.columns));
    if (status == SPG_OK)
        status = spg_cuda_copy_on_device(context, matrix->values, source.values,
                                         spg_array_bytes(source.nnz, spg_type_size(source.value_type)));
    if (status != SPG_OK) spg_coo_free(context, matrix);
    return status;
}

} // namespace

} // namespace spg

spg_status spg_cuda_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::make_triples(context, *source, matrix);
    spg_cuda_leave(context);
    return status;
}
