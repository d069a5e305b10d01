/* What is only true of matrices on a device. */
#include "claims.h"
#include <string.h>

typedef PetscErrorCode Product(Mat, Mat, MatReuse, PetscReal, Mat *);

/* The 17th makes a plan. */
enum { REPEATS = 18 };

/* 7 points: A and a prolongator, of PETSc's own types on the host. */
static PetscErrorCode operands(PetscInt n, Mat *A, Mat *P)
{
    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, n, 7, A));
    PetscCall(prolongator(*A, n, 1, 2, PETSC_TRUE, P));
    PetscCall(change_values(*A, 3));
    PetscCall(change_values(*P, 5));
    PetscFunctionReturn(0);
}

static PetscErrorCode expect_bits(Mat found, Mat expected)
{
    PetscInt begin, end;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(expected, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        PetscInt m, n;
        const PetscScalar *v, *w;
        PetscCall(MatGetRow(expected, i, &m, NULL, &v));
        PetscCall(MatGetRow(found, i, &n, NULL, &w));
        EXPECT(m == n && memcmp(v, w, sizeof *v * (size_t)n) == 0, "row %d has other bits than on the host", (int)i);
        PetscCall(MatRestoreRow(expected, i, &m, NULL, &v));
        PetscCall(MatRestoreRow(found, i, &n, NULL, &w));
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode compare_with_host(Product *product, Mat A, Mat B)
{
    PetscBool distributed;
    Mat on_host, there, there_B, expected, found;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    PetscCall(MatConvert(A, distributed ? "mpiaijspg" : "seqaijspg", MAT_INITIAL_MATRIX, &on_host));
    PetscCall(as_spg(A, &there));
    PetscCall(at_place(B, &there_B));
    for (int round = 0; round <= REPEATS; round++) {
        const MatReuse reuse = round ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX;
        PetscCall(product(on_host, B, reuse, PETSC_DEFAULT, &expected));
        PetscCall(product(there, there_B, reuse, PETSC_DEFAULT, &found));
        PetscCall(expect_bits(found, expected));
        PetscCall(MatScale(on_host, 1.25));
        PetscCall(MatScale(there, 1.25));
    }
    PetscCall(MatDestroy(&on_host));
    PetscCall(MatDestroy(&there));
    PetscCall(MatDestroy(&there_B));
    PetscCall(MatDestroy(&expected));
    PetscCall(MatDestroy(&found));
    PetscFunctionReturn(0);
}

/* On several processes the parts of a triple product are added in the order of MPI's. */
static PetscErrorCode products_have_the_bits_of_the_host(void)
{
    PetscMPIInt size;
    Mat A, P;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(operands(9, &A, &P));
    PetscCall(compare_with_host(MatMatMult, A, P));
    if (size == 1) PetscCall(compare_with_host(MatPtAP, A, P));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscFunctionReturn(0);
}

/* Copies of a matrix's values between host and device so far. */
static PetscErrorCode copies(PetscInt *to_device, PetscInt *to_host)
{
    PetscFunctionBegin;
    PetscCall(event_count("MatCUSPARSCopyTo", to_device));
    PetscCall(event_count("MatCUSPARSCopyFr", to_host));
    PetscFunctionReturn(0);
}

static PetscErrorCode expect_no_copies(Product *product, Mat A, Mat B)
{
    PetscInt to_device, to_host, first_to_device, first_to_host, last_to_device, last_to_host;
    Mat C;

    PetscFunctionBegin;
    PetscCall(copies(&to_device, &to_host));
    PetscCall(product(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(copies(&first_to_device, &first_to_host));
    EXPECT(first_to_host == to_host, "the product copies %d times to the host", (int)(first_to_host - to_host));
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        PetscCall(MatScale(A, 2));
        PetscCall(product(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    }
    PetscCall(copies(&last_to_device, &last_to_host));
    EXPECT(last_to_host == to_host && last_to_device == first_to_device,
           "repeats copy %d times to the host, %d times to the device", (int)(last_to_host - to_host),
           (int)(last_to_device - first_to_device));
    PetscCall(MatDestroy(&C));
    PetscFunctionReturn(0);
}

static PetscErrorCode values_stay_on_the_device(void)
{
    Mat A, P, A_spg;

    PetscFunctionBegin;
    PetscCall(operands(8, &A, &P));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(to_place(&P));
    PetscCall(MatScale(A_spg, 2)); /* both are on the device now */
    PetscCall(MatScale(P, 2));
    PetscCall(expect_no_copies(MatMatMult, A_spg, P));
    PetscCall(expect_no_copies(MatPtAP, A_spg, P));
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscFunctionReturn(0);
}

/* Whether spg makes the product A*P. */
static PetscErrorCode is_spg_at_work(Mat A, Mat P, PetscBool *at_work)
{
    PetscInt before, after;
    Mat C;

    PetscFunctionBegin;
    PetscCall(event_count("SPGProduct", &before));
    PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(event_count("SPGProduct", &after));
    PetscCall(MatDestroy(&C));
    *at_work = after > before ? PETSC_TRUE : PETSC_FALSE;
    PetscFunctionReturn(0);
}

/* The matrix itself, as a part. */
static PetscErrorCode whole_part(Mat A, Mat *part)
{
    PetscInt begin, end;
    IS rows;

    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    PetscCall(ISCreateStride(PETSC_COMM_WORLD, end - begin, begin, 1, &rows));
    PetscCall(MatCreateSubMatrix(A, rows, rows, MAT_INITIAL_MATRIX, part));
    PetscCall(ISDestroy(&rows));
    PetscFunctionReturn(0);
}

static PetscErrorCode what_comes_of_a_matrix_multiplies_by_spg(void)
{
    static const char *const names[] = {"conversion", "conversion in place", "copy", "part", "product"};
    Mat A, P, made[5];
    PetscBool at_work;

    PetscFunctionBegin;
    PetscCall(operands(8, &A, &P));
    PetscCall(to_place(&P));
    PetscCall(as_spg(A, &made[0]));
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &made[1]));
    PetscCall(MatConvert(made[1], "aijcusparsespg", MAT_INPLACE_MATRIX, &made[1]));
    PetscCall(MatDuplicate(made[0], MAT_COPY_VALUES, &made[2]));
    PetscCall(whole_part(made[0], &made[3]));
    PetscCall(MatMatMult(made[0], made[0], MAT_INITIAL_MATRIX, PETSC_DEFAULT, &made[4]));
    for (int k = 0; k < 5; k++) {
        PetscCall(is_spg_at_work(made[k], P, &at_work));
        EXPECT(at_work, "a %s does not multiply by spg", names[k]);
        PetscCall(MatDestroy(&made[k]));
    }
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscFunctionReturn(0);
}

static PetscErrorCode a_matrix_bound_to_the_cpu_is_petscs(void)
{
    Mat A, P, A_spg;
    PetscBool at_work;

    PetscFunctionBegin;
    PetscCall(operands(8, &A, &P));
    PetscCall(to_place(&P));
    PetscCall(as_spg(A, &A_spg));
    PetscCall(MatBindToCPU(A_spg, PETSC_TRUE));
    PetscCall(MatBindToCPU(P, PETSC_TRUE));
    PetscCall(is_spg_at_work(A_spg, P, &at_work));
    EXPECT(!at_work, "spg multiplies a matrix that is bound to the CPU");
    PetscCall(MatBindToCPU(A_spg, PETSC_FALSE));
    PetscCall(MatBindToCPU(P, PETSC_FALSE));
    PetscCall(is_spg_at_work(A_spg, P, &at_work));
    EXPECT(at_work, "spg does not multiply a matrix that is no longer bound to the CPU");
    PetscCall(MatDestroy(&A));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A_spg));
    PetscFunctionReturn(0);
}

/* By MatSetType as a program does it, and by the option. */
static PetscErrorCode the_types_are_known_by_name(void)
{
    Mat A[2], P;
    PetscBool at_work;

    PetscFunctionBegin;
    for (int k = 0; k < 2; k++) {
        PetscInt begin, end;
        PetscCall(MatCreate(PETSC_COMM_WORLD, &A[k]));
        PetscCall(MatSetSizes(A[k], PETSC_DECIDE, PETSC_DECIDE, 64, 64));
        PetscCall(MatSetOptionsPrefix(A[k], "named_"));
        if (k)
            PetscCall(PetscOptionsSetValue(NULL, "-named_mat_type", "aijcusparsespg"));
        else
            PetscCall(MatSetType(A[k], "aijcusparsespg"));
        PetscCall(MatSetFromOptions(A[k]));
        PetscCall(MatGetOwnershipRange(A[k], &begin, &end));
        for (PetscInt i = begin; i < end; i++) {
            PetscCall(MatSetValue(A[k], i, i, 2, INSERT_VALUES));
            PetscCall(MatSetValue(A[k], i, 63 - i, 1, INSERT_VALUES));
        }
        PetscCall(MatAssemblyBegin(A[k], MAT_FINAL_ASSEMBLY));
        PetscCall(MatAssemblyEnd(A[k], MAT_FINAL_ASSEMBLY));
        PetscCall(MatConvert(A[k], MATSAME, MAT_INITIAL_MATRIX, &P));
        PetscCall(is_spg_at_work(A[k], P, &at_work));
        EXPECT(at_work, "named %s: spg does not multiply", k ? "by the option" : "by MatSetType");
        PetscCall(MatDestroy(&P));
        PetscCall(MatDestroy(&A[k]));
    }
    PetscFunctionReturn(0);
}

/* On each process alone. */
static PetscErrorCode the_preconditioner_works_where_the_vectors_are(void)
{
    Mat A;
    Vec b, x, on_host;
    PC pc;
    PetscInt before, after;

    PetscFunctionBegin;
    PetscCall(stencil_matrix(PETSC_COMM_SELF, 12, 7, &A));
    PetscCall(to_place(&A));
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(PCCreate(PETSC_COMM_SELF, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, "spg"));
    PetscCall(PCSetUp(pc));
    PetscCall(event_count("VecCUDACopyFrom", &before));
    PetscCall(PCApply(pc, b, x));
    PetscCall(event_count("VecCUDACopyFrom", &after));
    EXPECT(before == after, "a cycle copies %d vectors to the host", (int)(after - before));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 12 * 12 * 12, &on_host));
    PetscCall(VecSet(on_host, 1));
    EXPECT_ERROR(PETSC_ERR_ARG_WRONG, "MatCreateVecs", PCApply(pc, on_host, x));
    PetscCall(VecDestroy(&on_host));
    PetscCall(VecDestroy(&b));
    PetscCall(VecDestroy(&x));
    PetscCall(PCDestroy(&pc));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

static const Claim claims[] = {
    {"products_have_the_bits_of_the_host", products_have_the_bits_of_the_host},
    {"values_stay_on_the_device", values_stay_on_the_device},
    {"what_comes_of_a_matrix_multiplies_by_spg", what_comes_of_a_matrix_multiplies_by_spg},
    {"a_matrix_bound_to_the_cpu_is_petscs", a_matrix_bound_to_the_cpu_is_petscs},
    {"the_types_are_known_by_name", the_types_are_known_by_name},
    {"the_preconditioner_works_where_the_vectors_are", the_preconditioner_works_where_the_vectors_are},
};

int main(int argc, char **argv) { return check_claims(argc, argv, claims, sizeof claims / sizeof *claims); }
