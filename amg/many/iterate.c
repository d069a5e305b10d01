/* What the methods do with the vectors of a solve of several right-hand sides. */
#include "many.h"

#include "amg/units.h"

#include <math.h>
#include <stdio.h>

uint32_t spg_amg_columns_in(const spg_amg_many_solve *solve, spg_amg_phase phase)
{
    uint32_t set = 0;
    for (int j = 0; j < solve->count; ++j) set |= (uint32_t)(solve->column[j].phase == phase) << j;
    return set;
}

spg_status spg_amg_end_column(spg_amg_many_solve *solve, spg_amg_column *column, spg_status status)
{
    column->phase = SPG_AMG_ENDED;
    if (status == SPG_OK) return SPG_OK;
    if (!spg_amg_is_of_one(status)) return status;
    column->status = status;
    snprintf(column->message, sizeof column->message, "%s", spg_context_message(solve->context));
    return SPG_OK;
}

spg_amg_columns spg_amg_columns_of(const spg_amg_many_solve *solve, void *values)
{
    return (spg_amg_columns){solve->count, values, 1, solve->shape.n};
}

/* Waits. */
static spg_status read_squares(const spg_amg_many_solve *solve, const void *block, double *squares)
{
    const spg_amg_many *many = solve->many;
    spg_context *context = solve->context;
    const spg_status status = solve->backend->dot(context, &solve->shape, block, block, many->workspace, many->squares);
    if (status != SPG_OK) return status;
    return context->backend->copy_bytes(context, squares, SPG_PLACE_HOST, many->squares, context->config.place,
                                        many->width * (int64_t)sizeof *squares);
}

/* As spg_amg_find_norm, of the vectors in `phase`: those whose squares under- or overflow are scaled into z. */
static spg_status find_norms(const spg_amg_many_solve *solve, spg_amg_phase phase, const void *block, double *norms)
{
    const bool may_rescale = solve->shape.type != SPG_F32;
    spg_amg_factors by, none = {{0}};
    bool rescales = false;
    spg_status status = read_squares(solve, block, norms);
    for (int j = 0; j < SPG_AMG_MOST_WIDTH; ++j) {
        const bool is_wanted = status == SPG_OK && j < solve->count && solve->column[j].phase == phase;
        by.of[j] = is_wanted && may_rescale ? spg_rescaling_of_squares(norms[j]) : 1;
        rescales = rescales || by.of[j] != 1;
    }
    if (rescales) status = solve->backend->combine(solve->context, &solve->shape, &by, block, &none, solve->many->z);
    if (rescales && status == SPG_OK) status = read_squares(solve, solve->many->z, norms);
    for (int j = 0; j < solve->count && status == SPG_OK; ++j) norms[j] = sqrt(norms[j]) / by.of[j];
    return status;
}

spg_status spg_amg_many_measure(spg_amg_many_solve *solve, spg_amg_phase phase, void *residual)
{
    spg_amg_many *many = solve->many;
    double norms[SPG_AMG_MOST_WIDTH];
    spg_status status =
        solve->backend->residual(solve->context, &solve->amg->system, many->width, many->b, many->x, residual);
    if (status == SPG_OK) status = find_norms(solve, phase, residual, norms);
    for (int j = 0; j < solve->count && status == SPG_OK; ++j) {
        spg_amg_column *column = &solve->column[j];
        if (column->phase != phase) continue;
        const spg_status of_column = spg_amg_note_true_residual(&column->solve, norms[j]);
        if (of_column != SPG_OK) status = spg_amg_end_column(solve, column, of_column);
    }
    return status;
}

/* By way of vectors one after the other. */
static spg_status project(spg_amg_many_solve *solve)
{
    spg_amg_many *many = solve->many;
    const spg_amg_columns vectors = spg_amg_columns_of(solve, many->q);
    const int64_t bytes = spg_amg_system_bytes(solve->amg);
    spg_status status = solve->backend->store(solve->context, &solve->shape, many->z, &vectors);
    for (int j = 0; j < solve->count && status == SPG_OK; ++j)
        if (solve->column[j].phase == SPG_AMG_RUNS)
            status = spg_amg_project(&solve->column[j].solve, (char *)many->q + j * bytes);
    return status == SPG_OK ? solve->backend->load(solve->context, &solve->shape, &vectors, many->z) : status;
}

spg_status spg_amg_many_correct(spg_amg_many_solve *solve, const double *squares, double *products)
{
    const spg_amg_many *many = solve->many;
    const bool projects = solve->column[0].solve.options.nullspace != SPG_AMG_NULLSPACE_NONE;
    spg_status status = spg_amg_many_precondition(solve->amg, many->r, many->z, squares, projects ? NULL : products);
    if (status != SPG_OK || !projects) return status;
    status = project(solve);
    if (status != SPG_OK || products == NULL) return status;
    return solve->backend->dot(solve->context, &solve->shape, many->r, many->z, many->workspace, products);
}
