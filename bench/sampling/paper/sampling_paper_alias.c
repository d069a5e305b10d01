/* What Lehmann measured of alias tables: building by method, weights and items; drawing by method, items and draws. */
#include "sampling_modes.h"
#include "sampling_paper_builds.h"
#include "sampling_problem.h"

enum { SPLIT_ITEMS = 10000000, HEAVY_ITEMS = SPLIT_ITEMS, LEAST_ITEMS = 10000, LEAST_DRAWS = 1000000 };

static const sampler *alias_sampler(void)
{
    for (int k = 0; sampler_at(k) != NULL; k++)
        if (sampler_at(k)->method == METHOD_ALIAS) return sampler_at(k);
    return NULL;
}

/* One measurement of alias tables by what `chosen` of the task says, under a name of its own. */
static spg_status run_variant(sampling_bench *bench, const sampling_problem *task, const char *name)
{
    sampler named = *alias_sampler();
    named.name = name;
    const sampler *const only = &named;
    return run_together(bench, task, 1, &only);
}

/* What is measured of weights in all sizes. */
typedef struct paper_run {
    sampling_bench *bench;
    spg_context *timed; /* at the place, whose stages are timed */
    int64_t most_items, most_draws, tried;
    int64_t split_items; /* the size of Figure 5.1; also of what is larger */
} paper_run;

/* Figures 5.2 to 5.5, Table 5.2: every builder. */
static spg_status run_builders(const paper_run *run, sampling_problem *task, sampling_options *chosen)
{
    sampling_bench *bench = run->bench;
    spg_status status = SPG_OK;
    task->count = run->tried;
    report_sampling_problem(stdout, task);
    for (int v = 0; v < BUILD_VARIANTS && status == SPG_OK; v++) {
        const build_variant *variant = &build_variants[v];
        const char *why_not = why_not_built(bench, variant);
        chosen->alias.builder = variant->builder;
        chosen->alias.chunks = variant->chunks;
        if (why_not == NULL)
            status = run_variant(bench, task, variant->implementation);
        else
            status = report_not_measured(bench, task, variant->implementation, "build", why_not);
    }
    if (status == SPG_OK) status = run_build_phases(bench, run->timed, task, chosen);
    chosen->alias = bench->chosen->alias;
    return status;
}

/* The library's samplers by name, of which a host has two. */
static spg_status run_sampler(sampling_bench *bench, const sampling_problem *task, spg_alias_sampler kind)
{
    char name[32];
    snprintf(name, sizeof name, "spg-alias-%s", alias_sampler_name(kind));
    if (bench->here.place == SPG_PLACE_HOST && kind > SPG_SAMPLER_SECTIONED)
        return report_not_measured(bench, task, name, "draw", "the host has one sampler that groups: see sectioned");
    return run_variant(bench, task, name);
}

/* Figures 5.7 to 5.9, Table 5.3: every sampler, and fewer draws than were made room for. */
static spg_status run_draws(const paper_run *run, sampling_problem *task, sampling_options *chosen)
{
    const int64_t most = run->most_draws;
    spg_status status = SPG_OK;
    for (int64_t draws = most < LEAST_DRAWS ? most : LEAST_DRAWS; draws <= most && status == SPG_OK; draws *= 10) {
        task->count = draws;
        chosen->grouped = false;
        report_sampling_problem(stdout, task);
        for (int kind = SPG_SAMPLER_BASELINE; kind <= SPG_SAMPLER_SHARED && status == SPG_OK; kind++) {
            chosen->sampler = (spg_alias_sampler)kind;
            chosen->grouped = kind != SPG_SAMPLER_BASELINE;
            status = run_sampler(run->bench, task, chosen->sampler);
        }
    }
    return status;
}

/* The wanted ones of `parts`, of one size. */
static spg_status run_size(const paper_run *run, const char *weights, int64_t items, int parts)
{
    sampling_problem task;
    sampling_bench *bench = run->bench;
    sampling_options chosen = *bench->chosen;
    if (bench->chosen->parts != 0) parts &= bench->chosen->parts;
    if (items < run->split_items) parts &= ~PART_SPLIT;
    if (parts == 0) return SPG_OK;
    chosen.weights = weights;
    chosen.rows = 1;
    chosen.items = items;
    chosen.draws = (parts & PART_DRAW) != 0 ? run->most_draws : run->tried;
    spg_status status = problem_make(bench->host, bench->context, &chosen, &task);
    if (status == SPG_OK && (parts & PART_BUILD) != 0) status = run_builders(run, &task, &chosen);
    if ((parts & (PART_SPLIT | PART_TRANSFER)) != 0) task.count = run->tried;
    if (status == SPG_OK && (parts & PART_BUILD) == 0 && parts != PART_DRAW) report_sampling_problem(stdout, &task);
    if (status == SPG_OK && (parts & PART_SPLIT) != 0) status = run_splits(bench, run->timed, &task, &chosen);
    if (status == SPG_OK && (parts & PART_TRANSFER) != 0) status = run_transfers(bench, &task, &chosen);
    if (status == SPG_OK && (parts & PART_DRAW) != 0) status = run_draws(run, &task, &chosen);
    problem_drop(bench->host, &task);
    return status;
}

static spg_status run_sizes(const paper_run *run)
{
    static const struct {
        const char *weights;
        int parts;
    } families[] = {{"uniform", PART_BUILD | PART_SPLIT | PART_TRANSFER | PART_DRAW},
                    {"powerlaw:0.5", PART_BUILD},
                    {"powerlaw:1", PART_BUILD | PART_DRAW}};
    static const char *const heavy[] = {"heavy:0.1", "heavy:0.3", "heavy:0.5", "heavy:0.7", "heavy:0.9"};
    spg_status status = SPG_OK;
    for (int k = 0; k < 3; k++)
        for (int64_t items = LEAST_ITEMS; items <= run->most_items && status == SPG_OK; items *= 10)
            status = run_size(run, families[k].weights, items, families[k].parts);
    for (int k = 0; k < 5 && status == SPG_OK; k++)
        status = run_size(run, heavy[k], run->most_items < HEAVY_ITEMS ? run->most_items : HEAVY_ITEMS, PART_BUILD);
    return status;
}

spg_status run_paper_alias(sampling_bench *bench)
{
    const sampling_options *chosen = bench->chosen;
    const bool on_device = bench->here.place == SPG_PLACE_DEVICE;
    paper_run run = {.bench = bench, .split_items = LEAST_ITEMS};
    spg_config config = spg_config_default();
    run.most_items = chosen->items > 0 ? chosen->items : on_device ? 100000000 : 1000000;
    run.most_draws = chosen->draws > 0 ? chosen->draws : on_device ? 1000000000 : 10000000;
    run.tried = run.most_draws < 10000000 ? run.most_draws : 10000000;
    while (run.split_items < SPLIT_ITEMS && run.split_items * 10 <= run.most_items) run.split_items *= 10;
    config.place = bench->here.place;
    config.threads = chosen->threads;
    config.timing = 1;
    spg_status status = spg_context_create(&config, &run.timed);
    if (status != SPG_OK) return spg_context_fail(bench->context, status, "no context: %s", spg_status_name(status));
    status = run_sizes(&run);
    spg_context_destroy(run.timed);
    return status;
}
