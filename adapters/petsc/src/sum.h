/* Sums of the parts of C that several processes have, on the host. */
#ifndef SPG_PETSC_SUM_H
#define SPG_PETSC_SUM_H

#include "rows.h"

/* ---- Rows that some processes have and others own (exchange.c) -------------------------------------------------- */

/* A process sends the rows of its part of a matrix that others own, and gets pieces of rows: rows of their parts.
 * Rows of a part are in the order of their owners, so what goes to one process lies together. */
typedef struct SpgExchange {
    PetscMPIInt tag, to, from;          /* of messages; number of processes that get some, and that send some */
    PetscMPIInt *to_ranks, *from_ranks; /* ascending */
    PetscInt (*to_rows)[2];             /* for each process the first row of the part that goes there, and the end */
    PetscInt *from_pieces;              /* from + 1: offsets of what each process sends, in the pieces */
    PetscInt pieces;                    /* none is empty */
    PetscInt *piece_rows;               /* which of the process's own rows each is of */
    PetscInt *piece_offsets;            /* pieces + 1: of entries */
    PetscInt *columns;                  /* of entries, global; ascending in each piece */
    MPI_Request *requests;
} SpgExchange;

/* Exchanges the rows without values. Rows and columns of `part` are the compact columns of `names`; `owners` says who
 * owns which rows; the processes are those of C. Collective. */
PETSC_INTERN PetscErrorCode exchange_rows(Mat C, PetscLayout owners, const SpgRows *names, const spg_csr *part,
                                          SpgExchange *exchange);
/* Exchanges values; `received` gets those of the entries. Both arrays are in use until the end. Collective. */
PETSC_INTERN PetscErrorCode exchange_values_begin(Mat C, const spg_csr *part, const SpgExchange *exchange,
                                                  PetscScalar *received);
PETSC_INTERN PetscErrorCode exchange_values_end(const SpgExchange *exchange);
PETSC_INTERN PetscErrorCode exchange_clear(SpgExchange *exchange);

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

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
