/* Times PETSc's products and GAMG's set-up with and without spg, on the processes that it is started with. Each result
 * of spg is verified against PETSc's own before it is timed.
 *
 *     mpirun -n 2 petsc_bench -dll_append libspg_petsc.so [-bench_n 40] [-bench_reps 5] [-bench_json FILE]
 *
 * -bench_device: with matrices of type aijcusparse and aijcusparsespg; PETSc then multiplies by cuSPARSE.
 * bench_n: points of a grid's side (elasticity: half as many). -bench_matrix NAME: that matrix alone. A time is the
 * least over the repeats, since others may use the machine, of the slowest process. For a product: `first`, with the
 * pattern of the result; `second`, the first repeat with MAT_REUSE_MATRIX; `repeat`, a later one; measured 3 times as
 * often. For GAMG: `first`, a set-up; `second` and `repeat`, with new values and -pc_gamg_reuse_interpolation. */
#include "matrices.h"
#include <petscdevice.h>
#include <stdio.h>
#include <string.h>

enum { IMPLEMENTATIONS = 2, TIMES = 3, REPEATS = 20 };
static const char *const implementations[IMPLEMENTATIONS] = {"petsc", "spg"};

typedef struct Timing {
    double least;
    int count;
} Timing;

typedef struct Bench {
    PetscInt n, reps, threads;
    PetscBool device;
    FILE *json; /* of the first process; NULL for none */
    const char *matrix;
    double rows, nnz;
} Bench;

/* The kind of the first product or set-up, 0, or of a repeat: first, second or repeat. */
static int kind_of(int call) { return call < TIMES ? call : TIMES - 1; }

/* What is queued on the device ends. */
static PetscErrorCode wait_for_device(const Bench *bench)
{
    PetscDeviceContext context;

    PetscFunctionBegin;
    if (!bench->device) PetscFunctionReturn(0);
    PetscCall(PetscDeviceContextGetCurrentContext(&context));
    PetscCall(PetscDeviceContextSynchronize(context));
    PetscFunctionReturn(0);
}

static PetscErrorCode start(const Bench *bench, MPI_Comm comm, double *time)
{
    PetscFunctionBegin;
    PetscCall(wait_for_device(bench));
    PetscCallMPI(MPI_Barrier(comm));
    *time = MPI_Wtime();
    PetscFunctionReturn(0);
}

static PetscErrorCode stop(const Bench *bench, MPI_Comm comm, double time, Timing *timing)
{
    double mine, slowest;

    PetscFunctionBegin;
    PetscCall(wait_for_device(bench));
    mine = MPI_Wtime() - time;
    PetscCallMPI(MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm));
    if (timing->count++ == 0 || slowest < timing->least) timing->least = slowest;
    PetscFunctionReturn(0);
}

static PetscErrorCode report(const Bench *bench, const char *product, Timing times[IMPLEMENTATIONS][TIMES],
                             double error, const PetscInt iterations[IMPLEMENTATIONS])
{
    static const char *const names[TIMES] = {"first", "second", "repeat"};
    double ms[IMPLEMENTATIONS][TIMES];
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    for (int i = 0; i < IMPLEMENTATIONS; i++)
        for (int t = 0; t < TIMES; t++) ms[i][t] = 1000 * times[i][t].least;
    for (int t = 0; t < TIMES; t++)
        if (times[0][t].count > 0)
            PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %-6s %-6s %10.2f %10.2f %8.2f\n", bench->matrix, product,
                                  names[t], ms[0][t], ms[1][t], ms[0][t] / ms[1][t]));
    for (int i = 0; i < IMPLEMENTATIONS && bench->json; i++) {
        fprintf(bench->json,
                "{\"matrix\": \"%s\", \"n\": %d, \"product\": \"%s\", \"implementation\": \"%s\", \"processes\": %d, "
                "\"threads\": %d, \"place\": \"%s\", \"index_bits\": %d, \"petsc\": \"%d.%d.%d\", \"rows\": %.0f, "
                "\"nnz\": %.0f, ",
                bench->matrix, (int)bench->n, product, implementations[i], (int)size, i ? (int)bench->threads : 1,
                bench->device ? "device" : "host", (int)(8 * sizeof(PetscInt)), PETSC_VERSION_MAJOR,
                PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR, bench->rows, bench->nnz);
        for (int t = 0; t < TIMES; t++)
            if (times[i][t].count > 0) fprintf(bench->json, "\"%s_ms\": %.4f, ", names[t], ms[i][t]);
        if (iterations)
            fprintf(bench->json, "\"iterations\": %d, ", (int)iterations[i]);
        else
            fprintf(bench->json, "\"max_error\": %.3g, ", error);
        fprintf(bench->json, "\"reps\": %d, \"verified\": true}\n", (int)bench->reps);
        fflush(bench->json); /* a run that is ended early keeps what it has measured */
    }
    PetscFunctionReturn(0);
}

/* ---- Products --------------------------------------------------------------------------------------------------- */

typedef PetscErrorCode Product(Mat, Mat, MatReuse, PetscReal, Mat *);

/* The largest difference over the largest value; fails if it is more than rounding. */
static PetscErrorCode verify(Mat found, Mat expected, double *error)
{
    PetscReal difference, size;
    Mat copy;

    PetscFunctionBegin;
    PetscCall(MatConvert(expected, MATSAME, MAT_INITIAL_MATRIX, &copy));
    PetscCall(MatNorm(expected, NORM_INFINITY, &size));
    PetscCall(MatAXPY(copy, -1, found, DIFFERENT_NONZERO_PATTERN));
    PetscCall(MatNorm(copy, NORM_INFINITY, &difference));
    PetscCall(MatDestroy(&copy));
    *error = difference / size;
    PetscCheck(*error <= 1000 * PETSC_MACHINE_EPSILON, PETSC_COMM_WORLD, PETSC_ERR_PLIB, "spg's result is wrong by %g",
               *error);
    PetscFunctionReturn(0);
}

static PetscErrorCode time_product(const Bench *bench, const char *name, Product *product, Mat A[IMPLEMENTATIONS],
                                   Mat P[IMPLEMENTATIONS])
{
    const MPI_Comm comm = PetscObjectComm((PetscObject)A[0]);
    Timing times[IMPLEMENTATIONS][TIMES] = {0};
    Mat C[IMPLEMENTATIONS];
    double time, error = 0;

    PetscFunctionBegin;
    for (PetscInt rep = -1; rep < 3 * bench->reps; rep++) { /* the first warms up */
        for (int i = 0; i < IMPLEMENTATIONS; i++) {
            if (rep <= 0) memset(times[i], 0, sizeof times[i]);
            for (int t = 0; t <= REPEATS; t++) {
                PetscCall(start(bench, comm, &time));
                PetscCall(product(A[i], P[i], t ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C[i]));
                PetscCall(stop(bench, comm, time, &times[i][kind_of(t)]));
            }
        }
        if (rep < 0) PetscCall(verify(C[1], C[0], &error));
        for (int i = 0; i < IMPLEMENTATIONS; i++) PetscCall(MatDestroy(&C[i]));
    }
    PetscCall(report(bench, name, times, error, NULL));
    PetscFunctionReturn(0);
}

/* ---- GAMG ------------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_solver(Mat A, KSP *ksp)
{
    PC pc;

    PetscFunctionBegin;
    PetscCall(KSPCreate(PetscObjectComm((PetscObject)A), ksp));
    PetscCall(KSPSetType(*ksp, KSPCG));
    PetscCall(KSPSetTolerances(*ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, 200));
    PetscCall(KSPGetPC(*ksp, &pc));
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(PCGAMGSetReuseInterpolation(pc, PETSC_TRUE));
    PetscCall(KSPSetFromOptions(*ksp));
    PetscCall(KSPSetOperators(*ksp, A, A));
    PetscFunctionReturn(0);
}

static PetscErrorCode count_iterations(KSP ksp, Mat A, PetscInt *iterations)
{
    Vec b, x;

    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &x, &b));
    PetscCall(VecSet(b, 1));
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetIterationNumber(ksp, iterations));
    PetscCall(VecDestroy(&x));
    PetscCall(VecDestroy(&b));
    PetscFunctionReturn(0);
}

static PetscErrorCode time_gamg(const Bench *bench, Mat A[IMPLEMENTATIONS])
{
    const MPI_Comm comm = PetscObjectComm((PetscObject)A[0]);
    Timing times[IMPLEMENTATIONS][TIMES] = {0};
    PetscInt iterations[IMPLEMENTATIONS];
    double time;

    PetscFunctionBegin;
    for (PetscInt rep = -1; rep < bench->reps; rep++)
        for (int i = 0; i < IMPLEMENTATIONS; i++) {
            KSP ksp;
            if (rep <= 0) memset(times[i], 0, sizeof times[i]);
            PetscCall(make_solver(A[i], &ksp));
            PetscCall(start(bench, comm, &time));
            PetscCall(KSPSetUp(ksp));
            PetscCall(stop(bench, comm, time, &times[i][0]));
            if (rep < 0) PetscCall(count_iterations(ksp, A[i], &iterations[i]));
            for (int t = 1; t <= REPEATS; t++) {
                PetscCall(MatScale(A[i], t % 2 ? 2 : 0.5)); /* new values */
                PetscCall(KSPSetOperators(ksp, A[i], A[i]));
                PetscCall(start(bench, comm, &time));
                PetscCall(KSPSetUp(ksp));
                PetscCall(stop(bench, comm, time, &times[i][kind_of(t)]));
            }
            PetscCall(KSPDestroy(&ksp));
        }
    PetscCheck(iterations[0] == iterations[1], comm, PETSC_ERR_PLIB, "%d iterations with spg, %d without",
               (int)iterations[1], (int)iterations[0]);
    PetscCall(report(bench, "GAMG", times, 0, iterations));
    PetscFunctionReturn(0);
}

static const char *const matrices[] = {"fd3d7", "fe3d27", "elast3d"};
enum { MATRICES = sizeof matrices / sizeof *matrices };

/* The matrix for PETSc, which is to be at the place of the bench, and its copy for spg. */
static PetscErrorCode place(const Bench *bench, Mat matrix[IMPLEMENTATIONS])
{
    static const char *const petscs[] = {MATSEQAIJCUSPARSE, MATMPIAIJCUSPARSE};
    static const char *const types[2][2] = {{"seqaijspg", "mpiaijspg"}, {"seqaijcusparsespg", "mpiaijcusparsespg"}};
    PetscMPIInt size;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    if (bench->device) PetscCall(MatConvert(matrix[0], petscs[size > 1], MAT_INPLACE_MATRIX, &matrix[0]));
    PetscCall(MatConvert(matrix[0], types[bench->device][size > 1], MAT_INITIAL_MATRIX, &matrix[1]));
    PetscFunctionReturn(0);
}

static PetscErrorCode run_matrix(Bench *bench, int kind)
{
    Mat A[IMPLEMENTATIONS], P[IMPLEMENTATIONS];
    MatNullSpace modes;
    MatInfo info;
    PetscInt rows;

    PetscFunctionBegin;
    bench->matrix = matrices[kind];
    if (kind == 2)
        PetscCall(elasticity_matrix(PETSC_COMM_WORLD, bench->n / 2, &A[0]));
    else
        PetscCall(stencil_matrix(PETSC_COMM_WORLD, bench->n, kind ? 27 : 7, &A[0]));
    PetscCall(
        prolongator(A[0], kind == 2 ? bench->n / 2 + 1 : bench->n, kind == 2 ? 3 : 1, kind ? 3 : 2, PETSC_TRUE, &P[0]));
    PetscCall(place(bench, A));
    PetscCall(place(bench, P));
    PetscCall(MatGetNearNullSpace(A[0], &modes));
    PetscCall(MatSetNearNullSpace(A[1], modes));
    PetscCall(MatGetInfo(A[0], MAT_GLOBAL_SUM, &info));
    PetscCall(MatGetSize(A[0], &rows, NULL));
    bench->rows = (double)rows;
    bench->nnz = info.nz_used;
    PetscCall(time_product(bench, "AP", MatMatMult, A, P));
    PetscCall(time_product(bench, "PtAP", MatPtAP, A, P));
    PetscCall(time_gamg(bench, A));
    for (int i = 0; i < IMPLEMENTATIONS; i++) {
        PetscCall(MatDestroy(&A[i]));
        PetscCall(MatDestroy(&P[i]));
    }
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    Bench bench = {.n = 40, .reps = 5, .threads = 0};
    char path[PETSC_MAX_PATH_LEN], name[16] = "";
    PetscMPIInt rank;
    PetscBool set, one;

    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_n", &bench.n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_reps", &bench.reps, NULL));
    PetscCheck(bench.n >= 4 && bench.reps >= 1, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "-bench_n is at least 4, -bench_reps at least 1");
    PetscCall(PetscOptionsGetBool(NULL, NULL, "-bench_device", &bench.device, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-spg_threads", &bench.threads, &set));
    if (!set) bench.threads = 1;
    PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_matrix", name, sizeof name, &one));
    PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_json", path, sizeof path, &set));
    if (set && rank == 0) {
        bench.json = fopen(path, "a");
        PetscCheck(bench.json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot write %s", path);
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%-12s %-6s %-6s %10s %10s %8s\n", "matrix", "what", "", "PETSc ms",
                          "spg ms", "ratio"));
    for (int kind = 0; kind < MATRICES; kind++) {
        PetscBool wanted = PETSC_TRUE;
        if (one) PetscCall(PetscStrcmp(name, matrices[kind], &wanted));
        if (wanted) PetscCall(run_matrix(&bench, kind));
    }
    if (bench.json) fclose(bench.json);
    PetscCall(PetscFinalize());
    return 0;
}
