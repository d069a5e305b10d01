/* Zeroes inverses of coarse diagonal entries that are only rounding errors. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"

#include "amg/numerics.h"

#include <math.h>

typedef struct rounding_job {
    const spg_csr *R;
    const void *restricted;
    const spg_amg_aggregates *aggregates;
    void *inverse;
} rounding_job;

#define TYPE_TEMPLATE "host/amg/prolongator/drop_roundings.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_drop_roundings(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                   const spg_amg_aggregates *aggregates, void *inverse)
{
    static spg_work *const drop[2][2] = BY_REAL_TYPE(drop_roundings);
    const spg_threads threads = spg_host_threads(context, R->nnz + R->rows);
    spg_host_parallel_rows(threads, R, spg_host_parts(threads), drop[R->value_type][R->offset_type - SPG_I32],
                           &(rounding_job){R, restricted_inverse, aggregates, inverse});
    return SPG_OK;
}
