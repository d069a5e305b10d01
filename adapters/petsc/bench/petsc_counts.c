/* Counts what P^T*A*P by spg sends: messages and bytes of the first product and of a repeat, and the memory that it
 * holds, for each process. cost_model.py compares with these counts.
 *
 *     mpirun -n 4 petsc_counts -dll_append libspg_petsc.so [-bench_n 48] [-bench_points 7|27] [-bench_json FILE]
 *
 * Memory is that of the process, so count one stencil in a run. */
#include "matrices.h"
#include <stdio.h>

typedef struct Counts {
    PetscLogDouble messages, bytes, reductions, memory;
} Counts;

static PetscErrorCode counts_now(Counts *counts)
{
    PetscFunctionBegin;
    counts->messages = petsc_isend_ct + petsc_send_ct;
    counts->bytes = petsc_isend_len + petsc_send_len;
    counts->reductions = petsc_allreduce_ct;
    PetscCall(PetscMemoryGetCurrentUsage(&counts->memory));
    PetscFunctionReturn(0);
}

/* The difference of two counts, summed over the processes, and the largest. */
static PetscErrorCode since(const Counts *before, Counts *total, Counts *most)
{
    Counts now;

    PetscFunctionBegin;
    PetscCall(counts_now(&now));
    now.messages -= before->messages;
    now.bytes -= before->bytes;
    now.reductions -= before->reductions;
    now.memory -= before->memory;
    PetscCallMPI(MPI_Allreduce(&now, total, 4, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
    PetscCallMPI(MPI_Allreduce(&now, most, 4, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
    PetscFunctionReturn(0);
}

static PetscErrorCode count_product(PetscInt n, PetscInt points, FILE *json)
{
    const PetscInt box = points == 7 ? 2 : 3;
    PetscMPIInt size;
    Counts before, total[2], most[2];
    Mat A, P, C;

    PetscFunctionBegin;
    PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
    PetscCall(stencil_matrix(PETSC_COMM_WORLD, n, points, &A));
    PetscCall(prolongator(A, n, 1, box, PETSC_TRUE, &P));
    PetscCall(MatConvert(A, size == 1 ? "seqaijspg" : "mpiaijspg", MAT_INPLACE_MATRIX, &A));
    PetscCall(counts_now(&before));
    PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(since(&before, &total[0], &most[0]));
    PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(since(&before, &total[1], &most[1]));
    total[0].memory = total[1].memory;
    most[0].memory = most[1].memory;
    PetscCall(counts_now(&before));
    PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    PetscCall(since(&before, &total[1], &most[1]));
    if (json)
        for (int repeat = 0; repeat < 2; repeat++)
            fprintf(
                json,
                "{\"points\": %d, \"n\": %d, \"box\": %d, \"processes\": %d, \"index_bytes\": %d, \"phase\": \"%s\", "
                "\"messages\": %.0f, \"most_messages\": %.0f, \"bytes\": %.0f, \"most_bytes\": %.0f, "
                "\"reductions\": %.0f, \"most_memory\": %.0f}\n",
                (int)points, (int)n, (int)box, (int)size, (int)sizeof(PetscInt), repeat ? "repeat" : "first",
                total[repeat].messages, most[repeat].messages, total[repeat].bytes, most[repeat].bytes,
                most[repeat].reductions, most[0].memory);
    PetscCall(MatDestroy(&C));
    PetscCall(MatDestroy(&P));
    PetscCall(MatDestroy(&A));
    PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
    PetscInt n = 48, points = 7;
    char path[PETSC_MAX_PATH_LEN];
    FILE *json = NULL;
    PetscMPIInt rank;
    PetscBool set;

    PetscFunctionBeginUser;
    PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
    PetscCall(PetscLogDefaultBegin());
    PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_n", &n, NULL));
    PetscCall(PetscOptionsGetInt(NULL, NULL, "-bench_points", &points, NULL));
    PetscCheck(points == 7 || points == 27, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-bench_points is 7 or 27");
    PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_json", path, sizeof path, &set));
    if (rank == 0) {
        json = set ? fopen(path, "a") : stdout;
        PetscCheck(json, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot write %s", path);
    }
    PetscCall(count_product(n, points, json));
    if (json && set) fclose(json);
    PetscCall(PetscFinalize());
    return 0;
}
