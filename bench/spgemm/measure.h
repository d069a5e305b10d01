/* Verifies every implementation on one product, then times them in turn. */
#ifndef SPG_BENCH_MEASURE_H
#define SPG_BENCH_MEASURE_H

#include "peer.h"

typedef enum outcome {
    OUTCOME_VERIFIED,
    OUTCOME_WRONG,  /* verified and found wrong: not timed */
    OUTCOME_FAILED, /* gave no result */
    OUTCOME_ABSENT  /* does not offer this value type or size */
} outcome;

typedef struct measurement {
    const peer *implementation;
    void *state;
    outcome outcome;
    char fault[256];  /* unless verified */
    double max_error; /* relative to what is allowed; see verify.h */
    int threads;
    double plan_ms; /* of making a plan and its first run */
    double *ms, median_ms, min_ms, max_ms;
    bool has_stats;
    peer_stats *all_stats, stats; /* of the median repetition; on a device, times from repetitions apart */
} measurement;

/* What is known of a product once it has been computed. */
typedef struct findings {
    int64_t nnz_c, bytes_c;   /* C with 32-bit offsets where they suffice */
    spgemm_analysis analysis; /* with C; of R*A*P, that of R*(A*P) */
    bool consistent;          /* the library's counts are the oracle's */
    measurement of[MAX_IMPLEMENTATIONS];
    int count;
    double cores_taken; /* by other processes, on average over the timing */
} findings;

/* Fails only for want of memory; what the implementations do wrong is in their outcomes. */
spg_status measure(spg_context *context, const options *chosen, const problem *task, findings *found);
void findings_free(findings *found);

/* The fastest verified implementation that is not spg and has a plan as `plan` says; for a plan, if no peer has one,
 * the fastest without. NULL: none. */
const measurement *fastest_peer(const findings *found, bool plan);

/* The measurement of an implementation by name, or NULL. */
const measurement *find_measurement(const findings *found, const char *name);

/* Its median in milliseconds; 0 where there is none that was verified. */
double median_of(const findings *found, const char *name);

bool all_verified(const findings *found);

#endif
