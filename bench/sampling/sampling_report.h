/* What sampling_bench tells people and writes to JSON. */
#ifndef SPG_BENCH_SAMPLING_REPORT_H
#define SPG_BENCH_SAMPLING_REPORT_H

#include "sampling_measure.h"

#include <stdio.h>

typedef struct sampling_machine {
    spg_place place;
    char description[160];
    double bandwidth; /* of copies, bytes a second; 0: unknown */
} sampling_machine;

/* Where a run of sampling_bench stands; every mode gets it. */
typedef struct sampling_bench {
    sampling_options *chosen;
    spg_context *host, *context; /* of the inputs; of the place, which may be the same */
    sampling_machine here;
    FILE *json; /* NULL: none */
    bool right; /* all verified so far */
} sampling_bench;

void report_sampling_head(FILE *stream, const sampling_bench *bench);

/* A line above the samplers of one problem, then a line for each. */
void report_sampling_problem(FILE *stream, const sampling_problem *task);
void report_sampler(FILE *stream, const sampling_bench *bench, const sampling_problem *task, const sampler *of,
                    const sampling_result *result);

/* The lines of a sampler's phases, to bench->json if there is one; false: it can't be written. */
bool report_sampling_json(const sampling_bench *bench, const sampling_problem *task, const sampler *of,
                          const sampling_result *result);

/* A phase of building an alias table, or of what goes with it. */
typedef struct alias_phase {
    const char *implementation, *phase;
    const sampling_times *times;     /* NULL: it was not measured, */
    const char *why_not;             /* and why */
    const spg_alias_stats *stats;    /* or NULL */
    const sampling_verdict *verdict; /* on draws from the table; NULL where there is none */
} alias_phase;

/* Its line, as above. */
bool report_alias_phase_json(const sampling_bench *bench, const sampling_problem *task, const alias_phase *measured);

/* Fields that every record has: place, device, threads, type, then the times (null unless timed), reps and limit. */
void put_machine(FILE *stream, const sampling_bench *bench, int threads);
void put_times(FILE *stream, bool timed, const sampling_times *times, double limit_ms);
/* Ends the record: verified, the test's z (null where there was none), degrees and error. */
void put_verdict(FILE *stream, bool timed, const sampling_verdict *verdict);

#endif
