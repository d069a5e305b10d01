/* How a bench begins and ends: a context, or the reason why there is none; an exit status that tells the truth. */
#ifndef SPG_BENCH_PROGRAM_H
#define SPG_BENCH_PROGRAM_H

#include "spg/spg.h"

#include <stdbool.h>
#include <stdio.h>

/* A context of this place; says on stderr why there is none. `threads`: 0 for as many as OpenMP would use. */
spg_status open_context(spg_place place, int threads, spg_context **context);

/* Opens the record that --json names, to append to it; NULL stays NULL. "-" is standard output: what is printed after
 * this goes to standard error. False, and said on stderr, if it cannot be opened. */
bool open_record(const char *path, FILE **record);

/* Closes a record, NULL or open; false, and said on stderr, if not all of it could be written. */
bool close_record(FILE *record, const char *path);

/* EXIT_SUCCESS if all is right and standard output took all that was printed; says on stderr if it did not. */
int exit_status(bool is_right);

/* Prints the version of the library that is linked, for --version. */
void print_version(const char *program);

#endif
