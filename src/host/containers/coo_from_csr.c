/* CSR to COO: writes the row of every entry and copies the rest. */
#include "host/host.h"
#include "host/work.h"

typedef struct naming_job {
    const spg_csr *source;
    int32_t *row_indices;
} naming_job;

static void name_rows(const void *data, spg_range rows)
{
    const naming_job *job = data;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t end = spg_offset_at(job->source, i + 1);
        for (int64_t k = spg_offset_at(job->source, i); k < end; ++k) job->row_indices[k] = (int32_t)i;
    }
}

spg_status spg_host_coo_from_csr(spg_context *context, const spg_csr *source, spg_coo *matrix)
{
    spg_status status = spg_coo_alloc(context, source->rows, source->cols, source->nnz, source->value_type, matrix);
    if (status != SPG_OK) return status;
    spg_threads threads = spg_host_threads(context, source->nnz + source->rows);
    spg_host_parallel_rows(threads, source, spg_host_parts(threads), name_rows,
                           &(naming_job){source, matrix->row_indices});
    spg_host_copy(context, matrix->columns, source->columns, source->nnz * (int64_t)sizeof *source->columns);
    spg_host_copy(context, matrix->values, source->values, source->nnz * (int64_t)spg_type_size(source->value_type));
    return SPG_OK;
}
