/* The public calls on forests: checks, the struct, and dispatch to the backend. */
#include "forest.h"

#include "backend.h"
#include "check.h"
#include "memory.h"

#include <string.h>

void spg_forest_free_arrays(spg_forest *forest)
{
    spg_context *context = forest->context;
    spg_release(context, forest->offsets, spg_array_bytes(forest->rows + 1, sizeof *forest->offsets));
    spg_release(context, forest->columns, spg_array_bytes(forest->nnz, sizeof *forest->columns));
    spg_release(context, forest->bounds, spg_array_bytes(forest->nnz, sizeof *forest->bounds));
    spg_release(context, forest->nodes, spg_array_bytes(forest->nnz, sizeof *forest->nodes));
    spg_release(context, forest->guide_offsets, spg_array_bytes(forest->rows + 1, sizeof *forest->guide_offsets));
    spg_release(context, forest->guide, spg_array_bytes(forest->guide_count, sizeof *forest->guide));
    forest->offsets = forest->guide_offsets = NULL;
    forest->columns = forest->guide = NULL;
    forest->bounds = NULL;
    forest->nodes = NULL;
}

void spg_forest_destroy(spg_forest *forest)
{
    if (forest == NULL) return;
    spg_forest_free_arrays(forest);
    spg_release_on_host(forest->context, forest, sizeof *forest);
}

static spg_status check_options(spg_context *context, const spg_forest_options *options)
{
    if (options->method < SPG_FOREST_AUTO || options->method > SPG_FOREST_RADIX)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: method %d is not an spg_forest_method",
                                (int)options->method);
    if (!(options->cells_per_item >= 0 && options->cells_per_item <= 1024))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: cells_per_item %g lies outside [0, 1024]",
                                options->cells_per_item);
    return SPG_OK;
}

spg_status spg_forest_build(spg_context *context, const spg_csr *weights, const spg_forest_options *options,
                            spg_forest **forest)
{
    static const spg_forest_options defaults = {SPG_FOREST_AUTO, 0};
    if (forest != NULL) *forest = NULL;
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (forest == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "forest is NULL");
    if (options == NULL) options = &defaults;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK) status = check_options(context, options);
    spg_forest *built = NULL;
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof *built, "a forest", (void **)&built);
    if (status != SPG_OK) return status;
    memset(built, 0, sizeof *built);
    built->context = context;
    built->rows = weights->rows;
    built->nnz = weights->nnz;
    built->empty_rows = context->draw_options.empty_rows != 0 && weights->rows > 0;
    built->method = options->method == SPG_FOREST_AUTO ? SPG_FOREST_CUTPOINT : options->method;
    built->cells_per_item = options->cells_per_item > 0 ? options->cells_per_item : 1;
    status = context->backend->sampling->forest_build(context, weights, built);
    if (status != SPG_OK) {
        spg_forest_destroy(built);
        return status;
    }
    *forest = built;
    return SPG_OK;
}

static spg_status check_draw(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                             const double *uniforms)
{
    if (forest == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "forest is NULL");
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_built_here(context, forest->context, "forest");
    if (status == SPG_OK) status = spg_check_count(context, count, "count");
    if (status == SPG_OK && rows != NULL) status = spg_check_array(context, count, rows, sizeof *rows, "rows");
    if (status == SPG_OK && uniforms != NULL)
        status = spg_check_array(context, count, uniforms, sizeof *uniforms, "uniforms");
    if (status == SPG_OK && rows == NULL && count > 0 && forest->rows == 0)
        status = spg_context_fail(context, SPG_ERROR_ARGUMENT, "forest has no row to draw from");
    return status;
}

static spg_forest_details details_of(const spg_forest_details *details)
{
    return details != NULL ? *details : (spg_forest_details){NULL, NULL};
}

/* rows and uniforms may be the very arrays of draws and remapped: a draw reads its own before it writes them. */
static spg_status check_results(spg_context *context, int64_t count, const int32_t *rows, const double *uniforms,
                                const int32_t *draws, spg_forest_details details)
{
    spg_status status = spg_check_array(context, count, draws, sizeof *draws, "draws");
    if (status == SPG_OK && details.probabilities != NULL)
        status = spg_check_array(context, count, details.probabilities, sizeof *details.probabilities, "probabilities");
    if (status == SPG_OK && details.remapped != NULL)
        status = spg_check_array(context, count, details.remapped, sizeof *details.remapped, "remapped");
    const spg_call_array arrays[] = {
        {draws, count, sizeof *draws, "draws"},
        {details.probabilities, count, sizeof(double), "probabilities"},
        {details.remapped, count, sizeof(double), "remapped"},
        {rows != draws ? rows : NULL, count, sizeof *rows, "rows"},
        {uniforms != details.remapped ? uniforms : NULL, count, sizeof(double), "uniforms"}};
    return status == SPG_OK ? spg_check_apart(context, NULL, 3, 5, arrays) : status;
}

spg_status spg_forest_draw(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                           const spg_random *random, const double *uniforms, int32_t *draws,
                           const spg_forest_details *details)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_draw(context, forest, count, rows, uniforms);
    if (status == SPG_OK) status = spg_check_random(context, random, uniforms);
    if (status == SPG_OK) status = check_results(context, count, rows, uniforms, draws, details_of(details));
    if (status != SPG_OK || count == 0) return status;
    return context->backend->sampling->forest_draws(context, forest, count, rows, random, uniforms, draws,
                                                    details_of(details));
}

spg_status spg_forest_draw_stratified(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                                      const spg_random *random, int32_t *draws, const spg_forest_details *details)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_draw(context, forest, count, NULL, NULL);
    if (status == SPG_OK && count > 0 && (row < 0 || row >= forest->rows))
        status = spg_context_fail(context, SPG_ERROR_ARGUMENT, "row %lld lies outside [0, %lld)", (long long)row,
                                  (long long)forest->rows);
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = check_results(context, count, NULL, NULL, draws, details_of(details));
    if (status != SPG_OK || count == 0) return status;
    return context->backend->sampling->forest_strata(context, forest, row, count, random, draws, details_of(details));
}

spg_status spg_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                            const double *uniforms, int32_t *loads)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_draw(context, forest, count, rows, uniforms);
    if (status == SPG_OK) status = spg_check_array(context, count, uniforms, sizeof *uniforms, "uniforms");
    if (status == SPG_OK) status = spg_check_array(context, count, loads, sizeof *loads, "loads");
    if (status != SPG_OK || count == 0) return status;
    const spg_call_array arrays[] = {{loads, count, sizeof *loads, "loads"},
                                     {rows, count, sizeof *rows, "rows"},
                                     {uniforms, count, sizeof *uniforms, "uniforms"}};
    status = spg_check_apart(context, NULL, 1, 3, arrays);
    if (status != SPG_OK) return status;
    return context->backend->sampling->forest_loads(context, forest, count, rows, uniforms, loads);
}
