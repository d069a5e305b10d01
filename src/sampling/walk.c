/* The public call on walks: checks, and dispatch to the backend. */
#include "walk.h"

#include "backend.h"
#include "check.h"

/* A walk of second order makes at most the largest over the least of 1 / p, 1 and 1 / q attempts a step on average. */
#define LEAST_PARAMETER 0x1p-10
#define MOST_PARAMETER 0x1p10

static spg_status check_parameter(spg_context *context, const char *name, double value)
{
    if (value == 0 || (value >= LEAST_PARAMETER && value <= MOST_PARAMETER)) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_ARGUMENT, "options: %s is %g; it must be in [1/1024, 1024], or 0 for 1",
                            name, value);
}

static spg_status check_graph(spg_context *context, const spg_alias *alias)
{
    if (alias == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "alias is NULL");
    spg_status status = spg_check_samples_here(context);
    if (status == SPG_OK) status = spg_check_alias(context, alias);
    if (status != SPG_OK) return status;
    if (alias->cols > alias->rows)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "alias: of %lld columns and %lld rows; a walk needs a row for each column",
                                (long long)alias->cols, (long long)alias->rows);
    if (alias->columns == NULL && alias->nnz > 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "alias: built from weights without columns; a walk needs the nodes that they name");
    return SPG_OK;
}

static spg_status check_sizes(spg_context *context, const spg_alias *alias, int64_t walkers, int64_t steps,
                              const int32_t *starts)
{
    spg_status status = spg_check_count(context, walkers, "walkers");
    if (status == SPG_OK) status = spg_check_count(context, steps, "steps");
    if (status != SPG_OK) return status;
    if (steps == INT64_MAX || walkers > INT64_MAX / (int64_t)sizeof(int32_t) / (steps + 1))
        return spg_context_fail(context, SPG_ERROR_OVERFLOW, "%lld walks of %lld steps are more than memory can hold",
                                (long long)walkers, (long long)steps);
    const int64_t names = (int64_t)INT32_MAX + 1, nodes = alias->rows < names ? alias->rows : names;
    if (starts == NULL && walkers > nodes)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "walkers is %lld; without starts it must be at most %lld",
                                (long long)walkers, (long long)nodes);
    return starts != NULL ? spg_check_array(context, walkers, starts, sizeof *starts, "starts") : SPG_OK;
}

static spg_walk_bias bias_of(double p, double q)
{
    const double back = 1 / p, far = 1 / q;
    double most = 1;
    if (back > most) most = back;
    if (far > most) most = far;
    return (spg_walk_bias){back / most, 1 / most, far / most};
}

spg_status spg_alias_walk(spg_context *context, const spg_alias *alias, int64_t walkers, const int32_t *starts,
                          int64_t steps, const spg_random *random, const spg_walk_options *options, int32_t *walks)
{
    static const spg_walk_options defaults = {0, 0};
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (options == NULL) options = &defaults;
    spg_status status = check_graph(context, alias);
    if (status == SPG_OK) status = check_sizes(context, alias, walkers, steps, starts);
    if (status == SPG_OK) status = spg_check_random(context, random, NULL);
    if (status == SPG_OK) status = check_parameter(context, "p", options->p);
    if (status == SPG_OK) status = check_parameter(context, "q", options->q);
    if (status == SPG_OK) status = spg_check_array(context, walkers, walks, sizeof *walks, "walks");
    if (status != SPG_OK || walkers == 0) return status;
    const spg_call_array arrays[] = {{walks, walkers * (steps + 1), sizeof *walks, "walks"},
                                     {starts, walkers, sizeof *starts, "starts"}};
    status = spg_check_apart(context, NULL, 1, 2, arrays);
    if (status != SPG_OK) return status;
    const double p = options->p > 0 ? options->p : 1, q = options->q > 0 ? options->q : 1;
    const spg_walk_call call = {.walkers = walkers,
                                .steps = steps,
                                .starts = starts,
                                .random = *random,
                                .second_order = p != 1 || q != 1,
                                .bias = bias_of(p, q),
                                .walks = walks};
    return context->backend->sampling->alias_walks(context, alias, &call);
}
