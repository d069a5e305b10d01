/* A distributed result: its two blocks, from the process's rows in compact columns. */
#ifndef SPG_PETSC_RESULT_H
#define SPG_PETSC_RESULT_H

#include "rows.h"

/* The pattern of C, which has its layout and its type; the columns of `rows` are the compact columns of `names`.
 * Collective. */
PETSC_INTERN PetscErrorCode result_set_pattern(Mat C, const SpgRows *names, const spg_csr *rows);
/* Where the values of each row go: into the diagonal block, or into rows->values if the row has entries in both blocks.
 * *places is NULL or from an earlier call. */
PETSC_INTERN PetscErrorCode result_locate(Mat C, const spg_csr *rows, PetscScalar ***places);
/* The values of the two blocks from rows->values. If `located`, those of rows in one block are there already. */
PETSC_INTERN PetscErrorCode result_set_values(Mat C, const SpgRows *names, const spg_csr *rows, PetscBool located);

#endif
