/* A grid problem solved with PETSc; nothing here is of spg. At run time
 *
 *     mpirun -n 2 ./gamg -dll_append /where/spg/is/lib/libspg_petsc.so -mat_type aijspg
 *
 * lets spg make GAMG's coarse operators, and
 *
 *     ./gamg -dll_append /where/spg/is/lib/libspg_petsc.so -pc_type spg
 *
 * takes spg's multigrid as the preconditioner. */
#include <petscksp.h>

/* The five-point stencil on a grid of n x n points. */
static PetscErrorCode fill(Mat A, PetscInt n)
{
    PetscInt begin, end;

    PetscFunctionBeginUser;
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    for (PetscInt row = begin; row < end; row++) {
        const PetscInt x = row % n, y = row / n;
        if (y > 0) PetscCall(MatSetValue(A, row, row - n, -1, INSERT_VALUES));
        if (x > 0) PetscCall(MatSetValue(A, row, row - 1, -1, INSERT_VALUES));
        PetscCall(MatSetValue(A, row, row, 4, INSERT_VALUES));
        if (x < n - 1) PetscCall(MatSetValue(A, row, row + 1, -1, INSERT_VALUES));
        if (y < n - 1) PetscCall(MatSetValue(A, row, row + n, -1, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt n = 200, iterations;
    Mat A;
    Vec b, x;
    KSP ksp;
    PC pc;
    PCType type;
    MatType matrix;

    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
    PetscCall(MatSetFromOptions(A)); /* -mat_type */
    PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 2, NULL));
    PetscCall(fill(A, n));

    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
    PetscCall(KSPSetType(ksp, KSPCG));
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(KSPSetFromOptions(ksp)); /* -pc_type */
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(PCGetType(pc, &type));
    PetscCall(MatGetType(A, &matrix));
    PetscCall(
        PetscPrintf(PETSC_COMM_WORLD, "matrix %s, preconditioner %s: %d iterations\n", matrix, type, (int)iterations));
    PetscCall(KSPDestroy(&ksp));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscCall(MatDestroy(&A));
    PetscCall(PetscFinalize());
    return 0;
}
