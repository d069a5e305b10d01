/* What amg_bench prints: some lines a matrix, a table of all, and lines of JSON. */
#ifndef SPG_BENCH_AMG_REPORT_H
#define SPG_BENCH_AMG_REPORT_H

#include "amg_measure.h"

#include <stdio.h>

void amg_report_head(FILE *stream, const char *description, const amg_options *chosen);
void amg_report_matrix(FILE *stream, const amg_system *system);
void amg_report_findings(FILE *stream, const amg_options *chosen, const amg_findings *found);

/* One line a matrix, below one head. */
void amg_report_table_head(FILE *stream);
void amg_report_table_row(FILE *stream, const amg_findings *found);

/* Appends a line. False if the file cannot be written. */
bool amg_report_json(FILE *stream, const char *description, const amg_options *chosen, const amg_findings *found);

#endif
