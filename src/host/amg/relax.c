/* Residuals and smoothing sweeps. A row is summed by one thread in storage order, which fixes the bits. */
#define REAL_ONLY
#include "host/by_type.h"
#include "host/work.h"
#include "host_amg.h"

/* One sweep: y = x + step, where step = coefficient .* inverse .* (b - A x) [+ keep d, and then d = step]. */
typedef struct sweep {
    const void *inverse, *b, *x; /* x NULL: zero */
    void *d, *y;                 /* d NULL: no direction is kept */
    double coefficient, keep;    /* keep 0: d is not read */
} sweep;

#define TYPE_TEMPLATE "host/amg/relax.inc.h"
#include "host/for_each_type.h"

static void relax(const spg_context *context, const spg_csr *A, const sweep *job)
{
    static void (*const functions[2][2])(const spg_context *, const spg_csr *, const sweep *) = BY_REAL_TYPE(relax);
    static void (*const from_zero[2][2])(const spg_context *, const spg_csr *, const sweep *) =
        BY_REAL_TYPE(relax_from_zero);
    (job->x != NULL ? functions : from_zero)[A->value_type][A->offset_type - SPG_I32](context, A, job);
}

spg_status spg_host_residual(spg_context *context, const spg_csr *A, const void *b, const void *x, void *r)
{
    static void (*const residual[2][2])(const spg_context *, const spg_csr *, const void *, const void *, void *) =
        BY_REAL_TYPE(residual);
    residual[A->value_type][A->offset_type - SPG_I32](context, A, b, x, r);
    return SPG_OK;
}

spg_status spg_host_jacobi(spg_context *context, const spg_csr *A, const void *inverse, double scale, const double *rho,
                           const void *b, const void *x, void *y)
{
    relax(context, A,
          &(sweep){.inverse = inverse, .b = b, .x = x, .y = y, .coefficient = rho != NULL ? scale / *rho : scale});
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
    sweep job = {.inverse = inverse, .b = b, .x = x, .d = d, .y = y, .coefficient = 1 / centre};
    if (step > 0) {
        job.coefficient = 2 * s / half;
        job.keep = s * before;
    }
    relax(context, A, &job);
    return SPG_OK;
}
