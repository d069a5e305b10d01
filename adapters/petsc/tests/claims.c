#include "claims.h"
#include <stdio.h>
#include <string.h>

static char caught[2048];

static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                   PetscErrorType type, const char *message, void *user)
{
    (void)comm, (void)line, (void)function, (void)file, (void)user;
    if (type == PETSC_ERROR_INITIAL) snprintf(caught, sizeof caught, "%s", message);
    return code;
}

PetscErrorCode catch_errors(void)
{
    PetscFunctionBegin;
    caught[0] = '\0';
    PetscCall(PetscPushErrorHandler(keep_message, NULL));
    PetscFunctionReturn(0);
}

PetscErrorCode check_caught(PetscErrorCode error, PetscErrorCode code, const char *text)
{
    PetscFunctionBegin;
    PetscCall(PetscPopErrorHandler());
    EXPECT(error == code, "error %d instead of %d: %s", (int)error, (int)code, caught);
    EXPECT(strstr(caught, text), "the message is not about \"%s\": %s", text, caught);
    PetscFunctionReturn(0);
}

PetscErrorCode event_count(const char *name, PetscInt *count)
{
    PetscLogEvent event;
    PetscEventPerfInfo info;

    PetscFunctionBegin;
    PetscCall(PetscLogEventGetId(name, &event));
    EXPECT(event >= 0, "no event %s: is the plug-in loaded?", name);
    PetscCall(PetscLogEventGetPerfInfo(0, event, &info));
    *count = info.count;
    PetscFunctionReturn(0);
}

PetscErrorCode work_of_spg(Mat A, Mat P, PetscInt *products, PetscInt *repeats)
{
    PetscInt product, numeric;
    Mat C;

    PetscFunctionBegin;
    PetscCall(event_count("SPGProduct", &product));
    PetscCall(event_count("SPGNumeric", &numeric));
    PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(event_count("SPGProduct", products));
    PetscCall(event_count("SPGNumeric", repeats));
    *products -= product;
    *repeats -= numeric;
    PetscCall(MatDestroy(&C));
    PetscFunctionReturn(0);
}

PetscErrorCode expect_equal(Mat found, Mat expected, PetscReal tolerance)
{
    PetscInt begin, end, m, n, M, N;
    PetscReal largest;

    PetscFunctionBegin;
    PetscCall(MatGetLocalSize(expected, &m, &n));
    PetscCall(MatGetLocalSize(found, &M, &N));
    EXPECT(m == M && n == N, "%d x %d local rows and columns instead of %d x %d", (int)M, (int)N, (int)m, (int)n);
    PetscCall(MatNorm(expected, NORM_FROBENIUS, &largest));
    PetscCall(MatGetOwnershipRange(expected, &begin, &end));
    for (PetscInt i = begin; i < end; i++) {
        const PetscInt *c, *d;
        const PetscScalar *v, *w;
        PetscCall(MatGetRow(expected, i, &m, &c, &v));
        PetscCall(MatGetRow(found, i, &n, &d, &w));
        EXPECT(m == n, "row %d: %d entries instead of %d", (int)i, (int)n, (int)m);
        for (PetscInt k = 0; k < m; k++) {
            EXPECT(c[k] == d[k], "row %d: column %d instead of %d", (int)i, (int)d[k], (int)c[k]);
            EXPECT(PetscAbsScalar(v[k] - w[k]) <= tolerance * largest, "row %d, column %d: %g instead of %g", (int)i,
                   (int)c[k], (double)PetscRealPart(w[k]), (double)PetscRealPart(v[k]));
        }
        PetscCall(MatRestoreRow(expected, i, &m, &c, &v));
        PetscCall(MatRestoreRow(found, i, &n, &d, &w));
    }
    PetscFunctionReturn(0);
}

PetscBool is_device_run(void)
{
    PetscBool device = PETSC_FALSE;

    (void)PetscOptionsGetBool(NULL, NULL, "-test_device", &device, NULL);
    return device;
}

PetscErrorCode compare_bits(Mat C, PetscInt product, PetscScalar **bits)
{
    Mat blocks[2] = {C, NULL};
    PetscBool distributed;
    PetscScalar *kept = *bits;
    MatInfo info;

    PetscFunctionBegin;
    PetscCall(MatGetInfo(C, MAT_LOCAL, &info));
    if (!*bits) PetscCall(PetscMalloc1((size_t)info.nz_used + 1, bits));
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)C, MATMPIAIJ, &distributed));
    if (distributed) PetscCall(MatMPIAIJGetSeqAIJ(C, &blocks[0], &blocks[1], NULL));
    for (size_t at = 0, b = 0; b < 2 && blocks[b]; b++) {
        const PetscScalar *values;
        PetscCall(MatGetInfo(blocks[b], MAT_LOCAL, &info));
        PetscCall(MatSeqAIJGetArrayRead(blocks[b], &values));
        if (kept)
            EXPECT(memcmp(values, kept + at, sizeof *values * (size_t)info.nz_used) == 0, "product %d has other bits",
                   (int)product);
        else
            PetscCall(PetscArraycpy(*bits + at, values, (size_t)info.nz_used));
        PetscCall(MatSeqAIJRestoreArrayRead(blocks[b], &values));
        at += (size_t)info.nz_used;
    }
    PetscFunctionReturn(0);
}

static PetscErrorCode convert(Mat A, const char *seq, const char *mpi, MatReuse reuse, Mat *result)
{
    PetscBool distributed;

    PetscFunctionBegin;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &distributed));
    PetscCall(MatConvert(A, distributed ? mpi : seq, reuse, result));
    PetscFunctionReturn(0);
}

PetscErrorCode to_place(Mat *A)
{
    PetscFunctionBegin;
    if (is_device_run()) PetscCall(convert(*A, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MAT_INPLACE_MATRIX, A));
    PetscFunctionReturn(0);
}

PetscErrorCode at_place(Mat A, Mat *copy)
{
    PetscFunctionBegin;
    if (is_device_run()) {
        PetscCall(convert(A, MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE, MAT_INITIAL_MATRIX, copy));
        PetscFunctionReturn(0);
    }
    *copy = A;
    PetscCall(PetscObjectReference((PetscObject)A));
    PetscFunctionReturn(0);
}

PetscErrorCode as_spg(Mat A, Mat *copy)
{
    PetscFunctionBegin;
    if (is_device_run())
        PetscCall(convert(A, "seqaijcusparsespg", "mpiaijcusparsespg", MAT_INITIAL_MATRIX, copy));
    else
        PetscCall(convert(A, "seqaijspg", "mpiaijspg", MAT_INITIAL_MATRIX, copy));
    PetscFunctionReturn(0);
}

int check_claims(int argc, char **argv, const Claim *claims, size_t count)
{
    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    for (size_t k = 0; k < count; k++) {
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s\n", claims[k].name));
        PetscCall((*claims[k].check)());
    }
    PetscCall(PetscFinalize());
    return 0;
}
