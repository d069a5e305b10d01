/* The least time of each step of a set-up: what it must read and write, at the bandwidth of copies. */
#ifndef SPG_BENCH_AMG_LIMITS_H
#define SPG_BENCH_AMG_LIMITS_H

#include "amg_system.h"

typedef enum amg_step {
    AMG_STRENGTH,
    AMG_AGGREGATE,
    AMG_TENTATIVE,
    AMG_SPECTRAL_RADIUS,
    AMG_SMOOTH,
    AMG_TRANSPOSE,
    AMG_AP,
    AMG_RAP,
    AMG_SYMMETRY,
    AMG_STEPS
} amg_step;

/* Milliseconds of each step, over all levels. Matrices and vectors are read and written once each, but by Lanczos,
 * which reads A and reads and writes a vector in each of its steps. With theta 0 and one unknown a node the graph is
 * A's pattern, and strength takes nothing. bandwidth: bytes a second; 0: all limits are 0. Computes A*P of each level,
 * for its size. */
spg_status amg_limits(const amg_system *system, const amg_options *chosen, const spg_amg *amg, double bandwidth,
                      double limits_ms[AMG_STEPS]);

#endif
