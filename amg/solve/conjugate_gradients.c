/* Conjugate gradients, preconditioned by one V-cycle from zero. The scalars stay at the place and are read once per
 * iteration, after its residual. */
#include "solve.h"

#include <math.h>

/* z = M r, *scalar = r . z. */
static spg_status precondition(spg_amg_solve_state *solve, int scalar)
{
    const spg_amg_solver *solver = solve->solver;
    spg_status status = spg_amg_v_cycle(solve->amg, solver->r, solver->z, true);
    if (status == SPG_OK) status = spg_amg_project(solve, solver->z);
    return status == SPG_OK ? spg_amg_dot(solve, solver->r, solver->z, scalar) : status;
}

/* p = z = M r. */
static spg_status begin(spg_amg_solve_state *solve, int rz)
{
    const spg_amg_solver *solver = solve->solver;
    const spg_status status = precondition(solve, rz);
    if (status != SPG_OK) return status;
    return solve->backend->axpby(solve->context, solve->type, solve->n, 1, solver->z, 0, solver->p);
}

/* Moves x and r along p by the best step; leaves r . r, p . A p and the r . M r from which p was made. */
static spg_status step(const spg_amg_solve_state *solve, int rz)
{
    const spg_amg_solver *solver = solve->solver;
    double *const scalars = solver->scalars;
    spg_status status = solve->context->backend->csr_spmv(solve->context, NULL, solve->A, solver->p, NULL, solver->q);
    if (status == SPG_OK) status = spg_amg_dot(solve, solver->p, solver->q, SPG_AMG_PQ);
    if (status != SPG_OK) return status;
    const spg_amg_cg_vectors vectors = {solver->p, solver->q, solve->x, solver->r};
    return solve->backend->cg_step(solve->context, solve->type, solve->n, &scalars[rz], &scalars[SPG_AMG_PQ], &vectors,
                                   solver->workspace, &scalars[SPG_AMG_RR]);
}

/* The next p, from the next z and this p. */
static spg_status turn(spg_amg_solve_state *solve, int rz, int rz_next)
{
    const spg_amg_solver *solver = solve->solver;
    const spg_status status = precondition(solve, rz_next);
    if (status != SPG_OK) return status;
    return solve->backend->cg_direction(solve->context, solve->type, solve->n, &solver->scalars[rz_next],
                                        &solver->scalars[rz], solver->z, solver->p);
}

/* The reason why a step was not taken; OK if it was. */
static spg_status judge(const spg_amg_solve_state *solve, double rz, double pq, int iteration)
{
    if (rz > 0 && pq > 0 && isfinite(rz / pq)) return SPG_OK;
    if (rz < 0)
        return spg_context_fail(solve->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: r.Mr is %.3g; the V-cycle M is not positive definite", iteration, rz);
    if (rz > 0 && pq <= 0)
        return spg_context_fail(solve->context, SPG_ERROR_INDEFINITE,
                                "iteration %d: p.Ap is %.3g; A is not positive definite", iteration, pq);
    return spg_context_fail(solve->context, SPG_ERROR_BREAKDOWN, "iteration %d: r.Mr is %.3g and p.Ap is %.3g",
                            iteration, rz, pq);
}

enum { MOST_VAIN_CLAIMS = 2 };

/* Called when the updated residual has converged: computes the true one, since the updated one may have drifted. *vain:
 * how many times in a row the true residual was more than half of the one before; several mean that rounding keeps it
 * from falling. */
static spg_status check_claim(spg_amg_solve_state *solve, double *before, int *vain)
{
    const spg_status status = spg_amg_measure_residual(solve);
    *vain = solve->residual > *before / 2 ? *vain + 1 : 0;
    *before = solve->residual;
    solve->result.stagnated = status == SPG_OK && !spg_amg_has_converged(solve) && *vain >= MOST_VAIN_CLAIMS;
    return status;
}

/* One iteration without the new direction: takes the step, waits, and stores the residual. */
static spg_status iterate(spg_amg_solve_state *solve, int rz)
{
    double scalars[SPG_AMG_SCALARS];
    spg_status status = step(solve, rz);
    if (status == SPG_OK) status = spg_amg_read_scalars(solve, scalars);
    if (status == SPG_OK) status = judge(solve, scalars[rz], scalars[SPG_AMG_PQ], solve->result.iterations + 1);
    return status == SPG_OK ? spg_amg_note_iteration(solve, sqrt(scalars[SPG_AMG_RR])) : status;
}

spg_status spg_amg_conjugate_gradients(spg_amg_solve_state *solve)
{
    int rz = SPG_AMG_RZ, rz_next = SPG_AMG_RZ_NEXT;
    double claimed = INFINITY;
    int vain = 0;
    spg_status status = begin(solve, rz);
    while (status == SPG_OK) {
        status = iterate(solve, rz);
        if (status == SPG_OK && spg_amg_has_converged(solve)) {
            status = check_claim(solve, &claimed, &vain);
            if (status != SPG_OK || spg_amg_has_converged(solve) || solve->result.stagnated) break;
            /* restarts from the true residual */
            if (solve->result.iterations < solve->options.max_iterations) status = begin(solve, rz);
        } else if (status == SPG_OK && solve->result.iterations < solve->options.max_iterations) {
            const int before = rz;
            status = turn(solve, rz, rz_next);
            rz = rz_next;
            rz_next = before;
        }
        if (solve->result.iterations >= solve->options.max_iterations) break;
    }
    return status;
}
