/* What Lehmann measured of alias tables: building by method, weights and items; drawing by method, items and draws. */
#include "sampling_modes.h"

#include "sampling_problem.h"

static const sampler *alias_sampler(void)
{
    for (int k = 0; sampler_at(k) != NULL; k++)
        if (sampler_at(k)->method == METHOD_ALIAS) return sampler_at(k);
    return NULL;
}

/* One measurement of alias tables by what `chosen` of the task says, under a name of its own. */
static spg_status run_variant(sampling_bench *bench, const sampling_problem *task, const char *variant)
{
    char name[32];
    sampler named = *alias_sampler();
    snprintf(name, sizeof name, "spg-alias-%s", variant);
    named.name = name;
    const sampler *const only = &named;
    return run_together(bench, task, 1, &only);
}

/* Figures 5.2 to 5.5, Table 5.2: every builder. */
static spg_status run_builders(sampling_bench *bench, const char *weights, int64_t items, int64_t draws)
{
    sampling_problem task;
    sampling_options chosen = *bench->chosen;
    chosen.weights = weights;
    chosen.rows = 1;
    chosen.items = items;
    chosen.draws = draws;
    spg_status status = problem_make(bench->host, bench->context, &chosen, &task);
    if (status == SPG_OK) report_sampling_problem(stdout, &task);
    for (int builder = SPG_ALIAS_AUTO; builder <= SPG_ALIAS_PSA_PLUS && status == SPG_OK; builder++) {
        chosen.alias.builder = (spg_alias_builder)builder;
        status = run_variant(bench, &task, alias_builder_name(chosen.alias.builder));
    }
    problem_drop(bench->host, &task);
    return status;
}

/* Figures 5.7 to 5.9, Table 5.3: every sampler, and fewer draws than were made room for. */
static spg_status run_draws(sampling_bench *bench, const char *weights, int64_t items, int64_t most)
{
    sampling_problem task;
    sampling_options chosen = *bench->chosen;
    chosen.weights = weights;
    chosen.rows = 1;
    chosen.items = items;
    chosen.draws = most;
    spg_status status = problem_make(bench->host, bench->context, &chosen, &task);
    for (int64_t draws = most < 1000000 ? most : 1000000; draws <= most && status == SPG_OK; draws *= 10) {
        task.count = draws;
        chosen.grouped = false;
        report_sampling_problem(stdout, &task);
        for (int kind = SPG_SAMPLER_BASELINE; kind <= SPG_SAMPLER_SHARED && status == SPG_OK; kind++) {
            chosen.sampler = (spg_alias_sampler)kind;
            chosen.grouped = kind != SPG_SAMPLER_BASELINE;
            status = run_variant(bench, &task, alias_sampler_name(chosen.sampler));
        }
    }
    problem_drop(bench->host, &task);
    return status;
}

spg_status run_paper_alias(sampling_bench *bench)
{
    static const char *const families[] = {"uniform", "powerlaw:0.5", "powerlaw:1"};
    static const char *const heavy[] = {"heavy:0.1", "heavy:0.3", "heavy:0.5", "heavy:0.7", "heavy:0.9"};
    const bool on_device = bench->here.place == SPG_PLACE_DEVICE;
    const int64_t most_items = bench->chosen->items > 0 ? bench->chosen->items : on_device ? 100000000 : 1000000;
    const int64_t most_draws = bench->chosen->draws > 0 ? bench->chosen->draws : on_device ? 1000000000 : 10000000;
    const int64_t tried = most_draws < 10000000 ? most_draws : 10000000;
    spg_status status = SPG_OK;
    for (int k = 0; k < 3; k++)
        for (int64_t items = 10000; items <= most_items && status == SPG_OK; items *= 10)
            status = run_builders(bench, families[k], items, tried);
    for (int k = 0; k < 5 && status == SPG_OK; k++)
        status = run_builders(bench, heavy[k], most_items < 10000000 ? most_items : 10000000, tried);
    for (int k = 0; k < 3; k += 2)
        for (int64_t items = 10000; items <= most_items && status == SPG_OK; items *= 10)
            status = run_draws(bench, families[k], items, most_draws);
    return status;
}
