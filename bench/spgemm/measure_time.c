/* See measure_steps.h: timing. */
#include "device.h"
#include "load.h"
#include "measure_steps.h"
#include "progress.h"

#include <stdlib.h>

/* The time of the call, and on the host of releasing its result: there, pages given back cost what pages taken do. */
static spg_status time_on_host(measurement *of, double *elapsed)
{
    const peer *implementation = of->implementation;
    const double start = now_ms();
    const spg_status status = implementation->multiply(of->state);
    if (status == SPG_OK) implementation->release(of->state);
    *elapsed = now_ms() - start;
    return status;
}

/* From an idle device to its end of work. The result's release is queued in no time. */
static spg_status time_on_device(spg_context *context, measurement *of, double *elapsed)
{
    const peer *implementation = of->implementation;
    spg_status status = device_wait(context);
    const double start = now_ms();
    if (status == SPG_OK) status = implementation->multiply(of->state);
    const bool made = status == SPG_OK;
    if (made) status = device_wait(context);
    *elapsed = now_ms() - start;
    if (made) implementation->release(of->state);
    return status;
}

/* rep < 0: to warm up. */
static void time_once(spg_context *context, const options *chosen, int rep, measurement *of)
{
    const peer *implementation = of->implementation;
    double elapsed = 0.0;
    const spg_status status =
        chosen->place == SPG_PLACE_DEVICE ? time_on_device(context, of, &elapsed) : time_on_host(of, &elapsed);
    if (status != SPG_OK) set_failure(context, of, status);
    if (rep < 0 || status != SPG_OK) return;
    of->ms[rep] = elapsed;
    of->has_stats = implementation->stats != NULL && implementation->stats(of->state, &of->all_stats[rep]) == SPG_OK;
}

static void tell(const options *chosen, const problem *task, int rep, const measurement *of)
{
    const bool warming = rep < 0;
    progress("%s %s: timing %s, %s %d of %d", task->matrix, product_name(task->product), of->implementation->name,
             warming ? "warming up," : "repetition", warming ? rep + chosen->warmup + 1 : rep + 1,
             warming ? chosen->warmup : chosen->reps);
}

/* One repetition of each in every round, so that what disturbs the machine disturbs all alike. */
static void time_in_turn(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    for (int rep = -chosen->warmup; rep < chosen->reps; rep++) {
        for (int k = 0; k < found->count; k++) {
            measurement *of = &found->of[k];
            if (of->outcome != OUTCOME_VERIFIED) continue;
            tell(chosen, task, rep, of);
            time_once(context, chosen, rep, of);
        }
    }
}

static int compare_phases(const void *left, const void *right)
{
    const double a = phases_ms(&((const peer_stats *)left)->all), b = phases_ms(&((const peer_stats *)right)->all);
    return (a > b) - (a < b);
}

/* Phase times cost a device waits that products otherwise do without: they come from repetitions of their own, of which
 * the median goes to every repetition's stats. */
static void time_phases(spg_context *context, const options *chosen, const problem *task, measurement *of)
{
    peer_stats *stats = calloc((size_t)chosen->reps, sizeof *stats);
    int taken = 0;
    double elapsed;
    if (stats != NULL && prepare_state(context, chosen, task, true, of)) {
        for (int rep = -chosen->warmup; rep < chosen->reps && of->outcome == OUTCOME_VERIFIED; rep++) {
            const spg_status status = time_on_device(context, of, &elapsed);
            if (status != SPG_OK) set_failure(context, of, status);
            if (rep >= 0 && status == SPG_OK && of->implementation->stats(of->state, &stats[taken]) == SPG_OK) taken++;
        }
        drop_state(of);
    }
    if (taken > 0) {
        qsort(stats, (size_t)taken, sizeof *stats, compare_phases);
        for (int rep = 0; rep < chosen->reps; rep++) {
            const int64_t workspace_bytes = of->all_stats[rep].all.workspace_bytes;
            of->all_stats[rep] = stats[taken / 2];
            of->all_stats[rep].all.workspace_bytes = workspace_bytes;
        }
    }
    free(stats);
}

/* One after the other: its memory is for the one at work. */
static void time_one_by_one(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    for (int k = 0; k < found->count; k++) {
        measurement *of = &found->of[k];
        if (of->outcome != OUTCOME_VERIFIED || !prepare_state(context, chosen, task, false, of)) continue;
        for (int rep = -chosen->warmup; rep < chosen->reps && of->outcome == OUTCOME_VERIFIED; rep++) {
            tell(chosen, task, rep, of);
            time_once(context, chosen, rep, of);
        }
        drop_state(of);
        if (of->outcome == OUTCOME_VERIFIED && of->implementation->is_spg) time_phases(context, chosen, task, of);
    }
}

void time_all(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    const load_mark mark = load_now();
    if (chosen->place == SPG_PLACE_DEVICE) {
        time_one_by_one(context, chosen, task, found);
    } else {
        time_in_turn(context, chosen, task, found);
        found->cores_taken = cores_taken_since(&mark);
    }
}
