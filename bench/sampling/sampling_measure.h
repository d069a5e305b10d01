/* Times a sampler, and tests the draws that it timed. */
#ifndef SPG_BENCH_SAMPLING_MEASURE_H
#define SPG_BENCH_SAMPLING_MEASURE_H

#include "sampling_verify.h"

typedef struct sampling_times {
    double median_ms, min_ms, max_ms;
    int reps;
} sampling_times;

/* How often a call is timed: `reps` times after `warmup`; two are enough where they take enough_ms together. */
typedef struct sampling_effort {
    int warmup, reps;
    double enough_ms;
} sampling_effort;

/* As the options say. */
sampling_effort usual_effort(const sampling_options *chosen);

typedef struct sampling_result {
    const char *name;
    bool failed; /* it gave no result; verdict.fault says why */
    bool has_build;
    sampling_times build, draw;
    int64_t table_bytes, work_bytes; /* held by the table; at most at a time, tables included. The library's only */
    int threads;
    sampling_verdict verdict;
} sampling_result;

/* Of `reps` times, which are put in order. */
sampling_times summarize_times(double *ms, int reps);

/* Calls `call` so many times without, then with the clock. */
spg_status time_calls(spg_context *context, const sampling_effort *effort, const char *what,
                      spg_status (*call)(void *state), void *state, sampling_times *times);

/* Times `count` samplers in turn, a build and the draws of each in every repetition, so that what disturbs the machine
 * disturbs all alike; tests the draws of the last. What samplers do wrong is in the results; fails only where the bench
 * itself does. */
spg_status measure_samplers(const sampling_problem *task, int count, const sampler *const *of,
                            sampling_result *results);

/* The times that no way to do it could beat: what must be read and written, at the copy bandwidth; 0 if unknown. */
double build_limit_ms(const sampling_problem *task, const sampler *of, double bandwidth);
double draw_limit_ms(const sampling_problem *task, const sampler *of, double bandwidth);

#endif
