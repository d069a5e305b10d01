/* Diagonal entries of coarse operators that are made of roundings. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"

#include <float.h>
#include <math.h>

#define TYPE_TEMPLATE "host/amg/drop_roundings.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_drop_roundings(spg_context *context, const spg_csr *R, const void *restricted_inverse,
                                   const spg_amg_aggregates *aggregates, void *inverse)
{
    static void (*const drop[2][2])(const spg_csr *, const void *, const spg_amg_aggregates *, void *, int64_t,
                                    int64_t) = BY_REAL_TYPE(drop_roundings);
    const int threads = spg_host_threads(context, R->nnz + R->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p)
        drop[R->value_type][R->offset_type - SPG_I32](R, restricted_inverse, aggregates, inverse,
                                                      spg_host_first_row(R, p, parts),
                                                      spg_host_first_row(R, p + 1, parts));
    return SPG_OK;
}
