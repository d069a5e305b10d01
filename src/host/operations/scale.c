/* Scaling of rows, then columns, in place. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"

typedef struct scale_job {
    const spg_csr *matrix;
    const void *row_factors, *column_factors;
} scale_job;

#define TEMPLATE "host/operations/scale.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_scale(spg_context *context, const void *row_factors, const void *column_factors, spg_csr *matrix)
{
    static spg_work *const scale[4] = BY_VALUE_TYPE(scale);
    const spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), scale[matrix->value_type],
                           &(scale_job){matrix, row_factors, column_factors});
    return SPG_OK;
}
