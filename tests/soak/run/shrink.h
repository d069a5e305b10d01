/* Makes a faulty case smaller while it stays faulty. */
#ifndef SPG_SOAK_SHRINK_H
#define SPG_SOAK_SHRINK_H

#include "supervise.h"

/* Leaves part [begin, end) of a dimension out of every matrix that has it. */
void soak_leave_out(soak_case *c, int dimension, int64_t begin, int64_t end);

/* Candidates of a case, numbered: a simpler setting, or a part of a dimension or of a matrix's entries left out, from
 * halves on. False past the last; *made is false where there is no candidate of this number. */
bool soak_candidate(const soak_case *c, int64_t number, soak_case *candidate, bool *made);

/* Replaces the case by the smallest that was found within options->shrink_seconds, and soak_common->fault by its fault.
 * Returns how many times it became smaller. */
int soak_shrink(const soak_options *options, soak_case *c);

/* Writes the matrices as Matrix Market files, and prints their names, sizes and the settings. */
void soak_write_case(const soak_options *options, const soak_case *c);

#endif
