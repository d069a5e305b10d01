/* --rebuild: new weights for an alias table, of all rows, beside a build. */
#include "sampling_task.h"

static spg_status rebuild(void *state)
{
    const task_work *work = state;
    return spg_alias_rebuild(work->bench->context, work->alias, &work->of.here, 0, NULL);
}

static spg_status build(void *state)
{
    task_work *work = state;
    spg_alias_destroy(work->alias);
    work->alias = NULL;
    return spg_alias_build(work->bench->context, &work->of.here, &work->bench->chosen->alias, &work->alias);
}

/* Draws from the table follow the weights. */
static spg_status verify(const task_work *work, sampling_verdict *verdict)
{
    const sampling_problem *of = &work->of;
    spg_status status;
    if (of->many)
        status = spg_alias_draw_rows(work->bench->context, work->alias, of->count, of->rows, &of->random, of->draws);
    else
        status = spg_alias_draw(work->bench->context, work->alias, 0, of->count, &of->random, NULL, of->draws);
    return status == SPG_OK ? verify_draws(of, verdict) : status;
}

spg_status run_rebuild(task_work *work)
{
    const bool exact = work->bench->chosen->alias.resolution == SPG_ALIAS_EXACT;
    const int64_t bytes = weight_bytes_of(work) + work->of.host.nnz * (exact ? 16 : 8);
    const task_kind built = {"build", "spg-alias", build, verify, 0, bytes};
    const task_kind rebuilt = {"rebuild", "spg-alias-rebuild", rebuild, verify, 0, bytes};
    const spg_status status = measure_task(work, &built);
    return status == SPG_OK ? measure_task(work, &rebuilt) : status;
}
