/* The spectral radius of D^-1 A: an estimate by Lanczos for a symmetric A, a bound for an unsymmetric one.
 *
 * The bound is the largest row sum of |D^-1 A|: 2 on the finest level for upwind convection, as for diffusion.
 * Estimates are lower, but the eigenvalues of convection say little about how Jacobi's method goes. Iterations of a
 * prototype with R from A^T and one sweep, by the bound, by Arnoldi's method, and by the 2-norm of D^-1/2 A D^-1/2:
 * conv2d:100:0.1 took 17, 14 and 14, conv2d:100:1e-4 32, 33 and 32, recirc2d:100 27, 42 and 32; with classical strength
 * at 0.25, conv2d:100:1e-4 took 30, more than 80 and 49, recirc2d:100 23, more than 80 and 40. */
#include "amg.h"

#include "lanczos.h"
#include "numerics.h"

#include "memory.h"
#include "spg/operations.h"

#include <math.h>

enum { SYMMETRIC_ROUNDINGS = 64 };

/* A copy of A whose rows and columns are multiplied by their scales: symmetric if A is, apart from rows of only a
 * diagonal, and nearly D^-1/2 A D^-1/2, in whatever scale A's rows are. */
static spg_status weigh(const spg_amg *amg, const spg_csr *A, spg_csr *weighed)
{
    spg_context *context = amg->context;
    const int64_t bytes = spg_amg_vector_bytes(amg, A->rows);
    void *scales = NULL;
    spg_status status = spg_allocate(context, bytes, "scales of rows", &scales);
    if (status == SPG_OK) status = amg->backend->symmetric_scales(context, A, scales);
    if (status == SPG_OK) status = spg_csr_copy(context, A, weighed);
    if (status == SPG_OK) status = spg_csr_scale(context, scales, scales, weighed);
    spg_release(context, scales, bytes);
    return status;
}

/* Whether A differs from its transpose by more than rounding. If numbers overflow, it counts as if it did. */
static spg_status compare_with_transpose(spg_amg *amg, bool *differs)
{
    spg_context *context = amg->context;
    const spg_csr *A = &amg->level[0].A;
    const double rounding = SYMMETRIC_ROUNDINGS * spg_amg_epsilon(A->value_type == SPG_F32);
    spg_csr weighed = {0}, transpose = {0}, nothing = {0};
    spg_difference mirrored = {0}, whole = {0};
    spg_status status = weigh(amg, A, &weighed);
    if (status == SPG_OK) status = context->backend->csr_transpose(context, &weighed, NULL, &transpose);
    if (status == SPG_OK) status = spg_csr_compare(context, &weighed, &transpose, &mirrored);
    if (status == SPG_OK) status = spg_csr_alloc(context, A->rows, A->cols, 0, A->offset_type, A->value_type, &nothing);
    if (status == SPG_OK) status = spg_csr_compare(context, &weighed, &nothing, &whole);
    spg_csr_free(context, &weighed);
    spg_csr_free(context, &transpose);
    spg_csr_free(context, &nothing);
    *differs = !isfinite(whole.absolute) || !(mirrored.absolute <= rounding * whole.absolute);
    return status == SPG_OK && *differs ? spg_amg_tell_diagonal(amg, rounding) : status;
}

spg_status spg_amg_learn_symmetry(spg_amg *amg)
{
    if (amg->knows_symmetry) return SPG_OK;
    spg_status status = amg->backend->flag_on_host(amg->context, amg->symmetric, &amg->was_symmetric);
    if (status == SPG_OK && !amg->was_symmetric) status = compare_with_transpose(amg, &amg->is_unsymmetric);
    spg_amg_end_step(amg, amg->level, &amg->timings.symmetry);
    if (status != SPG_OK) return status;
    amg->knows_symmetry = true;
    if (amg->was_symmetric) return SPG_OK;
    spg_amg_log(amg->context,
                amg->is_unsymmetric
                    ? "A is not %s: damping goes by row sums of D^-1 A. Conjugate gradients are not for it; use "
                      "FGMRES or BiCGStab (spg/krylov.h)"
                    : "A is not %s bit for bit, with sorted rows and no repeated column, but up to rounding "
                      "and rows of only a diagonal: it counts as symmetric",
                spg_amg_symmetric(amg));
    return SPG_OK;
}

/* The most steps of Lanczos; 0 for the bound. */
static int steps_of(const spg_amg *amg)
{
    if (amg->is_unsymmetric) return 0;
    return amg->options.spectral_steps > 0 ? amg->options.spectral_steps : SPG_AMG_MOST_STEPS;
}

void spg_amg_give_spectral_workspace(spg_amg *amg)
{
    spg_amg_give(amg, NULL, amg->spectral, amg->spectral_bytes);
    amg->spectral = NULL;
    amg->spectral_bytes = 0;
}

spg_status spg_amg_take_spectral_workspace(spg_amg *amg, const spg_level *level)
{
    const int64_t bytes = amg->backend->spectral_bytes(&level->A, steps_of(amg));
    if (bytes <= amg->spectral_bytes) return SPG_OK;
    spg_amg_give_spectral_workspace(amg);
    spg_status status = spg_amg_take(amg, NULL, bytes, "a spectral radius", &amg->spectral);
    if (status == SPG_OK) amg->spectral_bytes = bytes;
    return status;
}

/* A matrix that was symmetric at setup may no longer be so in an update: the flag tells. It tells nothing of one that
 * is symmetric up to rounding. */
static spg_status estimate(const spg_amg *amg, const spg_csr *A, const void *inverse, const spg_amg_spectrum *known,
                           double *rho)
{
    const spg_amg_radius by = {.steps = steps_of(amg),
                               .settles = amg->options.spectral_steps == 0,
                               .seed = amg->options.seed,
                               .symmetric = amg->was_symmetric ? amg->symmetric : NULL};
    return amg->backend->spectral_radius(amg->context, A, inverse, &by, amg->spectral, known, rho);
}

spg_status spg_amg_estimate_first(spg_amg *amg, spg_level *level)
{
    spg_context *context = amg->context;
    if (amg->is_unsymmetric) return estimate(amg, &level->A, level->inverse, NULL, level->rho);
    const int64_t bytes = spg_array_bytes(level->rows, (size_t)steps_of(amg) * sizeof(float));
    const int64_t limit = context->config.workspace_limit;
    spg_amg_spectrum known = level->spectrum;
    spg_status status = SPG_OK;
    if (limit == 0 || bytes <= limit) status = spg_allocate(context, bytes, "Lanczos vectors", (void **)&known.basis);
    if (status != SPG_OK) return status;
    status = estimate(amg, &level->A, level->inverse, known.basis != NULL ? &known : NULL, level->rho);
    spg_release(context, known.basis, bytes);
    return status;
}

spg_status spg_amg_estimate_again(spg_amg *amg, spg_level *level)
{
    return estimate(amg, &level->A, level->inverse, amg->is_unsymmetric ? NULL : &level->spectrum, level->rho);
}

spg_status spg_amg_estimate_filtered(spg_amg *amg, spg_level *level)
{
    return estimate(amg, &level->F, level->F_inverse, NULL, level->F_rho);
}
