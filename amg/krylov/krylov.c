/* The frame of Krylov methods: arguments, memory, inner products, and residuals computed from x between the runs of a
 * method. */
#include "krylov.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RESTART = 1000, LINE = 256 };

spg_krylov_options spg_krylov_options_default(void)
{
    return (spg_krylov_options){
        .method = SPG_KRYLOV_CG, .tolerance = SPG_AMG_TOLERANCE_OF_TYPE, .max_iterations = 200, .restart = 30};
}

/* ---- Arguments ---- */

static spg_status check_operator(spg_context *context, const spg_operator *of, const char *name)
{
    if (of->apply == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: apply is NULL; a matrix that is not square has none",
                                name);
    if (of->rows < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: rows is %lld; it must not be negative", name,
                                (long long)of->rows);
    if (of->type != SPG_F32 && of->type != SPG_F64)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s: type %d is neither f32 nor f64", name, (int)of->type);
    return SPG_OK;
}

static spg_status check_options(spg_context *context, const spg_krylov_options *options)
{
    const int method = (int)options->method;
    if (method < SPG_KRYLOV_CG || method > SPG_KRYLOV_BICGSTAB)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "method %d is not an spg_krylov_method", method);
    if (!(options->tolerance >= 0) && options->tolerance != SPG_AMG_TOLERANCE_OF_TYPE)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "tolerance is %g; it must be at least 0 or SPG_AMG_TOLERANCE_OF_TYPE",
                                options->tolerance);
    if (options->max_iterations < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "max_iterations is %d; it must not be negative",
                                options->max_iterations);
    if (options->restart < 1 || options->restart > MOST_RESTART)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "restart is %d, not from 1 to %d", options->restart,
                                (int)MOST_RESTART);
    return SPG_OK;
}

static spg_status check_vectors(spg_context *context, const spg_operator *A, const void *b, const void *x)
{
    const size_t size = spg_type_size(A->type);
    const int64_t bytes = spg_array_bytes(A->rows, size);
    if (A->rows == 0) return SPG_OK;
    if (b == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b is NULL");
    if (x == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "x is NULL");
    if (spg_overlap(b, bytes, x, bytes)) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b and x overlap");
    const spg_status status = spg_check_array_here(context, b, size, "b");
    return status == SPG_OK ? spg_check_array_here(context, x, size, "x") : status;
}

static spg_status check(spg_context *context, const spg_operator *A, const spg_operator *M,
                        const spg_krylov_options *options)
{
    if (A == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "A is NULL");
    spg_status status = check_operator(context, A, "A");
    if (status == SPG_OK && M != NULL) status = check_operator(context, M, "M");
    if (status == SPG_OK) status = check_options(context, options);
    if (status != SPG_OK || M == NULL) return status;
    if (options->method == SPG_KRYLOV_CG && spg_amg_is_flexible(M))
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                "M is a K-cycle, which conjugate gradients do not take; use SPG_KRYLOV_FCG");
    if (M->rows != A->rows)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "M has %lld rows, A %lld", (long long)M->rows,
                                (long long)A->rows);
    if (M->type != A->type)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "M is of %s, A of %s", spg_type_name(M->type),
                                spg_type_name(A->type));
    return SPG_OK;
}

/* ---- Memory ---- */

static int vectors_of(const spg_krylov_options *options)
{
    switch (options->method) {
    case SPG_KRYLOV_FGMRES: return spg_fgmres_vectors(options->restart);
    case SPG_KRYLOV_BICGSTAB: return SPG_BICGSTAB_VECTORS;
    default: return SPG_CG_VECTORS;
    }
}

static int64_t whole_lines(int64_t bytes) { return (bytes + LINE - 1) / LINE * LINE; }

static spg_status take_memory(spg_krylov *run)
{
    const int vectors = vectors_of(&run->options), restart = run->options.restart;
    const int64_t vector = spg_array_bytes(run->n, spg_type_size(run->type));
    const int64_t dots = whole_lines(run->backend->krylov->dots_bytes(run->type, run->n));
    const int64_t scalars = whole_lines(sizeof *run->scalars);
    const bool has_basis = run->options.method == SPG_KRYLOV_FGMRES;
    const int64_t numbers = has_basis ? spg_fgmres_numbers(restart) * (int64_t)sizeof(double) : 0;
    void *memory = NULL;
    if (vector > INT64_MAX / (2 * MOST_RESTART + 4) - LINE)
        return spg_context_fail(run->context, SPG_ERROR_MEMORY, "%d vectors of %lld rows", vectors, (long long)run->n);
    run->vector_bytes = whole_lines(vector);
    run->bytes = vectors * run->vector_bytes + dots + scalars + numbers;
    spg_status status = spg_allocate_workspace(run->context, 0, run->bytes, "the vectors of a Krylov method", &memory);
    if (status != SPG_OK) return status;
    run->memory = memory;
    char *const rest = run->memory + vectors * run->vector_bytes;
    run->workspace = rest;
    run->scalars = (spg_amg_krylov_scalars *)(void *)(rest + dots);
    if (has_basis) run->small = spg_fgmres_system(restart, (double *)(void *)(rest + dots + scalars));
    return SPG_OK;
}

static void give_memory(spg_krylov *run) { spg_release(run->context, run->memory, run->bytes); }

/* ---- What methods call ---- */

spg_status spg_krylov_axpby(const spg_krylov *run, double alpha, const void *x, double beta, void *y)
{
    return run->backend->axpby(run->context, run->type, run->n, alpha, x, beta, y);
}

spg_status spg_krylov_dot(const spg_krylov *run, const void *x, const void *y, double *result)
{
    return run->backend->dot(run->context, run->type, run->n, x, y, run->workspace, result);
}

spg_status spg_krylov_dots(const spg_krylov *run, spg_amg_vectors of, const void *y, double *results)
{
    return run->backend->krylov->dots(run->context, run->type, run->n, &of, y, run->workspace, results);
}

spg_status spg_krylov_combine(const spg_krylov *run, spg_amg_combination by, void *y)
{
    return run->backend->krylov->combine(run->context, run->type, run->n, &by, y);
}

spg_status spg_krylov_advance(const spg_krylov *run, spg_amg_krylov_move move, int number)
{
    const spg_amg_krylov_step step = {.move = move,
                                      .scalars = run->scalars,
                                      .target = spg_krylov_target(run),
                                      .small = run->small,
                                      .residual = run->result.residual,
                                      .epsilon = spg_amg_epsilon(run->type == SPG_F32),
                                      .column = number};
    return run->backend->krylov->advance(run->context, &step);
}

spg_status spg_krylov_precondition(const spg_krylov *run, const void *r, void *z)
{
    if (run->M.apply == NULL) return spg_krylov_axpby(run, 1, r, 0, z);
    return run->M.apply(run->M.user, run->context, r, z);
}

spg_status spg_krylov_multiply(spg_krylov *run, const void *x, void *y)
{
    const spg_status status = run->A.apply(run->A.user, run->context, x, y);
    run->A_has_failed = status != SPG_OK;
    return status;
}

static spg_status set_residual(spg_krylov *run, double residual)
{
    run->result.residual = residual;
    if (run->options.history != NULL) run->options.history[run->result.iterations] = residual;
    if (isfinite(residual)) return SPG_OK;
    return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: the residual's norm is %g",
                            run->result.iterations, residual);
}

spg_status spg_krylov_note(spg_krylov *run, double residual)
{
    run->result.iterations++;
    const spg_status status = set_residual(run, residual);
    if (status == SPG_OK && run->options.monitor != NULL &&
        run->options.monitor(run->options.monitor_user, run->result.iterations, residual) != 0)
        run->result.stopped = 1;
    return status;
}

static bool may_go_on(const spg_krylov *run)
{
    return !run->result.stopped && run->result.iterations < run->options.max_iterations;
}

/* Whether the residual, as a method knows it, says that x is within tolerance, or as good as rounding lets it be. */
static bool claims(const spg_krylov *run) { return run->result.residual <= spg_krylov_target(run); }

bool spg_krylov_goes_on(const spg_krylov *run) { return !claims(run) && may_go_on(run); }

spg_status spg_krylov_read(const spg_krylov *run, const void *from, int64_t bytes, void *to)
{
    spg_context *context = run->context;
    return context->backend->copy_bytes(context, to, SPG_PLACE_HOST, from, context->config.place, bytes);
}

/* ---- The solve ---- */

static spg_status norm_of(const spg_krylov *run, const void *vector, double *norm)
{
    double square = 0;
    spg_status status = spg_krylov_dot(run, vector, vector, &run->scalars->square);
    if (status == SPG_OK) status = spg_krylov_read(run, &run->scalars->square, sizeof square, &square);
    *norm = sqrt(square);
    return status;
}

/* Vector 0 = b - A x. */
static spg_status measure(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, 0);
    double residual = 0;
    spg_status status = spg_krylov_multiply(run, run->x, r);
    if (status == SPG_OK) status = spg_krylov_axpby(run, 1, run->b, -1, r);
    if (status == SPG_OK) status = norm_of(run, r, &residual);
    return status == SPG_OK ? set_residual(run, residual) : status;
}

/* The norm of b, and vector 0 = the residual of the initial x; that of x = 0 is b. */
static spg_status begin(spg_krylov *run)
{
    spg_status status = norm_of(run, run->b, &run->norm);
    if (status == SPG_OK && !isfinite(run->norm)) {
        set_residual(run, run->norm);
        status = spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "the norm of b is %g", run->norm);
    } else if (status == SPG_OK && !run->options.zero_guess) {
        status = measure(run);
    } else if (status == SPG_OK) {
        status = spg_krylov_axpby(run, 1, run->b, 0, spg_krylov_vector(run, 0));
        if (status == SPG_OK) status = set_residual(run, run->norm);
    }
    run->b_is_zero = run->norm == 0;
    if (run->b_is_zero) run->norm = 1;
    run->result.initial_residual = run->result.residual;
    return status;
}

static spg_status run_method(spg_krylov *run)
{
    switch (run->options.method) {
    case SPG_KRYLOV_FGMRES: return spg_krylov_fgmres(run);
    case SPG_KRYLOV_BICGSTAB: return spg_krylov_bicgstab(run);
    case SPG_KRYLOV_FCG: return spg_krylov_fcg(run);
    default: return spg_krylov_cg(run);
    }
}

/* The residual of x after a method has ended with this status. An error keeps its message. */
static spg_status measure_end(spg_krylov *run, spg_status status)
{
    char message[512];
    if (status == SPG_OK) return measure(run);
    snprintf(message, sizeof message, "%s", spg_context_message(run->context));
    return measure(run) == SPG_OK ? status : spg_context_fail(run->context, status, "%s", message);
}

static bool has_converged(const spg_krylov *run) { return run->result.residual <= run->options.tolerance * run->norm; }

/* Below which part of ||b|| rounding hides the next residuals; if b is zero, of the last that was computed from x. */
static void set_rounding(spg_krylov *run)
{
    run->rounding = spg_amg_hidden_part(run->type == SPG_F32) * (run->b_is_zero ? run->result.residual : run->norm);
}

/* Whether a residual computed from x can fall no more. before: when the method began; ends: it claimed, or ended. */
static bool stagnates(const spg_krylov *run, double before, bool ends)
{
    const bool is_hidden = !run->b_is_zero && run->result.residual <= run->rounding;
    return !has_converged(run) && (is_hidden || (ends && run->result.residual > 0.5 * before));
}

/* Runs the method from residuals computed anew, until one of them has converged, or is hidden by rounding, or one that
 * the method took for that, or for its end, has not become smaller by half. */
static spg_status iterate(spg_krylov *run)
{
    spg_status status = SPG_OK;
    while (status == SPG_OK && !has_converged(run) && !run->result.stagnated && may_go_on(run)) {
        const double before = run->result.residual;
        const int done = run->result.iterations;
        set_rounding(run);
        run->has_vanished = false;
        status = run_method(run);
        const bool ends = claims(run) || run->has_vanished;
        if (status == SPG_OK && run->result.iterations == done && !ends)
            return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: no step can be done", done + 1);
        if (run->A_has_failed || !isfinite(run->result.residual)) return status;
        status = measure_end(run, status);
        run->result.stagnated = status == SPG_OK && stagnates(run, before, ends);
    }
    return status;
}

static spg_status tell_residual(const spg_krylov *run)
{
    const spg_krylov_result *result = &run->result;
    const char *why = result->stopped     ? "the monitor ended the solve"
                      : result->stagnated ? "rounding keeps it from falling further"
                                          : "max_iterations were done";
    return spg_context_fail(run->context, SPG_ERROR_NOT_CONVERGED,
                            "after %d iterations the residual is %.3g of the right-hand side, not %.3g: %s",
                            result->iterations, result->relative_residual, run->options.tolerance, why);
}

static spg_status solve(spg_krylov *run)
{
    spg_status status = SPG_OK;
    if (run->options.zero_guess)
        status =
            run->context->backend->zero_bytes(run->context, run->x, spg_array_bytes(run->n, spg_type_size(run->type)));
    if (status == SPG_OK) status = take_memory(run);
    if (status == SPG_OK) status = begin(run);
    if (status == SPG_OK) status = iterate(run);
    give_memory(run);
    run->result.relative_residual = run->result.residual / run->norm;
    if (status != SPG_OK) return status;
    run->result.converged = has_converged(run);
    return run->result.converged ? SPG_OK : tell_residual(run);
}

spg_status spg_krylov_solve(spg_context *context, const spg_operator *A, const spg_operator *M, const void *b, void *x,
                            const spg_krylov_options *options, spg_krylov_result *result)
{
    const double start = spg_seconds();
    if (result != NULL) memset(result, 0, sizeof *result);
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_krylov run = {.context = context,
                      .backend = context->backend->amg,
                      .options = options != NULL ? *options : spg_krylov_options_default(),
                      .b = b,
                      .x = x,
                      .norm = 1,
                      .at_once = 1};
    spg_status status = check(context, A, M, &run.options);
    if (status == SPG_OK) status = check_vectors(context, A, b, x);
    if (status != SPG_OK) return status;
    run.result.initial_residual = run.result.residual = NAN; /* until one is known */
    run.A = *A;
    if (M != NULL) run.M = *M;
    run.type = A->type;
    run.n = A->rows;
    if (run.options.tolerance == SPG_AMG_TOLERANCE_OF_TYPE) run.options.tolerance = run.type == SPG_F32 ? 1e-4 : 1e-8;
    status = solve(&run);
    run.result.seconds = spg_seconds() - start;
    if (result != NULL) *result = run.result;
    return status;
}
