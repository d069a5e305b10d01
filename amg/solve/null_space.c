/* Null spaces in a solve: of vectors given by the caller, or as shown by the coarsest operator.
 *
 * Prolongators reproduce a null vector in the candidates' span: P T^T n = n if A n = 0, with T orthonormal. So let N be
 * an orthonormal basis of the coarsest operator's null space: P...P N is one of A's, and P...P N N^T R...R b is b's
 * part in it. This is a cycle without smoothing, for any number of connected components. */
#include "solve.h"

#include "amg/numerics.h"
#include "memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int64_t vector_bytes(const spg_amg_solve_state *solve) { return spg_amg_system_bytes(solve->amg); }

static double eps_of(const spg_amg_solve_state *solve) { return spg_amg_epsilon(solve->type == SPG_F32); }

/* ---- What the coarsest operator shows ---- */

/* part = the part of `vector` in the null space; the two must differ. */
static spg_status find_part(const spg_amg_solve_state *solve, const void *vector, void *part)
{
    spg_amg *amg = solve->amg;
    spg_context *context = solve->context;
    const spg_backend *backend = context->backend;
    const int last = amg->levels - 1;
    if (amg->dense == NULL) return backend->zero_bytes(context, part, vector_bytes(solve));
    spg_status status = SPG_OK;
    for (int l = 0; l < last && status == SPG_OK; ++l)
        status = backend->csr_spmv(context, NULL, &amg->level[l].R, l == 0 ? vector : amg->level[l].b, NULL,
                                   amg->level[l + 1].b);
    if (status == SPG_OK)
        status = solve->backend->dense_project(context, amg->dense, last == 0 ? vector : amg->level[last].b,
                                               last == 0 ? part : amg->level[last].x);
    for (int l = last - 1; l >= 0 && status == SPG_OK; --l)
        status = backend->csr_spmv(context, NULL, &amg->level[l].P, amg->level[l + 1].x, NULL,
                                   l == 0 ? part : amg->level[l].x);
    return status;
}

/* ---- Vectors given by the caller ---- */

static void *vector_at(const spg_amg_solve_state *solve, int k)
{
    return (char *)solve->solver->null + k * vector_bytes(solve);
}

/* Subtracts from vector its part in the first `count` basis vectors. Waits. */
static spg_status subtract(const spg_amg_solve_state *solve, int count, void *vector)
{
    const spg_amg_solver *solver = solve->solver;
    spg_context *context = solve->context;
    double shares[SPG_AMG_MOST_NULL] = {0};
    spg_status status = SPG_OK;
    for (int k = 0; k < count && status == SPG_OK; ++k)
        status = solve->backend->dot(context, solve->type, solve->n, vector_at(solve, k), vector, solver->workspace,
                                     &solver->shares[k]);
    if (status == SPG_OK && count > 0)
        status = context->backend->copy_bytes(context, shares, SPG_PLACE_HOST, solver->shares, context->config.place,
                                              count * (int64_t)sizeof *shares);
    for (int k = 0; k < count && status == SPG_OK; ++k)
        status = solve->backend->axpby(context, solve->type, solve->n, -shares[k], vector_at(solve, k), 1, vector);
    return status;
}

/* Divides a vector by its norm, whose inverse may overflow: then by about its root, and by what is left. */
static spg_status normalise(const spg_amg_solve_state *solve, double norm, void *vector)
{
    const double most = solve->type == SPG_F32 ? (double)FLT_MAX : DBL_MAX, half = spg_scaling_of(norm);
    spg_status status = SPG_OK;
    if (!(1 / norm <= most)) {
        status = solve->backend->axpby(solve->context, solve->type, solve->n, half, vector, 0, vector);
        norm *= half;
    }
    if (status != SPG_OK) return status;
    return solve->backend->axpby(solve->context, solve->type, solve->n, 1 / norm, vector, 0, vector);
}

/* Makes vector k, the caller's `given`, orthogonal to those before it and of norm 1; *is_new: it was linearly
 * independent. */
static spg_status make_orthonormal(spg_amg_solve_state *solve, int k, int given, bool *is_new)
{
    void *const vector = vector_at(solve, k);
    double whole = 0, norm = 0;
    spg_status status = spg_amg_find_norm(solve, vector, &whole);
    *is_new = false;
    if (status != SPG_OK) return status;
    if (!isfinite(whole))
        return spg_context_fail(solve->context, SPG_ERROR_BREAKDOWN, "the norm of null vector %d is %g", given, whole);
    if (whole == 0) return SPG_OK;
    status = normalise(solve, whole, vector);
    for (int twice = 0; twice < 2 && status == SPG_OK; ++twice) status = subtract(solve, k, vector);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, vector, &norm);
    *is_new = status == SPG_OK && norm > sqrt(eps_of(solve));
    if (!*is_new) return status;
    return normalise(solve, norm, vector);
}

/* Makes a basis of the vectors stored in the solver. */
static spg_status make_basis(spg_amg_solve_state *solve, int count)
{
    spg_amg_solver *solver = solve->solver;
    spg_status status = SPG_OK;
    int kept = 0;
    for (int k = 0; k < count && status == SPG_OK; ++k) {
        bool is_new;
        if (k != kept)
            status = solve->backend->axpby(solve->context, solve->type, solve->n, 1, vector_at(solve, k), 0,
                                           vector_at(solve, kept));
        if (status == SPG_OK) status = make_orthonormal(solve, kept, k / spg_amg_parts(solve->amg), &is_new);
        if (status == SPG_OK) kept += is_new;
    }
    solver->null_count = status == SPG_OK ? kept : 0;
    return status;
}

/* ---- The constants ---- */

static void set_one(void *values, spg_type type, int64_t k)
{
    if (type == SPG_F32)
        ((float *)values)[k] = 1;
    else
        ((double *)values)[k] = 1;
}

/* Sends one constant for each unknown of a node from the host. */
static spg_status send_constants(const spg_amg_solve_state *solve, int count)
{
    spg_context *context = solve->context;
    void *values = NULL;
    const int64_t bytes = vector_bytes(solve);
    spg_status status = spg_allocate_on_host(context, bytes, "a constant", &values);
    for (int c = 0; c < count && status == SPG_OK; ++c) {
        memset(values, 0, (size_t)bytes);
        for (int64_t i = c; i < solve->n; i += count) set_one(values, solve->type, i);
        status = context->backend->copy_bytes(context, vector_at(solve, c), context->config.place, values,
                                              SPG_PLACE_HOST, bytes);
    }
    spg_release_on_host(context, values, bytes);
    return status;
}

/* ---- For the solve ---- */

void spg_amg_give_null_space(spg_amg *amg, spg_amg_solver *solver)
{
    const int64_t bytes = solver->null_room * spg_amg_system_bytes(amg);
    if (solver->null != NULL) spg_amg_give(amg, NULL, solver->null, bytes);
    if (solver->shares != NULL) spg_amg_give(amg, NULL, solver->shares, SPG_AMG_MOST_NULL * (int64_t)sizeof(double));
    solver->null = NULL;
    solver->shares = NULL;
    solver->null_room = solver->null_count = 0;
    solver->null_is_constant = false;
}

static spg_status take_room(spg_amg *amg, spg_amg_solver *solver, int count)
{
    if (count <= solver->null_room) return SPG_OK;
    spg_amg_give_null_space(amg, solver);
    const int64_t bytes = count * spg_amg_system_bytes(amg);
    spg_status status = spg_amg_take(amg, NULL, bytes, "a null space", &solver->null);
    if (status == SPG_OK) {
        solver->null_room = count;
        status = spg_amg_take(amg, NULL, SPG_AMG_MOST_NULL * (int64_t)sizeof(double), "scalars of the solve",
                              (void **)&solver->shares);
    }
    if (status != SPG_OK) spg_amg_give_null_space(amg, solver);
    return status;
}

/* Flexible conjugate gradients multiply q by the next z, after that was projected. */
static spg_status take_part(const spg_amg_solve_state *solve)
{
    spg_amg *amg = solve->amg;
    spg_amg_solver *solver = solve->solver;
    const bool needs_q = amg->options.cycle == SPG_CYCLE_K && solve->options.nullspace == SPG_AMG_NULLSPACE_CANDIDATES;
    if (!needs_q || solver->part != NULL) return SPG_OK;
    return spg_amg_take(amg, NULL, vector_bytes(solve), "a vector of the solve", &solver->part);
}

spg_status spg_amg_take_null_space(spg_amg_solve_state *solve)
{
    const spg_amg_solve_options *options = &solve->options;
    spg_amg_solver *solver = solve->solver;
    const bool is_constant = options->nullspace == SPG_AMG_NULLSPACE_CONSTANT;
    if (!is_constant && options->nullspace != SPG_AMG_NULLSPACE_GIVEN) return take_part(solve);
    if (is_constant && solver->null_is_constant) return SPG_OK;
    const int given = spg_amg_parts(solve->amg) * options->null_vectors;
    const int count = is_constant ? solve->amg->options.block_size : given;
    spg_status status = take_room(solve->amg, solver, count);
    if (status != SPG_OK) return status;
    solver->null_is_constant = false;
    if (is_constant)
        status = send_constants(solve, count);
    else if (solve->amg->is_complex)
        status = spg_amg_put_pairs(solve->amg, options->null_vectors, options->null_values, solver->null);
    else
        status = solve->backend->axpby(solve->context, solve->type, count * solve->n, 1, options->null_values, 0,
                                       solver->null);
    if (status == SPG_OK) status = make_basis(solve, count);
    solver->null_is_constant = status == SPG_OK && is_constant;
    return status;
}

spg_status spg_amg_project(spg_amg_solve_state *solve, void *vector)
{
    const spg_amg_solver *solver = solve->solver;
    void *const part = solver->part != NULL ? solver->part : solver->q;
    switch (solve->options.nullspace) {
    case SPG_AMG_NULLSPACE_CONSTANT:
    case SPG_AMG_NULLSPACE_GIVEN: return subtract(solve, solver->null_count, vector);
    case SPG_AMG_NULLSPACE_CANDIDATES: break;
    default: return SPG_OK;
    }
    if (solve->dense_state != SPG_AMG_DENSE_DEFLATED) return SPG_OK;
    const spg_status status = find_part(solve, vector, part);
    if (status != SPG_OK) return status;
    return solve->backend->axpby(solve->context, solve->type, solve->n, -1, part, 1, vector);
}

/* Whether find_part's null space is A's: applied to `part` it gives all of it, and A b has no part in it. part: that of
 * b, of norm `norm`. */
static spg_status is_null_space(spg_amg_solve_state *solve, const void *part, double norm, bool *is_one)
{
    spg_amg_solver *solver = solve->solver;
    const double little = sqrt(eps_of(solve));
    double again = 0, image = 0, of_image = 0;
    spg_status status = find_part(solve, part, solver->q);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, solver->q, &again);
    *is_one = status == SPG_OK && fabs(again / norm - 1) < little;
    if (!*is_one) return status;
    status = solve->context->backend->csr_spmv(solve->context, NULL, solve->A, solve->b, NULL, solver->q);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, solver->q, &image);
    if (status == SPG_OK) status = find_part(solve, solver->q, solver->p);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, solver->p, &of_image);
    *is_one = status == SPG_OK && of_image <= little * image;
    return status;
}

spg_status spg_amg_check_compatible(spg_amg_solve_state *solve)
{
    void *const part = solve->solver->r;
    const double least = fmax(solve->options.tolerance, 1e3 * eps_of(solve)) * solve->norm;
    double norm = 0;
    bool is_one = false;
    if (solve->dense_state != SPG_AMG_DENSE_DEFLATED) return SPG_OK;
    spg_status status = find_part(solve, solve->b, part);
    if (status == SPG_OK) status = spg_amg_find_norm(solve, part, &norm);
    if (status != SPG_OK || !(norm > least)) return status;
    status = is_null_space(solve, part, norm, &is_one);
    if (status != SPG_OK || !is_one) return status;
    return spg_context_fail(
        solve->context, SPG_ERROR_INCOMPATIBLE,
        "A is singular, and %.3g of b is in its null space, so there is no solution. With options.nullspace "
        "SPG_AMG_NULLSPACE_CANDIDATES the solve is for the rest of b",
        norm / solve->norm);
}
