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

#endif
