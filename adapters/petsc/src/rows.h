/* Rows of distributed matrices on one process, in compact columns. */
#ifndef SPG_PETSC_ROWS_H
#define SPG_PETSC_ROWS_H

#include "adapter.h"

/* The blocks of an MPIAIJ matrix. `lower` is the number of columns of the off-diagonal block that lie before the
 * diagonal block's. */
typedef struct SpgBlocks {
    Mat diagonal, off;
    const PetscInt *garray; /* global columns of the off-diagonal block, ascending */
    PetscInt rows, columns, others, lower, first_column;
} SpgBlocks;

PETSC_INTERN PetscErrorCode blocks_of(Mat matrix, SpgBlocks *blocks);

/* The number of rows from `row` on without entries in the off-diagonal block, whose row offsets are `off`. The values
 * of these rows can be copied together. */
PETSC_INTERN PetscInt interior_rows(const PetscInt *off, PetscInt row, PetscInt rows);

/* Rows of a distributed matrix on one process, in compact columns: the global columns that occur, in ascending order.
 * Of these, those from `first` up to first + own are the process's own; `names` has the global numbers of the rest.
 * Entries of each row keep their global order, so sums do too. */
typedef struct SpgRows {
    spg_csr csr;
    int32_t first, own, others;
    PetscInt first_global; /* global number of the first own column */
    PetscInt *names;       /* others */
    PetscInt own_row;      /* index of the first row that is the process's own; before and after it are fetched or
                              empty rows */
    PetscInt own_rows;
    PetscScalar **row_values; /* of each row: where rows_locate found its values */
    PetscSF entries;          /* of fetched rows, from their owners; NULL if no rows are fetched */
    PetscObjectId id;         /* of the matrix that they are from, and the state of its pattern */
    PetscObjectState pattern;
} SpgRows;

/* The process's own rows of A, without values. Its compact columns are those of its two blocks. With pad, empty rows
 * stand in the place of the rows that other processes own, so that the matrix is square. */
PETSC_INTERN PetscErrorCode rows_own(Mat A, PetscBool pad, SpgRows *rows);
/* The rows of B that the columns of A's two blocks name, in that order, without values; those of other processes are
 * fetched. Collective. */
PETSC_INTERN PetscErrorCode rows_named(Mat A, Mat B, SpgRows *rows);
/* Fails if the matrix has another pattern than the one that the rows were made from. */
PETSC_INTERN PetscErrorCode rows_check(Mat matrix, SpgRows *rows);
/* The values, of a matrix on the host; collective if rows were fetched. */
PETSC_INTERN PetscErrorCode rows_update(Mat matrix, SpgRows *rows);
/* Finds the values of the process's own rows where they lie, without copies: in the matrix's diagonal block, or in
 * csr.values for rows that have entries in both blocks. Not for rows that were fetched. */
PETSC_INTERN PetscErrorCode rows_locate(Mat matrix, SpgRows *rows);
PETSC_INTERN PetscErrorCode rows_clear(SpgRows *rows);
/* The global number of a compact column. */
static inline PetscInt rows_global(const SpgRows *rows, int32_t column)
{
    if (column < rows->first) return rows->names[column];
    if (column < rows->first + rows->own) return rows->first_global + column - rows->first;
    return rows->names[column - rows->own];
}

/* Whether a compact column is the process's own: of entries of C, whether they belong into the diagonal block. */
static inline PetscBool is_own(const SpgRows *rows, int32_t column)
{
    return column >= rows->first && column < rows->first + rows->own ? PETSC_TRUE : PETSC_FALSE;
}

/* The compact columns of `count` global ones, which rows has names for. */
PETSC_INTERN PetscErrorCode rows_compact(const SpgRows *rows, PetscInt count, const PetscInt *globals,
                                         int32_t *columns);
/* Takes over `names`, `count` global columns in ascending order, and so knows the compact columns. The process's own
 * are `own` from first_global on. */
PETSC_INTERN PetscErrorCode rows_set_names(SpgRows *rows, PetscInt first_global, PetscInt own, PetscInt count,
                                           PetscInt *names);

/* For rows_own and rows_named: */

/* Offsets of a matrix's own rows, from `start` on; their global columns: of each row those before the diagonal block,
 * those in it, those after it. A row of a block that is not sorted stays so. */
PETSC_INTERN PetscErrorCode rows_own_offsets(const SpgBlocks *blocks, PetscInt start, PetscInt *offsets);
PETSC_INTERN PetscErrorCode rows_own_columns(const SpgBlocks *blocks, PetscInt *columns);
/* The places of each block's entries in that order, which begins with `start`. */
PETSC_INTERN PetscErrorCode rows_own_places(const SpgBlocks *blocks, PetscInt start, PetscInt *diagonal, PetscInt *off);
/* Columns and values for rows whose offsets are known. */
PETSC_INTERN PetscErrorCode rows_allocate_entries(SpgRows *rows);
PETSC_INTERN PetscErrorCode rows_remember_pattern(Mat matrix, SpgRows *rows);

#endif
