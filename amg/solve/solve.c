/* Solves with a hierarchy: conjugate gradients preconditioned by its cycle, or cycles alone. */
#include "solve.h"

#include "amg/numerics.h"
#include "amg/units.h"
#include "argument.h"
#include "clock.h"

#include <math.h>
#include <string.h>

spg_amg_solve_options spg_amg_solve_options_default(void)
{
    return (spg_amg_solve_options){.method = SPG_AMG_CG, .tolerance = SPG_AMG_TOLERANCE_OF_TYPE, .max_iterations = 200};
}

/* ---- Arguments ---- */

static spg_status check_null_space(const spg_amg *amg, const spg_amg_solve_options *options)
{
    spg_context *context = amg->context;
    const bool is_given = options->nullspace == SPG_AMG_NULLSPACE_GIVEN;
    const int kind = (int)options->nullspace, least = is_given ? 1 : 0;
    const int most = is_given ? SPG_AMG_MOST_NULL / spg_amg_parts(amg) : 0;
    if (kind < SPG_AMG_NULLSPACE_NONE || kind > SPG_AMG_NULLSPACE_GIVEN)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "nullspace %d is not an spg_amg_nullspace", kind);
    if (options->null_vectors < least || options->null_vectors > most)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "null_vectors is %d, not from %d to %d with nullspace %d",
                                options->null_vectors, least, most, kind);
    if ((options->null_values != NULL) != is_given)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "null_values is %s with nullspace %d",
                                is_given ? "NULL" : "not NULL", kind);
    return spg_check_array_here(context, options->null_values, spg_type_size(amg->given.value_type), "null_values");
}

static spg_status check_options(const spg_amg *amg, const spg_amg_solve_options *options)
{
    spg_context *context = amg->context;
    if (options->method != SPG_AMG_CG && options->method != SPG_AMG_STANDALONE)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "method %d is not an spg_amg_method",
                                (int)options->method);
    if (!(options->tolerance >= 0) && options->tolerance != SPG_AMG_TOLERANCE_OF_TYPE)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "tolerance is %g; it must be at least 0 or SPG_AMG_TOLERANCE_OF_TYPE",
                                options->tolerance);
    if (options->max_iterations < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "max_iterations is %d; it must not be negative",
                                options->max_iterations);
    return check_null_space(amg, options);
}

spg_status spg_amg_check_system(spg_context *context, const spg_amg *amg, const void *b, const void *x)
{
    spg_status status = spg_amg_check_own(context, amg);
    if (status != SPG_OK) return status;
    if (amg->system.rows == 0) return SPG_OK;
    if (b == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b is NULL");
    if (x == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "x is NULL");
    const int64_t bytes = spg_amg_system_bytes(amg);
    if (spg_overlap(b, bytes, x, bytes)) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "b and x overlap");
    const size_t size = spg_type_size(amg->given.value_type);
    status = spg_check_array_here(context, b, size, "b");
    return status == SPG_OK ? spg_check_array_here(context, x, size, "x") : status;
}

/* ---- The solve ---- */

/* Scales x to another unit. */
static spg_status scale_x(const spg_amg_solve_state *solve, double factor)
{
    return solve->backend->axpby(solve->context, solve->type, solve->n, factor, solve->x, 0, solve->x);
}

/* Changes to a unit of about the larger of ||b|| and the residual, if that is far from 1: inner products of conjugate
 * gradients then have the inverse of A's magnitude. */
static spg_status choose_unit(spg_amg_solve_state *solve)
{
    spg_amg_solver *solver = solve->solver;
    const double largest = fmax(solve->norm, solve->residual);
    if (largest == 0 || (largest >= 0x1p-200 && largest <= 0x1p200)) return SPG_OK;
    const double unit = spg_unit_of(largest);
    spg_status status = spg_amg_take_b(solve->amg);
    if (status == SPG_OK)
        status = solve->backend->axpby(solve->context, solve->type, solve->n, 1 / unit, solve->b, 0, solver->b);
    if (status == SPG_OK) status = scale_x(solve, 1 / unit);
    if (status != SPG_OK) return status;
    solve->b = solver->b;
    solve->unit = unit;
    solve->norm /= unit;
    return spg_amg_measure_residual(solve);
}

/* Removes the null space's part from b and from x. If b is nothing else, the rounding that remains is set to zero. */
static spg_status project_system(spg_amg_solve_state *solve)
{
    spg_amg_solver *solver = solve->solver;
    const double whole = solve->norm, eps = spg_amg_epsilon(solve->type == SPG_F32);
    spg_status status = spg_amg_take_null_space(solve);
    if (status == SPG_OK) status = spg_amg_take_b(solve->amg);
    if (status == SPG_OK)
        status = solve->backend->axpby(solve->context, solve->type, solve->n, 1, solve->b, 0, solver->b);
    for (int twice = 0; twice < 2 && status == SPG_OK; ++twice) status = spg_amg_project(solve, solver->b);
    if (status == SPG_OK) status = spg_amg_project(solve, solve->x);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, solver->b, &solve->norm);
    if (status != SPG_OK) return status;
    solve->b = solver->b;
    if (solve->norm > 1e3 * eps * whole) return SPG_OK;
    solve->norm = 0;
    return solve->context->backend->zero_bytes(solve->context, solver->b, spg_amg_system_bytes(solve->amg));
}

/* Asks for the state that updates left the coarsest operator in; read with the next scalars. */
static spg_status ask_for_state(const spg_amg_solve_state *solve)
{
    if (solve->amg->dense == NULL) return SPG_OK;
    return solve->backend->dense_tell(solve->context, solve->amg->dense, &solve->solver->scalars->dense_state);
}

/* Completes what an update has left open. */
static spg_status settle(spg_amg_solve_state *solve)
{
    if (solve->dense_state != SPG_AMG_DENSE_UNSETTLED) return SPG_OK;
    spg_status status = spg_amg_coarse_settle(solve->amg);
    if (status == SPG_OK) status = ask_for_state(solve);
    if (status != SPG_OK) return status;
    spg_amg_scalars scalars;
    status = spg_amg_read_scalars(solve, &scalars);
    if (status == SPG_OK) solve->dense_state = (int)scalars.dense_state;
    return status;
}

/* In floats a null space is not known well enough to be removed. */
static spg_status check_known(const spg_amg_solve_state *solve)
{
    const spg_amg_nullspace kind = solve->options.nullspace;
    const bool is_given = kind == SPG_AMG_NULLSPACE_CONSTANT || kind == SPG_AMG_NULLSPACE_GIVEN;
    if (solve->amg->narrow == NULL || solve->dense_state != SPG_AMG_DENSE_DEFLATED || is_given) return SPG_OK;
    return spg_context_fail(solve->context, SPG_ERROR_UNSUPPORTED,
                            "the coarsest operator is singular in floats: solve with nullspace CONSTANT or GIVEN, or "
                            "set up with precision OF_A");
}

/* b without its part in the null space, or a reason why there is no solve. */
static spg_status prepare_system(spg_amg_solve_state *solve)
{
    spg_status status = settle(solve);
    if (status == SPG_OK) status = check_known(solve);
    if (status != SPG_OK) return status;
    const bool projects = solve->options.nullspace != SPG_AMG_NULLSPACE_NONE;
    return projects ? project_system(solve) : spg_amg_check_compatible(solve);
}

/* The residual of a system that is refused with this status and the context's message. */
static spg_status measure_refused(spg_amg_solve_state *solve, spg_status status)
{
    double norm = 0;
    if (spg_amg_is_of_one(status) && spg_amg_find_residual(solve, &norm) == SPG_OK) spg_amg_store_residual(solve, norm);
    return status;
}

/* ||b||, and the residual of the initial guess. */
static spg_status begin(spg_amg_solve_state *solve)
{
    spg_status status = ask_for_state(solve);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, solve->b, &solve->norm);
    if (status != SPG_OK) return status;
    if (!isfinite(solve->norm)) {
        spg_amg_store_residual(solve, solve->norm);
        return spg_context_fail(solve->context, SPG_ERROR_BREAKDOWN, "the norm of b is %g", solve->norm);
    }
    status = prepare_system(solve);
    solve->b_is_zero = solve->norm == 0;
    if (solve->b_is_zero) solve->norm = 1;
    if (status != SPG_OK) return measure_refused(solve, status);
    status = spg_amg_measure_residual(solve);
    return status == SPG_OK ? choose_unit(solve) : status;
}

/* x += M r until convergence or max_iterations. */
static spg_status cycle_alone(spg_amg_solve_state *solve)
{
    const spg_amg_solver *solver = solve->solver;
    spg_status status = SPG_OK;
    while (status == SPG_OK && !spg_amg_has_converged(solve) &&
           solve->result.iterations < solve->options.max_iterations) {
        status = spg_amg_precondition(solve->amg, solver->r, solver->z, NULL);
        if (status == SPG_OK) status = spg_amg_project(solve, solver->z);
        if (status == SPG_OK)
            status = solve->backend->axpby(solve->context, solve->type, solve->n, 1, solver->z, 1, solve->x);
        if (status != SPG_OK) break;
        solve->result.iterations++;
        status = spg_amg_measure_residual(solve);
    }
    return status;
}

static spg_status iterate(spg_amg_solve_state *solve)
{
    if (spg_amg_has_converged(solve)) return SPG_OK;
    if (solve->options.max_iterations == 0) return SPG_OK;
    const bool alone = solve->options.method == SPG_AMG_STANDALONE;
    return alone ? cycle_alone(solve) : spg_amg_conjugate_gradients(solve);
}

static void complete(spg_amg_solve_state *solve)
{
    spg_amg_solve_result *result = &solve->result;
    result->relative_residual = solve->residual / solve->norm;
    if (result->iterations > 0 && solve->first > 0)
        result->convergence_factor = pow(solve->residual / solve->first, 1.0 / result->iterations);
}

/* Sets the message of why it has not converged. */
static spg_status tell_residual(const spg_amg_solve_state *solve)
{
    const spg_amg_solve_result *result = &solve->result;
    if (result->stagnated)
        return spg_context_fail(solve->context, SPG_ERROR_NOT_CONVERGED,
                                "after %d iterations the residual stays at %.3g of the right-hand side: rounding in %s "
                                "keeps it above %.3g",
                                result->iterations, result->relative_residual, spg_type_name(solve->type),
                                solve->options.tolerance);
    const bool is_unsuited = !solve->amg->was_symmetric && solve->options.method == SPG_AMG_CG;
    return spg_context_fail(solve->context, SPG_ERROR_NOT_CONVERGED,
                            "after %d iterations the residual is %.3g of the right-hand side, not %.3g%s%s%s",
                            result->iterations, result->relative_residual, solve->options.tolerance,
                            is_unsuited ? "; A is not " : "", is_unsuited ? spg_amg_symmetric(solve->amg) : "",
                            is_unsuited ? ", and FGMRES and BiCGStab (spg/krylov.h) take any A" : "");
}

spg_status spg_amg_begin_solve(spg_amg_solve_state *solve)
{
    const spg_status status = begin(solve);
    spg_amg_set_rounding(solve);
    solve->first = solve->residual;
    solve->result.initial_residual = solve->result.residual;
    return status;
}

bool spg_amg_is_of_one(spg_status status)
{
    return status == SPG_ERROR_NOT_CONVERGED || status == SPG_ERROR_INDEFINITE || status == SPG_ERROR_BREAKDOWN ||
           status == SPG_ERROR_INCOMPATIBLE || status == SPG_ERROR_UNSUPPORTED;
}

bool spg_amg_lacks_true_residual(const spg_amg_solve_state *solve, spg_status status)
{
    const bool has_ended = status == SPG_OK || status == SPG_ERROR_INDEFINITE || status == SPG_ERROR_BREAKDOWN;
    return has_ended && !solve->residual_is_true && isfinite(solve->residual);
}

spg_status spg_amg_end_solve(spg_amg_solve_state *solve, spg_status status)
{
    if (status == SPG_OK) solve->result.converged = spg_amg_has_converged(solve);
    complete(solve);
    return status != SPG_OK || solve->result.converged ? status : tell_residual(solve);
}

/* However the iteration ended, its status stays, unless computing the residual fails; if the residual is not finite,
 * the message stays as well. */
static spg_status measure_end(spg_amg_solve_state *solve, spg_status status)
{
    if (!spg_amg_lacks_true_residual(solve, status)) return status;
    const spg_status measured = spg_amg_measure_residual(solve);
    return measured != SPG_OK ? measured : status;
}

static spg_status run(spg_amg_solve_state *solve)
{
    spg_status status = spg_amg_begin_solve(solve);
    if (status == SPG_OK) status = measure_end(solve, iterate(solve));
    const spg_status scaled = solve->unit != 1 ? scale_x(solve, solve->unit) : SPG_OK;
    return spg_amg_end_solve(solve, status == SPG_OK ? scaled : status);
}

spg_status spg_amg_take_solve_options(const spg_amg *amg, const spg_amg_solve_options *options,
                                      spg_amg_solve_options *taken)
{
    *taken = options != NULL ? *options : spg_amg_solve_options_default();
    const spg_status status = check_options(amg, taken);
    if (taken->tolerance == SPG_AMG_TOLERANCE_OF_TYPE)
        taken->tolerance = amg->system.value_type == SPG_F32 ? 1e-4 : 1e-8;
    return status;
}

void spg_amg_warn_unsymmetric(const spg_amg *amg, const spg_amg_solve_options *options)
{
    if (amg->was_symmetric || options->method != SPG_AMG_CG) return;
    spg_amg_log(amg->context,
                "A is not %s: conjugate gradients may not converge; FGMRES and BiCGStab of spg/krylov.h take any A",
                spg_amg_symmetric(amg));
}

spg_status spg_amg_solve(spg_context *context, spg_amg *amg, const void *b, void *x,
                         const spg_amg_solve_options *options, spg_amg_solve_result *result)
{
    const double start = spg_seconds();
    if (result != NULL) memset(result, 0, sizeof *result);
    spg_status status = spg_amg_check_system(context, amg, b, x);
    if (status != SPG_OK) return status;
    spg_amg_solve_state solve = {.context = context,
                                 .amg = amg,
                                 .backend = amg->backend,
                                 .A = &amg->system,
                                 .type = amg->system.value_type,
                                 .n = amg->system.rows,
                                 .b = b,
                                 .x = x,
                                 .unit = 1,
                                 .norm = 1};
    status = spg_amg_take_solve_options(amg, options, &solve.options);
    if (status == SPG_OK) status = spg_amg_solver_create(amg);
    if (status != SPG_OK) return status;
    solve.solver = amg->solver;
    spg_amg_warn_unsymmetric(amg, &solve.options);
    status = run(&solve);
    solve.result.seconds = spg_seconds() - start;
    if (result != NULL) *result = solve.result;
    return status;
}
