/* Matrices for the tests and the bench: AIJ matrices of PETSc, assembled by all processes of a communicator. */
#ifndef SPG_PETSC_MATRICES_H
#define SPG_PETSC_MATRICES_H

#include <petscksp.h>

/* How rows or columns are distributed. */
typedef enum Layout {
    LAYOUT_EVEN,  /* as PETSc would */
    LAYOUT_FIRST, /* all on the first process */
    LAYOUT_LAST,  /* all on the last process */
    LAYOUT_ODD,   /* on the processes of odd rank alone, or the first if there is one */
    LAYOUT_RISING /* more on each process than on the one before; the first has none if there are several */
} Layout;
#define LAYOUTS 5

/* The number of the n rows that this process gets. */
PetscInt local_size(MPI_Comm comm, Layout layout, PetscInt n);

/* Random pattern and values, the same for any number of processes. Rows have 0 to 2*per_row entries. */
PetscErrorCode random_matrix(MPI_Comm comm, Layout rows, Layout columns, PetscInt m, PetscInt n, PetscInt per_row,
                             unsigned seed, Mat *A);

/* The operator of -laplace on an n x n x n grid: the stencil of 7 or of 27 points. */
PetscErrorCode stencil_matrix(MPI_Comm comm, PetscInt n, PetscInt points, Mat *A);

/* Linear elasticity on a cube of n x n x n trilinear elements, fixed where x = 0; 3 unknowns a node; with the rigid
 * body modes as near null space. */
PetscErrorCode elasticity_matrix(MPI_Comm comm, PetscInt n, Mat *A);

/* A prolongator of a matrix of a grid of n x n x n nodes with `unknowns` rows each: aggregates are boxes of up to `box`
 * nodes on a side, cut where processes meet; one column for each unknown; smoothed once if asked for. */
PetscErrorCode prolongator(Mat A, PetscInt n, PetscInt unknowns, PetscInt box, PetscBool smoothed, Mat *P);

/* Multiplies each value by a number near 1 that depends on the row, the column and the seed. */
PetscErrorCode change_values(Mat A, unsigned seed);

#endif
