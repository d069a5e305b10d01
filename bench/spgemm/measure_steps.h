/* The two halves of a measurement; for measure.c. */
#ifndef SPG_BENCH_MEASURE_STEPS_H
#define SPG_BENCH_MEASURE_STEPS_H

#include "measure.h"

/* Computes the oracle and holds every implementation's result against it: outcomes, and what is known of C. On the host
 * the verified keep their states; on a device, whose memory is for one of them at a time, none does. */
spg_status verify_all(spg_context *context, const options *chosen, const problem *task, findings *found);

/* Times the verified. */
void time_all(spg_context *context, const options *chosen, const problem *task, findings *found);

/* A state ready to multiply, with phase times in its stats if `phases`. False: the outcome says why not. */
bool prepare_state(spg_context *context, const options *chosen, const problem *task, bool phases, measurement *of);
void drop_state(measurement *of);

void set_outcome(measurement *of, outcome result, const char *fault);

/* What the context's message says: ABSENT if the implementation does not offer this, or a peer had too little memory,
 * else FAILED. */
void set_failure(spg_context *context, measurement *of, spg_status status);

#endif
