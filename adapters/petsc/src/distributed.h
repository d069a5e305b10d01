/* A product of distributed matrices, whose multiplication runs on the host or on a device. */
#ifndef SPG_PETSC_DISTRIBUTED_H
#define SPG_PETSC_DISTRIBUTED_H

#include "numeric.h"
#include "sum.h"

typedef struct SpgDevice SpgDevice;

/* On a device the matrices here are patterns; their values, and copies of the patterns, are in `device`. */
typedef struct SpgDistributed {
    SpgRows A, B;
    spg_csr R;                  /* transpose of the process's own rows of P, as B has them; zeroed for A*B */
    PetscInt *R_entry;          /* for each entry of these rows, its place in R */
    Mat transpose;              /* of R, for R*A*R^T */
    spg_csr C;                  /* result: rows of C for A*B, else this process's part of the sum that is C */
    PetscScalar **C_rows;       /* of repeats on the host: where the values of each row of it go */
    SpgSum sum;                 /* on the host, not for A*B */
    PetscScalar **sum_rows;     /* where the values of each of its rows go */
    PetscObjectState C_pattern; /* the state of the result's pattern */
    PetscBool done;             /* the symbolic phase has computed the values as well */
    SpgNumeric numeric;         /* on the host */
    SpgDevice *device;          /* NULL on the host */
} SpgDistributed;

/* ---- The two blocks of C, from the process's rows in compact columns (result.c) --------------------------------- */

/* The pattern of C, which has its layout and its type; the columns of `rows` are the compact columns of `names`.
 * Collective. */
PETSC_INTERN PetscErrorCode result_set_pattern(Mat C, const SpgRows *names, const spg_csr *rows);
/* Where the values of each row go: into the diagonal block, or into rows->values if the row has entries in both blocks.
 * *places is NULL or from an earlier call. */
PETSC_INTERN PetscErrorCode result_locate(Mat C, const spg_csr *rows, PetscScalar ***places);
/* The values of the two blocks from rows->values. If `located`, those of rows in one block are there already. */
PETSC_INTERN PetscErrorCode result_set_values(Mat C, const SpgRows *names, const spg_csr *rows, PetscBool located);

#endif
