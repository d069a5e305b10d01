/* The options of setup: defaults and limits. */
#include "amg.h"

#include "argument.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* Relative to the type's largest number: coarse candidates are norms over what they represent, up to 2^31 rows. */
#define MOST_CANDIDATE 0x1p-16

enum { MOST_LEVELS = 100, MOST_SWEEPS = 1000, MOST_STEPS = 1000 };

spg_amg_options spg_amg_options_default(void)
{
    return (spg_amg_options){.aggregation = SPG_AGGREGATION_MIS2,
                             .join_leftovers = 1,
                             .block_size = 1,
                             .prolongator_relaxation = 4.0 / 3.0,
                             .max_coarse = 500,
                             .max_levels = 20,
                             .least_coarsening = 1.1,
                             .max_complexity = 3,
                             .smoother = SPG_SMOOTHER_JACOBI,
                             .pre_sweeps = 1,
                             .post_sweeps = 1,
                             .relaxation = 4.0 / 3.0,
                             .chebyshev_degree = 2,
                             .chebyshev_ratio = 7};
}

static spg_status check_integer(spg_context *context, const char *name, int64_t value, int64_t least, int64_t most)
{
    if (value >= least && value <= most) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: %s is %lld, not from %lld to %lld", name,
                            (long long)value, (long long)least, (long long)most);
}

/* Finite and not below `least`; with `open` not equal to it either. */
static spg_status check_real(spg_context *context, const char *name, double value, double least, bool open)
{
    if (isfinite(value) && (open ? value > least : value >= least)) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: %s is %g, not a finite number %s %g", name, value,
                            open ? "above" : "from", least);
}

static spg_status check_numbers(spg_context *context, const spg_amg_options *o)
{
    const struct {
        const char *name;
        int64_t value, least, most;
    } integers[] = {{"aggregation", o->aggregation, SPG_AGGREGATION_MIS2, SPG_AGGREGATION_STANDARD},
                    {"smoother", o->smoother, SPG_SMOOTHER_JACOBI, SPG_SMOOTHER_CHEBYSHEV},
                    {"spectral_steps", o->spectral_steps, 0, MOST_STEPS},
                    {"max_coarse", o->max_coarse, 1, SPG_AMG_MOST_DENSE},
                    {"max_levels", o->max_levels, 1, MOST_LEVELS},
                    {"pre_sweeps", o->pre_sweeps, 0, MOST_SWEEPS},
                    {"post_sweeps", o->post_sweeps, 0, MOST_SWEEPS},
                    {"chebyshev_degree", o->chebyshev_degree, 1, MOST_SWEEPS},
                    {"filter", o->filter, 0, 1},
                    {"strength", o->strength, SPG_STRENGTH_SYMMETRIC, SPG_STRENGTH_CLASSICAL},
                    {"restriction", o->restriction, SPG_RESTRICTION_TRANSPOSE, SPG_RESTRICTION_PETROV_GALERKIN},
                    {"precision", o->precision, SPG_AMG_PRECISION_OF_A, SPG_AMG_PRECISION_F32},
                    {"cycle", o->cycle, SPG_CYCLE_V, SPG_CYCLE_K}};
    const struct {
        const char *name;
        double value, least;
        bool open;
    } reals[] = {{"theta", o->theta, 0, false},
                 {"prolongator_relaxation", o->prolongator_relaxation, 0, false},
                 {"relaxation", o->relaxation, 0, true},
                 {"least_coarsening", o->least_coarsening, 1, false},
                 {"max_complexity", o->max_complexity, 0, false},
                 {"chebyshev_ratio", o->chebyshev_ratio, 1, true}};
    spg_status status = SPG_OK;
    for (size_t k = 0; status == SPG_OK && k < sizeof integers / sizeof *integers; ++k)
        status = check_integer(context, integers[k].name, integers[k].value, integers[k].least, integers[k].most);
    for (size_t k = 0; status == SPG_OK && k < sizeof reals / sizeof *reals; ++k)
        status = check_real(context, reals[k].name, reals[k].value, reals[k].least, reals[k].open);
    return status;
}

/* ARGUMENT below `least`; UNSUPPORTED above the size in which aggregates are processed. */
static spg_status check_size(spg_context *context, const spg_csr *A, const char *name, int size, int least)
{
    const int most = SPG_AMG_MOST_BLOCK / spg_parts_of(A->value_type);
    if (size <= most) return check_integer(context, name, size, least, most);
    return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "options: %s is %d; at most %d is supported for %s values",
                            name, size, most, spg_type_name(A->value_type));
}

static spg_status check_candidates(spg_context *context, const spg_csr *A, const spg_amg_options *options)
{
    spg_status status = check_size(context, A, "block_size", options->block_size, 1);
    if (status == SPG_OK) status = check_size(context, A, "candidates", options->candidates, 0);
    if (status != SPG_OK) return status;
    if (A->rows % options->block_size != 0)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "options: block_size %d does not divide A's %lld rows",
                                options->block_size, (long long)A->rows);
    const bool given = options->candidate_values != NULL;
    if (given != (options->candidates > 0) && !(A->rows == 0 && !given))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: candidates is %d, and candidate_values is %s",
                                options->candidates, given ? "not NULL" : "NULL");
    return spg_check_array_here(context, options->candidate_values, spg_type_size(A->value_type),
                                "options: candidate_values");
}

static spg_status check_strength(spg_context *context, const spg_amg_options *options)
{
    if (options->strength != SPG_STRENGTH_CLASSICAL || options->theta <= 1) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                            "options: theta is %g; by the classical measure no entry is strong above 1; use a theta "
                            "such as 0.25",
                            options->theta);
}

static spg_status check_filter(spg_context *context, const spg_amg_options *options)
{
    if (!options->filter) return SPG_OK;
    if (options->theta == 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "options: filter is 1, but at theta 0 no entry is weak; use a theta such as 0.08");
    if (options->block_size == 1 && options->candidates <= 1) return SPG_OK;
    return spg_context_fail(
        context, SPG_ERROR_UNSUPPORTED,
        "options: filter is 1, block_size %d and candidates %d; a filter takes one unknown per node",
        options->block_size, options->candidates);
}

spg_status spg_amg_check_candidate_values(spg_context *context, const spg_csr *A, const spg_amg_options *options)
{
    if (options->candidate_values == NULL) return SPG_OK;
    const spg_type type = spg_part_type(A->value_type);
    const double most = (type == SPG_F32 ? (double)FLT_MAX : DBL_MAX) * MOST_CANDIDATE;
    const int64_t count = A->rows * options->candidates; /* of reals: a complex A has twice the candidates now */
    int64_t first = count;
    spg_status status =
        context->backend->amg->find_beyond(context, type, count, options->candidate_values, most, &first);
    if (status != SPG_OK || first == count) return status;
    first /= spg_parts_of(A->value_type);
    return spg_context_fail(context, SPG_ERROR_FORMAT,
                            "options: candidate %lld has a NaN, infinite or too large value in row %lld",
                            (long long)(first / A->rows), (long long)(first % A->rows));
}

spg_status spg_amg_resolve_options(spg_context *context, const spg_csr *A, const spg_amg_options *options,
                                   spg_amg_options *resolved)
{
    *resolved = options != NULL ? *options : spg_amg_options_default();
    spg_status status = check_numbers(context, resolved);
    if (status == SPG_OK) status = check_candidates(context, A, resolved);
    if (status == SPG_OK) status = check_strength(context, resolved);
    if (status == SPG_OK) status = check_filter(context, resolved);
    if (status != SPG_OK) return status;
    if (resolved->aggregation == SPG_AGGREGATION_STANDARD && context->backend->amg->aggregate_standard == NULL)
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "options: standard aggregation runs on the host only");
    if (resolved->candidates == 0) resolved->candidates = resolved->block_size;
    resolved->block_size *= spg_parts_of(A->value_type);
    resolved->candidates *= spg_parts_of(A->value_type);
    return SPG_OK;
}
