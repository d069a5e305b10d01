/* y = alpha*A*x + beta*y. One thread sums a row in storage order, which determines the bits of the result. */
#include "host/by_type.h"
#include "host/host.h"
#include "host/work.h"

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

typedef struct spmv_job {
    const spg_csr *matrix;
    const void *alpha, *x, *beta;
    void *y;
} spmv_job;

#define TYPE_TEMPLATE "host/containers/csr_spmv.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                             const void *beta, void *y)
{
    static spg_work *const spmv[4][2] = BY_TYPE(spmv);
    const spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads),
                           spmv[matrix->value_type][matrix->offset_type - SPG_I32],
                           &(spmv_job){matrix, alpha, x, beta, y});
    return SPG_OK;
}
