/* Products against PETSc's own. */
#include "claims.h"
#include <string.h>

#define TOLERANCE (64 * PETSC_MACHINE_EPSILON)

typedef PetscErrorCode Product(Mat, Mat, MatReuse, PetscReal, Mat *);

/* PETSc's own product, of matrices of its own types, and spg's, twice with new values. */
static PetscErrorCode compare(Product *product, Mat A, Mat B)
{
    Mat A_spg, B_spg, expected, found;

    PetscFunctionBegin;
    PetscCall(as_spg(A, &A_spg));
    if (A == B)
        PetscCall(PetscObjectReference((PetscObject)(B_spg = A_spg)));
    else
        PetscCall(as_spg(B, &B_spg));
    PetscCall(product(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PetscCall(product(A_spg, B_spg, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &found));
    PetscCall(expect_equal(found, expected, TOLERANCE));
    for (unsigned round = 0; round < 2; round++) {
        PetscCall(change_values(A, 7 * round));
        PetscCall(change_values(A_spg, 7 * round));
        if (A != B) {
            PetscCall(change_values(B, 7 * round + 2));
            PetscCall(change_values(B_spg, 7 * round + 2));
        }
        PetscCall(product(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &expected));
        PetscCall(product(A_spg, B_spg, MAT_REUSE_MATRIX, PETSC_DEFAULT, &found));
        PetscCall(expect_equal(found, expected, TOLERANCE));
    }
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&B_spg));
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&found));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_product_is_petscs_for_every_layout(void)
{
    Mat A, B;

    PetscFunctionBegin;
    for (int layout = 0; layout < LAYOUTS * LAYOUTS; layout++) {
        const Layout rows = (Layout)(layout / LAYOUTS), inner = (Layout)(layout % LAYOUTS);
        const Layout columns = (Layout)((layout + 2) % LAYOUTS);
        PetscCall(random_matrix(PETSC_COMM_WORLD, rows, inner, 90, 70, 4, 1, &A));
        PetscCall(random_matrix(PETSC_COMM_WORLD, inner, columns, 70, 110, 3, 2, &B));
        PetscCall(compare(MatMatMult, A, B));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&B));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode a_galerkin_product_is_petscs_for_every_layout(void)
{
    Mat A, P;

    PetscFunctionBegin;
    for (int layout = 0; layout < LAYOUTS * LAYOUTS; layout++) {
        const Layout rows = (Layout)(layout / LAYOUTS), columns = (Layout)(layout % LAYOUTS);
        PetscCall(random_matrix(PETSC_COMM_WORLD, rows, rows, 120, 120, 4, 1, &A));
        PetscCall(random_matrix(PETSC_COMM_WORLD, rows, columns, 120, 50, 2, 2, &P));
        PetscCall(compare(MatPtAP, A, P));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&P));
    }
    PetscFunctionReturn(0);
}

/* Against P^T*A*P for P = R^T, because PETSc has R*A*R^T for one process only. */
static PetscErrorCode a_product_with_the_transpose_last_is_the_galerkin_product(void)
{
    Mat A, R, P, A_spg, R_spg, found, expected;

    PetscFunctionBegin;
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_RISING, LAYOUT_RISING, 120, 120, 4, 1, &A));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_RISING, 50, 120, 5, 2, &R));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(as_spg(R, &R_spg));
    for (unsigned round = 0; round < 3; round++) {
        PetscCall(MatTranspose(R, MAT_INITIAL_MATRIX, &P));
        PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
        PetscCall(MatRARt(A_spg, R_spg, round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &found));
        PetscCall(expect_equal(found, expected, TOLERANCE));
        PetscCall(MatDestroy(&P));
        PetscCall(MatDestroy(&expected));
        PetscCall(change_values(A, round));
        PetscCall(change_values(A_spg, round));
        PetscCall(change_values(R, round + 4));
        PetscCall(change_values(R_spg, round + 4));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&R));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&R_spg));
    PetscCall(MatDestroy(&found));
    PetscFunctionReturn(0);
}

static PetscErrorCode products_of_stencils_are_petscs(void)
{
    Mat A, P;

    PetscFunctionBegin;
    for (PetscInt kind = 0; kind < 3; kind++) {
        if (kind == 2)
            PetscCall(elasticity_matrix(PETSC_COMM_WORLD, 5, &A));
        else
            PetscCall(stencil_matrix(PETSC_COMM_WORLD, 10, kind ? 27 : 7, &A));
        PetscCall(prolongator(A, kind == 2 ? 6 : 10, kind == 2 ? 3 : 1, 3, PETSC_TRUE, &P));
        PetscCall(compare(MatMatMult, A, P));
        PetscCall(compare(MatPtAP, A, P));
        PetscCall(compare(MatMatMult, A, A));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&P));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode a_product_has_the_same_bits_for_any_number_of_processes(void)
{
    Mat A, B, C, A_one, B_one, C_one, spg;
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_RISING, 90, 70, 6, 1, &A));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_RISING, LAYOUT_ODD, 70, 60, 6, 2, &B));
    PetscCall(random_matrix(PETSC_COMM_SELF, LAYOUT_EVEN, LAYOUT_EVEN, 90, 70, 6, 1, &A_one));
    PetscCall(random_matrix(PETSC_COMM_SELF, LAYOUT_EVEN, LAYOUT_EVEN, 70, 60, 6, 2, &B_one));
    PetscCall(to_place(&B));
    PetscCall(to_place(&B_one));
    PetscCall(as_spg(A, &spg));
    PetscCall(MatMatMult(spg, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatDestroy(&spg));
    PetscCall(as_spg(A_one, &spg));
    PetscCall(MatMatMult(spg, B_one, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C_one));
    PetscCall(MatDestroy(&spg));
    PetscCall(MatGetOwnershipRange(C, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        PetscInt m, n;
        const PetscScalar *v, *w;
        PetscCall(MatGetRow(C, i, &m, NULL, &v));
        PetscCall(MatGetRow(C_one, i, &n, NULL, &w));
        EXPECT(m == n && memcmp(v, w, sizeof *v * (size_t)n) == 0, "row %d has other bits than on one process", (int)i);
        PetscCall(MatRestoreRow(C, i, &m, NULL, &v));
        PetscCall(MatRestoreRow(C_one, i, &n, NULL, &w));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&A_one));
    PetscCall(MatDestroy(&B_one));
    PetscCall(MatDestroy(&C_one));
    PetscFunctionReturn(0);
}

/* Through all repeats of which each finds masks for a part of the rows, and beyond. */
static PetscErrorCode expect_same_bits(Product *product, Mat A, Mat B)
{
    PetscScalar *bits = NULL;
    Mat C, A_spg, B_there;

    PetscFunctionBegin;
    PetscCall(as_spg(A, &A_spg));
    PetscCall(at_place(B, &B_there));
    PetscCall(product(A_spg, B_there, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(compare_bits(C, 0, &bits));
    for (PetscInt repeat = 1; repeat <= 18; repeat++) {
        PetscCall(MatScale(C, 0.3));
        PetscCall(product(A_spg, B_there, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(compare_bits(C, repeat, &bits));
    }
    PetscCall(PetscFree(bits));
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&B_there));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_repeat_has_the_bits_of_the_first_product(void)
{
    static const PetscInt sides[] = {18, 18, 6};
    Mat A, P;

    PetscFunctionBegin;
    for (int kind = 0; kind < 3; kind++) {
        const PetscInt n = sides[kind];
        if (kind == 2)
            PetscCall(elasticity_matrix(PETSC_COMM_WORLD, n, &A));
        else
            PetscCall(stencil_matrix(PETSC_COMM_WORLD, n, kind ? 27 : 7, &A));
        PetscCall(prolongator(A, kind == 2 ? n + 1 : n, kind == 2 ? 3 : 1, 3, PETSC_TRUE, &P));
        PetscCall(change_values(A, 3));
        PetscCall(change_values(P, 4));
        PetscCall(expect_same_bits(MatMatMult, A, P));
        PetscCall(expect_same_bits(MatPtAP, A, P));
        PetscCall(MatDestroy(&A));
        PetscCall(MatDestroy(&P));
    }
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_RISING, 90, 70, 2, 1, &A));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_RISING, LAYOUT_ODD, 70, 60, 3, 2, &P));
    PetscCall(expect_same_bits(MatMatMult, A, P));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscFunctionReturn(0);
}

/* Also where several processes add to a row, and their messages come in any order. On devices PETSc adds. */
static PetscErrorCode a_galerkin_product_has_the_same_bits_each_time(void)
{
    PetscScalar *bits = NULL;
    Mat A, P, C, A_spg;

    PetscFunctionBegin;
    if (is_device_run()) PetscFunctionReturn(0);
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_EVEN, 200, 200, 20, 1, &A));
    PetscCall(random_matrix(PETSC_COMM_WORLD, LAYOUT_EVEN, LAYOUT_RISING, 200, 30, 6, 2, &P));
    PetscCall(as_spg(A, &A_spg));
    for (PetscInt time = 0; time < 20; time++) {
        PetscCall(MatPtAP(A_spg, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
        PetscCall(compare_bits(C, time, &bits));
        PetscCall(MatDestroy(&C));
    }
    PetscCall(PetscFree(bits));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscFunctionReturn(0);
}

/* Rows with the same columns are computed together, wherever the rows are parted: without the last rows, the middle is
 * elsewhere. */
static PetscErrorCode threads_share_a_repeat_at_any_row(void)
{
    PetscMPIInt size;
    PetscInt rows;
    IS some;
    Mat A, P, part;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (size > 1) PetscFunctionReturn(0);
    PetscCall(elasticity_matrix(PETSC_COMM_SELF, 10, &A));
    PetscCall(prolongator(A, 11, 3, 3, PETSC_TRUE, &P));
    PetscCall(MatGetSize(A, &rows, NULL));
    for (PetscInt less = 0; less < 6; less++) {
        PetscCall(ISCreateStride(PETSC_COMM_SELF, rows - 5 * less, 0, 1, &some));
        PetscCall(MatCreateSubMatrix(A, some, NULL, MAT_INITIAL_MATRIX, &part));
        PetscCall(expect_same_bits(MatMatMult, part, P));
        PetscCall(MatDestroy(&part));
        PetscCall(ISDestroy(&some));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscFunctionReturn(0);
}

/* Columns of a row may be in any order. */
static PetscErrorCode a_repeat_takes_rows_that_do_not_ascend(void)
{
    enum { ROWS = 64, COLUMNS = 12, PER_ROW = 3 };
    PetscInt columns[PER_ROW * ROWS];
    PetscScalar *values;
    Mat A, B;

    PetscFunctionBegin;
    for (PetscInt i = 0; i < ROWS; i++)
        for (PetscInt k = 0; k < PER_ROW; k++) columns[PER_ROW * i + k] = (i + 11 - 4 * k) % COLUMNS;
    PetscCall(random_matrix(PETSC_COMM_SELF, LAYOUT_EVEN, LAYOUT_EVEN, 200, ROWS, 5, 1, &A));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, ROWS, COLUMNS, PER_ROW, NULL, &B));
    PetscCall(MatSeqAIJSetColumnIndices(B, columns));
    PetscCall(MatSeqAIJGetArray(B, &values));
    for (PetscInt k = 0; k < PER_ROW * ROWS; k++) values[k] = 1 + 1 / (PetscScalar)(k + 2);
    PetscCall(MatSeqAIJRestoreArray(B, &values));
    PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    PetscCall(expect_same_bits(MatMatMult, A, B));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&B));
    PetscFunctionReturn(0);
}

/* The phases one by one: values that change between them count. */
static PetscErrorCode the_numeric_phase_takes_the_values_of_its_time(void)
{
    Mat A, P, A_spg, P_there, expected, found;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 6, 7, &A));
    PetscCall(prolongator(A, 6, 1, 2, PETSC_TRUE, &P));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(at_place(P, &P_there));
    PetscCall(MatProductCreate(A_spg, P_there, NULL, &found));
    PetscCall(MatProductSetType(found, MATPRODUCT_PtAP));
    PetscCall(MatProductSetFromOptions(found));
    PetscCall(MatProductSymbolic(found));
    PetscCall(change_values(A, 3));
    PetscCall(change_values(A_spg, 3));
    PetscCall(MatProductNumeric(found));
    PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected));
    PetscCall(expect_equal(found, expected, TOLERANCE));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&P_there));
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&found));
    PetscFunctionReturn(0);
}

/* On a device and one process PETSc asks the first operand alone. */
static PetscErrorCode spg_multiplies_if_one_operand_is_of_its_type(void)
{
    Mat A, P, A_spg, P_spg;
    PetscMPIInt size;
    PetscInt products, repeats;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 6, 7, &A));
    PetscCall(prolongator(A, 6, 1, 2, PETSC_FALSE, &P));
    PetscCall(to_place(&A));
    PetscCall(to_place(&P));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(as_spg(P, &P_spg));
    for (int which = 0; which < 4; which++) {
        const int expected = is_device_run() && size == 1 ? which & 1 : which > 0;
        PetscCall(work_of_spg(which & 1 ? A_spg : A, which & 2 ? P_spg : P, &products, &repeats));
        EXPECT(products == expected && repeats == expected, "operands %d: %d products, %d repeats", which,
               (int)products, (int)repeats);
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscCall(MatDestroy(&P_spg));
    PetscFunctionReturn(0);
}

static PetscErrorCode an_algorithm_of_petsc_can_be_chosen(void)
{
    Mat A, P, A_spg;
    PetscInt products, repeats;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, 6, 7, &A));
    PetscCall(prolongator(A, 6, 1, 2, PETSC_FALSE, &P));
    PetscCall(to_place(&P));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(PetscOptionsSetValue(NULL, "-matptap_via", "scalable"));
    PetscCall(work_of_spg(A_spg, P, &products, &repeats));
    EXPECT(products == 0 && repeats == 0, "-matptap_via scalable: spg has worked");
    PetscCall(PetscOptionsSetValue(NULL, "-matptap_via", "spg"));
    PetscCall(work_of_spg(A_spg, P, &products, &repeats));
    EXPECT(products == 1 && repeats == 1, "-matptap_via spg: spg has not worked");
    PetscCall(PetscOptionsClearValue(NULL, "-matptap_via"));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscFunctionReturn(0);
}

static const Claim claims[] = {
    {"a_product_is_petscs_for_every_layout", a_product_is_petscs_for_every_layout},
    {"a_galerkin_product_is_petscs_for_every_layout", a_galerkin_product_is_petscs_for_every_layout},
    {"a_product_with_the_transpose_last_is_the_galerkin_product",
     a_product_with_the_transpose_last_is_the_galerkin_product},
    {"products_of_stencils_are_petscs", products_of_stencils_are_petscs},
    {"a_product_has_the_same_bits_for_any_number_of_processes",
     a_product_has_the_same_bits_for_any_number_of_processes},
    {"a_repeat_has_the_bits_of_the_first_product", a_repeat_has_the_bits_of_the_first_product},
    {"a_galerkin_product_has_the_same_bits_each_time", a_galerkin_product_has_the_same_bits_each_time},
    {"threads_share_a_repeat_at_any_row", threads_share_a_repeat_at_any_row},
    {"a_repeat_takes_rows_that_do_not_ascend", a_repeat_takes_rows_that_do_not_ascend},
    {"the_numeric_phase_takes_the_values_of_its_time", the_numeric_phase_takes_the_values_of_its_time},
    {"spg_multiplies_if_one_operand_is_of_its_type", spg_multiplies_if_one_operand_is_of_its_type},
    {"an_algorithm_of_petsc_can_be_chosen", an_algorithm_of_petsc_can_be_chosen},
};

int main(int argc, char **argv) { return check_claims(argc, argv, claims, sizeof claims / sizeof *claims); }
