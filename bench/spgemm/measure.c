#include "measure.h"

#include "measure_steps.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static bool summarise(int reps, measurement *of)
{
    double *sorted = malloc((size_t)reps * sizeof *sorted);
    if (sorted == NULL) return false;
    memcpy(sorted, of->ms, (size_t)reps * sizeof *sorted);
    qsort(sorted, (size_t)reps, sizeof *sorted, compare_doubles);
    of->min_ms = sorted[0];
    of->max_ms = sorted[reps - 1];
    of->median_ms = reps % 2 == 1 ? sorted[reps / 2] : 0.5 * (sorted[reps / 2 - 1] + sorted[reps / 2]);
    for (int rep = 0; of->has_stats && rep < reps; rep++)
        if (of->ms[rep] == sorted[reps / 2]) of->stats = of->all_stats[rep];
    free(sorted);
    return true;
}

static bool allocate_times(const options *chosen, findings *found)
{
    for (int k = 0; k < chosen->implementation_count; k++) {
        measurement *of = &found->of[found->count++];
        of->implementation = chosen->implementations[k];
        of->ms = calloc((size_t)chosen->reps, sizeof *of->ms);
        of->all_stats = calloc((size_t)chosen->reps, sizeof *of->all_stats);
        if (of->ms == NULL || of->all_stats == NULL) return false;
    }
    return true;
}

spg_status measure(spg_context *context, const options *chosen, const problem *task, findings *found)
{
    memset(found, 0, sizeof *found);
    spg_status status = SPG_OK;
    if (!allocate_times(chosen, found)) status = spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for times");
    if (status == SPG_OK) status = verify_all(context, chosen, task, found);
    if (status == SPG_OK) time_all(context, chosen, task, found);
    for (int k = 0; status == SPG_OK && k < found->count; k++)
        if (found->of[k].outcome == OUTCOME_VERIFIED && !summarise(chosen->reps, &found->of[k]))
            status = spg_context_fail(context, SPG_ERROR_MEMORY, "no memory for times");
    progress_clear();
    if (status != SPG_OK) findings_free(found);
    return status;
}

void findings_free(findings *found)
{
    for (int k = 0; k < found->count; k++) {
        measurement *of = &found->of[k];
        of->implementation->cleanup(of->state);
        free(of->ms);
        free(of->all_stats);
    }
    memset(found, 0, sizeof *found);
}

static const measurement *fastest_of_kind(const findings *found, bool plan)
{
    const measurement *best = NULL;
    for (int k = 0; k < found->count; k++) {
        const measurement *of = &found->of[k];
        if (of->implementation->is_spg || of->implementation->plan != plan || of->outcome != OUTCOME_VERIFIED) continue;
        if (best == NULL || of->median_ms < best->median_ms) best = of;
    }
    return best;
}

const measurement *fastest_peer(const findings *found, bool plan)
{
    const measurement *best = fastest_of_kind(found, plan);
    return best == NULL && plan ? fastest_of_kind(found, false) : best;
}

const measurement *find_measurement(const findings *found, const char *name)
{
    for (int k = 0; k < found->count; k++)
        if (strcmp(found->of[k].implementation->name, name) == 0) return &found->of[k];
    return NULL;
}

double median_of(const findings *found, const char *name)
{
    const measurement *of = find_measurement(found, name);
    return of != NULL && of->outcome == OUTCOME_VERIFIED ? of->median_ms : 0.0;
}

bool all_verified(const findings *found)
{
    bool verified = found->consistent;
    for (int k = 0; k < found->count; k++)
        verified = verified && (found->of[k].outcome == OUTCOME_VERIFIED || found->of[k].outcome == OUTCOME_ABSENT);
    return verified;
}
