/* Whether all values are finite, or small enough. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <math.h>

enum { BLOCK = 1 << 14 };

#define TEMPLATE "host/amg/check_finite.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_check_finite(spg_context *context, const spg_csr *A)
{
    static int64_t (*const first_infinite[2])(const void *, int64_t, int64_t) = BY_REAL_VALUE_TYPE(first_infinite);
    const int64_t blocks = A->nnz / BLOCK + (A->nnz % BLOCK > 0);
    int64_t first = A->nnz;
#pragma omp parallel for num_threads(spg_host_threads(context, A->nnz)) reduction(min : first)
    for (int64_t b = 0; b < blocks; ++b) {
        const int64_t begin = b * BLOCK, end = A->nnz - begin < BLOCK ? A->nnz : begin + BLOCK;
        const int64_t found = first_infinite[A->value_type](A->values, begin, end);
        if (found < end && found < first) first = found;
    }
    if (first == A->nnz) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_FORMAT, "A: row %lld holds an infinite value or a NaN in column %d",
                            (long long)spg_host_row_of(A, first), (int)A->columns[first]);
}

spg_status spg_host_find_beyond(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                                int64_t *first)
{
    static int64_t (*const first_beyond[2])(const void *, int64_t, int64_t, double) = BY_REAL_VALUE_TYPE(first_beyond);
    const int64_t blocks = count / BLOCK + (count % BLOCK > 0);
    int64_t least = count;
    (void)context; /* unused without OpenMP */
#pragma omp parallel for num_threads(spg_host_threads(context, count)) reduction(min : least)
    for (int64_t b = 0; b < blocks; ++b) {
        const int64_t begin = b * BLOCK, end = count - begin < BLOCK ? count : begin + BLOCK;
        const int64_t found = first_beyond[type](values, begin, end, most);
        if (found < end && found < least) least = found;
    }
    *first = least;
    return SPG_OK;
}
