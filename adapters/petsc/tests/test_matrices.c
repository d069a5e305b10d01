/* The matrix types: how they are made, copied and converted, and what they refuse. */
#include "claims.h"
#include <string.h>

static PetscErrorCode expect_type(Mat A, const char *type)
{
    MatType found;

    PetscFunctionBegin;
    PetscCall(MatGetType(A, &found));
    EXPECT(!strcmp(found, type), "type %s instead of %s", found, type);
    PetscFunctionReturn(0);
}

/* "seqaijspg" on one process, else "mpiaijspg"; with the same for AIJ. */
static PetscErrorCode types(const char **spg, const char **base)
{
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    *spg = size == 1 ? "seqaijspg" : "mpiaijspg";
    *base = size == 1 ? MATSEQAIJ : MATMPIAIJ;
    PetscFunctionReturn(0);
}

static PetscErrorCode aijspg_is_the_type_of_the_communicators_size(void)
{
    const char *spg, *base;
    Mat A;

    PetscFunctionBegin;
    PetscCall(types(&spg, &base));
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 20, 20));
    PetscCall(PetscOptionsSetValue(NULL, "-mat_type", "aijspg"));
    PetscCall(MatSetFromOptions(A));
    PetscCall(PetscOptionsClearValue(NULL, "-mat_type"));
    PetscCall(MatSetUp(A));
    PetscCall(expect_type(A, spg));
    /* and may become another type */
    PetscCall(MatSetType(A, MATDENSE));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode copies_and_parts_keep_the_type(void)
{
    const char *spg, *base;
    Mat A, A_spg, B, diagonal;
    IS rows;
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(types(&spg, &base));
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 5, 7, &A));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(MatDuplicate(A_spg, MAT_COPY_VALUES, &B));
    PetscCall(expect_type(B, spg));
    PetscCall(expect_equal(B, A, 0));
    PetscCall(MatDestroy(&B));
    PetscCall(MatGetDiagonalBlock(A_spg, &diagonal));
    PetscCall(expect_type(diagonal, "seqaijspg"));
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 2, &rows));
    PetscCall(MatCreateSubMatrix(A_spg, rows, rows, MAT_INITIAL_MATRIX, &B));
    PetscCall(expect_type(B, spg));
    PetscCall(ISDestroy(&rows));
    PetscCall(MatDestroy(&B));
    PetscCall(MatTranspose(A_spg, MAT_INITIAL_MATRIX, &B));
    PetscCall(expect_type(B, spg));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_matrix_converts_to_the_type_and_back(void)
{
    const char *spg, *base;
    Mat A, B, C;
    PetscErrorCode (*named)(Mat);

    PetscFunctionBegin;
    PetscCall(types(&spg, &base));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_ODD, LAYOUT_RISING, 40, 30, 4, 1, &A));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &B));
    PetscCall(MatConvert(B, spg, MAT_INPLACE_MATRIX, &B));
    PetscCall(expect_type(B, spg));
    PetscCall(expect_equal(B, A, 0));
    PetscCall(MatConvert(B, base, MAT_INITIAL_MATRIX, &C));
    PetscCall(expect_type(C, base));
    PetscCall(expect_equal(C, A, 0));
    PetscCall(MatConvert(B, base, MAT_INPLACE_MATRIX, &B));
    PetscCall(expect_type(B, base));
    PetscCall(PetscObjectQueryFunction((PetscObject)B, "MatProductSetFromOptions_seqaijspg_seqaij_C", &named));
    EXPECT(!named, "a converted matrix has a function of the type that it had");
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode other_products_are_petscs(void)
{
    Mat A, A_spg, C, D, dense;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 5, 7, &A));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(MatTransposeMatMult(A_spg, A_spg, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatTransposeMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
    PetscCall(expect_equal(C, D, 1e-14));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&D));
    PetscCall(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &dense));
    PetscCall(MatMatMult(A_spg, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatMatMult(A, dense, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
    PetscCall(expect_equal(C, D, 1e-14));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&D));
    PetscCall(MatDestroy(&dense));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

/* Of matrices some of which are of PETSc's type. Not in a device run, where both types have PETSc's name. */
static PetscErrorCode other_products_of_mixed_types_are_petscs(void)
{
    Mat mixed[2], C, D;
    PetscMPIInt size;

    PetscFunctionBegin;
    if (is_device_run()) PetscFunctionReturn(0);
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_EVEN, 40, 40, 3, 1, &mixed[0]));
    PetscCall(as_spg(mixed[0], &mixed[1]));
    PetscCall(MatMatMatMult(mixed[0], mixed[0], mixed[0], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
    for (int k = 1; k < 8; k++) {
        const Mat first = mixed[k & 1], second = mixed[k >> 1 & 1], third = mixed[k >> 2];
        PetscCall(MatMatMatMult(first, second, third, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(expect_equal(C, D, 1e-14));
        PetscCall(MatDestroy(&C));
    }
    PetscCall(MatDestroy(&D));
    for (int k = 1; k < 4 && size == 1; k++) { /* PETSc has this one for one process alone */
        PetscCall(MatMatTransposeMult(mixed[0], mixed[0], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &D));
        PetscCall(MatMatTransposeMult(mixed[k & 1], mixed[k >> 1], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(expect_equal(C, D, 1e-14));
        PetscCall(MatMatTransposeMult(mixed[k & 1], mixed[k >> 1], MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(expect_equal(C, D, 1e-14));
        PetscCall(MatDestroy(&C));
        PetscCall(MatDestroy(&D));
    }
    PetscCall(MatDestroy(&mixed[0]));
    PetscCall(MatDestroy(&mixed[1]));
    PetscFunctionReturn(0);
}

typedef PetscErrorCode Product(Mat, Mat, MatReuse, PetscReal, Mat *);

/* Every process gives the first entry of its rows another column. */
static PetscErrorCode other_pattern(Mat A, Mat *result)
{
    PetscInt begin, end, n;

    PetscFunctionBegin;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, result));
    PetscCall(MatSetOption(*result, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    PetscCall(MatGetSize(A, NULL, &n));
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    PetscCall(MatSetValue(*result, begin, (begin + n / 2) % n, 1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(*result, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(*result, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_repeat_with_another_pattern_is_refused(void)
{
    Mat A, A_spg, P, other, C;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 6, 7, &A));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(prolongator(A, 6, 1, 2, PETSC_FALSE, &P));
    PetscCall(other_pattern(A_spg, &other));
    PetscCall(MatMatMult(A_spg, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatMatMult(A_spg, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    EXPECT_ERROR(PETSC_ERR_ARG_SIZ, "pattern", MatMatMult(other, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatDestroy(&C));
    PetscCall(MatPtAP(A_spg, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatPtAP(A_spg, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    for (int again = 0; again < 2; again++)
        EXPECT_ERROR(PETSC_ERR_ARG_SIZ, "pattern", MatPtAP(other, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatPtAP(A_spg, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&other));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_repeat_into_a_result_with_another_pattern_is_refused(void)
{
    Product *const products[] = {MatMatMult, MatPtAP};
    Mat A, P, C;
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 8, 7, &P));
    PetscCall(as_spg(P, &A));
    for (int k = 0; k < 2; k++) {
        PetscCall(products[k](A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(products[k](A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(MatSetOption(C, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
        PetscCall(MatSetOption(C, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        PetscCall(MatGetOwnershipRange(C, &begin, &end));
        if (begin < end) PetscCall(MatSetValue(C, begin, begin < 256 ? 511 : 0, 1, INSERT_VALUES));
        PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
        EXPECT_ERROR(PETSC_ERR_ARG_SIZ, "pattern", products[k](A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(MatDestroy(&C));
    }
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_result_takes_values_from_other_processes(void)
{
    Product *const products[] = {MatMatMult, MatPtAP};
    Mat A, P, C;
    PetscInt begin, end, rows;
    PetscScalar before, after;

    PetscFunctionBegin;
    if (is_device_run()) PetscFunctionReturn(0);
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 8, 7, &P));
    PetscCall(as_spg(P, &A));
    PetscCall(MatGetSize(A, &rows, NULL));
    for (int k = 0; k < 2; k++) {
        PetscCall(products[k](A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(MatGetOwnershipRange(C, &begin, &end));
        PetscCall(MatGetValues(C, 1, &begin, 1, &begin, &before));
        PetscCall(MatSetValue(C, end % rows, end % rows, 1, ADD_VALUES)); /* the next process's first row */
        PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
        PetscCall(MatGetValues(C, 1, &begin, 1, &begin, &after));
        EXPECT(after == before + 1, "row %d got no value from the process before it", (int)begin);
        PetscCall(MatDestroy(&C));
    }
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static PetscErrorCode matrices_that_do_not_fit_are_refused(void)
{
    Mat A, B, C;
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_EVEN, 40, 30, 3, 1, &A));
    PetscCall(MatConvert(A, size == 1 ? "seqaijspg" : "mpiaijspg", MAT_INPLACE_MATRIX, &A));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_EVEN, 31, 20, 3, 2, &B));
    EXPECT_ERROR(PETSC_ERR_ARG_SIZ, "incompatible", MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatDestroy(&B));
    if (size > 1) {
        PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_FIRST, LAYOUT_EVEN, 30, 20, 3, 2, &B));
        EXPECT_ERROR(PETSC_ERR_ARG_SIZ, "distributed as A's columns",
                     MatMatMult(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(MatDestroy(&B));
    }
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static const Claim claims[] = {
    {"aijspg_is_the_type_of_the_communicators_size", aijspg_is_the_type_of_the_communicators_size},
    {"copies_and_parts_keep_the_type", copies_and_parts_keep_the_type},
    {"a_matrix_converts_to_the_type_and_back", a_matrix_converts_to_the_type_and_back},
    {"other_products_are_petscs", other_products_are_petscs},
    {"other_products_of_mixed_types_are_petscs", other_products_of_mixed_types_are_petscs},
    {"a_repeat_with_another_pattern_is_refused", a_repeat_with_another_pattern_is_refused},
    {"a_repeat_into_a_result_with_another_pattern_is_refused", a_repeat_into_a_result_with_another_pattern_is_refused},
    {"a_result_takes_values_from_other_processes", a_result_takes_values_from_other_processes},
    {"matrices_that_do_not_fit_are_refused", matrices_that_do_not_fit_are_refused},
};

int main(int argc, char **argv) { return check_claims(argc, argv, claims, sizeof claims / sizeof *claims); }
