#include "sampling_measure.h"

#include "device.h"
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static spg_status time_once(spg_context *context, spg_status (*call)(void *state), void *state, double *elapsed)
{
    const bool on_device = spg_context_place(context) == SPG_PLACE_DEVICE;
    spg_status status = on_device ? device_wait(context) : SPG_OK;
    const double start = now_ms();
    if (status == SPG_OK) status = call(state);
    if (status == SPG_OK && on_device) status = device_wait(context);
    *elapsed = now_ms() - start;
    return status;
}

spg_status time_calls(spg_context *context, const sampling_options *chosen, const char *what,
                      spg_status (*call)(void *state), void (*undo)(void *state), void *state, sampling_times *times)
{
    double *ms = malloc((size_t)chosen->reps * sizeof *ms), elapsed = 0.0;
    spg_status status = SPG_OK;
    if (ms == NULL) return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory");
    for (int rep = -chosen->warmup; rep < chosen->reps && status == SPG_OK; rep++) {
        progress("%s: %s %d of %d", what, rep < 0 ? "warming up," : "repetition",
                 rep < 0 ? rep + chosen->warmup + 1 : rep + 1, rep < 0 ? chosen->warmup : chosen->reps);
        status = time_once(context, call, state, &elapsed);
        if (rep >= 0) ms[rep] = elapsed;
        if (status == SPG_OK && undo != NULL && rep + 1 < chosen->reps) undo(state);
    }
    if (status == SPG_OK) {
        qsort(ms, (size_t)chosen->reps, sizeof *ms, ascending);
        *times = (sampling_times){ms[chosen->reps / 2], ms[0], ms[chosen->reps - 1]};
    }
    free(ms);
    return status;
}

/* One sampler at work. */
typedef struct at_work {
    const sampling_problem *task;
    const sampler *of;
    void *table;
} at_work;

static void drop_table(void *state)
{
    at_work *work = state;
    if (work->table != NULL) work->of->destroy(work->task, work->table);
    work->table = NULL;
}

static spg_status build_table(void *state)
{
    at_work *work = state;
    return work->of->build(work->task, &work->table);
}

static spg_status draw_all(void *state)
{
    const at_work *work = state;
    return work->of->draw(work->task, work->table);
}

static spg_status time_phases(at_work *work, sampling_result *result)
{
    const sampling_problem *task = work->task;
    spg_context *context = task->context;
    spg_status status = SPG_OK;
    int64_t before = 0, after = 0, peak = 0;
    spg_context_memory_reset(context);
    spg_context_memory(context, &before, &peak);
    if (result->has_build)
        status = time_calls(context, task->chosen, result->name, build_table, drop_table, work, &result->build);
    spg_context_memory(context, &after, &peak);
    result->table_bytes = after - before;
    if (status == SPG_OK) status = time_calls(context, task->chosen, result->name, draw_all, NULL, work, &result->draw);
    spg_context_memory(context, &after, &peak);
    result->work_bytes = peak - before;
    return status;
}

spg_status measure_sampler(const sampling_problem *task, const sampler *of, sampling_result *result)
{
    at_work work = {task, of, NULL};
    *result = (sampling_result){
        .name = of->name, .has_build = of->build != NULL, .threads = of->threaded ? task->chosen->threads : 1};
    spg_status status = time_phases(&work, result);
    if (status == SPG_OK) {
        progress("%s: testing its draws", of->name);
        status = verify_draws(task, &result->verdict);
        drop_table(&work);
        return status;
    }
    result->failed = true;
    snprintf(result->verdict.fault, sizeof result->verdict.fault, "%s: %.120s", spg_status_name(status),
             spg_context_message(task->context));
    drop_table(&work);
    return SPG_OK;
}

static double ms_of(double bytes, double bandwidth) { return bandwidth > 0.0 ? bytes / bandwidth * 1e3 : 0.0; }

static double weight_bytes(const sampling_problem *task)
{
    return (double)task->here.nnz * (double)spg_type_size(task->here.value_type);
}

double build_limit_ms(const sampling_problem *task, const sampler *of, double bandwidth)
{
    return ms_of(weight_bytes(task) + (of->table_bytes != NULL ? (double)of->table_bytes(task) : 0.0), bandwidth);
}

double draw_limit_ms(const sampling_problem *task, const sampler *of, double bandwidth)
{
    double bytes = (double)task->count * (double)sizeof(int32_t);
    if (of->build == NULL) bytes += weight_bytes(task) + 8.0 * (double)(task->here.rows + 1);
    if (task->uniforms != NULL) bytes += (double)task->count * (double)sizeof(double);
    return ms_of(bytes, bandwidth);
}
