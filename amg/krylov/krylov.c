/* The frame of Krylov methods: arguments, memory, inner products, and residuals computed from x between the runs of a
 * method. */
#include "krylov.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"

#include <math.h>
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
    const int64_t bytes = spg_array_bytes(A->rows, spg_type_size(A->type));
    if (A->rows == 0) return SPG_OK;
    if (b == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b is NULL");
    if (x == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "x is NULL");
    if (spg_overlap(b, bytes, x, bytes)) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b and x overlap");
    const spg_status status = spg_check_array_here(context, b, "b");
    return status == SPG_OK ? spg_check_array_here(context, x, "x") : status;
}

static spg_status check(spg_context *context, const spg_operator *A, const spg_operator *M,
                        const spg_krylov_options *options)
{
    if (A == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "A is NULL");
    spg_status status = check_operator(context, A, "A");
    if (status == SPG_OK && M != NULL) status = check_operator(context, M, "M");
    if (status == SPG_OK) status = check_options(context, options);
    if (status != SPG_OK || M == NULL) return status;
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

static int scalars_of(const spg_krylov_options *options)
{
    const bool has_basis = options->method == SPG_KRYLOV_FGMRES && options->restart + 1 > SPG_AMG_MOST_DOTS;
    return has_basis ? options->restart + 1 : SPG_AMG_MOST_DOTS;
}

static spg_status take_memory(spg_krylov *run)
{
    const int vectors = vectors_of(&run->options);
    const int64_t vector = spg_array_bytes(run->n, spg_type_size(run->type));
    const int dots_at_once = scalars_of(&run->options);
    const int64_t scalars = dots_at_once * (int64_t)sizeof(double);
    const int64_t dots = run->backend->dot_bytes(run->type, run->n);
    void *memory = NULL, *numbers = NULL;
    if (vector > INT64_MAX / (2 * MOST_RESTART + 4) - LINE)
        return spg_context_fail(run->context, SPG_ERROR_MEMORY, "%d vectors of %lld rows", vectors, (long long)run->n);
    run->vector_bytes = (vector + LINE - 1) / LINE * LINE;
    run->bytes = vectors * run->vector_bytes + scalars + dots;
    spg_status status = spg_allocate_workspace(run->context, 0, run->bytes, "the vectors of a Krylov method", &memory);
    if (status != SPG_OK) return status;
    run->memory = memory;
    run->scalars = (double *)(void *)(run->memory + vectors * run->vector_bytes);
    run->workspace = run->scalars + dots_at_once;
    status = run->context->backend->zero_bytes(run->context, run->scalars, scalars);
    if (status != SPG_OK || run->options.method != SPG_KRYLOV_FGMRES) return status;
    run->number_bytes = spg_fgmres_numbers(run->options.restart) * (int64_t)sizeof(double);
    status = spg_allocate_on_host(run->context, run->number_bytes, "the small system of FGMRES", &numbers);
    run->numbers = numbers;
    return status;
}

static void give_memory(spg_krylov *run)
{
    spg_release(run->context, run->memory, run->bytes);
    if (run->numbers != NULL) spg_release_on_host(run->context, run->numbers, run->number_bytes);
}

/* ---- What methods call ---- */

spg_status spg_krylov_axpby(const spg_krylov *run, double alpha, const void *x, double beta, void *y)
{
    return run->backend->axpby(run->context, run->type, run->n, alpha, x, beta, y);
}

/* Queues scalar k = x . y. */
static spg_status queue_dot(const spg_krylov *run, int k, const void *x, const void *y)
{
    return run->backend->dot(run->context, run->type, run->n, x, y, run->workspace, run->scalars + k);
}

static spg_status read_scalars(const spg_krylov *run, int count, double *scalars)
{
    spg_context *context = run->context;
    return context->backend->copy_bytes(context, scalars, SPG_PLACE_HOST, run->scalars, context->config.place,
                                        count * (int64_t)sizeof(double));
}

spg_status spg_krylov_dots(const spg_krylov *run, int count, const void *const *left, const void *const *right,
                           double *products)
{
    spg_status status = SPG_OK;
    for (int k = 0; k < count && status == SPG_OK; k++) status = queue_dot(run, k, left[k], right[k]);
    return status == SPG_OK ? read_scalars(run, count, products) : status;
}

spg_status spg_krylov_products(const spg_krylov *run, int count, const void *w, double *products)
{
    spg_status status = SPG_OK;
    for (int k = 0; k < count && status == SPG_OK; k++) status = queue_dot(run, k, spg_krylov_vector(run, k), w);
    return status == SPG_OK ? read_scalars(run, count, products) : status;
}

spg_status spg_krylov_precondition(const spg_krylov *run, const void *r, void *z)
{
    if (run->M.apply == NULL) return spg_krylov_axpby(run, 1, r, 0, z);
    return run->M.apply(run->M.user, run->context, r, z);
}

spg_status spg_krylov_multiply(const spg_krylov *run, const void *x, void *y)
{
    return run->A.apply(run->A.user, run->context, x, y);
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

bool spg_krylov_has_converged(const spg_krylov *run)
{
    return run->result.residual <= run->options.tolerance * run->norm;
}

bool spg_krylov_goes_on(const spg_krylov *run)
{
    return !spg_krylov_has_converged(run) && !run->result.stopped &&
           run->result.iterations < run->options.max_iterations;
}

/* ---- The solve ---- */

static spg_status norm_of(const spg_krylov *run, const void *vector, double *norm)
{
    const spg_status status = spg_krylov_dots(run, 1, &vector, &vector, norm);
    *norm = sqrt(*norm);
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

/* Also for x = 0, whose residual is b. */
static spg_status begin(spg_krylov *run)
{
    void *const r = spg_krylov_vector(run, 0);
    spg_status status = norm_of(run, run->b, &run->norm);
    if (status == SPG_OK && !isfinite(run->norm))
        status = spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "the norm of b is %g", run->norm);
    if (status != SPG_OK) return status;
    if (!run->options.zero_guess) {
        status = measure(run);
    } else {
        status =
            run->context->backend->zero_bytes(run->context, run->x, spg_array_bytes(run->n, spg_type_size(run->type)));
        if (status == SPG_OK) status = spg_krylov_axpby(run, 1, run->b, 0, r);
        if (status == SPG_OK) status = set_residual(run, run->norm);
    }
    if (run->norm == 0) run->norm = 1;
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

/* Runs the method from residuals computed anew, until one of them has converged, or one that the method took for
 * converged, or for its end, has not become smaller by half. */
static spg_status iterate(spg_krylov *run)
{
    spg_status status = SPG_OK;
    while (status == SPG_OK && spg_krylov_goes_on(run)) {
        const double before = run->result.residual;
        const int done = run->result.iterations;
        status = run_method(run);
        if (status == SPG_OK && run->result.iterations == done)
            return spg_context_fail(run->context, SPG_ERROR_BREAKDOWN, "iteration %d: no step can be done", done + 1);
        const bool ends = spg_krylov_has_converged(run);
        const bool may_measure = status == SPG_OK || status == SPG_ERROR_INDEFINITE || status == SPG_ERROR_BREAKDOWN;
        if (!may_measure || !isfinite(run->result.residual)) return status;
        const spg_status measured = measure(run);
        if (measured != SPG_OK) return measured;
        if (status == SPG_OK && ends && !spg_krylov_has_converged(run) && run->result.residual > 0.5 * before) {
            run->result.stagnated = 1;
            return SPG_OK;
        }
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
    spg_status status = take_memory(run);
    if (status == SPG_OK) status = begin(run);
    if (status == SPG_OK) status = iterate(run);
    give_memory(run);
    run->result.relative_residual = run->result.residual / run->norm;
    if (status != SPG_OK) return status;
    run->result.converged = spg_krylov_has_converged(run);
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
                      .norm = 1};
    spg_status status = check(context, A, M, &run.options);
    if (status == SPG_OK) status = check_vectors(context, A, b, x);
    if (status != SPG_OK) return status;
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
