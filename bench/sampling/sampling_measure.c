#include "sampling_measure.h"

#include "device.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

sampling_effort usual_effort(const sampling_options *chosen)
{
    return (sampling_effort){chosen->warmup, chosen->reps, HUGE_VAL};
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

static void tell(const sampling_effort *effort, const char *what, int rep)
{
    const bool warming = rep < 0;
    progress("%s: %s %d of %d", what, warming ? "warming up," : "repetition",
             warming ? rep + effort->warmup + 1 : rep + 1, warming ? effort->warmup : effort->reps);
}

sampling_times summarize_times(double *ms, int reps)
{
    qsort(ms, (size_t)reps, sizeof *ms, ascending);
    return (sampling_times){ms[reps / 2], ms[0], ms[reps - 1], reps};
}

spg_status time_calls(spg_context *context, const sampling_effort *effort, const char *what,
                      spg_status (*call)(void *state), void *state, sampling_times *times)
{
    double *ms = malloc((size_t)effort->reps * sizeof *ms), elapsed = 0.0, all_ms = 0.0;
    spg_status status = SPG_OK;
    int timed = 0;
    if (ms == NULL) return spg_context_fail(context, SPG_ERROR_MEMORY, "no memory");
    for (int rep = -effort->warmup; rep < effort->reps && status == SPG_OK; rep++) {
        if (timed >= 2 && all_ms >= effort->enough_ms) break;
        tell(effort, what, rep);
        status = time_once(context, call, state, &elapsed);
        if (rep < 0) continue;
        ms[timed++] = elapsed;
        all_ms += elapsed;
    }
    if (status == SPG_OK) *times = summarize_times(ms, timed);
    free(ms);
    return status;
}

/* One sampler at work. */
typedef struct at_work {
    const sampling_problem *task;
    const sampler *of;
    void *table;
    double *build_ms, *draw_ms; /* by repetition */
} at_work;

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

/* A build and the draws from it. */
static spg_status run_once(at_work *work, int rep, sampling_result *result)
{
    spg_context *context = work->task->context;
    double build_ms = 0.0, draw_ms = 0.0;
    int64_t before = 0, after = 0, peak = 0;
    spg_status status = SPG_OK;
    spg_context_memory_reset(context);
    spg_context_memory(context, &before, &peak);
    if (result->has_build) status = time_once(context, build_table, work, &build_ms);
    spg_context_memory(context, &after, &peak);
    result->table_bytes = after - before;
    if (status == SPG_OK) status = time_once(context, draw_all, work, &draw_ms);
    spg_context_memory(context, &after, &peak);
    result->work_bytes = peak - before;
    if (rep >= 0) {
        work->build_ms[rep] = build_ms;
        work->draw_ms[rep] = draw_ms;
    }
    return status;
}

/* Repetition `rep` of one sampler, which has not failed; after the last its draws are tested. */
static spg_status wait_and_trigger(at_work *work, int rep, sampling_result *result)
{
    const sampling_problem *task = work->task;
    spg_status status = SPG_OK;
    const sampling_effort effort = usual_effort(task->chosen);
    tell(&effort, result->name, rep);
    const spg_status run = run_once(work, rep, result);
    if (run != SPG_OK) {
        result->failed = true;
        snprintf(result->verdict.fault, sizeof result->verdict.fault, "%s: %.120s", spg_status_name(run),
                 spg_context_message(task->context));
    } else if (rep + 1 == task->chosen->reps) {
        progress("%s: testing its draws", result->name);
        status = verify_draws(task, &result->verdict);
    }
    if (work->table != NULL) work->of->destroy(task, work->table);
    work->table = NULL;
    return status;
}

spg_status measure_samplers(const sampling_problem *task, int count, const sampler *const *of, sampling_result *results)
{
    const sampling_options *chosen = task->chosen;
    const size_t reps = (size_t)chosen->reps;
    at_work *works = calloc((size_t)count, sizeof *works);
    double *ms = malloc((size_t)count * 2 * reps * sizeof *ms);
    spg_status status = SPG_OK;
    if (works == NULL || ms == NULL) status = spg_context_fail(task->context, SPG_ERROR_MEMORY, "no memory");
    for (int k = 0; k < count && status == SPG_OK; k++) {
        double *own = ms + (size_t)k * 2 * reps;
        works[k] = (at_work){task, of[k], NULL, own, own + reps};
        results[k] = (sampling_result){
            .name = of[k]->name, .has_build = of[k]->build != NULL, .threads = of[k]->threaded ? chosen->threads : 1};
    }
    for (int rep = -chosen->warmup; rep < chosen->reps; rep++)
        for (int k = 0; k < count && status == SPG_OK; k++)
            if (!results[k].failed) status = wait_and_trigger(&works[k], rep, &results[k]);
    for (int k = 0; k < count && status == SPG_OK; k++) {
        if (results[k].failed) continue;
        results[k].build = summarize_times(works[k].build_ms, chosen->reps);
        results[k].draw = summarize_times(works[k].draw_ms, chosen->reps);
    }
    free(ms);
    free(works);
    return status;
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
