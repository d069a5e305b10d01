/* The filtered operator: A without its weak entries, which are added to the diagonal. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include "amg/numerics.h"

typedef struct filter_job {
    const spg_csr *A;
    spg_csr *F;
} filter_job;

#define TYPE_TEMPLATE "host/amg/prolongator/filter.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_filter_values(spg_context *context, const spg_csr *A, spg_csr *F)
{
    static spg_work *const filter[2][2] = BY_REAL_TYPE(filter_rows);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), filter[A->value_type][A->offset_type - SPG_I32],
                           &(filter_job){A, F});
    return SPG_OK;
}
