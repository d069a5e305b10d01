/* Cycles alone, on several right-hand sides. */
#include "many.h"

/* Ends the vectors that have converged, or have made as many iterations as they may. */
static void end_some(spg_amg_many_solve *solve)
{
    for (int j = 0; j < solve->count; ++j) {
        spg_amg_column *column = &solve->column[j];
        const spg_amg_solve_state *of = &column->solve;
        if (column->phase == SPG_AMG_RUNS &&
            (spg_amg_has_converged(of) || of->result.iterations >= of->options.max_iterations))
            column->phase = SPG_AMG_ENDED;
    }
}

/* x += M r for the vectors that run. */
static spg_status correct(spg_amg_many_solve *solve)
{
    const uint32_t running = spg_amg_columns_in(solve, SPG_AMG_RUNS);
    spg_amg_factors by, one;
    for (int j = 0; j < SPG_AMG_MOST_WIDTH; ++j) {
        by.of[j] = spg_amg_has(running, j);
        one.of[j] = 1;
    }
    const spg_status status = spg_amg_many_correct(solve, NULL, NULL);
    if (status != SPG_OK) return status;
    for (int j = 0; j < solve->count; ++j) solve->column[j].solve.result.iterations += spg_amg_has(running, j);
    return solve->backend->combine(solve->context, &solve->shape, &by, solve->many->z, &one, solve->many->x);
}

spg_status spg_amg_many_cycle_alone(spg_amg_many_solve *solve)
{
    spg_status status = SPG_OK;
    for (end_some(solve); status == SPG_OK && spg_amg_columns_in(solve, SPG_AMG_RUNS) != 0; end_some(solve)) {
        status = correct(solve);
        if (status == SPG_OK) status = spg_amg_many_measure(solve, SPG_AMG_RUNS, solve->many->r);
    }
    return status;
}
