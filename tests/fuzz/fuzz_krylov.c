/* Options, operators and vectors of Krylov methods, sound and not, on small dense systems of any kind: what is taken
 * ends with a status that fits, a residual that is that of x, and a history within its room; what is not gets a status
 * and a message; operators that fail, monitors that stop and refused allocations lose nothing. */
#include "fuzz.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 8 };

/* A dense operator that fails at its k-th call. */
typedef struct dense {
    int64_t rows;
    spg_type type;
    int64_t calls, fail_at; /* 0: never */
    double values[MOST][MOST];
} dense;

static double element(spg_type type, const void *vector, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)vector)[k] : ((const double *)vector)[k];
}

static void set_element(spg_type type, void *vector, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)vector)[k] = (float)value;
    else
        ((double *)vector)[k] = value;
}

static spg_status apply(void *user, spg_context *context, const void *x, void *y)
{
    (void)context;
    dense *of = user;
    if (++of->calls == of->fail_at) return SPG_ERROR_IO;
    for (int64_t i = 0; i < of->rows; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < of->rows; ++j) sum += of->values[i][j] * element(of->type, x, j);
        set_element(of->type, y, i, sum);
    }
    return SPG_OK;
}

/* General, symmetric, or symmetric positive definite. */
static void take_dense(fuzz_input *in, int64_t rows, spg_type type, dense *of)
{
    const int64_t kind = fuzz_take(in, 1), fails = fuzz_take(in, 1);
    memset(of, 0, sizeof *of);
    of->rows = rows;
    of->type = type;
    of->fail_at = fails > 240 ? fails - 240 : 0;
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < rows; ++j) {
            of->values[i][j] = j < i && kind % 4 != 0 ? of->values[j][i] : (double)(fuzz_take(in, 1) % 16 - 8);
            if (i == j && kind % 4 >= 2) of->values[i][j] += 8 * MOST + 8;
        }
}

static void *take_vector(fuzz_input *in, int64_t rows, spg_type type)
{
    static const double scales[] = {1, 1, 1, 0, 1e-30, 1e30, 1e200};
    const double scale = scales[fuzz_take(in, 1) % (type == SPG_F32 ? 6 : 7)];
    void *vector = malloc((size_t)(rows + 1) * spg_type_size(type));
    for (int64_t k = 0; k < rows; ++k) set_element(type, vector, k, scale * (double)(fuzz_take(in, 1) % 16 - 8));
    return vector;
}

typedef struct monitor_state {
    int calls, stop_at; /* 0: never */
} monitor_state;

static int monitor(void *user, int iteration, double residual)
{
    monitor_state *state = user;
    REQUIRE(iteration == ++state->calls && residual >= 0);
    return iteration == state->stop_at;
}

static spg_krylov_options take_options(fuzz_input *in, monitor_state *state)
{
    static const int64_t most[] = {200, 0, 1, 2, 3, 7, 20, 60};
    static const double tolerances[] = {1e-8, 1e-3, 0, 1, 1e30, INFINITY, DBL_MIN, NAN, -1e-3, -INFINITY};
    spg_krylov_options options = spg_krylov_options_default();
    const int64_t kind = fuzz_take(in, 1), method = fuzz_take(in, 1), limit = fuzz_take(in, 1);
    options.method = (spg_krylov_method)(method < 250 ? method % 4 : fuzz_take_entry(in));
    options.max_iterations = (int)(limit < 250 ? most[limit % 8] : -fuzz_take(in, 1));
    if (kind % 2 != 0) options.restart = (int)fuzz_take_entry(in);
    if (kind / 2 % 2 != 0) options.tolerance = tolerances[fuzz_take(in, 1) % 10];
    options.zero_guess = kind / 4 % 2 != 0;
    state->stop_at = (int)(kind / 16 % 8 == 7 ? fuzz_take(in, 1) % 8 : 0);
    if (kind / 8 % 2 != 0) {
        options.monitor = monitor;
        options.monitor_user = state;
    }
    return options;
}

static bool are_sound(const spg_krylov_options *options)
{
    const int method = (int)options->method;
    return method >= SPG_KRYLOV_CG && method <= SPG_KRYLOV_BICGSTAB && options->max_iterations >= 0 &&
           options->restart >= 1 && options->restart <= 1000 &&
           (options->tolerance >= 0 || options->tolerance == SPG_AMG_TOLERANCE_OF_TYPE);
}

/* One fault, or none: whether the call may be taken. */
static bool spoil(int64_t fault, spg_operator *A, spg_operator *M)
{
    switch (fault) {
    case 255: A->apply = NULL; return false;
    case 254: A->rows = -1; return false;
    case 253: A->type = SPG_C64; return false;
    case 252: M->apply = NULL; return false;
    case 251: M->rows = A->rows + 1; return false;
    case 250: M->type = M->type == SPG_F32 ? SPG_F64 : SPG_F32; return false;
    default: return true;
    }
}

/* The residual that was told, but for rounding, is that of x. */
static void require_residual(const dense *A, const void *b, const void *x, const spg_krylov_result *result)
{
    const double told = result->residual;
    double sum = 0, size = 0, largest = 0; /* of b */
    for (int64_t i = 0; i < A->rows; ++i) {
        double r = element(A->type, b, i);
        size += fabs(r);
        largest = fmax(largest, fabs(r));
        for (int64_t j = 0; j < A->rows; ++j) {
            r -= A->values[i][j] * element(A->type, x, j);
            size += fabs(A->values[i][j] * element(A->type, x, j));
        }
        sum += r * r;
    }
    if (largest == 0) REQUIRE(result->relative_residual == told);
    if (isfinite(sum) && isfinite(told)) REQUIRE(fabs(sqrt(sum) - told) <= (A->type == SPG_F32 ? 1e-5 : 1e-14) * size);
}

static void require_ending(spg_status status, const spg_krylov_options *options, const spg_krylov_result *result,
                           const monitor_state *state)
{
    const bool is_cg = options->method == SPG_KRYLOV_CG || options->method == SPG_KRYLOV_FCG;
    REQUIRE(result->iterations >= 0 && result->iterations <= options->max_iterations);
    REQUIRE((status == SPG_OK) == (result->converged == 1));
    REQUIRE(status == SPG_OK || status == SPG_ERROR_NOT_CONVERGED || status == SPG_ERROR_BREAKDOWN ||
            status == SPG_ERROR_IO || (is_cg && status == SPG_ERROR_INDEFINITE) ||
            (status == SPG_ERROR_MEMORY && fuzz_refused()));
    if (options->monitor != NULL && (status == SPG_OK || status == SPG_ERROR_NOT_CONVERGED))
        REQUIRE(state->calls == result->iterations);
    if (status == SPG_ERROR_NOT_CONVERGED)
        REQUIRE(result->stopped || result->stagnated || result->iterations == options->max_iterations);
    if (status != SPG_OK && status != SPG_ERROR_NOT_CONVERGED) return;
    REQUIRE(result->residual >= 0 && result->initial_residual >= 0);
    if (options->history == NULL) return;
    REQUIRE(options->history[0] == result->initial_residual || result->iterations == 0);
    REQUIRE(options->history[result->iterations] == result->residual);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    spg_context *context = fuzz_open_context((size_t)1 << 26);
    const int64_t kind = fuzz_take(&in, 1), refused = fuzz_take(&in, 1), fault = fuzz_take(&in, 1);
    const int64_t rows = fuzz_take(&in, 1) % (MOST + 1);
    const spg_type type = kind % 2 == 0 ? SPG_F64 : SPG_F32;
    monitor_state state = {0, 0};
    dense of_A, of_M;
    spg_krylov_options options = take_options(&in, &state);
    take_dense(&in, rows, type, &of_A);
    take_dense(&in, rows, type, &of_M);
    void *const b = take_vector(&in, rows, type), *const x = take_vector(&in, rows, type);
    const bool has_M = kind / 2 % 2 != 0 || (fault >= 250 && fault <= 252);
    spg_operator A = {rows, type, &of_A, apply}, M = {rows, type, &of_M, apply};
    const bool overlap = rows > 0 && fault == 249;
    const bool may_run = spoil(fault, &A, &M) && are_sound(&options) && !overlap;
    if (kind / 4 % 2 != 0 && options.max_iterations >= 0)
        options.history = malloc((size_t)(options.max_iterations + 1) * sizeof *options.history);
    fuzz_refuse(refused > 250 ? refused - 250 : 0);
    spg_krylov_result result;
    const spg_status status = spg_krylov_solve(context, &A, has_M ? &M : NULL, b, overlap ? b : x, &options, &result);
    if (!may_run) {
        REQUIRE(status == SPG_ERROR_ARGUMENT || status == SPG_ERROR_SHAPE);
        REQUIRE(strlen(spg_context_message(context)) > 0);
        fuzz_require_zeroed(&result, sizeof result);
    } else {
        require_ending(status, &options, &result, &state);
        if (status == SPG_OK || status == SPG_ERROR_NOT_CONVERGED) require_residual(&of_A, b, x, &result);
    }
    free(options.history);
    free(b);
    free(x);
    fuzz_close_context(context);
    return 0;
}
