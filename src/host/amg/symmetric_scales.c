/* The factors by which rows and columns are multiplied before a matrix is compared with its transpose. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include "amg/numerics.h"

#include <math.h>

typedef struct scales_job {
    const spg_csr *A;
    void *scales;
} scales_job;

#define TYPE_TEMPLATE "host/amg/symmetric_scales.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_symmetric_scales(spg_context *context, const spg_csr *A, void *scales)
{
    static spg_work *const find_scales[2][2] = BY_REAL_TYPE(find_scales);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), find_scales[A->value_type][A->offset_type - SPG_I32],
                           &(scales_job){A, scales});
    return SPG_OK;
}
