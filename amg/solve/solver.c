/* The memory that solves keep with a hierarchy. */
#include "solve.h"

static int64_t dot_bytes(const spg_amg *amg)
{
    return amg->backend->dot_bytes(amg->system.value_type, amg->system.rows);
}

static void give(spg_amg *amg, void *memory, int64_t bytes)
{
    if (memory != NULL) spg_amg_give(amg, NULL, memory, bytes);
}

void spg_amg_solver_destroy(spg_amg *amg)
{
    spg_amg_solver *solver = amg->solver;
    if (solver == NULL) return;
    const int64_t vector = spg_amg_system_bytes(amg);
    give(amg, solver->r, vector);
    give(amg, solver->z, vector);
    give(amg, solver->p, vector);
    give(amg, solver->q, vector);
    give(amg, solver->b, vector);
    give(amg, solver->part, vector);
    spg_amg_give_null_space(amg, solver);
    give(amg, solver->scalars, (int64_t)sizeof *solver->scalars);
    give(amg, solver->workspace, dot_bytes(amg));
    spg_amg_give_on_host(amg, solver, sizeof *solver);
    amg->solver = NULL;
}

static spg_status take_vectors(spg_amg *amg, spg_amg_solver *solver)
{
    const int64_t vector = spg_amg_system_bytes(amg);
    const char *const what = "a vector of the solve";
    spg_status status = spg_amg_take(amg, NULL, vector, what, &solver->r);
    if (status == SPG_OK) status = spg_amg_take(amg, NULL, vector, what, &solver->z);
    if (status == SPG_OK) status = spg_amg_take(amg, NULL, vector, what, &solver->p);
    if (status == SPG_OK) status = spg_amg_take(amg, NULL, vector, what, &solver->q);
    return status;
}

spg_status spg_amg_take_b(spg_amg *amg)
{
    spg_amg_solver *solver = amg->solver;
    if (solver->b != NULL) return SPG_OK;
    return spg_amg_take(amg, NULL, spg_amg_system_bytes(amg), "a vector of the solve", &solver->b);
}

spg_status spg_amg_solver_create(spg_amg *amg)
{
    if (amg->solver != NULL) return SPG_OK;
    spg_amg_solver *solver = NULL;
    spg_status status = spg_amg_take_on_host(amg, sizeof *solver, "a solver", (void **)&solver);
    if (status != SPG_OK) return status;
    amg->solver = solver;
    status = take_vectors(amg, solver);
    if (status == SPG_OK)
        status = spg_amg_take(amg, NULL, (int64_t)sizeof *solver->scalars, "scalars of the solve",
                              (void **)&solver->scalars);
    if (status == SPG_OK) /* read completely before any of it is written */
        status = amg->context->backend->zero_bytes(amg->context, solver->scalars, (int64_t)sizeof *solver->scalars);
    if (status == SPG_OK)
        status = spg_amg_take(amg, NULL, dot_bytes(amg), "workspace of the solve", &solver->workspace);
    if (status != SPG_OK) spg_amg_solver_destroy(amg);
    return status;
}
