/* Sums of the parts of C that several processes have, on the host. */
#ifndef SPG_PETSC_SUM_H
#define SPG_PETSC_SUM_H

#include "exchange.h"

/* The process's own rows of the sum. Most have no terms but the process's own; the rest are summed. */
typedef struct SpgSum {
    SpgRows rows; /* in compact columns; values are room for those who ask, and nothing belongs to a matrix */
    SpgExchange exchange;
    PetscScalar *received;    /* values of the exchange's entries */
    int32_t *received_places; /* of these entries in their rows of the sum */
    PetscInt summed;          /* own rows to which other processes add */
    PetscInt *summed_rows;    /* ascending */
    int32_t *own_places;      /* in their rows of the sum: entries that the process itself adds to these rows */
    PetscBool *is_summed;     /* of each own row */
} SpgSum;

/* Finds the pattern of the sum of the processes' parts, whose rows and columns are the compact columns of `names`;
 * `owners` says who owns which rows; the processes are those of C. Collective. */
PETSC_INTERN PetscErrorCode sum_create(Mat C, PetscLayout owners, const SpgRows *names, const spg_csr *part,
                                       SpgSum *sum);
/* The values of summed rows, from those of the parts; places[i] is where those of own row i go. The process's own terms
 * come first, then others' by their ranks. Collective. */
PETSC_INTERN PetscErrorCode sum_values(Mat C, const SpgRows *names, const spg_csr *part, const SpgSum *sum,
                                       PetscScalar *const *places);
PETSC_INTERN PetscErrorCode sum_clear(SpgSum *sum);

#endif
