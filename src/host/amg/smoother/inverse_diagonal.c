/* Inverses of the diagonal, or of the sums of magnitudes of the rows. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <math.h>

typedef struct diagonal_job {
    const spg_csr *A;
    bool l1;
    void *inverse;
} diagonal_job;

#define TYPE_TEMPLATE "host/amg/smoother/inverse_diagonal.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_inverse_diagonal(spg_context *context, const spg_csr *A, bool l1, void *inverse)
{
    static spg_work *const invert[2][2] = BY_REAL_TYPE(invert);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), invert[A->value_type][A->offset_type - SPG_I32],
                           &(diagonal_job){A, l1, inverse});
    return SPG_OK;
}
