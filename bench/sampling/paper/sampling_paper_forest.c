/* Table 1 of Binder and Keller: reads of memory that a draw takes. A read of the guide table counts, as there. */
#include "sampling_modes.h"

#include "json_fields.h"
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_paper_figures.h"
#include "sampling_problem.h"

#include <stdlib.h>

/* The distributions of Figure 12 have a hundred items. */
enum { PAPER_ITEMS = 100, GROUP = 32, LOADS_DRAWS = 1 << 20 };

typedef struct loads_of_draws {
    double maximum, average, average_32; /* of each draw; of the slowest of 32 draws */
} loads_of_draws;

static const struct {
    const char *weights, *formula;
    loads_of_draws cutpoint, forest; /* the paper's */
} table_1[] = {{"i20", "i^20", {8, 1.25, 3.66}, {16, 1.23, 3.46}},
               {"mod32", "(i mod 32 + 1)^25", {6, 1.30, 4.62}, {13, 1.22, 3.72}},
               {"mod64", "(i mod 64 + 1)^35", {7, 1.19, 4.33}, {13, 1.11, 2.46}},
               {"spikes", "4 spikes", {4, 1.60, 3.98}, {5, 1.67, 4.93}}};
enum { DISTRIBUTIONS = sizeof table_1 / sizeof *table_1 };

static loads_of_draws summarize(const int32_t *loads, int64_t count)
{
    double sum = 0.0, slowest = 0.0;
    int32_t most = 0, most_of_group = 0;
    for (int64_t k = 0; k < count; k++) {
        const int32_t all = loads[k] + 1;
        sum += all;
        if (all > most) most = all;
        if (all > most_of_group) most_of_group = all;
        if (k % GROUP != GROUP - 1) continue;
        slowest += most_of_group;
        most_of_group = 0;
    }
    return (loads_of_draws){most, sum / (double)count, slowest * GROUP / (double)count};
}

/* The guide table's: a power of two. */
static int64_t guide_cells(const sampling_bench *bench, int64_t items)
{
    const double asked = (double)items * (bench->chosen->cells > 0.0 ? bench->chosen->cells : 1.0);
    int64_t cells = 1;
    while ((double)cells < asked) cells *= 2;
    return cells;
}

static spg_status count_loads(sampling_bench *bench, const sampling_problem *task, spg_forest_method method,
                              const double *uniforms, int32_t *loads, int32_t *fetched)
{
    const spg_forest_options how = {method, bench->chosen->cells};
    spg_forest *forest = NULL;
    spg_status status = spg_forest_build(bench->context, &task->here, &how, &forest);
    if (status == SPG_OK) status = spg_forest_loads(bench->context, forest, LOADS_DRAWS, NULL, uniforms, loads);
    if (status == SPG_OK) status = array_get(bench->context, fetched, loads, LOADS_DRAWS * (int64_t)sizeof *fetched);
    spg_forest_destroy(forest);
    return status;
}

static void report_loads(sampling_bench *bench, const sampling_problem *task, const char *method,
                         const loads_of_draws *loads, const loads_of_draws *paper)
{
    FILE *stream = bench->json;
    /* A search among n items of which each read rules out one takes no more than n. */
    const bool right = loads->maximum >= 1.0 && loads->maximum <= (double)task->here.nnz + 1.0 && loads->average >= 1.0;
    bench->right = bench->right && right;
    progress_clear();
    printf("    %-26s %4.0f  %5.2f  %5.2f", method, loads->maximum, loads->average, loads->average_32);
    printf("   paper: %4.0f  %5.2f  %5.2f\n", paper->maximum, paper->average, paper->average_32);
    if (stream == NULL) return;
    fputc('{', stream);
    put_string(stream, "paper", "forest");
    put_integer(stream, "table", 1);
    put_string(stream, "weights", task->name);
    put_string(stream, "implementation", method);
    put_machine(stream, bench, bench->chosen->threads);
    put_integer(stream, "items", task->here.nnz);
    put_integer(stream, "cells", guide_cells(bench, task->here.nnz));
    put_integer(stream, "draws", LOADS_DRAWS);
    put_number(stream, "maximum", true, loads->maximum);
    put_number(stream, "average", true, loads->average);
    put_number(stream, "average_32", true, loads->average_32);
    put_number(stream, "paper_maximum", true, paper->maximum);
    put_number(stream, "paper_average", true, paper->average);
    put_number(stream, "paper_average_32", true, paper->average_32);
    fprintf(stream, "\"verified\": %s}\n", right ? "true" : "false");
}

static spg_status measure_distribution(sampling_bench *bench, int k, const double *uniforms, int32_t *loads,
                                       int32_t *fetched)
{
    sampling_problem task;
    sampling_options chosen = *bench->chosen;
    chosen.weights = table_1[k].weights;
    chosen.rows = chosen.draws = 1;
    chosen.items = bench->chosen->items > 0 ? bench->chosen->items : PAPER_ITEMS;
    spg_status status = problem_make(bench->host, bench->context, &chosen, &task);
    if (status == SPG_OK) {
        progress_clear();
        printf("  %s: %lld items, %lld guide cells\n", table_1[k].formula, (long long)task.here.nnz,
               (long long)guide_cells(bench, task.here.nnz));
        status = count_loads(bench, &task, SPG_FOREST_CUTPOINT, uniforms, loads, fetched);
    }
    if (status == SPG_OK) {
        const loads_of_draws found = summarize(fetched, LOADS_DRAWS);
        report_loads(bench, &task, "spg-cutpoint", &found, &table_1[k].cutpoint);
        status = count_loads(bench, &task, SPG_FOREST_RADIX, uniforms, loads, fetched);
    }
    if (status == SPG_OK) {
        const loads_of_draws found = summarize(fetched, LOADS_DRAWS);
        report_loads(bench, &task, "spg-forest", &found, &table_1[k].forest);
    }
    problem_drop(bench->host, &task);
    return status;
}

static spg_status print_table_1(sampling_bench *bench)
{
    const spg_random random = {.seed = bench->chosen->seed};
    void *uniforms = NULL, *loads = NULL;
    int32_t *fetched = malloc(LOADS_DRAWS * sizeof *fetched);
    spg_status status = fetched != NULL ? SPG_OK : spg_context_fail(bench->context, SPG_ERROR_MEMORY, "no memory");
    if (status == SPG_OK) status = array_allocate(bench->context, LOADS_DRAWS, sizeof(double), &uniforms);
    if (status == SPG_OK) status = array_allocate(bench->context, LOADS_DRAWS, sizeof(int32_t), &loads);
    if (status == SPG_OK) status = spg_random_uniforms(bench->context, &random, LOADS_DRAWS, SPG_F64, uniforms);
    printf("\nTable 1: reads a draw: most, average, average of the slowest of %d\n", GROUP);
    for (int k = 0; k < DISTRIBUTIONS && status == SPG_OK; k++)
        status = measure_distribution(bench, k, uniforms, loads, fetched);
    array_free(bench->context, loads);
    array_free(bench->context, uniforms);
    free(fetched);
    return status;
}

spg_status run_paper_forest(sampling_bench *bench)
{
    spg_status status = print_table_1(bench);
    if (status == SPG_OK) status = figure_7(bench);
    if (status == SPG_OK) status = figures_8_and_9(bench);
    return status;
}
