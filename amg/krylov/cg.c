/* Conjugate gradients, and flexible ones (Notay, Flexible Conjugate Gradients, SIAM J. Sci. Comput. 22, 2000), which
 * make each direction conjugate to the last one whatever M does. Scalars stay at the place, those of the first as in
 * amg/solve/conjugate_gradients.c: a device waits once an iteration, and far from the target the next iteration is
 * queued before. */
#include "krylov.h"

#include <float.h>
#include <math.h>

enum { R, Z, P, Q };

/* Whether r . M r can have underflown because the system is solved as far as rounding lets it be. */
static bool has_vanished(const spg_krylov *run, double rz, double pq)
{
    const double of = run->b_is_zero ? 0 : run->norm;
    const double most = spg_amg_nearly_hidden_part(run->type == SPG_F32) * fmax(of, run->result.initial_residual);
    return rz >= 0 && rz < DBL_MIN && pq >= 0 && run->result.residual <= most;
}

/* Why a step was not done; OK if it was, or if its inner products have vanished. */
static spg_status check(spg_krylov *run, double rz, double pq)
{
    const int iteration = run->result.iterations + 1;
    if (rz > 0 && pq > 0 && isfinite(rz / pq)) return SPG_OK;
    run->has_vanished = has_vanished(run, rz, pq);
    if (run->has_vanished) return SPG_OK;
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
    return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is %.3g and p.Ap is %.3g", iteration,
                            rz, pq);
}

/* ---- Conjugate gradients ---- */

static spg_amg_cg_scalars *scalars_of(const spg_krylov *run) { return &run->scalars->cg; }

static spg_status dot(const spg_krylov *run, int x, int y, double *result)
{
    return spg_krylov_dot(run, spg_krylov_vector(run, x), spg_krylov_vector(run, y), result);
}

/* The next p, from z = M r and this p; the first where the scalars are zero. */
static spg_status turn(spg_krylov *run)
{
    void *const z = spg_krylov_vector(run, Z);
    spg_status status = spg_krylov_precondition(run, spg_krylov_vector(run, R), z);
    if (status == SPG_OK) status = dot(run, R, Z, &scalars_of(run)->rz);
    if (status != SPG_OK) return status;
    return run->backend->cg_direction(run->context, run->type, run->n, scalars_of(run), z, spg_krylov_vector(run, P));
}

/* Moves x and r along p by the best step. A step queued after one that has converged, or that cannot be done, moves
 * nothing. */
static spg_status step(spg_krylov *run, unsigned int *number)
{
    void *const p = spg_krylov_vector(run, P), *const q = spg_krylov_vector(run, Q);
    const spg_amg_cg_vectors vectors = {p, q, run->x, spg_krylov_vector(run, R)};
    spg_status status = spg_krylov_multiply(run, p, q);
    if (status == SPG_OK) status = dot(run, P, Q, &scalars_of(run)->pq);
    if (status != SPG_OK) return status;
    return run->backend->cg_step(run->context, run->type, run->n, spg_krylov_target(run), scalars_of(run), &vectors,
                                 run->workspace, number);
}

/* Waits for a step, and stores its residual. */
static spg_status read_step(spg_krylov *run, unsigned int number)
{
    spg_amg_cg_scalars scalars;
    spg_status status = run->backend->cg_read(run->context, scalars_of(run), number, &scalars);
    if (status == SPG_OK) status = check(run, scalars.rz, scalars.pq);
    return status == SPG_OK && !run->has_vanished ? spg_krylov_note(run, sqrt(scalars.rr)) : status;
}

enum { FAR = 16 }; /* a step seldom divides the residual by this much */

/* Whether a device may begin the next iteration before this one's residual is known. A monitor may end any. */
static bool may_look_ahead(const spg_krylov *run)
{
    return run->context->config.place == SPG_PLACE_DEVICE && run->options.monitor == NULL &&
           run->result.residual > FAR * spg_krylov_target(run) &&
           run->result.iterations + 1 < run->options.max_iterations;
}

static bool goes_on(const spg_krylov *run) { return !run->has_vanished && spg_krylov_goes_on(run); }

/* One iteration: its step, which `is_ahead` says is queued as `number`, and the direction of the next; that one's step
 * too where it looks ahead. A step that was done counts, also if what is queued after it fails. */
static spg_status iterate(spg_krylov *run, bool *is_ahead, unsigned int *number)
{
    spg_status status = *is_ahead ? SPG_OK : step(run, number);
    const unsigned int current = *number;
    if (status != SPG_OK) return status;
    *is_ahead = may_look_ahead(run);
    spg_status ahead = *is_ahead ? turn(run) : SPG_OK;
    if (*is_ahead && ahead == SPG_OK) ahead = step(run, number);
    status = read_step(run, current);
    if (status != SPG_OK || ahead != SPG_OK) return status != SPG_OK ? status : ahead;
    return !*is_ahead && goes_on(run) ? turn(run) : SPG_OK;
}

spg_status spg_krylov_cg(spg_krylov *run)
{
    unsigned int number = 0;
    bool is_ahead = false;
    spg_status status = run->context->backend->zero_bytes(run->context, scalars_of(run), sizeof(spg_amg_cg_scalars));
    if (status == SPG_OK) status = turn(run);
    while (status == SPG_OK && goes_on(run)) status = iterate(run, &is_ahead, &number);
    return status;
}

/* ---- Flexible conjugate gradients ---- */

/* A step along the next p, and what the direction after it needs: p . r, z = M r, z . r and z . q. */
static spg_status queue_flexible(spg_krylov *run, int number)
{
    spg_amg_krylov_scalars *const s = run->scalars;
    void *const z = spg_krylov_vector(run, Z);
    const spg_amg_combination direction = {spg_krylov_vectors(run, Z, 0, 1), &s->one, 1, &s->beta};
    unsigned int posted;
    (void)number;
    spg_status status = spg_krylov_combine(run, direction, spg_krylov_vector(run, P));
    if (status == SPG_OK) status = step(run, &posted);
    if (status == SPG_OK) status = dot(run, P, R, &s->left);
    if (status == SPG_OK) status = spg_krylov_precondition(run, spg_krylov_vector(run, R), z);
    if (status == SPG_OK) status = spg_krylov_dots(run, spg_krylov_vectors(run, R, Q - R, 2), z, s->products);
    return status == SPG_OK ? spg_krylov_advance(run, SPG_AMG_FCG_TURN, 0) : status;
}

spg_status spg_krylov_fcg(spg_krylov *run)
{
    spg_amg_krylov_scalars told = {0};
    spg_status status = spg_krylov_advance(run, SPG_AMG_KRYLOV_BEGIN, 0);
    if (status == SPG_OK) status = spg_krylov_precondition(run, spg_krylov_vector(run, R), spg_krylov_vector(run, Z));
    if (status == SPG_OK) status = dot(run, R, Z, &run->scalars->cg.rz);
    if (status == SPG_OK) status = spg_krylov_iterate(run, run->options.max_iterations, queue_flexible, &told);
    const bool fails = status == SPG_OK && told.end == SPG_AMG_NO_STEP;
    return fails ? check(run, told.failed_rz, told.failed_pq) : status;
}
