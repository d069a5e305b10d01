/* AMGX of NVIDIA on a device, with classical multigrid and with unsmoothed aggregation. It takes its settings as JSON.
 */
#include "amg_peer.h"

#include <amgx_c.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLASSICAL                                                                                                      \
    "\"algorithm\": \"CLASSICAL\", \"selector\": \"PMIS\", \"interpolator\": \"D2\", \"interp_max_elements\": 4, "
#define AGGREGATION "\"algorithm\": \"AGGREGATION\", \"selector\": \"SIZE_8\", "

/* In it: the limit of iterations, the tolerance, how to coarsen, whether to print the sizes of levels. */
static const char settings_format[] =
    "{\"config_version\": 2, \"solver\": {\"scope\": \"main\", \"solver\": \"PCG\", \"max_iters\": %d, "
    "\"monitor_residual\": 1, \"convergence\": \"RELATIVE_INI\", \"norm\": \"L2\", \"tolerance\": %.17g, "
    "\"print_solve_stats\": 0, \"obtain_timings\": 0, \"preconditioner\": {\"scope\": \"amg\", \"solver\": \"AMG\", "
    "%s\"smoother\": {\"scope\": \"jacobi\", \"solver\": \"JACOBI_L1\", \"monitor_residual\": 0}, \"presweeps\": 1, "
    "\"postsweeps\": 1, \"cycle\": \"V\", \"max_iters\": 1, \"max_levels\": 50, \"monitor_residual\": 0, "
    "\"print_grid_stats\": %d}}}";

typedef struct amgx_state {
    spg_context *errors;
    AMGX_config_handle settings, telling; /* telling: the same, and it prints the sizes of levels */
    AMGX_resources_handle resources;
    AMGX_matrix_handle A;
    AMGX_vector_handle b, x;
    AMGX_solver_handle solver;
    int rows;
} amgx_state;

/* What AMGX prints is kept, as far as it fits, in place of being shown. */
static char printed[8192];
static size_t printed_length;

static void keep_printed(const char *message, int length)
{
    const size_t room = sizeof printed - 1 - printed_length, asked = length > 0 ? (size_t)length : 0;
    const size_t taken = asked < room ? asked : room;
    memcpy(printed + printed_length, message, taken);
    printed_length += taken;
    printed[printed_length] = '\0';
}

static void forget_printed(void) { printed[printed_length = 0] = '\0'; }

/* The number after a label; 0 if it was not printed. */
static double printed_number(const char *label)
{
    const char *found = strstr(printed, label);
    return found != NULL ? strtod(found + strlen(label), NULL) : 0.0;
}

static spg_status check(const amgx_state *state, AMGX_RC error, const char *what)
{
    if (error == AMGX_RC_OK) return SPG_OK;
    char text[256] = "";
    AMGX_get_error_string(error, text, sizeof text);
    const spg_status status = error == AMGX_RC_NO_MEMORY ? SPG_ERROR_MEMORY : SPG_ERROR_INTERNAL;
    return spg_context_fail(state->errors, status, "%s: %.200s", what, text);
}

static void finalize(void) { AMGX_finalize(); }

static spg_status start_library(const amgx_state *state)
{
    static bool started = false;
    if (started) return SPG_OK;
    spg_status status = check(state, AMGX_register_print_callback(keep_printed), "AMGX_register_print_callback");
    if (status == SPG_OK) status = check(state, AMGX_initialize(), "AMGX_initialize");
    if (status != SPG_OK) return status;
    atexit(finalize);
    started = true;
    return SPG_OK;
}

static spg_status make_settings(const amgx_state *state, const amg_options *chosen, const char *coarsening, bool tells,
                                AMGX_config_handle *settings)
{
    char text[1024];
    snprintf(text, sizeof text, settings_format, chosen->solve.max_iterations, chosen->solve.tolerance, coarsening,
             tells);
    return check(state, AMGX_config_create(settings, text), "AMGX_config_create");
}

static spg_status upload(amgx_state *state, const amg_system *system)
{
    const spg_csr *A = &system->A;
    double *b = NULL;
    int32_t *offsets = offsets_as_int32(A);
    if (offsets == NULL)
        return spg_context_fail(state->errors, SPG_ERROR_UNSUPPORTED, "it needs 32-bit offsets, which do not suffice");
    spg_status status = check(
        state, AMGX_matrix_upload_all(state->A, state->rows, (int)A->nnz, 1, 1, offsets, A->columns, A->values, NULL),
        "AMGX_matrix_upload_all");
    free(offsets);
    if (status == SPG_OK) status = vector_fetch(system->host, &system->b, &b);
    if (status == SPG_OK) status = check(state, AMGX_vector_upload(state->b, state->rows, 1, b), "AMGX_vector_upload");
    if (status == SPG_OK) status = check(state, AMGX_vector_upload(state->x, state->rows, 1, b), "AMGX_vector_upload");
    free(b);
    return status;
}

static spg_status load(amgx_state *state, const amg_system *system, const amg_options *chosen, const char *coarsening)
{
    spg_status status = start_library(state);
    if (status == SPG_OK) status = make_settings(state, chosen, coarsening, false, &state->settings);
    if (status == SPG_OK) status = make_settings(state, chosen, coarsening, true, &state->telling);
    if (status == SPG_OK)
        status =
            check(state, AMGX_resources_create_simple(&state->resources, state->settings), "AMGX_resources_create");
    if (status == SPG_OK)
        status = check(state, AMGX_matrix_create(&state->A, state->resources, AMGX_mode_dDDI), "AMGX_matrix_create");
    if (status == SPG_OK)
        status = check(state, AMGX_vector_create(&state->b, state->resources, AMGX_mode_dDDI), "AMGX_vector_create");
    if (status == SPG_OK)
        status = check(state, AMGX_vector_create(&state->x, state->resources, AMGX_mode_dDDI), "AMGX_vector_create");
    return status == SPG_OK ? upload(state, system) : status;
}

static void discard(void *memory)
{
    amgx_state *state = memory;
    if (state->solver != NULL) AMGX_solver_destroy(state->solver);
    state->solver = NULL;
}

static void close_state(void *memory)
{
    amgx_state *state = memory;
    if (state == NULL) return;
    discard(state);
    if (state->x != NULL) AMGX_vector_destroy(state->x);
    if (state->b != NULL) AMGX_vector_destroy(state->b);
    if (state->A != NULL) AMGX_matrix_destroy(state->A);
    if (state->resources != NULL) AMGX_resources_destroy(state->resources);
    if (state->telling != NULL) AMGX_config_destroy(state->telling);
    if (state->settings != NULL) AMGX_config_destroy(state->settings);
    free(state);
}

static spg_status open_with(spg_context *errors, const amg_system *system, const amg_options *chosen,
                            const char *coarsening, void **result)
{
    *result = NULL;
    amgx_state *state = calloc(1, sizeof *state);
    if (state == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory");
    state->errors = errors;
    state->rows = (int)system->A.rows;
    const spg_status status = load(state, system, chosen, coarsening);
    if (status == SPG_OK)
        *result = state;
    else
        close_state(state);
    return status;
}

static spg_status open_classical(spg_context *errors, const amg_system *system, const amg_options *chosen,
                                 void **result)
{
    return open_with(errors, system, chosen, CLASSICAL, result);
}

static spg_status open_aggregation(spg_context *errors, const amg_system *system, const amg_options *chosen,
                                   void **result)
{
    return open_with(errors, system, chosen, AGGREGATION, result);
}

static spg_status set_up_with(const amgx_state *state, AMGX_config_handle settings, AMGX_solver_handle *solver)
{
    spg_status status =
        check(state, AMGX_solver_create(solver, state->resources, AMGX_mode_dDDI, settings), "AMGX_solver_create");
    return status == SPG_OK ? check(state, AMGX_solver_setup(*solver, state->A), "AMGX_solver_setup") : status;
}

static spg_status set_up(void *memory)
{
    amgx_state *state = memory;
    return set_up_with(state, state->settings, &state->solver);
}

static spg_status start(void *memory)
{
    amgx_state *state = memory;
    return check(state, AMGX_vector_set_zero(state->x, state->rows, 1), "AMGX_vector_set_zero");
}

static spg_status solve(void *memory, int *iterations)
{
    amgx_state *state = memory;
    spg_status status =
        check(state, AMGX_solver_solve_with_0_initial_guess(state->solver, state->b, state->x), "AMGX_solver_solve");
    if (status == SPG_OK)
        status = check(state, AMGX_solver_get_iterations_number(state->solver, iterations),
                       "AMGX_solver_get_iterations_number");
    return status;
}

/* AMGX prints them only, so a hierarchy of its own is made that does. */
static spg_status take_sizes(void *memory, amg_peer_sizes *sizes)
{
    amgx_state *state = memory;
    AMGX_solver_handle solver = NULL;
    forget_printed();
    const spg_status status = set_up_with(state, state->telling, &solver);
    if (solver != NULL) AMGX_solver_destroy(solver);
    *sizes = (amg_peer_sizes){(int)printed_number("Number of Levels:"), printed_number("Operator Complexity:"),
                              printed_number("Grid Complexity:")};
    forget_printed();
    return status;
}

static spg_status take_x(void *memory, double *x)
{
    amgx_state *state = memory;
    return check(state, AMGX_vector_download(state->x, x), "AMGX_vector_download");
}

/* The first word of what it says of its build. */
static const char *version(void)
{
    static char text[32];
    char *built = NULL, *date = NULL, *time = NULL;
    if (text[0] == '\0' && AMGX_get_build_info_strings(&built, &date, &time) == AMGX_RC_OK)
        snprintf(text, sizeof text, "%.*s", (int)strcspn(built, " "), built);
    return text;
}

#define AMGX_CALLS                                                                                                     \
    .set_up = set_up, .start = start, .solve = solve, .take_sizes = take_sizes, .take_x = take_x, .discard = discard,  \
    .close = close_state

const amg_peer amg_peer_amgx = {.name = "amgx",
                                .version = version,
                                .aggregation = "pmis",
                                .smoother = "l1-jacobi",
                                .settings = "classical: PMIS, D2 of at most 4 a row, l1-Jacobi",
                                .works_at = SPG_PLACE_DEVICE,
                                .open = open_classical,
                                AMGX_CALLS};
const amg_peer amg_peer_amgx_aggregation = {.name = "amgx-aggregation",
                                            .version = version,
                                            .aggregation = "size-8",
                                            .smoother = "l1-jacobi",
                                            .settings = "unsmoothed aggregation SIZE_8, l1-Jacobi",
                                            .works_at = SPG_PLACE_DEVICE,
                                            .open = open_aggregation,
                                            AMGX_CALLS};
