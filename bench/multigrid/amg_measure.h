/* Builds, verifies and times one hierarchy and its solve. */
#ifndef SPG_BENCH_AMG_MEASURE_H
#define SPG_BENCH_AMG_MEASURE_H

#include "amg_limits.h"

typedef struct level_size {
    int64_t rows, nnz;
} level_size;

enum { MOST_LEVELS = 64 };

/* Times in milliseconds; 0: not measured. */
typedef struct amg_findings {
    char matrix[64];
    int64_t rows, nnz;
    int block_size, candidates;
    int levels;
    level_size level[MOST_LEVELS];
    spg_amg_summary summary; /* its set-up by step, from a repetition apart */
    int64_t peak_bytes;      /* held during set-up, beside A */
    double limits_ms[AMG_STEPS];
    double setup_ms, setup_min_ms, setup_max_ms;
    double first_update_ms, update_ms; /* the first makes the plans */
    double solve_ms;
    spg_amg_solve_result solved;
    double *history; /* max_iterations + 1 */
    bool verified;
    char fault[256];  /* unless verified */
    double max_error; /* see amg_verify.h */
    double cores_taken;
    int right_hand_sides;         /* 0: not measured */
    double at_once_ms, singly_ms; /* of all of them */
    int many_iterations;          /* of the slowest */
    bool many_converged;          /* all of them */
} amg_findings;

/* Lines of the table of levels go to stdout if the options show them. Fails where nothing could be built; what is
 * built wrongly, and a solve that does not converge, are in the findings. bandwidth: of copies, bytes a second. */
spg_status amg_measure(amg_system *system, const amg_options *chosen, double bandwidth, amg_findings *found);
void amg_findings_free(amg_findings *found);

/* Sorts. */
double median(double *ms, int count);

#endif
