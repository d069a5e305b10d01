/* Many right-hand sides at once beside one after the other. */
#ifndef SPG_BENCH_AMG_MANY_H
#define SPG_BENCH_AMG_MANY_H

#include "amg_measure.h"

/* With one hierarchy: solves chosen->right_hand_sides at once and verifies each; then times them at once and one after
 * the other, in turn. What is wrong or does not converge is in the findings. */
spg_status amg_measure_many(amg_system *system, const amg_options *chosen, spg_amg *amg, amg_findings *found);

#endif
