/* Conjugate gradients on several right-hand sides, each with scalars and convergence of its own; see
 * amg/solve/conjugate_gradients.c. A vector that has ended, or seems to have converged, stands still while others
 * iterate. When all stand still, the true residuals are computed, and those that have not converged go on. */
#include "many.h"

#include <math.h>

/* z = M r, rz = r . z, and the direction from z; `starts`: the vectors that forget their last one. */
static spg_status turn(spg_amg_many_solve *solve, uint32_t starts)
{
    const spg_amg_many *many = solve->many;
    spg_amg_many_scalars *scalars = many->scalars;
    const spg_status status = spg_amg_many_correct(solve, starts != 0 ? NULL : scalars->rr, scalars->rz);
    if (status != SPG_OK) return status;
    return solve->backend->cg_direction(solve->context, &solve->shape, starts, scalars, many->z, many->p);
}

/* Moves the vectors that run. Waits. */
static spg_status step(const spg_amg_many_solve *solve, spg_amg_many_scalars *read)
{
    const spg_amg_many *many = solve->many;
    spg_context *context = solve->context;
    const spg_amg_cg_vectors vectors = {many->p, many->q, many->x, many->r};
    const spg_amg_products products = {many->workspace, many->scalars->pq};
    spg_status status =
        solve->backend->multiply(context, &solve->amg->system, many->width, many->p, false, many->q, &products);
    if (status == SPG_OK)
        status = solve->backend->cg_step(context, &solve->shape, spg_amg_columns_in(solve, SPG_AMG_RUNS), many->scalars,
                                         &vectors, many->workspace);
    if (status != SPG_OK) return status;
    return context->backend->copy_bytes(context, read, SPG_PLACE_HOST, many->scalars, context->config.place,
                                        sizeof *read);
}

/* What a step did to vector j. */
static spg_status judge(spg_amg_many_solve *solve, const spg_amg_many_scalars *scalars, int j)
{
    spg_amg_column *column = &solve->column[j];
    spg_amg_solve_state *of = &column->solve;
    bool claims = false;
    const spg_status status = spg_amg_note_step(of, scalars->rz[j], scalars->pq[j], scalars->rr[j], &claims);
    if (status != SPG_OK) return spg_amg_end_column(solve, column, status);
    if (claims || of->has_vanished)
        column->phase = SPG_AMG_CLAIMS;
    else if (of->result.iterations >= of->options.max_iterations)
        column->phase = SPG_AMG_ENDED;
    return SPG_OK;
}

static spg_status iterate(spg_amg_many_solve *solve)
{
    spg_amg_many_scalars scalars;
    spg_status status = step(solve, &scalars);
    for (int j = 0; j < solve->count && status == SPG_OK; ++j)
        if (solve->column[j].phase == SPG_AMG_RUNS) status = judge(solve, &scalars, j);
    return status;
}

/* r = q for the vectors of a set. */
static spg_status take_true_residuals(const spg_amg_many_solve *solve, uint32_t set)
{
    spg_amg_factors taken, kept;
    for (int j = 0; j < SPG_AMG_MOST_WIDTH; ++j) {
        taken.of[j] = spg_amg_has(set, j);
        kept.of[j] = !spg_amg_has(set, j);
    }
    return solve->backend->combine(solve->context, &solve->shape, &taken, solve->many->q, &kept, solve->many->r);
}

/* Ends the vectors that have converged truly; *starts: those that go on from their true residuals. */
static spg_status check_claims(spg_amg_many_solve *solve, uint32_t *starts)
{
    const spg_status status = spg_amg_many_measure(solve, SPG_AMG_CLAIMS, solve->many->q);
    *starts = 0;
    for (int j = 0; j < solve->count && status == SPG_OK; ++j) {
        spg_amg_column *column = &solve->column[j];
        spg_amg_solve_state *of = &column->solve;
        if (column->phase != SPG_AMG_CLAIMS) continue;
        spg_amg_judge_claim(of, &column->claimed, &column->vain);
        const bool ends =
            spg_amg_has_converged(of) || of->result.stagnated || of->result.iterations >= of->options.max_iterations;
        column->phase = ends ? SPG_AMG_ENDED : SPG_AMG_RUNS;
        *starts |= (uint32_t)!ends << j;
    }
    return status == SPG_OK && *starts != 0 ? take_true_residuals(solve, *starts) : status;
}

spg_status spg_amg_many_conjugate_gradients(spg_amg_many_solve *solve)
{
    uint32_t starts = ~0u;
    spg_status status = SPG_OK;
    while (status == SPG_OK && spg_amg_columns_in(solve, SPG_AMG_RUNS) != 0) {
        status = turn(solve, starts);
        if (status == SPG_OK) status = iterate(solve);
        starts = 0;
        if (status == SPG_OK && spg_amg_columns_in(solve, SPG_AMG_RUNS) == 0) status = check_claims(solve, &starts);
    }
    return status;
}
