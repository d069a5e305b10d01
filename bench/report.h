/* What the bench prints: one screen a matrix, a summary of all, and lines of JSON. */
#ifndef SPG_BENCH_REPORT_H
#define SPG_BENCH_REPORT_H

#include "measure.h"

#include <stdio.h>

/* The least milliseconds any algorithm must take: A and B read once each (for A*A too) and C written once, at the copy
 * bandwidth. 0 if that was not measured. */
double memory_limit_ms(const problem *task, const findings *found, double bandwidth);

void report_head(FILE *stream, const spg_context *context, const options *chosen, double bandwidth);
void report_matrix(FILE *stream, const char *name, const spg_csr *A);
void report_product(FILE *stream, const problem *task, const findings *found, double bandwidth);

/* Appends a line for each implementation. False if the file cannot be written. */
bool report_json(FILE *stream, const char *device, const options *chosen, const problem *task, const findings *found,
                 double bandwidth);

#endif
