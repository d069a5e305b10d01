/* What the bench prints: one screen a matrix, a summary of all, and lines of JSON. */
#ifndef SPG_BENCH_REPORT_H
#define SPG_BENCH_REPORT_H

#include "measure.h"

#include <stdio.h>

/* Where the bench runs. */
typedef struct machine {
    spg_place place; /* where spg works */
    char description[160];
    double bandwidth; /* of copies, bytes a second; 0: not measured */
} machine;

/* The least milliseconds any algorithm must take: A and B read once each (for A*A too) and C written once, at the copy
 * bandwidth. 0 if that was not measured. */
double memory_limit_ms(const machine *here, const problem *task, const findings *found);

/* Of R*A*P: likewise for R*(A*P) alone, which reads R and A*P. */
double last_product_limit_ms(const machine *here, const problem *task, const findings *found);

/* Whether the measurement knows how long each phase took. */
bool has_phases(const measurement *of);

void report_head(FILE *stream, const machine *here, const options *chosen);
void report_matrix(FILE *stream, const char *name, const spg_csr *A);
void report_product(FILE *stream, const machine *here, const problem *task, const findings *found);

/* How to read the tables. */
void report_legend(FILE *stream, const options *chosen);

/* Appends a line for each implementation. False if the file cannot be written. */
bool report_json(FILE *stream, const machine *here, const options *chosen, const problem *task, const findings *found);

#endif
