/* GAMG, PETSc's own smoothed aggregation, with its defaults: one process, conjugate gradients of PETSc. Nodes of
 * several unknowns give their number and, where spg has them too, their near-null-space candidates. */
#include "amg_peer.h"

#include <petscksp.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct gamg_state {
    spg_context *errors;
    double tolerance;
    int max_iterations;
    Mat A;
    Vec b, x;
    KSP ksp;
} gamg_state;

static spg_status check(const gamg_state *state, PetscErrorCode error, const char *what)
{
    if (error == 0) return SPG_OK;
    const char *text = NULL;
    PetscErrorMessage(error, &text, NULL);
    return spg_context_fail(state->errors, error == PETSC_ERR_MEM ? SPG_ERROR_MEMORY : SPG_ERROR_INTERNAL, "%s: %s",
                            what, text != NULL ? text : "an error of PETSc");
}

static void finalize(void)
{
    PetscBool ended = PETSC_FALSE;
    if (PetscFinalized(&ended) == 0 && !ended) PetscFinalize();
}

static spg_status start_library(const gamg_state *state)
{
    static bool started = false;
    spg_status status = start_mpi(state->errors);
    if (status != SPG_OK || started) return status;
    status = check(state, PetscInitializeNoArguments(), "PetscInitialize");
    if (status == SPG_OK) status = check(state, PetscPushErrorHandler(PetscReturnErrorHandler, NULL), "PETSc");
    if (status != SPG_OK) return status;
    atexit(finalize);
    started = true;
    return SPG_OK;
}

static PetscErrorCode fill_matrix(gamg_state *state, const amg_system *system)
{
    const spg_csr *A = &system->A;
    const PetscInt rows = (PetscInt)A->rows, nodes = system->block_size;
    const double *values = A->values;
    PetscInt *counts = NULL;
    PetscCall(PetscMalloc1(rows, &counts));
    for (PetscInt i = 0; i < rows; i++) counts[i] = (PetscInt)(row_offset(A, i + 1) - row_offset(A, i));
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 0, counts, &state->A));
    PetscCall(MatSetBlockSize(state->A, nodes));
    for (PetscInt i = 0; i < rows; i++) {
        const int64_t first = row_offset(A, i);
        for (PetscInt k = 0; k < counts[i]; k++) {
            const PetscInt column = A->columns[first + k];
            PetscCall(MatSetValues(state->A, 1, &i, 1, &column, &values[first + k], ADD_VALUES));
        }
    }
    PetscCall(PetscFree(counts));
    PetscCall(MatAssemblyBegin(state->A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(state->A, MAT_FINAL_ASSEMBLY));
    return 0;
}

/* Candidates lie column by column, each of A's rows. */
static PetscErrorCode give_candidates(gamg_state *state, const double *values, int count)
{
    MatNullSpace space = NULL;
    Vec basis[32];
    PetscInt rows = 0;
    PetscCall(MatGetLocalSize(state->A, &rows, NULL));
    for (int k = 0; k < count; k++) {
        PetscScalar *entries = NULL;
        PetscCall(MatCreateVecs(state->A, &basis[k], NULL));
        PetscCall(VecSetBlockSize(basis[k], 1));
        PetscCall(VecGetArray(basis[k], &entries));
        for (PetscInt i = 0; i < rows; i++) entries[i] = values[(int64_t)k * rows + i];
        PetscCall(VecRestoreArray(basis[k], &entries));
    }
    /* A null space wants an orthonormal basis. */
    for (int k = 0; k < count; k++) {
        for (int sweep = 0; sweep < 2; sweep++)
            for (int j = 0; j < k; j++) {
                PetscScalar product = 0.0;
                PetscCall(VecDot(basis[k], basis[j], &product));
                PetscCall(VecAXPY(basis[k], -product, basis[j]));
            }
        PetscCall(VecNormalize(basis[k], NULL));
    }
    PetscCall(MatNullSpaceCreate(PETSC_COMM_SELF, PETSC_FALSE, count, basis, &space));
    PetscCall(MatSetNearNullSpace(state->A, space));
    PetscCall(MatNullSpaceDestroy(&space));
    for (int k = 0; k < count; k++) PetscCall(VecDestroy(&basis[k]));
    return 0;
}

static PetscErrorCode fill_vectors(gamg_state *state, const double *b)
{
    PetscScalar *entries = NULL;
    PetscInt rows = 0;
    PetscCall(MatCreateVecs(state->A, &state->x, &state->b));
    PetscCall(VecGetLocalSize(state->b, &rows));
    PetscCall(VecGetArray(state->b, &entries));
    for (PetscInt i = 0; i < rows; i++) entries[i] = b[i];
    PetscCall(VecRestoreArray(state->b, &entries));
    return 0;
}

static spg_status load(gamg_state *state, const amg_system *system)
{
    double *b = NULL, *candidates = NULL;
    spg_status status = start_library(state);
    if (status == SPG_OK) status = check(state, fill_matrix(state, system), "MatCreateSeqAIJ");
    if (status == SPG_OK && system->candidates > 0) {
        status = vector_fetch(system->host, &system->candidate_values, &candidates);
        if (status == SPG_OK)
            status = check(state, give_candidates(state, candidates, system->candidates), "MatSetNearNullSpace");
        free(candidates);
    }
    if (status == SPG_OK) status = vector_fetch(system->host, &system->b, &b);
    if (status == SPG_OK) status = check(state, fill_vectors(state, b), "MatCreateVecs");
    free(b);
    return status;
}

static void discard(void *memory)
{
    gamg_state *state = memory;
    KSPDestroy(&state->ksp);
}

static void close_state(void *memory)
{
    gamg_state *state = memory;
    if (state == NULL) return;
    discard(state);
    MatDestroy(&state->A);
    VecDestroy(&state->b);
    VecDestroy(&state->x);
    free(state);
}

static spg_status open_state(spg_context *errors, const amg_system *system, const amg_options *chosen, void **result)
{
    *result = NULL;
    if (system->A.nnz > INT32_MAX) return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "more than 2^31 - 1 entries");
    gamg_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->tolerance = chosen->solve.tolerance;
    state->max_iterations = chosen->solve.max_iterations;
    const spg_status status = load(state, system);
    if (status == SPG_OK)
        *result = state;
    else
        close_state(state);
    return status;
}

static PetscErrorCode make_solver(gamg_state *state)
{
    PC pc = NULL;
    PetscCall(KSPCreate(PETSC_COMM_SELF, &state->ksp));
    PetscCall(KSPSetOperators(state->ksp, state->A, state->A));
    PetscCall(KSPSetType(state->ksp, KSPCG));
    PetscCall(KSPSetNormType(state->ksp, KSP_NORM_UNPRECONDITIONED));
    PetscCall(KSPSetTolerances(state->ksp, state->tolerance, 0.0, PETSC_DEFAULT, state->max_iterations));
    PetscCall(KSPGetPC(state->ksp, &pc));
    PetscCall(PCSetType(pc, PCGAMG));
    PetscCall(KSPSetUp(state->ksp));
    return 0;
}

static spg_status set_up(void *memory)
{
    gamg_state *state = memory;
    return check(state, make_solver(state), "KSPSetUp");
}

static spg_status start(void *memory)
{
    gamg_state *state = memory;
    return check(state, VecZeroEntries(state->x), "VecZeroEntries");
}

static spg_status solve(void *memory, int *iterations)
{
    gamg_state *state = memory;
    PetscInt count = 0;
    spg_status status = check(state, KSPSolve(state->ksp, state->b, state->x), "KSPSolve");
    if (status == SPG_OK) status = check(state, KSPGetIterationNumber(state->ksp, &count), "KSPGetIterationNumber");
    *iterations = (int)count;
    return status;
}

static spg_status take_sizes(void *memory, amg_peer_sizes *sizes)
{
    gamg_state *state = memory;
    PC pc = NULL;
    PetscInt levels = 0;
    PetscReal grid = 0.0, operators = 0.0;
    spg_status status = check(state, KSPGetPC(state->ksp, &pc), "KSPGetPC");
    if (status == SPG_OK) status = check(state, PCMGGetLevels(pc, &levels), "PCMGGetLevels");
    if (status == SPG_OK) status = check(state, PCMGGetGridComplexity(pc, &grid, &operators), "PCMGGetGridComplexity");
    *sizes = (amg_peer_sizes){(int)levels, operators, grid};
    return status;
}

static spg_status take_x(void *memory, double *x)
{
    gamg_state *state = memory;
    const PetscScalar *entries = NULL;
    PetscInt rows = 0;
    spg_status status = check(state, VecGetLocalSize(state->x, &rows), "VecGetLocalSize");
    if (status == SPG_OK) status = check(state, VecGetArrayRead(state->x, &entries), "VecGetArrayRead");
    for (PetscInt i = 0; status == SPG_OK && i < rows; i++) x[i] = entries[i];
    return status == SPG_OK ? check(state, VecRestoreArrayRead(state->x, &entries), "VecRestoreArrayRead") : status;
}

#define TEXT(number) #number
#define VERSION(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

static const char *version(void) { return VERSION(PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR, PETSC_VERSION_SUBMINOR); }

const amg_peer amg_peer_gamg = {.name = "gamg",
                                .version = version,
                                .aggregation = "mis",
                                .smoother = "chebyshev",
                                .settings = "PETSc's defaults: MIS, smoothed once, Chebyshev",
                                .works_at = SPG_PLACE_HOST,
                                .open = open_state,
                                .set_up = set_up,
                                .start = start,
                                .solve = solve,
                                .take_sizes = take_sizes,
                                .take_x = take_x,
                                .discard = discard,
                                .close = close_state};
