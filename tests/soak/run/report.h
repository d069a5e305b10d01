/* What a run tells: progress, faults, and at the end the cases of each kind. */
#ifndef SPG_SOAK_REPORT_H
#define SPG_SOAK_REPORT_H

#include "options.h"

void soak_report_begin(const soak_options *options);

/* A line every few seconds. */
void soak_report_progress(void);

/* The case and what is wrong with it, as drawn; the command that repeats it. */
void soak_report_fault(const soak_options *options, const soak_case *c);

/* What a shrunk case is like, and what is wrong with it; writes its operands. */
void soak_report_shrunk(const soak_options *options, const soak_case *c, int times);

/* The table, and the lines of JSON. False if they cannot be written. */
bool soak_report_end(const soak_options *options, int faults);

#endif
