/* The V-cycle's parts. Private to amg/. */
#ifndef SPG_AMG_SOLVE_CYCLE_H
#define SPG_AMG_SOLVE_CYCLE_H

#include "amg/amg.h"

/* Where sweeps stand on a level: they write what they make of `now` to `next`, and the two change places. */
typedef struct spg_amg_iterate {
    void *now, *next;
    bool is_zero; /* instead of what `now` holds, which is unset then */
} spg_amg_iterate;

/* How often the two change places in so many sweeps. */
int spg_amg_sweep_turns(const spg_amg *amg, int sweeps, bool from_zero);

/* Sweeps of the hierarchy's smoother on A x = b. From zero, the first reads no A. */
spg_status spg_amg_sweep(const spg_amg *amg, const spg_level *level, const void *b, int sweeps, spg_amg_iterate *x);

/* ARGUMENT or PLACE unless the hierarchy is this context's and b and x are vectors of its level 0. */
spg_status spg_amg_check_system(spg_context *context, const spg_amg *amg, const void *b, const void *x);

/* x = one V-cycle on A x = b from x, or from_zero, without reading x, from zero. */
spg_status spg_amg_v_cycle(spg_amg *amg, const void *b, void *x, bool from_zero);

#endif
