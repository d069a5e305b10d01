/* CSR to COO: the row of every entry is written out, the rest copied. */
#include "host.h"
#include "work.h"

spg_status spg_host_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix)
{
    spg_status status = spg_coo_alloc(context, source->rows, source->cols, source->nnz, source->value_type, matrix);
    if (status != SPG_OK) return status;
    int threads = spg_host_threads(context, source->nnz + source->rows);
    int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t last = spg_host_first_row(source, p + 1, parts);
        for (int64_t i = spg_host_first_row(source, p, parts); i < last; ++i) {
            int64_t end = spg_offset_at(source, i + 1);
            for (int64_t k = spg_offset_at(source, i); k < end; ++k) matrix->row_indices[k] = (int32_t)i;
        }
    }
    spg_host_copy(context, matrix->columns, source->columns, source->nnz * (int64_t)sizeof *source->columns);
    spg_host_copy(context, matrix->values, source->values, source->nnz * (int64_t)spg_type_size(source->value_type));
    return SPG_OK;
}
