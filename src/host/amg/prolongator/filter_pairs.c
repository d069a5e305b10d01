/* The filtered operator of a real form: A without the blocks of its weak complex entries. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include "amg/complex/filter.h"

typedef struct pairs_job {
    const spg_csr *A, *F;
    const int32_t *aggregate_of;
    const void *T, *coarse;
} pairs_job;

#define TYPE_TEMPLATE "host/amg/prolongator/filter_pairs.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_filter_pairs(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                 const void *T, const void *coarse, spg_csr *F)
{
    static spg_work *const filter[2][2] = BY_REAL_TYPE(filter_nodes);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_parallel(threads, aggregates->nodes, 0, filter[A->value_type][A->offset_type - SPG_I32],
                 &(pairs_job){A, F, aggregates->aggregate_of, T, coarse});
    return SPG_OK;
}
