/* Conjugate gradients, preconditioned by one cycle from zero; flexible ones if that is a K-cycle. The scalars stay at
 * the place. A device posts those of a step, so that the host waits for no more than the step; far from the target the
 * next step is queued before, so that the device does not wait for the host. A step queued in vain moves nothing. */
#include "solve.h"

#include "amg/numerics.h"

#include <float.h>
#include <math.h>

/* z = M r, rz = r . z. square: r . r at the place; NULL: not known. */
static spg_status precondition(spg_amg_solve_state *solve, const double *square)
{
    const spg_amg_solver *solver = solve->solver;
    spg_status status = spg_amg_precondition(solve->amg, solver->r, solver->z, square);
    if (status == SPG_OK) status = spg_amg_project(solve, solver->z);
    return status == SPG_OK ? spg_amg_dot(solve, solver->r, solver->z, &solver->scalars->cg.rz) : status;
}

/* p = z = M r. */
static spg_status begin(spg_amg_solve_state *solve)
{
    const spg_amg_solver *solver = solve->solver;
    spg_status status =
        solve->context->backend->zero_bytes(solve->context, &solver->scalars->cg, sizeof solver->scalars->cg);
    if (status == SPG_OK) status = precondition(solve, NULL);
    if (status != SPG_OK) return status;
    return solve->backend->axpby(solve->context, solve->type, solve->n, 1, solver->z, 0, solver->p);
}

/* Moves x and r along p by the best step. The product is with the caller's matrix: a complex one has half the bytes of
 * its real form. */
static spg_status step(const spg_amg_solve_state *solve, unsigned int *number)
{
    const spg_amg_solver *solver = solve->solver;
    spg_amg_cg_scalars *const scalars = &solver->scalars->cg;
    spg_status status =
        solve->context->backend->csr_spmv(solve->context, NULL, &solve->amg->given, solver->p, NULL, solver->q);
    if (status == SPG_OK) status = spg_amg_dot(solve, solver->p, solver->q, &scalars->pq);
    if (status != SPG_OK) return status;
    const spg_amg_cg_vectors vectors = {solver->p, solver->q, solve->x, solver->r};
    return solve->backend->cg_step(solve->context, solve->type, solve->n, spg_amg_target(solve), scalars, &vectors,
                                   solver->workspace, number);
}

/* p = z - (z . q) / (p . q) p, conjugate to p whatever M does (Notay, Flexible Conjugate Gradients, SIAM J. Sci.
 * Comput. 22, 2000). */
static spg_status turn_flexibly(const spg_amg_solve_state *solve)
{
    const spg_amg_solver *solver = solve->solver;
    spg_amg_scalars *const scalars = solver->scalars;
    spg_status status = spg_amg_dot(solve, solver->z, solver->q, &scalars->turn.rz);
    if (status == SPG_OK)
        status = solve->backend->axpby(solve->context, SPG_F64, 1, -1, &scalars->cg.pq, 0, &scalars->turn.rz_before);
    if (status != SPG_OK) return status;
    return solve->backend->cg_direction(solve->context, solve->type, solve->n, &scalars->turn, solver->z, solver->p);
}

/* The next p, from the next z and this p. */
static spg_status turn(spg_amg_solve_state *solve)
{
    const spg_amg_solver *solver = solve->solver;
    const spg_status status = precondition(solve, &solver->scalars->cg.rr);
    if (status != SPG_OK) return status;
    if (solve->amg->options.cycle == SPG_CYCLE_K) return turn_flexibly(solve);
    return solve->backend->cg_direction(solve->context, solve->type, solve->n, &solver->scalars->cg, solver->z,
                                        solver->p);
}

/* Whether r . M r is no longer to be believed, because the system is solved as far as rounding lets it be. */
static bool has_vanished(const spg_amg_solve_state *solve, double rz, double pq)
{
    const double of = solve->b_is_zero ? solve->first : fmax(solve->norm, solve->first);
    const double most = spg_amg_nearly_hidden_part(solve->type == SPG_F32) * of;
    return rz >= 0 && rz < DBL_MIN && pq >= 0 && solve->residual <= most;
}

/* Why a step was not taken. */
static spg_status refuse_step(const spg_amg_solve_state *solve, double rz, double pq)
{
    const int iteration = solve->result.iterations + 1;
    if (rz < 0)
        return spg_context_fail(solve->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: r.Mr is %.3g; the cycle M is not positive definite", iteration, rz);
    if (rz > 0 && pq <= 0)
        return spg_context_fail(solve->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: p.Ap is %.3g; A is not positive definite", iteration, pq);
    return spg_context_fail(solve->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is %.3g and p.Ap is %.3g",
                            iteration, rz, pq);
}

spg_status spg_amg_note_step(spg_amg_solve_state *solve, double rz, double pq, double rr, bool *claims)
{
    const bool moved = rz > 0 && pq > 0 && isfinite(rz / pq);
    solve->has_vanished = has_vanished(solve, rz, pq);
    if (!moved && !solve->has_vanished) return refuse_step(solve, rz, pq);
    const spg_status status = moved ? spg_amg_note_iteration(solve, sqrt(rr)) : SPG_OK;
    *claims = !moved || spg_amg_claims(solve);
    return status;
}

enum { MOST_VAIN_CLAIMS = 2 };

void spg_amg_judge_claim(spg_amg_solve_state *solve, double *before, int *vain)
{
    const bool is_hidden = !solve->b_is_zero && solve->residual <= solve->rounding;
    *vain = solve->residual > *before / 2 ? *vain + 1 : 0;
    *before = solve->residual;
    solve->result.stagnated = !spg_amg_has_converged(solve) && (is_hidden || *vain >= MOST_VAIN_CLAIMS);
    spg_amg_set_rounding(solve);
}

/* Called when the updated residual claims: computes the true one, since the updated one may have drifted. */
static spg_status check_claim(spg_amg_solve_state *solve, double *before, int *vain)
{
    const spg_status status = spg_amg_measure_residual(solve);
    if (status == SPG_OK) spg_amg_judge_claim(solve, before, vain);
    return status;
}

enum { FAR = 16 }; /* a step seldom divides the residual by this much */

/* Whether a device may begin the next iteration before this one's residual is known. */
static bool may_look_ahead(const spg_amg_solve_state *solve)
{
    return solve->context->config.place == SPG_PLACE_DEVICE && !solve->has_vanished &&
           solve->residual > FAR * spg_amg_target(solve) &&
           solve->result.iterations + 1 < solve->options.max_iterations;
}

/* Waits for a step, and stores its residual. */
static spg_status read_step(spg_amg_solve_state *solve, unsigned int number, bool *claims)
{
    spg_amg_cg_scalars scalars;
    const spg_status status = solve->backend->cg_read(solve->context, &solve->solver->scalars->cg, number, &scalars);
    return status == SPG_OK ? spg_amg_note_step(solve, scalars.rz, scalars.pq, scalars.rr, claims) : status;
}

/* One iteration: its step, which `is_ahead` says is queued as `number`, and the direction of the next; that one's step
 * too where it looks ahead. */
static spg_status iterate(spg_amg_solve_state *solve, bool *is_ahead, unsigned int *number, bool *claims)
{
    spg_status status = *is_ahead ? SPG_OK : step(solve, number);
    const unsigned int current = *number;
    *is_ahead = may_look_ahead(solve);
    if (status == SPG_OK && *is_ahead) status = turn(solve);
    if (status == SPG_OK && *is_ahead) status = step(solve, number);
    if (status == SPG_OK) status = read_step(solve, current, claims);
    if (solve->has_vanished && !*is_ahead) *claims = true;
    const bool is_last = *claims || solve->result.iterations >= solve->options.max_iterations;
    return status == SPG_OK && !*is_ahead && !is_last ? turn(solve) : status;
}

spg_status spg_amg_conjugate_gradients(spg_amg_solve_state *solve)
{
    double before = INFINITY;
    int vain = 0;
    unsigned int number = 0;
    bool is_ahead = false, claims = false;
    spg_status status = begin(solve);
    while (status == SPG_OK && solve->result.iterations < solve->options.max_iterations) {
        status = iterate(solve, &is_ahead, &number, &claims);
        if (status != SPG_OK || !claims) continue;
        status = check_claim(solve, &before, &vain);
        if (status != SPG_OK || spg_amg_has_converged(solve) || solve->result.stagnated) break;
        is_ahead = solve->has_vanished = false;
        if (solve->result.iterations < solve->options.max_iterations)
            status = begin(solve); /* from the true residual */
    }
    return status;
}
