/* Inverses of the diagonal, or of the rows' sums of magnitudes. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <math.h>

#define TYPE_TEMPLATE "host/amg/inverse_diagonal.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_inverse_diagonal(spg_context *context, const spg_csr *A, bool l1, void *inverse)
{
    static void (*const invert[2][2])(const spg_csr *, bool, void *, int64_t, int64_t) = BY_REAL_TYPE(invert);
    const int threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t parts = spg_host_parts(threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p)
        invert[A->value_type][A->offset_type - SPG_I32](A, l1, inverse, spg_host_first_row(A, p, parts),
                                                        spg_host_first_row(A, p + 1, parts));
    return SPG_OK;
}
