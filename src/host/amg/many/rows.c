/* Products, residuals and smoothing sweeps of several vectors at once. Each sum is in storage order, so each vector
 * gets the bits that it gets alone (smoother/relax.c). */
#define REAL_ONLY
#include "host/by_type.h"
#include "host_many.h"
#include "widths.h"

#include "amg/numerics.h"

/* As smoother/relax.c's, with blocks for vectors. */
typedef struct block_sweep {
    const spg_csr *A;
    int width;
    const void *inverse, *b, *x; /* x NULL: zero */
    void *d, *y;                 /* d NULL: no direction is stored */
    double coefficient, keep;    /* keep 0: d is not read */
    bool adds;                   /* of a product: to y */
} block_sweep;

#define TEMPLATE "host/amg/many/packs.inc.h"
#include "host/for_each_value_type.h"
#define TYPE_TEMPLATE "host/amg/many/rows.inc.h"
#include "host/for_each_type.h"

typedef spg_work *const works[2][2];

static spg_work *choose(works narrow, works wide, const spg_csr *A)
{
    return (has_wide_registers() ? wide : narrow)[A->value_type][A->offset_type - SPG_I32];
}

static void over_rows(const spg_context *context, spg_work *work, const block_sweep *job)
{
    const spg_csr *A = job->A;
    const spg_threads threads = spg_host_threads(context, (A->nnz + A->rows) * job->width);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), work, job);
}

spg_status spg_host_many_residual(spg_context *context, const spg_csr *A, int width, const void *b, const void *x,
                                  void *r)
{
    static works residual = BY_REAL_TYPE(residual), residual_wide = BY_REAL_TYPE(residual_wide);
    over_rows(context, choose(residual, residual_wide, A),
              &(block_sweep){.A = A, .width = width, .b = b, .x = x, .y = r});
    return SPG_OK;
}

static block_sweep sweep_of(const spg_csr *A, int width, const spg_amg_relaxation *of)
{
    const double rho = of->rho != NULL ? *of->rho : 1;
    const spg_amg_chebyshev_step by = spg_amg_smoother_step(rho, of->scale, of->ratio, of->step);
    return (block_sweep){.A = A,
                         .width = width,
                         .inverse = of->inverse,
                         .b = of->b,
                         .x = of->x,
                         .d = of->d,
                         .y = of->y,
                         .coefficient = by.coefficient,
                         .keep = by.keep};
}

/* Inner products, after what gives their vectors. */
static spg_status find_products(spg_context *context, const spg_csr *A, int width, const void *x, const void *y,
                                const spg_amg_products *products)
{
    if (products == NULL) return SPG_OK;
    const spg_amg_shape shape = {A->value_type, A->rows, width};
    return spg_host_many_dot(context, &shape, x, y, products->workspace, products->results);
}

spg_status spg_host_many_relax(spg_context *context, const spg_csr *A, int width, const spg_amg_relaxation *of,
                               const spg_amg_products *products)
{
    static works relax = BY_REAL_TYPE(relax), relax_wide = BY_REAL_TYPE(relax_wide);
    static works from_zero = BY_REAL_TYPE(relax_from_zero), from_zero_wide = BY_REAL_TYPE(relax_from_zero_wide);
    const block_sweep job = sweep_of(A, width, of);
    if (of->x != NULL)
        over_rows(context, choose(relax, relax_wide, A), &job);
    else
        spg_parallel(spg_host_threads(context, A->rows * width), A->rows, 0, choose(from_zero, from_zero_wide, A),
                     &job);
    return find_products(context, A, width, of->b, of->y, products);
}

spg_status spg_host_many_first_residual(spg_context *context, const spg_csr *A, int width,
                                        const spg_amg_relaxation *first, void *r)
{
    static works residual = BY_REAL_TYPE(first_residual), residual_wide = BY_REAL_TYPE(first_residual_wide);
    block_sweep job = sweep_of(A, width, first);
    job.y = r;
    over_rows(context, choose(residual, residual_wide, A), &job);
    return SPG_OK;
}

spg_status spg_host_many_first_correction(spg_context *context, const spg_csr *P, int width,
                                          const spg_amg_relaxation *first, const void *x)
{
    static works correction = BY_REAL_TYPE(first_correction), correction_wide = BY_REAL_TYPE(first_correction_wide);
    block_sweep job = sweep_of(P, width, first);
    job.x = x;
    over_rows(context, choose(correction, correction_wide, P), &job);
    return SPG_OK;
}

spg_status spg_host_many_multiply(spg_context *context, const spg_csr *A, int width, const void *x, bool adds, void *y,
                                  const spg_amg_products *products)
{
    static works multiply = BY_REAL_TYPE(multiply), multiply_wide = BY_REAL_TYPE(multiply_wide);
    over_rows(context, choose(multiply, multiply_wide, A),
              &(block_sweep){.A = A, .width = width, .x = x, .y = y, .adds = adds});
    return find_products(context, A, width, x, y, products);
}
