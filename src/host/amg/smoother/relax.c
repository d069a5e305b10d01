/* Residuals and smoothing sweeps. One thread sums a row in storage order, which determines the bits. */
#define REAL_ONLY
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include "amg/numerics.h"

/* One sweep: y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. For a
 * residual: y = b - A x. */
typedef struct sweep {
    const spg_csr *A;
    const void *inverse, *b, *x; /* x NULL: zero */
    void *d, *y;                 /* d NULL: no direction is stored */
    double coefficient, keep;    /* keep 0: d is not read */
} sweep;

#define TYPE_TEMPLATE "host/amg/smoother/relax.inc.h"
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

spg_status spg_host_relax(spg_context *context, const spg_csr *A, const spg_amg_relaxation *of)
{
    const double rho = of->rho != NULL ? *of->rho : 1;
    const spg_amg_chebyshev_step by = spg_amg_smoother_step(rho, of->scale, of->ratio, of->step);
    relax(context, &(sweep){.A = A,
                            .inverse = of->inverse,
                            .b = of->b,
                            .x = of->x,
                            .d = of->d,
                            .y = of->y,
                            .coefficient = by.coefficient,
                            .keep = by.keep});
    return SPG_OK;
}
