/* Residuals and smoothing sweeps. One thread sums a row in storage order, which determines the bits. */
#define REAL_ONLY
#include "host/by_type.h"
#include "host/work.h"
#include "host_amg.h"

/* One sweep: y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. For a
 * residual: y = b - A x. */
typedef struct sweep {
    const spg_csr *A;
    const void *inverse, *b, *x; /* x NULL: zero */
    void *d, *y;                 /* d NULL: no direction is stored */
    double coefficient, keep;    /* keep 0: d is not read */
} sweep;

#define TYPE_TEMPLATE "host/amg/relax.inc.h"
#include "host/for_each_type.h"

static void over_rows(const spg_context *context, spg_work *const run[2][2], const sweep *job)
{
    const spg_csr *A = job->A;
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), run[A->value_type][A->offset_type - SPG_I32], job);
}

static void relax(const spg_context *context, const sweep *job)
{
    static spg_work *const from_x[2][2] = BY_REAL_TYPE(relax), *const from_zero[2][2] = BY_REAL_TYPE(relax_from_zero);
    const spg_csr *A = job->A;
    if (job->x != NULL)
        over_rows(context, from_x, job);
    else
        spg_parallel(spg_host_threads(context, A->rows), A->rows, 0, from_zero[A->value_type][A->offset_type - SPG_I32],
                     job);
}

spg_status spg_host_residual(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r)
{
    static spg_work *const residual[2][2] = BY_REAL_TYPE(residual);
    over_rows(context, residual, &(sweep){.A = A, .b = b, .x = x, .y = r});
    return SPG_OK;
}

spg_status spg_host_jacobi(spg_context *context, const spg_csr *A, const void *inverse, double scale, const double *rho,
                           const void *b, const void *x, void *y)
{
    const double coefficient = rho != NULL ? scale / *rho : scale;
    relax(context, &(sweep){.A = A, .inverse = inverse, .b = b, .x = x, .y = y, .coefficient = coefficient});
    return SPG_OK;
}

spg_status spg_host_chebyshev(spg_context *context, const spg_csr *A, const void *inverse, const double *rho,
                              double ratio, int step, const void *b, const void *x, void *d, void *y)
{
    const double top = 1.1 * *rho, bottom = top / ratio;
    const double centre = (top + bottom) / 2, half = (top - bottom) / 2;
    double before = 0, s = half / centre;
    for (int k = 0; k < step; ++k) {
        before = s;
        s = 1 / (2 * centre / half - before);
    }
    sweep job = {.A = A, .inverse = inverse, .b = b, .x = x, .d = d, .y = y, .coefficient = 1 / centre};
    if (step > 0) {
        job.coefficient = 2 * s / half;
        job.keep = s * before;
    }
    relax(context, &job);
    return SPG_OK;
}
