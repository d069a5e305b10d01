/* The transpose: distributes entries to the rows of their columns in storage order, so that the result's rows are
 * sorted. */
#include "distribute.h"
#include "host/amg/host_amg.h"
#include "host/host.h"

spg_status spg_host_csr_transpose(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose)
{
    spg_status status = spg_csr_alloc(context, matrix->cols, matrix->rows, matrix->nnz, matrix->offset_type,
                                      matrix->value_type, transpose);
    if (status != SPG_OK) return status;
    spg_host_entries entries = {.keys = matrix->columns, .rows_of = matrix, .values = matrix->values, .map = map};
    status = spg_host_distribute(context, &entries, 0, transpose);
    if (status == SPG_OK && map != NULL) status = spg_host_gather_values(context, matrix, map, transpose);
    if (status != SPG_OK) spg_csr_free(context, transpose);
    return status;
}

spg_status spg_host_csr_transpose_begin(spg_context *context, const spg_csr *matrix, bool checks, int64_t *map,
                                        spg_csr *transpose, void **pending)
{
    *pending = NULL;
    spg_status status = checks ? spg_host_csr_check(context, matrix) : SPG_OK;
    return status == SPG_OK ? spg_host_csr_transpose(context, matrix, map, transpose) : status;
}

/* csr_transpose_begin has done everything. */
spg_status spg_host_csr_transpose_end(spg_context *context, const spg_csr *matrix, int64_t *map, spg_csr *transpose,
                                      void *pending)
{
    (void)context, (void)matrix, (void)map, (void)transpose, (void)pending;
    return SPG_OK;
}
