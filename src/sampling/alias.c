/* The public calls on alias tables: checks, the struct, and dispatch to the backend. */
#include "alias.h"

#include "backend.h"
#include "check.h"
#include "memory.h"

#include <string.h>

void spg_alias_free_arrays(spg_alias *alias)
{
    spg_context *context = alias->context;
    size_t row_bytes = alias->resolution == SPG_ALIAS_EXACT ? sizeof(spg_alias_exact) : sizeof(spg_alias_compact);
    spg_release(context, alias->offsets, spg_array_bytes(alias->rows + 1, sizeof *alias->offsets));
    spg_release(context, alias->columns, spg_array_bytes(alias->nnz, sizeof *alias->columns));
    spg_release(context, alias->table, spg_array_bytes(alias->nnz, row_bytes));
    alias->offsets = NULL;
    alias->columns = NULL;
    alias->table = NULL;
}

void spg_alias_destroy(spg_alias *alias)
{
    if (alias == NULL) return;
    spg_alias_free_arrays(alias);
    spg_release_on_host(alias->context, alias, sizeof *alias);
}

/* Far more than is useful: sampling_bench --paper alias --parts split tries up to 64, and even two pack more slowly. */
enum { MOST_CHUNKS = 1024 };

static spg_status check_options(spg_context *context, const spg_alias_options *options)
{
    if (options->builder < SPG_ALIAS_AUTO || options->builder > SPG_ALIAS_PSA_PLUS)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: builder %d is not an spg_alias_builder",
                                (int)options->builder);
    if (options->resolution != SPG_ALIAS_COMPACT && options->resolution != SPG_ALIAS_EXACT)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: resolution %d is not an spg_alias_resolution",
                                (int)options->resolution);
    if (options->split != SPG_ALIAS_PARTIAL_P_ARY && options->split != SPG_ALIAS_BINARY)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: split %d is not an spg_alias_split",
                                (int)options->split);
    if (options->chunks < 0 || options->chunks > MOST_CHUNKS)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: %d chunks lie outside [0, %d]", options->chunks,
                                (int)MOST_CHUNKS);
    return SPG_OK;
}

spg_status spg_alias_build(spg_context *context, const spg_csr *weights, const spg_alias_options *options,
                           spg_alias **alias)
{
    static const spg_alias_options defaults = {0};
    if (alias != NULL) *alias = NULL;
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (alias == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "alias is NULL");
    if (options == NULL) options = &defaults;
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK) status = check_options(context, options);
    spg_alias *built = NULL;
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof *built, "an alias table", (void **)&built);
    if (status != SPG_OK) return status;
    memset(built, 0, sizeof *built);
    built->context = context;
    built->rows = weights->rows;
    built->cols = weights->cols;
    built->nnz = weights->nnz;
    built->empty_rows = context->draw_options.empty_rows != 0 && weights->rows > 0;
    built->builder = options->builder == SPG_ALIAS_AUTO ? SPG_ALIAS_PSA_PLUS : options->builder;
    built->resolution = options->resolution;
    built->split = options->split;
    built->chunks = options->chunks > 0 ? options->chunks : 1;
    status = context->backend->sampling->alias_build(context, weights, built);
    if (status != SPG_OK) {
        spg_alias_destroy(built);
        return status;
    }
    *alias = built;
    return SPG_OK;
}

/* The checks of a rebuild that need no contents. */
static spg_status check_rebuild(spg_context *context, const spg_alias *alias, const spg_csr *weights, spg_row_list rows)
{
    if (alias == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "alias is NULL");
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_built_here(context, alias->context, "alias");
    if (status == SPG_OK) status = spg_check_weights(context, weights);
    if (status == SPG_OK && rows.rows != NULL) status = spg_check_count(context, rows.count, "count");
    if (status == SPG_OK && rows.rows != NULL)
        status = spg_check_array(context, rows.count, rows.rows, sizeof *rows.rows, "rows");
    if (status != SPG_OK) return status;
    if (weights->rows != alias->rows || weights->cols != alias->cols || weights->nnz != alias->nnz)
        return spg_context_fail(context, SPG_ERROR_SHAPE,
                                "weights: %lld x %lld with %lld entries; the table was built from %lld x %lld with "
                                "%lld",
                                (long long)weights->rows, (long long)weights->cols, (long long)weights->nnz,
                                (long long)alias->rows, (long long)alias->cols, (long long)alias->nnz);
    if (alias->is_broken && rows.rows != NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "alias: a rebuild of it failed; rebuild all rows (rows NULL) first");
    return SPG_OK;
}

spg_status spg_alias_rebuild(spg_context *context, spg_alias *alias, const spg_csr *weights, int64_t count,
                             const int32_t *rows)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_row_list list = {rows, count};
    spg_status status = check_rebuild(context, alias, weights, list);
    if (status != SPG_OK) return status;
    if (rows == NULL) list.count = alias->rows;
    if (list.count == 0) return SPG_OK;
    const spg_sampling_backend *sampling = context->backend->sampling;
    const spg_draw_options options = context->draw_options;
    context->draw_options.empty_rows = alias->empty_rows;
    status = sampling->alias_check(context, alias, weights, list);
    if (status == SPG_OK) {
        alias->is_broken = true;
        memset(&alias->stats, 0, sizeof alias->stats);
        if (list.count == alias->rows) list.rows = NULL; /* they ascend, so these are all */
        status = sampling->alias_fill(context, weights, list, alias);
        alias->is_broken = status != SPG_OK;
    }
    context->draw_options = options;
    return status;
}

spg_status spg_alias_build_stats(const spg_alias *alias, spg_alias_stats *stats)
{
    if (stats != NULL) memset(stats, 0, sizeof *stats);
    if (alias == NULL || stats == NULL) return SPG_ERROR_ARGUMENT;
    *stats = alias->stats;
    return SPG_OK;
}

spg_status spg_check_alias(spg_context *context, const spg_alias *alias)
{
    spg_status status = spg_check_built_here(context, alias->context, "alias");
    if (status != SPG_OK || !alias->is_broken) return status;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "alias: a rebuild of it failed; rebuild all rows first");
}

/* Checks common to all draws. */
static spg_status check_draw(spg_context *context, const spg_alias *alias, int64_t count, const spg_random *random,
                             const int32_t *draws)
{
    if (alias == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "alias is NULL");
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_alias(context, alias);
    if (status == SPG_OK) status = spg_check_count(context, count, "count");
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    return status == SPG_OK ? spg_check_array(context, count, draws, sizeof *draws, "draws") : status;
}

static spg_status check_draw_options(spg_context *context, const spg_alias_draw_options *options)
{
    if (options->sampler < SPG_SAMPLER_AUTO || options->sampler > SPG_SAMPLER_SHARED)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: sampler %d is not an spg_alias_sampler",
                                (int)options->sampler);
    if (options->sampler == SPG_SAMPLER_BASELINE && options->grouped)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: the baseline sampler does not group");
    return SPG_OK;
}

spg_status spg_alias_draw(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                          const spg_random *random, const spg_alias_draw_options *options, int32_t *draws)
{
    static const spg_alias_draw_options defaults = {SPG_SAMPLER_AUTO, 0};
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (options == NULL) options = &defaults;
    spg_status status = check_draw(context, alias, count, random, draws);
    if (status == SPG_OK) status = check_draw_options(context, options);
    if (status != SPG_OK) return status;
    if (row < 0 || row >= alias->rows)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "row %lld lies outside [0, %lld)", (long long)row,
                                (long long)alias->rows);
    if (count == 0) return SPG_OK;
    bool grouped = options->grouped || options->sampler > SPG_SAMPLER_BASELINE;
    return context->backend->sampling->alias_draws(context, alias, row, count, random, options->sampler, grouped,
                                                   draws);
}

spg_status spg_alias_draw_rows(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                               const spg_random *random, int32_t *draws)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    spg_status status = check_draw(context, alias, count, random, draws);
    if (status == SPG_OK && rows != NULL) status = spg_check_array(context, count, rows, sizeof *rows, "rows");
    if (status != SPG_OK || count == 0) return status;
    if (rows == NULL && count > alias->rows)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "count is %lld; without rows it must be at most %lld",
                                (long long)count, (long long)alias->rows);
    const spg_call_array arrays[] = {{draws, count, sizeof *draws, "draws"}, {rows, count, sizeof *rows, "rows"}};
    status = spg_check_apart(context, NULL, 1, 2, arrays);
    if (status != SPG_OK) return status;
    return context->backend->sampling->alias_row_draws(context, alias, count, rows, random, draws);
}
