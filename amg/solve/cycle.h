/* The parts of the cycle. Private to amg/. */
#ifndef SPG_AMG_SOLVE_CYCLE_H
#define SPG_AMG_SOLVE_CYCLE_H

#include "amg/amg.h"

/* The iterate of a level: a sweep reads `now` and writes `next`, then the two are swapped. */
typedef struct spg_amg_iterate {
    void *now, *next;
    bool is_zero; /* the iterate is zero, and `now` is not initialised */
} spg_amg_iterate;

/* How often the two are swapped in this many sweeps. */
int spg_amg_sweep_turns(const spg_amg *amg, int sweeps, bool from_zero);

/* Step `step`, from 0, of a sweep of the hierarchy's smoother, without its vectors. */
spg_amg_relaxation spg_amg_sweep_step(const spg_amg *amg, const spg_level *level, int step);

/* Sweeps of the hierarchy's smoother on A x = b. The first sweep from zero does not read A. */
spg_status spg_amg_sweep(const spg_amg *amg, const spg_level *level, const void *b, int sweeps, spg_amg_iterate *x);

/* ARGUMENT or PLACE unless the hierarchy belongs to this context and b and x are vectors of its level 0. */
spg_status spg_amg_check_system(spg_context *context, const spg_amg *amg, const void *b, const void *x);

/* x = one cycle on A x = b, starting from x or, with from_zero, from zero, without reading x. */
spg_status spg_amg_run_cycle(spg_amg *amg, const void *b, void *x, bool from_zero);

/* x = one cycle from zero on a level below the first, for the level's b, which it leaves as it is. */
spg_status spg_amg_cycle_below(const spg_amg *amg, const spg_level *level, void *x);

/* ---- k_cycle.c ---- */
/* Whether this level takes two steps in place of one cycle. */
bool spg_amg_takes_two_steps(const spg_amg *amg, int level);
/* Makes the level's b and what the steps need. */
spg_status spg_amg_steps_create(spg_amg *amg, spg_level *level);
void spg_amg_steps_destroy(spg_amg *amg, spg_level *level);
/* The level's x by two steps, for its b, which is overwritten. */
spg_status spg_amg_two_steps(const spg_amg *amg, const spg_level *level);

/* x = M b, and x += M (b - A x), of the caller's vectors: one cycle. square: the sum of b's squares, at the place;
 * NULL: not known. (narrow.c) */
spg_status spg_amg_precondition(spg_amg *amg, const void *b, void *x, const double *square);
spg_status spg_amg_cycle_from_guess(spg_amg *amg, const void *b, void *x);

/* The sum of squares that gives the unit of a narrow hierarchy's A. */
spg_squares spg_amg_narrow_unit(const spg_amg *amg);

/* Cycles that callers repeat on the same vectors: a device records them once, and then one launch queues all of a cycle
 * (recorded.c). repeated_cycle: run_cycle. */
spg_status spg_amg_repeat_cycle(spg_amg *amg, const spg_amg_cycle_call *call);
spg_status spg_amg_repeated_cycle(spg_amg *amg, const void *b, void *x, bool from_zero);

#endif
