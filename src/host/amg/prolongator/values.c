/* The values of the smoothed prolongator, in its pattern: a row of A*T is summed directly in the row of P. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/by_type.h"
#include "host/work.h"

enum { LONGEST_SCANNED = 16 };

typedef struct values_job {
    const spg_csr *A, *P;
    const spg_amg_aggregates *aggregates;
    const void *T, *inverse;
    double factor; /* relaxation / rho; 0: not smoothed */
} values_job;

/* The index of the block of columns that begins at `column`, among `blocks` ascending blocks of `candidates` columns;
 * -1 if the row has no such block. */
static inline int64_t find_block(const int32_t *columns, int64_t blocks, int candidates, int32_t column)
{
    int64_t low = 0, high = blocks;
    while (high - low > LONGEST_SCANNED) {
        const int64_t middle = low + (high - low) / 2;
        if (columns[middle * candidates] <= column)
            low = middle;
        else
            high = middle;
    }
    for (; low < high; ++low)
        if (columns[low * candidates] == column) return low * candidates;
    return -1;
}

#define TYPE_TEMPLATE "host/amg/prolongator/values.inc.h"
#include "host/for_each_type.h"

spg_status spg_host_prolongator_values(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                       const void *T, const void *inverse, double relaxation, const double *rho,
                                       spg_csr *P)
{
    static spg_work *const smooth_rows[2][2] = BY_REAL_TYPE(smooth_rows);
    const values_job job = {A, P, aggregates, T, inverse, relaxation != 0 ? relaxation / *rho : 0};
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), smooth_rows[A->value_type][A->offset_type - SPG_I32],
                           &job);
    return SPG_OK;
}
