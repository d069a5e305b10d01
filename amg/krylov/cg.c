/* Conjugate gradients, and flexible ones (Notay, Flexible Conjugate Gradients, SIAM J. Sci. Comput. 22, 2000), which
 * make each direction conjugate to the last one whatever M does. The scalars of the first stay at the place, as in
 * amg/solve/conjugate_gradients.c: a device waits once an iteration, and far from the target the next iteration is
 * queued before. */
#include "krylov.h"

#include <assert.h>
#include <math.h>

enum { R, Z, P, Q };

static spg_status check(const spg_krylov *run, double rz, double pq)
{
    const int iteration = run->result.iterations + 1;
    if (!isfinite(rz) || !isfinite(pq))
        return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is %.3g and p.Ap is %.3g",
                                iteration, rz, pq);
    if (rz < 0)
        return spg_context_fail(run->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: r.Mr is %.3g; the preconditioner M is not positive definite", iteration,
                                rz);
    if (rz == 0) return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is 0", iteration);
    if (pq <= 0)
        return spg_context_fail(run->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: p.Ap is %.3g; A is not positive definite, or not symmetric: FGMRES and "
                                "BiCGStab take any A",
                                iteration, pq);
    return SPG_OK;
}

/* ---- Conjugate gradients ---- */

static_assert(sizeof(spg_amg_cg_scalars) <= SPG_AMG_MOST_DOTS * sizeof(double), "they lie where inner products do");

static spg_amg_cg_scalars *scalars_of(const spg_krylov *run) { return (spg_amg_cg_scalars *)(void *)run->scalars; }

static spg_status dot(const spg_krylov *run, int x, int y, double *result)
{
    return run->backend->dot(run->context, run->type, run->n, spg_krylov_vector(run, x), spg_krylov_vector(run, y),
                             run->workspace, result);
}

/* The next p, from z = M r and this p; the first where the scalars are zero. */
static spg_status turn(const spg_krylov *run)
{
    void *const z = spg_krylov_vector(run, Z);
    spg_status status = spg_krylov_precondition(run, spg_krylov_vector(run, R), z);
    if (status == SPG_OK) status = dot(run, R, Z, &scalars_of(run)->rz);
    if (status != SPG_OK) return status;
    return run->backend->cg_direction(run->context, run->type, run->n, scalars_of(run), z, spg_krylov_vector(run, P));
}

static double target_of(const spg_krylov *run) { return run->options.tolerance * run->norm; }

/* Moves x and r along p by the best step. A step queued after one that has converged, or that cannot be done, moves
 * nothing. */
static spg_status step(const spg_krylov *run, unsigned int *number)
{
    void *const p = spg_krylov_vector(run, P), *const q = spg_krylov_vector(run, Q);
    const spg_amg_cg_vectors vectors = {p, q, run->x, spg_krylov_vector(run, R)};
    spg_status status = spg_krylov_multiply(run, p, q);
    if (status == SPG_OK) status = dot(run, P, Q, &scalars_of(run)->pq);
    if (status != SPG_OK) return status;
    return run->backend->cg_step(run->context, run->type, run->n, target_of(run), scalars_of(run), &vectors,
                                 run->workspace, number);
}

/* Waits for a step, and stores its residual. */
static spg_status read_step(spg_krylov *run, unsigned int number)
{
    spg_amg_cg_scalars scalars;
    spg_status status = run->backend->cg_read(run->context, scalars_of(run), number, &scalars);
    if (status == SPG_OK) status = check(run, scalars.rz, scalars.pq);
    return status == SPG_OK ? spg_krylov_note(run, sqrt(scalars.rr)) : status;
}

enum { FAR = 16 }; /* a step seldom divides the residual by this much */

/* Whether a device may begin the next iteration before this one's residual is known. A monitor may end any. */
static bool may_look_ahead(const spg_krylov *run)
{
    return run->context->config.place == SPG_PLACE_DEVICE && run->options.monitor == NULL &&
           run->result.residual > FAR * target_of(run) && run->result.iterations + 1 < run->options.max_iterations;
}

spg_status spg_krylov_cg(spg_krylov *run)
{
    unsigned int number = 0;
    bool is_ahead = false;
    spg_status status = run->context->backend->zero_bytes(run->context, run->scalars, sizeof(spg_amg_cg_scalars));
    if (status == SPG_OK) status = turn(run);
    while (status == SPG_OK && spg_krylov_goes_on(run)) {
        if (!is_ahead) status = step(run, &number);
        const unsigned int current = number;
        is_ahead = may_look_ahead(run);
        if (status == SPG_OK && is_ahead) status = turn(run);
        if (status == SPG_OK && is_ahead) status = step(run, &number);
        if (status == SPG_OK) status = read_step(run, current);
        if (status == SPG_OK && !is_ahead && spg_krylov_goes_on(run)) status = turn(run);
    }
    return status;
}

/* ---- Flexible conjugate gradients ---- */

spg_status spg_krylov_fcg(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, R), *const z = spg_krylov_vector(run, Z);
    void *const p = spg_krylov_vector(run, P), *const q = spg_krylov_vector(run, Q);
    const void *const left[] = {r, r, z}, *const right[] = {r, z, q};
    double rz = 0, beta = 0, found[3];
    spg_status status = spg_krylov_precondition(run, r, z);
    if (status == SPG_OK) status = spg_krylov_dots(run, 1, left + 1, right + 1, &rz);
    while (status == SPG_OK && spg_krylov_goes_on(run)) {
        double pq = 0;
        status = spg_krylov_axpby(run, 1, z, beta, p);
        if (status == SPG_OK) status = spg_krylov_multiply(run, p, q);
        const void *const direction = p, *const product = q;
        if (status == SPG_OK) status = spg_krylov_dots(run, 1, &direction, &product, &pq);
        if (status == SPG_OK) status = check(run, rz, pq);
        if (status != SPG_OK) break;
        const double alpha = rz / pq;
        status = spg_krylov_axpby(run, alpha, p, 1, run->x);
        if (status == SPG_OK) status = spg_krylov_axpby(run, -alpha, q, 1, r);
        if (status == SPG_OK) status = spg_krylov_precondition(run, r, z);
        if (status == SPG_OK) status = spg_krylov_dots(run, 3, left, right, found);
        if (status != SPG_OK) break;
        /* The last residual is r + alpha q, so that z . (r - last) = -alpha z . q. */
        beta = -alpha * found[2] / rz;
        rz = found[1];
        status = spg_krylov_note(run, sqrt(found[0]));
    }
    return status;
}
