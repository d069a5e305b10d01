/* Cycles that repeat on the same vectors, as in a solve. Queuing the some forty kernels of a cycle one by one takes a
 * device's host longer than the device needs for them on all but large systems. So a cycle that runs again is recorded,
 * and from then on replayed. The memory that CUDA takes for it is not counted. */
#include "cycle.h"

enum { RUNS_BEFORE = 2 }; /* cycles that are not repeated more often are not worth recording */

typedef struct cycle_call {
    spg_amg *amg;
    const void *b;
    void *x;
    bool from_zero;
} cycle_call;

static spg_status queue_cycle(void *state)
{
    const cycle_call *call = state;
    return spg_amg_v_cycle(call->amg, call->b, call->x, call->from_zero);
}

/* The entry of this cycle; a new one takes the place of the oldest. */
static spg_amg_recorded *find_entry(spg_amg *amg, const void *b, void *x, bool from_zero)
{
    for (int k = 0; k < SPG_AMG_RECORDED; ++k) {
        spg_amg_recorded *entry = &amg->recorded[k];
        if (entry->b == b && entry->x == x && entry->from_zero == from_zero) return entry;
    }
    spg_amg_recorded *entry = &amg->recorded[amg->next_recorded];
    amg->next_recorded = (amg->next_recorded + 1) % SPG_AMG_RECORDED;
    if (entry->recording != NULL) amg->backend->forget(amg->context, entry->recording);
    *entry = (spg_amg_recorded){b, x, from_zero, 0, NULL};
    return entry;
}

spg_status spg_amg_repeated_v_cycle(spg_amg *amg, const void *b, void *x, bool from_zero)
{
    const spg_amg_backend *backend = amg->backend;
    if (backend->record == NULL || backend->is_captured(amg->context)) return spg_amg_v_cycle(amg, b, x, from_zero);
    spg_amg_recorded *entry = find_entry(amg, b, x, from_zero);
    spg_status status = SPG_OK;
    if (entry->runs == RUNS_BEFORE) {
        cycle_call call = {amg, b, x, from_zero};
        status = backend->record(amg->context, queue_cycle, &call, &entry->recording);
    }
    if (entry->runs <= RUNS_BEFORE) entry->runs++;
    if (status != SPG_OK) return status;
    return entry->recording != NULL ? backend->replay(amg->context, entry->recording)
                                    : spg_amg_v_cycle(amg, b, x, from_zero);
}

void spg_amg_forget_cycles(spg_amg *amg)
{
    for (int k = 0; k < SPG_AMG_RECORDED; ++k) {
        if (amg->recorded[k].recording != NULL) amg->backend->forget(amg->context, amg->recorded[k].recording);
        amg->recorded[k] = (spg_amg_recorded){0};
    }
}
