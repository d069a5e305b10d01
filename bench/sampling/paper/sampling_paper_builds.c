#include "sampling_paper_builds.h"

#include "format.h"
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Eight parts for a block that packs in chunks: an eighth of the splits, and still blocks enough for a device. */
const build_variant build_variants[BUILD_VARIANTS] = {{"auto", "spg-alias-auto", SPG_ALIAS_AUTO, 1},
                                                      {"sweep", "spg-alias-sweep", SPG_ALIAS_SWEEP, 1},
                                                      {"psa", "spg-alias-psa", SPG_ALIAS_PSA, 1},
                                                      {"psa-chunked", "spg-alias-psa-chunked", SPG_ALIAS_PSA, 8},
                                                      {"psa+", "spg-alias-psa+", SPG_ALIAS_PSA_PLUS, 1}};

enum { BUILD_PHASES = 5, PHASE_PARTITION = 2, PHASE_SPLIT = 3, PHASE_PACK = 4, MOST_CHUNKS = 64 };
static const char *const phases[BUILD_PHASES] = {"sum", "tiles", "partition", "split", "pack"};

/* Copies of hundreds of megabytes vary little. */
static const double enough_ms = 500.0;

static bool on_device(const sampling_bench *bench) { return bench->here.place == SPG_PLACE_DEVICE; }

const char *why_not_built(const sampling_bench *bench, const build_variant *variant)
{
    if (on_device(bench) && variant->builder == SPG_ALIAS_SWEEP)
        return "a device makes the sweep's table by PSA: see psa";
    if (!on_device(bench) && variant->chunks > 1) return "chunks are for blocks of a device, with their shared memory";
    return NULL;
}

/* A context other than the bench's has failed. */
static spg_status forward(const sampling_bench *bench, const spg_context *from, spg_status status)
{
    if (status == SPG_OK || from == bench->context) return status;
    return spg_context_fail(bench->context, status, "%s", spg_context_message(from));
}

static spg_status record(const sampling_bench *bench, const sampling_problem *task, const alias_phase *measured)
{
    if (report_alias_phase_json(bench, task, measured)) return SPG_OK;
    return spg_context_fail(bench->context, SPG_ERROR_IO, "%s: cannot be written", bench->chosen->json_path);
}

spg_status report_not_measured(const sampling_bench *bench, const sampling_problem *task, const char *implementation,
                               const char *phase, const char *why_not)
{
    return record(bench, task, &(alias_phase){implementation, phase, NULL, why_not, NULL, NULL});
}

/* Builds of one kind. */
typedef struct built {
    sampling_times phase[BUILD_PHASES];
    spg_alias_stats stats;
    sampling_verdict verdict;
} built;

static spg_status draw_and_verify(const sampling_problem *task, const spg_alias *alias, sampling_verdict *verdict)
{
    const spg_status status = spg_alias_draw(task->context, alias, 0, task->count, &task->random, NULL, task->draws);
    return status == SPG_OK ? verify_draws(task, verdict) : status;
}

/* Repetition `rep`, of which the last draws from its table. ms: [phase][rep]. */
static spg_status build_once(const sampling_problem *task, int rep, double *ms, built *result)
{
    const int reps = task->chosen->reps;
    const spg_alias_stats *stats = &result->stats;
    spg_alias *alias = NULL;
    spg_status status = spg_alias_build(task->context, &task->here, &task->chosen->alias, &alias);
    if (status == SPG_OK) status = spg_alias_build_stats(alias, &result->stats);
    const double found[] = {stats->sum_ms, stats->tiles_ms, stats->partition_ms, stats->split_ms, stats->pack_ms};
    for (int k = 0; rep >= 0 && k < BUILD_PHASES; k++) ms[k * reps + rep] = found[k];
    if (status == SPG_OK && rep + 1 == reps) status = draw_and_verify(task, alias, &result->verdict);
    spg_alias_destroy(alias);
    return status;
}

static spg_status measure_builds(const sampling_bench *bench, const sampling_problem *task, const char *what,
                                 built *result)
{
    const int reps = task->chosen->reps;
    double *ms = malloc((size_t)reps * BUILD_PHASES * sizeof *ms);
    spg_status status = SPG_OK;
    if (ms == NULL) return spg_context_fail(bench->context, SPG_ERROR_MEMORY, "no memory");
    progress("%s: phases of building by %s", task->name, what);
    for (int rep = -task->chosen->warmup; rep < reps && status == SPG_OK; rep++)
        status = build_once(task, rep, ms, result);
    for (int k = 0; k < BUILD_PHASES && status == SPG_OK; k++) result->phase[k] = summarize_times(ms + k * reps, reps);
    free(ms);
    progress_clear();
    return forward(bench, task->context, status);
}

static const char *why_no_phase(const sampling_bench *bench, const sampling_options *chosen, int phase)
{
    if (phase == PHASE_PARTITION && !on_device(bench)) return "on the host tiles list what they leave";
    if (phase == PHASE_SPLIT && on_device(bench) && chosen->alias.builder == SPG_ALIAS_PSA_PLUS)
        return "each block finds its own two splits as it packs";
    return NULL;
}

static spg_status record_phase(sampling_bench *bench, const sampling_problem *task, const char *implementation,
                               int phase, const built *result)
{
    const char *why_not = why_no_phase(bench, task->chosen, phase);
    const sampling_times *times = why_not == NULL ? &result->phase[phase] : NULL;
    bench->right = bench->right && result->verdict.right;
    return record(bench, task,
                  &(alias_phase){implementation, phases[phase], times, why_not, &result->stats, &result->verdict});
}

static void print_phases(const sampling_bench *bench, const sampling_options *chosen, const char *name,
                         const built *result)
{
    if (!result->verdict.right) {
        printf("%-15s WRONG: %s\n", name, result->verdict.fault);
        return;
    }
    printf("%-15s", name + (strncmp(name, "spg-alias-", 10) == 0 ? 10 : 0));
    for (int k = 0; k < BUILD_PHASES; k++)
        printf(" %9s", why_no_phase(bench, chosen, k) == NULL ? ms_text(result->phase[k].median_ms).s : "-");
    printf(" %5s %6s\n", count_text(result->stats.left).s, count_text(result->stats.splits).s);
}

spg_status run_build_phases(sampling_bench *bench, spg_context *timed, const sampling_problem *task,
                            sampling_options *chosen)
{
    sampling_problem there = *task;
    spg_status status = SPG_OK;
    there.context = timed;
    printf("%-15s", "ms of phases");
    for (int k = 0; k < BUILD_PHASES; k++) printf(" %9s", phases[k]);
    printf(" %5s %6s\n", "left", "splits");
    for (int v = 1; v < BUILD_VARIANTS && status == SPG_OK; v++) { /* AUTO is one of the others */
        const build_variant *variant = &build_variants[v];
        const char *why_not = why_not_built(bench, variant);
        built result = {0};
        chosen->alias.builder = variant->builder;
        chosen->alias.chunks = variant->chunks;
        if (why_not == NULL) {
            status = measure_builds(bench, &there, variant->name, &result);
            if (status == SPG_OK) print_phases(bench, chosen, variant->implementation, &result);
        }
        for (int k = 0; k < BUILD_PHASES && status == SPG_OK; k++)
            status = why_not == NULL ? record_phase(bench, &there, variant->implementation, k, &result)
                                     : report_not_measured(bench, task, variant->implementation, phases[k], why_not);
    }
    return status;
}

static spg_status measure_split(sampling_bench *bench, const sampling_problem *task, built *result)
{
    spg_status status = measure_builds(bench, task, "splits", result);
    if (status == SPG_OK) status = record_phase(bench, task, "spg-alias-splits", PHASE_SPLIT, result);
    return status == SPG_OK ? record_phase(bench, task, "spg-alias-splits", PHASE_PACK, result) : status;
}

spg_status run_splits(sampling_bench *bench, spg_context *timed, const sampling_problem *task, sampling_options *chosen)
{
    sampling_problem there = *task;
    spg_status status = SPG_OK;
    there.context = timed;
    chosen->alias.builder = SPG_ALIAS_PSA;
    if (!on_device(bench))
        return report_not_measured(bench, task, "spg-alias-splits", phases[PHASE_SPLIT],
                                   "the host splits once for each thread, by sums of tiles");
    printf("  %-26s %9s %9s %9s %9s %9s\n", "splits of psa", "number", "p-ary ms", "binary ms", "ns a split",
           "pack ms");
    for (int chunks = 1; chunks <= MOST_CHUNKS && status == SPG_OK; chunks *= 2) {
        built by[2] = {{.stats = {0}}, {.stats = {0}}};
        chosen->alias.chunks = chunks;
        for (int split = SPG_ALIAS_PARTIAL_P_ARY; split <= SPG_ALIAS_BINARY && status == SPG_OK; split++) {
            chosen->alias.split = (spg_alias_split)split;
            status = measure_split(bench, &there, &by[split]);
        }
        const double ms = by[0].phase[PHASE_SPLIT].median_ms;
        if (status == SPG_OK)
            printf("  %-26d %9s %9s %9s %9.2f %9s\n", chunks, count_text(by[0].stats.splits).s, ms_text(ms).s,
                   ms_text(by[1].phase[PHASE_SPLIT].median_ms).s, ms * 1e6 / (double)by[0].stats.splits,
                   ms_text(by[0].phase[PHASE_PACK].median_ms).s);
    }
    chosen->alias.split = SPG_ALIAS_PARTIAL_P_ARY;
    chosen->alias.chunks = 1;
    return status;
}

/* Weights and tables on their way, in memory as malloc gives it. A table's arrays are the library's, so that bytes of
 * another array of its size come back. */
typedef struct transfers {
    const sampling_problem *task;
    spg_alias *alias;
    void *table_there, *table_here;
    int64_t weight_bytes, table_bytes;
} transfers;

static spg_status send_weights(void *state)
{
    const transfers *all = state;
    return array_put(all->task->context, all->task->here.values, all->task->host.values, all->weight_bytes);
}

static spg_status fetch_table(void *state)
{
    const transfers *all = state;
    return array_get(all->task->context, all->table_here, all->table_there, all->table_bytes);
}

static spg_status build_alone(void *state)
{
    transfers *all = state;
    spg_alias_destroy(all->alias);
    all->alias = NULL;
    return spg_alias_build(all->task->context, &all->task->here, &all->task->chosen->alias, &all->alias);
}

static spg_status send_build_fetch(void *state)
{
    spg_status status = send_weights(state);
    if (status == SPG_OK) status = build_alone(state);
    return status == SPG_OK ? fetch_table(state) : status;
}

static const struct {
    const char *name;
    spg_status (*call)(void *state);
} ways[] = {{"send", send_weights},
            {"build-alone", build_alone},
            {"fetch", fetch_table},
            {"send-build-fetch", send_build_fetch}};
enum { WAYS = sizeof ways / sizeof *ways };

static spg_status measure_transfers(sampling_bench *bench, transfers *all)
{
    const sampling_problem *task = all->task;
    const sampling_effort effort = {task->chosen->warmup, task->chosen->reps, enough_ms};
    sampling_times times[WAYS] = {{0.0, 0.0, 0.0, 0}};
    sampling_verdict verdict = {0};
    spg_status status = SPG_OK;
    for (int k = 0; k < WAYS && status == SPG_OK; k++)
        status = time_calls(task->context, &effort, ways[k].name, ways[k].call, all, &times[k]);
    if (status == SPG_OK) status = draw_and_verify(task, all->alias, &verdict);
    progress_clear();
    if (status != SPG_OK) return status;
    bench->right = bench->right && verdict.right;
    printf("ms of transfers\n ");
    for (int k = 0; k < WAYS; k++) printf("  %s %s", ways[k].name, verdict.right ? ms_text(times[k].median_ms).s : "-");
    printf("\n");
    for (int k = 0; k < WAYS && status == SPG_OK; k++)
        status = record(bench, task, &(alias_phase){"spg-alias-auto", ways[k].name, &times[k], NULL, NULL, &verdict});
    return status;
}

spg_status run_transfers(sampling_bench *bench, const sampling_problem *task, sampling_options *chosen)
{
    const int64_t items = task->host.nnz, row = chosen->alias.resolution == SPG_ALIAS_EXACT ? 16 : 8;
    transfers all = {.task = task,
                     .weight_bytes = items * (int64_t)spg_type_size(task->host.value_type),
                     .table_bytes = items * row};
    spg_status status = SPG_OK;
    chosen->alias.builder = SPG_ALIAS_AUTO;
    for (int k = 0; k < WAYS && status == SPG_OK && !on_device(bench); k++)
        status = report_not_measured(bench, task, "spg-alias-auto", ways[k].name, "the host works where its data are");
    if (status != SPG_OK || !on_device(bench)) return status;
    status = array_allocate(task->context, all.table_bytes, 1, &all.table_there);
    all.table_here = calloc((size_t)items, (size_t)row);
    if (status == SPG_OK && all.table_here == NULL)
        status = spg_context_fail(task->context, SPG_ERROR_MEMORY, "no memory for a table's copy");
    if (status == SPG_OK) status = measure_transfers(bench, &all);
    spg_alias_destroy(all.alias);
    free(all.table_here);
    array_free(task->context, all.table_there);
    return status;
}
