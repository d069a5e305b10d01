/* Checks that the indices of a COO matrix are in range. */
#include "host/host.h"
#include "host/work.h"

spg_status spg_host_coo_check(spg_context *context, const spg_coo *matrix)
{
    int64_t row = spg_host_first_outside(context, matrix->row_indices, matrix->nnz, matrix->rows);
    int64_t column = spg_host_first_outside(context, matrix->columns, row, matrix->cols);
    if (column < row)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "triple %lld: column %d lies outside [0, %lld)",
                                (long long)column, (int)matrix->columns[column], (long long)matrix->cols);
    if (row < matrix->nnz)
        return spg_context_fail(context, SPG_ERROR_FORMAT, "triple %lld: row %d lies outside [0, %lld)", (long long)row,
                                (int)matrix->row_indices[row], (long long)matrix->rows);
    return SPG_OK;
}
