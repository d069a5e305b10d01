/* y = alpha*A*x + beta*y. A row is summed by one thread in storage order, which fixes the bits of the result. */
#include "by_type.h"
#include "host.h"
#include "work.h"

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

#define TYPE_TEMPLATE "host/csr_spmv.inc.h"
#include "host/for_each_type.h"

typedef void spmv_function(const spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                           const void *beta, void *y);

spg_status spg_host_csr_spmv(spg_context *context, const void *alpha, const spg_csr *matrix, const void *x,
                             const void *beta, void *y)
{
    static spmv_function *const spmv[4][2] = BY_TYPE(spmv);
    spmv[matrix->value_type][matrix->offset_type - SPG_I32](context, alpha, matrix, x, beta, y);
    return SPG_OK;
}
