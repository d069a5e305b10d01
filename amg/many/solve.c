/* spg_amg_solve_many and spg_amg_apply_many: checks, and solves of up to SPG_AMG_MOST_WIDTH right-hand sides at a
 * time. What belongs to one right-hand side (units, null spaces, results) is done as for one alone (amg/solve/). */
#include "many.h"

#include "argument.h"
#include "clock.h"
#include "memory.h"
#include "operations/layout.h"

#include "spg/amg_many.h"

#include <math.h>
#include <string.h>

/* The caller's vectors. */
typedef struct systems {
    int64_t count;
    spg_layout layout;
    const void *B;
    int64_t b_stride;
    void *X;
    int64_t x_stride;
} systems;

/* ---- Arguments ---- */

static spg_status check_array(spg_context *context, const void *memory, size_t size, const char *name)
{
    if (memory == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "%s is NULL", name);
    return spg_check_array_here(context, memory, size, name);
}

static spg_status check(spg_context *context, const spg_amg *amg, const systems *of)
{
    spg_status status = spg_amg_check_own(context, amg);
    if (status == SPG_OK) status = spg_check_layout(context, of->count, of->layout);
    if (status == SPG_OK && amg->is_complex && of->layout == SPG_ROW_MAJOR)
        status = spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                  "A is complex; its vectors must be column-major, one after the other");
    if (status == SPG_OK && amg->options.cycle != SPG_CYCLE_V)
        status = spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                  "the hierarchy has K-cycles, which take one right-hand side; use SPG_CYCLE_V, or "
                                  "spg_amg_solve or spg_amg_apply for each");
    if (status != SPG_OK) return status;
    const int64_t n = amg->given.rows;
    status = spg_check_stride(context, n, of->count, of->layout, of->b_stride, "b_stride");
    if (status == SPG_OK) status = spg_check_stride(context, n, of->count, of->layout, of->x_stride, "x_stride");
    if (status != SPG_OK || n == 0 || of->count == 0) return status;
    const size_t size = spg_type_size(amg->given.value_type);
    status = check_array(context, of->B, size, "B");
    if (status == SPG_OK) status = check_array(context, of->X, size, "X");
    if (status != SPG_OK) return status;
    const int64_t b_extent = spg_layout_extent(n, of->count, of->layout, of->b_stride);
    const int64_t x_extent = spg_layout_extent(n, of->count, of->layout, of->x_stride);
    if (!spg_overlap(of->B, spg_array_bytes(b_extent, size), of->X, spg_array_bytes(x_extent, size))) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "B and X overlap");
}

/* The caller's vectors from `first` on, as many as a block takes, as real numbers. */
static spg_amg_columns columns_from(const spg_amg *amg, const systems *of, const void *values, int64_t stride,
                                    int64_t first)
{
    const bool by_row = of->layout == SPG_ROW_MAJOR;
    const int64_t rest = of->count - first, row_step = by_row ? stride : 1,
                  column_step = by_row ? 1 : stride * spg_amg_parts(amg);
    char *const begin = (char *)values + first * column_step * (int64_t)spg_type_size(amg->system.value_type);
    return (spg_amg_columns){rest < SPG_AMG_MOST_WIDTH ? (int)rest : SPG_AMG_MOST_WIDTH, begin, row_step, column_step};
}

/* ---- A solve of one block ---- */

static void *vector_at(const spg_amg_many_solve *solve, void *block, int j)
{
    return (char *)block + j * spg_amg_system_bytes(solve->amg);
}

/* Norms, units and null spaces of the vectors one after the other, whose b lies in q and whose x in z. */
static spg_status begin_columns(spg_amg_many_solve *solve)
{
    spg_status status = SPG_OK;
    for (int j = 0; j < solve->count && status == SPG_OK; ++j) {
        spg_amg_column *column = &solve->column[j];
        spg_amg_solve_state *of = &column->solve;
        void *const b = vector_at(solve, solve->many->q, j);
        of->b = b;
        of->x = vector_at(solve, solve->many->z, j);
        const spg_status of_column = spg_amg_begin_solve(of);
        if (of_column != SPG_OK) status = spg_amg_end_column(solve, column, of_column);
        if (status == SPG_OK && of->b != b)
            status = of->backend->axpby(solve->context, of->type, of->n, 1, of->b, 0, b);
        if (spg_amg_has_converged(of) || of->options.max_iterations == 0) column->phase = SPG_AMG_ENDED;
    }
    return status;
}

static spg_status begin(spg_amg_many_solve *solve, const spg_amg_columns *B, const spg_amg_columns *X)
{
    spg_amg_many *many = solve->many;
    const spg_amg_many_backend *backend = solve->backend;
    const spg_amg_columns b = spg_amg_columns_of(solve, many->q), x = spg_amg_columns_of(solve, many->z);
    spg_status status = backend->load(solve->context, &solve->shape, B, many->b);
    if (status == SPG_OK) status = backend->store(solve->context, &solve->shape, many->b, &b);
    if (status == SPG_OK) status = backend->load(solve->context, &solve->shape, X, many->x);
    if (status == SPG_OK) status = backend->store(solve->context, &solve->shape, many->x, &x);
    if (status == SPG_OK) status = begin_columns(solve);
    if (status == SPG_OK) status = backend->load(solve->context, &solve->shape, &b, many->b);
    if (status == SPG_OK) status = backend->load(solve->context, &solve->shape, &x, many->x);
    if (status != SPG_OK) return status;
    return backend->residual(solve->context, &solve->amg->system, many->width, many->b, many->x, many->r);
}

/* The true residuals that are still missing. */
static spg_status measure_ends(spg_amg_many_solve *solve)
{
    bool lacks_some = false;
    for (int j = 0; j < solve->count; ++j) {
        spg_amg_column *column = &solve->column[j];
        if (!spg_amg_lacks_true_residual(&column->solve, column->status)) continue;
        column->phase = SPG_AMG_CLAIMS;
        lacks_some = true;
    }
    return lacks_some ? spg_amg_many_measure(solve, SPG_AMG_CLAIMS, solve->many->q) : SPG_OK;
}

/* Gives the solutions in the caller's unit. */
static spg_status give(spg_amg_many_solve *solve, const spg_amg_columns *X)
{
    spg_amg_factors unit = {{0}}, zero = {{0}};
    for (int j = 0; j < solve->count; ++j) unit.of[j] = solve->column[j].solve.unit;
    const spg_status status =
        solve->backend->combine(solve->context, &solve->shape, &unit, solve->many->x, &zero, solve->many->x);
    return status == SPG_OK ? solve->backend->store(solve->context, &solve->shape, solve->many->x, X) : status;
}

/* Results of all vectors, and the messages of those that have not converged. */
static void complete(spg_amg_many_solve *solve)
{
    for (int j = 0; j < solve->count; ++j) {
        spg_amg_column *column = &solve->column[j];
        const spg_status status = spg_amg_end_solve(&column->solve, column->status);
        if (column->status == SPG_OK) spg_amg_end_column(solve, column, status);
    }
}

static spg_status run(spg_amg_many_solve *solve, const spg_amg_columns *B, const spg_amg_columns *X)
{
    spg_status status = begin(solve, B, X);
    const bool alone = solve->column[0].solve.options.method == SPG_AMG_STANDALONE;
    if (status == SPG_OK) status = alone ? spg_amg_many_cycle_alone(solve) : spg_amg_many_conjugate_gradients(solve);
    if (status == SPG_OK) status = measure_ends(solve);
    if (status == SPG_OK) status = give(solve, X);
    if (status == SPG_OK) complete(solve);
    return status;
}

/* ---- All of them ---- */

static void prepare(spg_amg_many_solve *solve, spg_amg *amg, const spg_amg_solve_options *options, int64_t first,
                    int count)
{
    *solve = (spg_amg_many_solve){
        .context = amg->context, .amg = amg, .backend = amg->backend->many, .many = amg->many, .count = count};
    solve->shape = (spg_amg_shape){amg->system.value_type, amg->system.rows, solve->many->width};
    for (int j = 0; j < count; ++j) {
        spg_amg_solve_state *of = &solve->column[j].solve;
        *of = (spg_amg_solve_state){.context = amg->context,
                                    .amg = amg,
                                    .backend = amg->backend,
                                    .solver = amg->solver,
                                    .options = *options,
                                    .A = &amg->system,
                                    .type = amg->system.value_type,
                                    .n = amg->system.rows,
                                    .unit = 1,
                                    .norm = 1};
        if (options->history != NULL) of->options.history += (first + j) * ((int64_t)options->max_iterations + 1);
        solve->column[j].claimed = HUGE_VAL;
    }
}

/* How the call ends: by the first error, else by the first right-hand side that has not converged. */
typedef struct verdict {
    spg_status status;
    int64_t number;
    char message[256];
} verdict;

static void judge(const spg_amg_many_solve *solve, int64_t first, verdict *of)
{
    for (int j = 0; j < solve->count; ++j) {
        const spg_amg_column *column = &solve->column[j];
        const bool is_worse = of->status == SPG_OK ||
                              (of->status == SPG_ERROR_NOT_CONVERGED && column->status != SPG_ERROR_NOT_CONVERGED);
        if (column->status == SPG_OK || !is_worse) continue;
        of->status = column->status;
        of->number = first + j;
        memcpy(of->message, column->message, sizeof of->message);
    }
}

static spg_status solve_all(spg_amg *amg, const systems *of, const spg_amg_solve_options *options,
                            spg_amg_solve_result *results, spg_amg_many_solve *solve)
{
    verdict worst = {0};
    for (int64_t first = 0; first < of->count; first += SPG_AMG_MOST_WIDTH) {
        const spg_amg_columns B = columns_from(amg, of, of->B, of->b_stride, first);
        const spg_amg_columns X = columns_from(amg, of, of->X, of->x_stride, first);
        spg_status status = spg_amg_many_create(amg, spg_amg_width_for(B.count));
        if (status != SPG_OK) return status;
        prepare(solve, amg, options, first, B.count);
        status = run(solve, &B, &X);
        if (status != SPG_OK) return status;
        for (int j = 0; j < B.count && results != NULL; ++j) results[first + j] = solve->column[j].solve.result;
        judge(solve, first, &worst);
    }
    if (worst.status == SPG_OK) return SPG_OK;
    return spg_context_fail(amg->context, worst.status, "right-hand side %lld: %s", (long long)worst.number,
                            worst.message);
}

spg_status spg_amg_solve_many(spg_context *context, spg_amg *amg, int64_t count, spg_layout layout, const void *B,
                              int64_t b_stride, void *X, int64_t x_stride, const spg_amg_solve_options *options,
                              spg_amg_solve_result *results)
{
    const double start = spg_seconds();
    const systems of = {count, layout, B, b_stride, X, x_stride};
    spg_amg_many_solve *solve = NULL;
    spg_amg_solve_options taken;
    spg_status status = check(context, amg, &of);
    if (status == SPG_OK) status = spg_amg_take_solve_options(amg, options, &taken);
    if (status != SPG_OK) return status;
    status = spg_amg_solver_create(amg);
    if (status == SPG_OK) status = spg_amg_take_b(amg); /* a later block may need it, when others have written theirs */
    if (status == SPG_OK)
        status = spg_allocate_on_host(context, sizeof *solve, "several right-hand sides", (void **)&solve);
    if (status != SPG_OK) return status;
    spg_amg_warn_unsymmetric(amg, &taken);
    status = solve_all(amg, &of, &taken, results, solve);
    spg_release_on_host(context, solve, sizeof *solve);
    const bool is_solved = status == SPG_OK || spg_amg_is_of_one(status);
    for (int64_t j = 0; is_solved && j < count && results != NULL; ++j) results[j].seconds = spg_seconds() - start;
    return status;
}

spg_status spg_amg_apply_many(spg_context *context, spg_amg *amg, int64_t count, spg_layout layout, const void *B,
                              int64_t b_stride, void *X, int64_t x_stride)
{
    const systems of = {count, layout, B, b_stride, X, x_stride};
    spg_status status = check(context, amg, &of);
    if (status != SPG_OK || amg->system.rows == 0) return status;
    for (int64_t first = 0; first < count && status == SPG_OK; first += SPG_AMG_MOST_WIDTH) {
        const spg_amg_columns from = columns_from(amg, &of, B, b_stride, first);
        const spg_amg_columns to = columns_from(amg, &of, X, x_stride, first);
        status = spg_amg_many_create(amg, spg_amg_width_for(from.count));
        if (status != SPG_OK) break;
        const spg_amg_many *many = amg->many;
        const spg_amg_shape shape = {amg->system.value_type, amg->system.rows, many->width};
        status = amg->backend->many->load(context, &shape, &from, many->r);
        if (status == SPG_OK) status = spg_amg_many_precondition(amg, many->r, many->z, NULL, NULL);
        if (status == SPG_OK) status = amg->backend->many->store(context, &shape, many->z, &to);
    }
    return status;
}
