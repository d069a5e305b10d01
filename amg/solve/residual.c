/* Norms and residuals of a solve. */
#include "solve.h"

#include "amg/numerics.h"
#include "amg/units.h"

#include <math.h>

spg_status spg_amg_dot(const spg_amg_solve_state *solve, const void *x, const void *y, double *scalar)
{
    return solve->backend->dot(solve->context, solve->type, solve->n, x, y, solve->solver->workspace, scalar);
}

spg_status spg_amg_read_scalars(const spg_amg_solve_state *solve, spg_amg_scalars *scalars)
{
    spg_context *context = solve->context;
    return context->backend->copy_bytes(context, scalars, SPG_PLACE_HOST, solve->solver->scalars, context->config.place,
                                        sizeof *scalars);
}

void spg_amg_store_residual(spg_amg_solve_state *solve, double residual)
{
    solve->residual = residual;
    solve->result.residual = residual * solve->unit;
    if (solve->options.history != NULL) solve->options.history[solve->result.iterations] = solve->result.residual;
}

static spg_status note_residual(spg_amg_solve_state *solve, double residual)
{
    spg_amg_store_residual(solve, residual);
    if (isfinite(residual)) return SPG_OK;
    return spg_context_fail(solve->context, SPG_ERROR_BREAKDOWN, "iteration %d: the residual's norm is %g",
                            solve->result.iterations, residual);
}

spg_status spg_amg_note_iteration(spg_amg_solve_state *solve, double residual)
{
    solve->result.iterations++;
    solve->residual_is_true = false;
    return note_residual(solve, residual);
}

spg_status spg_amg_note_true_residual(spg_amg_solve_state *solve, double residual)
{
    solve->residual_is_true = true;
    return note_residual(solve, residual);
}

static spg_status read_square(spg_amg_solve_state *solve, const void *vector, double *square)
{
    spg_amg_scalars scalars;
    spg_status status = spg_amg_dot(solve, vector, vector, &solve->solver->scalars->norm_square);
    if (status == SPG_OK) status = spg_amg_read_scalars(solve, &scalars);
    if (status != SPG_OK) return status;
    *square = scalars.norm_square;
    solve->dense_state = (int)scalars.dense_state;
    return SPG_OK;
}

/* Waits. If squares of doubles under- or overflow, scales the vector into z and tries again; squares of floats never
 * do. */
spg_status spg_amg_find_norm(spg_amg_solve_state *solve, const void *vector, double *norm)
{
    void *const z = solve->solver->z;
    double square = 0;
    spg_status status = read_square(solve, vector, &square);
    const double scaling = spg_rescaling_of_squares(square);
    *norm = sqrt(square);
    if (status != SPG_OK || scaling == 1 || solve->type == SPG_F32 || solve->n == 0) return status;
    status = solve->backend->axpby(solve->context, solve->type, solve->n, scaling, vector, 0, z);
    if (status == SPG_OK) status = read_square(solve, z, &square);
    *norm = sqrt(square) / scaling;
    return status;
}

spg_status spg_amg_find_residual(spg_amg_solve_state *solve, double *norm)
{
    void *const r = solve->solver->r;
    const spg_status status = solve->backend->residual(solve->context, solve->A, solve->b, solve->x, r);
    return status == SPG_OK ? spg_amg_find_norm(solve, r, norm) : status;
}

spg_status spg_amg_measure_residual(spg_amg_solve_state *solve)
{
    double norm = 0;
    const spg_status status = spg_amg_find_residual(solve, &norm);
    return status == SPG_OK ? spg_amg_note_true_residual(solve, norm) : status;
}

bool spg_amg_has_converged(const spg_amg_solve_state *solve)
{
    return solve->residual <= solve->options.tolerance * solve->norm;
}

double spg_amg_target(const spg_amg_solve_state *solve)
{
    return fmax(solve->options.tolerance * solve->norm, solve->rounding);
}

bool spg_amg_claims(const spg_amg_solve_state *solve) { return solve->residual <= spg_amg_target(solve); }

void spg_amg_set_rounding(spg_amg_solve_state *solve)
{
    const double of = solve->b_is_zero ? solve->residual : solve->norm;
    solve->rounding = spg_amg_hidden_part(solve->type == SPG_F32) * of;
}
