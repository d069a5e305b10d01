/* Rows that some processes have and others own. */
#ifndef SPG_PETSC_EXCHANGE_H
#define SPG_PETSC_EXCHANGE_H

#include "rows.h"

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

#endif
