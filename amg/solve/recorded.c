/* Cycles that repeat on the same vectors, as in a solve. Queuing the some forty kernels of a cycle one by one takes a
 * device's host longer than the device needs for them on all but large systems. So a cycle that runs again is recorded,
 * and from then on replayed. The memory that CUDA takes for it is not counted. */
#include "cycle.h"

enum { RUNS_BEFORE = 2 }; /* cycles that are not repeated more often are not worth recording */

typedef struct queued_call {
    spg_amg *amg;
    const spg_amg_cycle_call *call;
} queued_call;

static spg_status queue_cycle(void *state)
{
    const queued_call *queued = state;
    return queued->call->run(queued->amg, queued->call);
}

static bool is_same(const spg_amg_cycle_call *one, const spg_amg_cycle_call *other)
{
    return one->run == other->run && one->b == other->b && one->x == other->x && one->from_zero == other->from_zero &&
           one->products == other->products;
}

/* The entry of this cycle; a new one takes the place of the oldest. */
static spg_amg_recorded *find_entry(spg_amg *amg, const spg_amg_cycle_call *call)
{
    for (int k = 0; k < SPG_AMG_RECORDED; ++k)
        if (is_same(&amg->recorded[k].call, call)) return &amg->recorded[k];
    spg_amg_recorded *entry = &amg->recorded[amg->next_recorded];
    amg->next_recorded = (amg->next_recorded + 1) % SPG_AMG_RECORDED;
    if (entry->recording != NULL) amg->backend->forget(amg->context, entry->recording);
    *entry = (spg_amg_recorded){*call, 0, NULL};
    return entry;
}

spg_status spg_amg_repeat_cycle(spg_amg *amg, const spg_amg_cycle_call *call)
{
    const spg_amg_backend *backend = amg->backend;
    if (backend->record == NULL || amg->context->backend->is_captured(amg->context)) return call->run(amg, call);
    spg_amg_recorded *entry = find_entry(amg, call);
    spg_status status = SPG_OK;
    if (entry->runs == RUNS_BEFORE) {
        queued_call queued = {amg, call};
        status = backend->record(amg->context, queue_cycle, &queued, &entry->recording);
    }
    if (entry->runs <= RUNS_BEFORE) entry->runs++;
    if (status != SPG_OK) return status;
    return entry->recording != NULL ? backend->replay(amg->context, entry->recording) : call->run(amg, call);
}

static spg_status run_cycle(spg_amg *amg, const spg_amg_cycle_call *call)
{
    return spg_amg_run_cycle(amg, call->b, call->x, call->from_zero);
}

spg_status spg_amg_repeated_cycle(spg_amg *amg, const void *b, void *x, bool from_zero)
{
    return spg_amg_repeat_cycle(amg, &(spg_amg_cycle_call){run_cycle, b, x, from_zero, NULL});
}

void spg_amg_forget_cycles(spg_amg *amg)
{
    for (int k = 0; k < SPG_AMG_RECORDED; ++k) {
        if (amg->recorded[k].recording != NULL) amg->backend->forget(amg->context, amg->recorded[k].recording);
        amg->recorded[k] = (spg_amg_recorded){0};
    }
}
