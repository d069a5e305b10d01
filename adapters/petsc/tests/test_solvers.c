/* GAMG whose operators are built by spg, and -pc_type spg. */
#include "claims.h"
#include <string.h>

/* Iterations of CG with a preconditioner that options of the prefix "test_" choose. *ksp, if not NULL, keeps the
 * solver.
 */
static PetscErrorCode solve(Mat A, KSP *ksp, PetscInt *iterations)
{
    KSP solver;
    KSPConvergedReason reason;
    Vec b, x;

    PetscFunctionBegin;
    if (ksp && *ksp)
        solver = *ksp;
    else {
        PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), &solver));
        PetscCall(KSPSetType(solver, KSPCG));
        PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 500));
        PetscCall(KSPSetOptionsPrefix(solver, "test_"));
        PetscCall(KSPSetFromOptions(solver));
    }
    PetscCall(KSPSetOperators(solver, A, A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPSolve(solver, b, x));
    PetscCall(KSPGetConvergedReason(solver, &reason));
    EXPECT(reason > 0, "not converged: %s", KSPConvergedReasons[reason]);
    PetscCall(KSPGetIterationNumber(solver, iterations));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    if (ksp)
        *ksp = solver;
    else
        PetscCall(KSPDestroy(&solver));
    PetscFunctionReturn(0);
}

static PetscErrorCode choose(const char *pc)
{
    PetscFunctionBegin;
    PetscCall(PetscOptionsSetValue(NULL, "-test_pc_type", pc));
    PetscCall(PetscOptionsSetValue(NULL, "-test_sub_pc_type", "spg"));
    PetscFunctionReturn(0);
}

/* 0: 7 points, 1: 27 points, 2: elasticity. */
static PetscErrorCode problem(MPI_Comm comm, int kind, Mat *A)
{
    PetscFunctionBegin;
    if (kind == 2)
        PetscCall(elasticity_matrix(comm, 6, A));
    else
        PetscCall(stencil_matrix(comm, 12, kind ? 27 : 7, A));
    PetscCall(to_place(A));
    PetscFunctionReturn(0);
}

static PetscErrorCode gamg_takes_the_same_iterations_with_spg(void)
{
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(choose("gamg"));
    PetscCall(PetscOptionsSetValue(NULL, "-test_pc_gamg_reuse_interpolation", "true"));
    for (int kind = 0; kind < 3; kind++) {
        Mat A, A_spg;
        MatNullSpace modes;
        PetscInt iterations, with_spg, products, repeats, before;
        KSP ksp = NULL;

        PetscCall(problem(PETSC_COMM_WORLD, kind, &A));
        PetscCall(as_spg(A, &A_spg));
        PetscCall(MatGetNearNullSpace(A, &modes));
        PetscCall(MatSetNearNullSpace(A_spg, modes));
        PetscCall(solve(A, NULL, &iterations));
        PetscCall(event_count("SPGProduct", &before));
        PetscCall(solve(A_spg, &ksp, &with_spg));
        PetscCall(event_count("SPGProduct", &products));
        EXPECT(iterations == with_spg, "problem %d: %d iterations with spg, %d without", kind, (int)with_spg,
               (int)iterations);
        EXPECT(products - before >= 2, "problem %d: spg has made %d products", kind, (int)(products - before));
        /* a second set-up with new values on the same grids */
        PetscCall(MatScale(A_spg, 1.5));
        PetscCall(event_count("SPGNumeric", &before));
        PetscCall(solve(A_spg, &ksp, &with_spg));
        PetscCall(event_count("SPGNumeric", &repeats));
        /* GAMG repeats products only where it has not moved coarse grids to fewer processes. */
        EXPECT(size > 1 || repeats - before >= 1, "problem %d: spg has repeated %d products", kind,
               (int)(repeats - before));
        EXPECT(PetscAbs(iterations - with_spg) <= 1, "problem %d: %d iterations after a second set-up, %d before", kind,
               (int)with_spg, (int)iterations);
        PetscCall(KSPDestroy(&ksp));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&A_spg));
    }
    PetscFunctionReturn(0);
}

/* On each process alone. */
static PetscErrorCode the_preconditioner_solves_on_one_process(void)
{
    static const PetscInt most[3] = {25, 25, 40};

    PetscFunctionBegin;
    PetscCall(choose("spg"));
    for (int kind = 0; kind < 3; kind++) {
        Mat A;
        PetscInt iterations;
        PetscCall(problem(PETSC_COMM_SELF, kind, &A));
        PetscCall(solve(A, NULL, &iterations));
        EXPECT(iterations <= most[kind], "problem %d: %d iterations", kind, (int)iterations);
        PetscCall(MatDestroy(&A));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode the_near_null_space_gives_the_candidates(void)
{
    Mat A;
    PetscInt with, without;

    PetscFunctionBegin;
    PetscCall(choose("spg"));
    PetscCall(elasticity_matrix(PETSC_COMM_SELF, 10, &A));
    PetscCall(to_place(&A));
    PetscCall(solve(A, NULL, &with));
    PetscCall(MatSetNearNullSpace(A, NULL));
    PetscCall(solve(A, NULL, &without));
    EXPECT(with < without, "%d iterations with the rigid body modes, %d without", (int)with, (int)without);
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode the_preconditioner_is_one_cycle_of_spg(void)
{
    Mat A;
    Vec b, x, y;
    PC pc;
    PetscReal difference, size;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 12, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecSet(b, 1));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCApply(pc, b, x));
    /* linear, and from zero whatever y has */
    PetscCall(VecScale(b, 3));
    PetscCall(VecSet(y, 7));
    PetscCall(PCApply(pc, b, y));
    PetscCall(VecNorm(y, NORM_2, &size));
    PetscCall(VecAXPY(y, -3, x));
    PetscCall(VecNorm(y, NORM_2, &difference));
    EXPECT(size > 0 && difference <= 1e-12 * size, "a difference of %g of %g", (double)difference, (double)size);
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* A matrix of 4 times the values has a quarter of the correction, but for the estimates of rho: with prepare_update
 * those of an update are better. A hierarchy with old coarse levels would be far off; one of a new set-up would give
 * the same bits. */
static PetscErrorCode new_values_update_the_hierarchy(void)
{
    Mat A;
    Vec b, x, y;
    PC pc;
    PetscReal difference, size;

    PetscFunctionBegin;
    PetscCall(PetscOptionsSetValue(NULL, "-pc_spg_prepare_update", "1"));
    for (int kind = 0; kind < 3; kind++) {
        PetscCall(problem(PETSC_COMM_SELF, kind, &A));
        PetscCall(MatCreateVecs(A, &x, &b));
        PetscCall(VecDuplicate(x, &y));
        PetscCall(VecSet(b, 1));
        PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
        PetscCall(PCSetOperators(pc, A, A));
        PetscCall(PCSetType(pc, "spg"));
        PetscCall(PCSetFromOptions(pc));
        PetscCall(PCApply(pc, b, x));
        PetscCall(MatScale(A, 4));
        PetscCall(PCApply(pc, b, y));
        PetscCall(VecNorm(x, NORM_2, &size));
        PetscCall(VecAXPY(x, -4, y));
        PetscCall(VecNorm(x, NORM_2, &difference));
        EXPECT(difference > 0 && difference <= 0.02 * size, "problem %d: a difference of %g of %g", kind,
               (double)difference, (double)size);
        PetscCall(VecDestroy(&b));
        PetscCall(VecDestroy(&x));
        PetscCall(VecDestroy(&y));
        PetscCall(PCDestroy(&pc));
        PetscCall(MatDestroy(&A));
    }
    PetscCall(PetscOptionsClearValue(NULL, "-pc_spg_prepare_update"));
    PetscFunctionReturn(0);
}

static PetscErrorCode block_jacobi_takes_it_for_its_blocks(void)
{
    Mat A, A_spg;
    PetscInt iterations, again;

    PetscFunctionBegin;
    PetscCall(choose("bjacobi"));
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 12, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(solve(A, NULL, &iterations));
    PetscCall(solve(A_spg, NULL, &again));
    EXPECT(iterations == again && iterations < 60, "%d iterations, %d with a matrix of type aijspg", (int)iterations,
           (int)again);
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&A_spg));
    PetscFunctionReturn(0);
}

/* A matrix of another type on one process: converted. */
static PetscErrorCode other_matrix_types_are_converted(void)
{
    Mat A, B;
    KSP ksp = NULL;
    PetscInt iterations, again;

    PetscFunctionBegin;
    if (is_device_run()) PetscFunctionReturn(0); /* they are on the host */
    PetscCall(choose("spg"));
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 10, 7, &A));
    PetscCall(solve(A, NULL, &iterations));
    PetscCall(MatConvert(A, MATSEQBAIJ, MAT_INITIAL_MATRIX, &B));
    PetscCall(solve(B, &ksp, &again));
    EXPECT(iterations == again, "%d iterations with type baij, %d with aij", (int)again, (int)iterations);
    PetscCall(MatScale(B, 2));
    PetscCall(solve(B, &ksp, &again));
    EXPECT(iterations == again, "%d iterations with type baij after an update", (int)again);
    PetscCall(KSPDestroy(&ksp));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_matrix_of_several_processes_is_refused(void)
{
    PetscMPIInt size;
    Mat A;
    PC pc;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size == 1) PetscFunctionReturn(0);
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 6, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    EXPECT_ERROR(PETSC_ERR_SUP, "-sub_pc_type spg", PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode values_that_are_not_finite_are_refused(void)
{
    Mat A;
    PC pc;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 6, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(MatSetValue(A, 5, 5, INFINITY, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    EXPECT_ERROR(PETSC_ERR_ARG_WRONG, "row 5", PCSetUp(pc));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* The hierarchy points into the matrix: a new pattern without a new set-up must not be used. */
static PetscErrorCode a_stale_pattern_is_refused(void)
{
    Mat A;
    PC pc;
    Vec b, x;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 6, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCApply(pc, b, x));
    PetscCall(MatSetValue(A, 0, 200, 1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(PCSetReusePreconditioner(pc, PETSC_TRUE));
    EXPECT_ERROR(PETSC_ERR_ARG_WRONGSTATE, "another pattern", PCApply(pc, b, x));
    PetscCall(PCSetReusePreconditioner(pc, PETSC_FALSE));
    PetscCall(PCApply(pc, b, x));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* The second differences of `rows` points. */
static PetscErrorCode line_matrix(PetscInt rows, Mat *A)
{
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, rows, rows, rows, rows));
    PetscCall(MatSetType(*A, MATSEQAIJ));
    PetscCall(MatSetUp(*A));
    for (PetscInt i = 0; i < rows; i++)
        for (PetscInt j = PetscMax(i - 1, 0); j < PetscMin(i + 2, rows); j++)
            PetscCall(MatSetValue(*A, i, j, i == j ? 2 : -1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

/* So must its arrays after a conversion in place, which can leave the state of the pattern as it is. */
static PetscErrorCode a_conversion_in_place_is_noticed(void)
{
    Mat A;
    PC pc;
    Vec b, x, y;
    PetscReal difference, size;

    PetscFunctionBegin;
    if (is_device_run()) PetscFunctionReturn(0); /* other types are on the host */
    PetscCall(PetscOptionsSetValue(NULL, "-pc_spg_max_coarse", "20"));
    PetscCall(line_matrix(500, &A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecDuplicate(x, &y));
    PetscCall(VecSet(b, 1));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCApply(pc, b, x));
    PetscCall(VecNorm(x, NORM_2, &size));
    for (int k = 0; k < 4; k++) {
        PetscCall(MatConvert(A, k % 2 ? MATSEQAIJ : MATSEQBAIJ, MAT_INPLACE_MATRIX, &A));
        PetscCall(PCSetReusePreconditioner(pc, PETSC_TRUE));
        EXPECT_ERROR(PETSC_ERR_ARG_WRONGSTATE, "another pattern", PCApply(pc, b, y));
        PetscCall(PCSetReusePreconditioner(pc, PETSC_FALSE));
        PetscCall(PCApply(pc, b, y));
        PetscCall(VecAXPY(y, -1, x));
        PetscCall(VecNorm(y, NORM_2, &difference));
        EXPECT(difference <= 1e-12 * size, "conversion %d: a difference of %g of %g", k, (double)difference,
               (double)size);
    }
    PetscCall(PetscOptionsClearValue(NULL, "-pc_spg_max_coarse"));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&y));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static const Claim claims[] = {
    {"gamg_takes_the_same_iterations_with_spg", gamg_takes_the_same_iterations_with_spg},
    {"the_preconditioner_solves_on_one_process", the_preconditioner_solves_on_one_process},
    {"the_near_null_space_gives_the_candidates", the_near_null_space_gives_the_candidates},
    {"the_preconditioner_is_one_cycle_of_spg", the_preconditioner_is_one_cycle_of_spg},
    {"new_values_update_the_hierarchy", new_values_update_the_hierarchy},
    {"block_jacobi_takes_it_for_its_blocks", block_jacobi_takes_it_for_its_blocks},
    {"other_matrix_types_are_converted", other_matrix_types_are_converted},
    {"a_matrix_of_several_processes_is_refused", a_matrix_of_several_processes_is_refused},
    {"values_that_are_not_finite_are_refused", values_that_are_not_finite_are_refused},
    {"a_stale_pattern_is_refused", a_stale_pattern_is_refused},
    {"a_conversion_in_place_is_noticed", a_conversion_in_place_is_noticed},
};

int main(int argc, char **argv) { return check_claims(argc, argv, claims, sizeof claims / sizeof *claims); }
