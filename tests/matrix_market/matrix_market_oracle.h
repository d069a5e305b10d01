/* A second, naive reader of Matrix Market files for tests: it believes what it reads, and shares no code with the
 * reader under test. */
#ifndef SPG_TESTS_MATRIX_MARKET_ORACLE_H
#define SPG_TESTS_MATRIX_MARKET_ORACLE_H

#include "spg/io.h"
#include "spg/spg.h"

/* From the source tree, in which oracle_enter_tree puts the program. */
#define TINY "matrices/tiny/"
#define INVALID "matrices/invalid/"

/* Changes to the folder of the environment's SPG_SOURCE_DIR or, if that is not set, to the tree that the program was
 * built from. Ends the program if it cannot. */
void oracle_enter_tree(void);

/* Fails the running test unless the matrix is what the text says: the same shape, types and bits. */
void oracle_assert_text(const char *text, size_t size, const spg_csr *matrix);

/* The same for a file. */
void oracle_assert_file(const char *path, const spg_csr *matrix);

/* The contents of a file, freed by the caller, with a 0 behind. Fails the running test if it cannot be read. */
char *oracle_load(const char *path, size_t *size);

/* Calls visit for every file of a folder whose name ends in ".mtx", in no particular order; returns how many. */
int oracle_each_file(const char *folder, void (*visit)(const char *path, const char *name, void *user), void *user);

/* A host context without peculiarities, and one whose allocator refuses more than 64 MiB at once. */
spg_context *oracle_context(void);
spg_context *oracle_frugal_context(void);

#endif
