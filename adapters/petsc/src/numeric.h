/* Products of matrices of one process, A*B or R*(A*B), and their repeats with new values. */
#ifndef SPG_PETSC_NUMERIC_H
#define SPG_PETSC_NUMERIC_H

#include "adapter.h"

/* Consecutive rows of a matrix with equal columns: for the first row of such a group their number, at most
 * MOST_EQUAL_ROWS; for the others 0. MASKED_ROW: a single row whose entries have masks. */
typedef unsigned char SpgEqualRows;
enum { MOST_EQUAL_ROWS = 4, MASKED_ROW = 255 };

/* What is kept of a first operand. */
typedef struct SpgLeft {
    SpgEqualRows *equal;
    uint32_t *masks; /* of its entries; NULL if there are none */
    PetscInt masked; /* rows that have been looked at for masks */
    PetscBool repeated;
} SpgLeft;

/* What the repeats of a product need besides the operands and the result. */
typedef struct SpgNumeric {
    SpgLeft A, R; /* R: zeroed for A*B */
    spg_csr AB;   /* of R*(A*B) */
} SpgNumeric;

/* The first product: *C is A*B, or R*(A*B) if R is not NULL, owned by the context. */
PETSC_INTERN PetscErrorCode numeric_first(const spg_csr *R, const spg_csr *A, const spg_csr *B, SpgNumeric *numeric,
                                          spg_csr *C);

/* One product C = A*B of the repeats. A_rows, C_rows: NULL, or where the values of each row lie, if not in the
 * matrices' arrays. */
typedef struct SpgPass {
    const spg_csr *A, *B, *C;
    PetscScalar *const *A_rows, *const *C_rows;
    const SpgEqualRows *equal; /* of A */
    uint32_t *masks;           /* of A's entries: the places of their products in C's row; only of masked rows */
} SpgPass;

/* The values of C anew, for operands with the patterns of the first product; `of` has the matrices and rows, and for a
 * triple product R comes first. The bits are those of a first product, with any number of threads. */
PETSC_INTERN PetscErrorCode numeric_repeat(const spg_csr *R, const SpgPass *of, SpgNumeric *numeric);

PETSC_INTERN PetscErrorCode numeric_clear(SpgNumeric *numeric);

/* ---- For numeric.c ---------------------------------------------------------------------------------------------- */

/* The rows from begin to end, which is the end of a group (row_values.c). sums: room for MOST_EQUAL_ROWS values a
 * column of B, all zero before and afterwards. */
PETSC_INTERN void row_values(const SpgPass *pass, PetscInt begin, PetscInt end, PetscScalar *sums);

/* Rows of C of at most MOST_LANES entries can have masks (masked_rows.c). Finding them takes about as long as computing
 * the rows without. */
enum { MOST_LANES = 32 };
PETSC_INTERN PetscBool masks_are_available(void);
PETSC_INTERN void find_masks(const SpgPass *pass, SpgEqualRows *equal, PetscInt begin, PetscInt end);
PETSC_INTERN void masked_rows(const SpgPass *pass, PetscInt begin, PetscInt end);

/* Where the values of a row lie. */
static inline PetscScalar *values_of(const spg_csr *matrix, PetscScalar *const *rows, PetscInt row)
{
    return rows ? rows[row] : (PetscScalar *)matrix->values + ((const PetscInt *)matrix->row_offsets)[row];
}

#endif
