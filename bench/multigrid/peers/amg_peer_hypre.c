/* BoomerAMG of hypre, on the host and, where hypre was built for it, on a device. The settings are those that its
 * manual advises for each: on the host HMIS coarsening and symmetric Gauss-Seidel sweeps; on a device PMIS, l1-Jacobi,
 * its own sparse products and stored transposes. Both have extended+i interpolation of at most 4 entries a row. */
#include "amg_peer.h"
#include "hypre_levels.h"

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef HYPRE_SEQUENTIAL
#define WORLD 0
#else
#include <mpi.h>
#define WORLD MPI_COMM_WORLD
#endif

#define STRENGTH 0.25
#define MOST_ENTRIES 4
#define TEXT(number) #number
#define VALUE_TEXT(macro) TEXT(macro)
#define SHARED_SETTINGS "strength " VALUE_TEXT(STRENGTH) ", extended+i of at most " VALUE_TEXT(MOST_ENTRIES) " a row"

/* hypre's numbers of its methods. */
enum { HMIS = 10, PMIS = 8, EXTENDED_I = 6, L1_SYMMETRIC_GAUSS_SEIDEL = 8, L1_JACOBI = 18 };

typedef struct hypre_state {
    spg_context *errors;
    bool on_device;
    int unknowns; /* of a node */
    double tolerance;
    int max_iterations;
    HYPRE_Int rows;
    HYPRE_IJMatrix A;
    HYPRE_IJVector b, x;
    HYPRE_ParCSRMatrix A_inside; /* what is in them; not owned */
    HYPRE_ParVector b_inside, x_inside;
    HYPRE_Solver cg, amg;
} hypre_state;

/* hypre adds up its errors until they are cleared. */
static spg_status check(const hypre_state *state, const char *what)
{
    const HYPRE_Int error = HYPRE_GetError();
    if (error == 0) return SPG_OK;
    char text[256] = "";
    HYPRE_DescribeError(error, text);
    HYPRE_ClearAllErrors();
    const bool memory = HYPRE_CheckError(error, HYPRE_ERROR_MEMORY) != 0;
    return spg_context_fail(state->errors, memory ? SPG_ERROR_MEMORY : SPG_ERROR_INTERNAL, "%s: %.200s", what, text);
}

static void finalize(void) { HYPRE_Finalize(); }

/* hypre and MPI, for the whole run. */
static spg_status start_library(hypre_state *state)
{
    static bool started = false;
    spg_status status = SPG_OK;
#ifndef HYPRE_SEQUENTIAL
    status = start_mpi(state->errors);
#endif
    if (status != SPG_OK) return status;
    if (!started) {
        HYPRE_Init();
        atexit(finalize);
        started = true;
    }
#ifdef HYPRE_USING_GPU
    static bool has_device = false;
    if (state->on_device && !has_device) {
        HYPRE_DeviceInitialize();
        has_device = true;
    }
    HYPRE_SetMemoryLocation(state->on_device ? HYPRE_MEMORY_DEVICE : HYPRE_MEMORY_HOST);
    HYPRE_SetExecutionPolicy(state->on_device ? HYPRE_EXEC_DEVICE : HYPRE_EXEC_HOST);
    HYPRE_SetSpGemmUseVendor(0);
#endif
    return check(state, "HYPRE_Init");
}

/* What was built on the host goes to the device. */
static void migrate(const hypre_state *state)
{
    (void)state;
#ifdef HYPRE_USING_GPU
    if (!state->on_device) return;
    HYPRE_IJMatrixMigrate(state->A, HYPRE_MEMORY_DEVICE);
    HYPRE_IJVectorMigrate(state->b, HYPRE_MEMORY_DEVICE);
    HYPRE_IJVectorMigrate(state->x, HYPRE_MEMORY_DEVICE);
#endif
}

static spg_status fill_matrix(hypre_state *state, const spg_csr *A)
{
    HYPRE_Int *counts = malloc((size_t)(A->rows > 0 ? A->rows : 1) * sizeof *counts);
    if (counts == NULL) return spg_context_fail(state->errors, SPG_ERROR_MEMORY, "no memory for lengths of rows");
    for (int64_t i = 0; i < A->rows; i++) counts[i] = (HYPRE_Int)(row_offset(A, i + 1) - row_offset(A, i));
    HYPRE_IJMatrixCreate(WORLD, 0, state->rows - 1, 0, state->rows - 1, &state->A);
    HYPRE_IJMatrixSetObjectType(state->A, HYPRE_PARCSR);
    HYPRE_IJMatrixSetRowSizes(state->A, counts);
    HYPRE_IJMatrixInitialize_v2(state->A, HYPRE_MEMORY_HOST);
    const double *values = A->values;
    for (HYPRE_Int i = 0; i < state->rows; i++) {
        const int64_t first = row_offset(A, i);
        if (counts[i] > 0) HYPRE_IJMatrixAddToValues(state->A, 1, &counts[i], &i, &A->columns[first], &values[first]);
    }
    HYPRE_IJMatrixAssemble(state->A);
    HYPRE_IJMatrixGetObject(state->A, (void **)&state->A_inside);
    free(counts);
    return check(state, "HYPRE_IJMatrixAssemble");
}

static void fill_vector(const hypre_state *state, const double *values, HYPRE_IJVector *vector, HYPRE_ParVector *inside)
{
    HYPRE_IJVectorCreate(WORLD, 0, state->rows - 1, vector);
    HYPRE_IJVectorSetObjectType(*vector, HYPRE_PARCSR);
    HYPRE_IJVectorInitialize_v2(*vector, HYPRE_MEMORY_HOST);
    HYPRE_IJVectorSetValues(*vector, state->rows, NULL, values);
    HYPRE_IJVectorAssemble(*vector);
    HYPRE_IJVectorGetObject(*vector, (void **)inside);
}

static spg_status load(hypre_state *state, const amg_system *system)
{
    double *b = NULL;
    spg_status status = start_library(state);
    if (status == SPG_OK) status = fill_matrix(state, &system->A);
    if (status == SPG_OK) status = vector_fetch(system->host, &system->b, &b);
    if (status != SPG_OK) return status;
    fill_vector(state, b, &state->b, &state->b_inside);
    fill_vector(state, b, &state->x, &state->x_inside);
    free(b);
    migrate(state);
    return check(state, "HYPRE_IJVectorAssemble");
}

static void discard(void *memory)
{
    hypre_state *state = memory;
    if (state->cg != NULL) HYPRE_ParCSRPCGDestroy(state->cg);
    if (state->amg != NULL) HYPRE_BoomerAMGDestroy(state->amg);
    state->cg = state->amg = NULL;
    HYPRE_ClearAllErrors();
}

static void close_state(void *memory)
{
    hypre_state *state = memory;
    if (state == NULL) return;
    discard(state);
    if (state->A != NULL) HYPRE_IJMatrixDestroy(state->A);
    if (state->b != NULL) HYPRE_IJVectorDestroy(state->b);
    if (state->x != NULL) HYPRE_IJVectorDestroy(state->x);
    free(state);
}

static spg_status open_state(spg_context *errors, const amg_system *system, const amg_options *chosen, void **result)
{
    *result = NULL;
    if (system->A.nnz > INT32_MAX) return spg_context_fail(errors, SPG_ERROR_UNSUPPORTED, "more than 2^31 - 1 entries");
    hypre_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->on_device = spg_context_place(system->context) == SPG_PLACE_DEVICE;
    state->unknowns = system->block_size;
    state->tolerance = chosen->solve.tolerance;
    state->max_iterations = chosen->solve.max_iterations;
    state->rows = (HYPRE_Int)system->A.rows;
    const spg_status status = load(state, system);
    if (status == SPG_OK)
        *result = state;
    else
        close_state(state);
    return status;
}

static void choose_boomeramg(hypre_state *state)
{
    HYPRE_BoomerAMGCreate(&state->amg);
    HYPRE_BoomerAMGSetCoarsenType(state->amg, state->on_device ? PMIS : HMIS);
    HYPRE_BoomerAMGSetInterpType(state->amg, EXTENDED_I);
    HYPRE_BoomerAMGSetPMaxElmts(state->amg, MOST_ENTRIES);
    HYPRE_BoomerAMGSetStrongThreshold(state->amg, STRENGTH);
    HYPRE_BoomerAMGSetRelaxType(state->amg, state->on_device ? L1_JACOBI : L1_SYMMETRIC_GAUSS_SEIDEL);
    HYPRE_BoomerAMGSetRelaxOrder(state->amg, 0);
    HYPRE_BoomerAMGSetNumSweeps(state->amg, 1);
    if (state->on_device) HYPRE_BoomerAMGSetKeepTranspose(state->amg, 1);
    if (state->unknowns > 1) HYPRE_BoomerAMGSetNumFunctions(state->amg, state->unknowns);
    HYPRE_BoomerAMGSetTol(state->amg, 0.0); /* one cycle, as a preconditioner */
    HYPRE_BoomerAMGSetMaxIter(state->amg, 1);
    HYPRE_BoomerAMGSetPrintLevel(state->amg, 0);
}

static spg_status set_up(void *memory)
{
    hypre_state *state = memory;
    choose_boomeramg(state);
    HYPRE_ParCSRPCGCreate(WORLD, &state->cg);
    HYPRE_PCGSetTol(state->cg, state->tolerance);
    HYPRE_PCGSetMaxIter(state->cg, state->max_iterations);
    HYPRE_PCGSetTwoNorm(state->cg, 1); /* the residual itself, not the preconditioned one */
    HYPRE_ParCSRPCGSetPrecond(state->cg, HYPRE_BoomerAMGSolve, HYPRE_BoomerAMGSetup, state->amg);
    HYPRE_ParCSRPCGSetup(state->cg, state->A_inside, state->b_inside, state->x_inside);
    return check(state, "HYPRE_ParCSRPCGSetup");
}

static spg_status start(void *memory)
{
    hypre_state *state = memory;
    HYPRE_ParVectorSetConstantValues(state->x_inside, 0.0);
    return check(state, "HYPRE_ParVectorSetConstantValues");
}

/* To end at the limit of iterations is no error here: the residual tells. */
static spg_status solve(void *memory, int *iterations)
{
    hypre_state *state = memory;
    HYPRE_Int count = 0;
    HYPRE_ParCSRPCGSolve(state->cg, state->A_inside, state->b_inside, state->x_inside);
    HYPRE_ClearError(HYPRE_ERROR_CONV);
    HYPRE_PCGGetNumIterations(state->cg, &count);
    *iterations = (int)count;
    return check(state, "HYPRE_ParCSRPCGSolve");
}

static spg_status take_sizes(void *memory, amg_peer_sizes *sizes)
{
    hypre_levels_sizes found;
    hypre_levels_measure(((hypre_state *)memory)->amg, &found);
    *sizes = (amg_peer_sizes){found.levels, found.entries / found.fine_entries, found.rows / found.fine_rows};
    return SPG_OK;
}

static spg_status take_x(void *memory, double *x)
{
    hypre_state *state = memory;
    HYPRE_BigInt *rows = malloc((size_t)(state->rows > 0 ? state->rows : 1) * sizeof *rows);
    if (rows == NULL) return spg_context_fail(state->errors, SPG_ERROR_MEMORY, "no memory for a solution");
    for (HYPRE_Int i = 0; i < state->rows; i++) rows[i] = i;
#ifdef HYPRE_USING_GPU
    HYPRE_IJVectorMigrate(state->x, HYPRE_MEMORY_HOST);
#endif
    HYPRE_IJVectorGetValues(state->x, state->rows, rows, x);
    migrate(state);
    free(rows);
    return check(state, "HYPRE_IJVectorGetValues");
}

static const char *version(void) { return HYPRE_RELEASE_VERSION; }

#define HYPRE_CALLS                                                                                                    \
    .open = open_state, .set_up = set_up, .start = start, .solve = solve, .take_sizes = take_sizes, .take_x = take_x,  \
    .discard = discard, .close = close_state

const amg_peer amg_peer_hypre_host = {.name = "hypre",
                                      .version = version,
                                      .aggregation = "hmis",
                                      .smoother = "l1-symmetric-gauss-seidel",
                                      .settings = "HMIS, " SHARED_SETTINGS ",\n  l1 symmetric Gauss-Seidel",
                                      .works_at = SPG_PLACE_HOST,
                                      HYPRE_CALLS};

#ifdef HYPRE_USING_GPU
const amg_peer amg_peer_hypre_device = {.name = "hypre",
                                        .version = version,
                                        .aggregation = "pmis",
                                        .smoother = "l1-jacobi",
                                        .settings = "PMIS, " SHARED_SETTINGS ",\n  l1-Jacobi, its own products",
                                        .works_at = SPG_PLACE_DEVICE,
                                        HYPRE_CALLS};
#endif
