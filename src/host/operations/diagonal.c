/* The diagonal of a matrix. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"

typedef struct diagonal_job {
    const spg_csr *matrix;
    void *diagonal;
} diagonal_job;

#define TEMPLATE "host/operations/diagonal.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_diagonal(spg_context *context, const spg_csr *matrix, void *diagonal)
{
    static spg_work *const diagonals[4] = BY_VALUE_TYPE(diagonals);
    const spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), diagonals[matrix->value_type],
                           &(diagonal_job){matrix, diagonal});
    return SPG_OK;
}
