/* --walk STEPS: random walks, of first or of second order. */
#include "sampling_task.h"

#include "weights.h"

#include <stdlib.h>

enum { TESTED_STEPS = 400000 };

static spg_status walk(void *state)
{
    const task_work *work = state;
    const sampling_options *chosen = work->bench->chosen;
    const spg_walk_options bias = {chosen->p, chosen->q};
    return spg_alias_walk(work->bench->context, work->alias, chosen->draws, NULL, chosen->task_size, &work->of.random,
                          &bias, work->results);
}

static bool is_edge(const spg_csr *graph, int32_t from, int32_t to)
{
    for (int64_t k = row_begin(graph, from); k < row_begin(graph, from + 1); k++)
        if (graph->columns[k] == to) return true;
    return false;
}

/* Where a step falls among the weights that it had, with those of second order after the node before (-1: none). */
static int32_t cell_of_step(const task_work *work, int32_t before, int32_t from, int32_t to, double share,
                            int64_t cells)
{
    const spg_csr *graph = &work->of.host;
    const sampling_options *chosen = work->bench->chosen;
    double passed = 0.0, drawn = 0.0, total = 0.0;
    bool found = false;
    for (int64_t k = row_begin(graph, from); k < row_begin(graph, from + 1); k++) {
        const int32_t x = graph->columns[k];
        double weight = weight_at(graph, k);
        if (before >= 0 && x == before)
            weight /= chosen->p;
        else if (before >= 0 && chosen->q != 1 && !is_edge(graph, before, x))
            weight /= chosen->q;
        if (x == to) drawn += weight;
        if (x != to && !found) passed += weight;
        found = found || x == to;
        total += weight;
    }
    if (!found) return OF_NO_ITEM;
    return drawn > 0.0 ? cell_of(passed, drawn, total, share, cells) : OF_WEIGHT_ZERO;
}

/* Of the steps of the first walks. */
static spg_status verify(const task_work *work, sampling_verdict *verdict)
{
    const sampling_options *chosen = work->bench->chosen;
    const int64_t steps = chosen->task_size, most = 1 + TESTED_STEPS / steps;
    const int64_t walks = chosen->draws < most ? chosen->draws : most, count = walks * steps, cells = cells_for(count);
    int32_t *nodes = fetch_results(work, walks * (steps + 1) * (int64_t)sizeof *nodes);
    int32_t *cell_of_draw = malloc((size_t)count * sizeof *cell_of_draw);
    spg_status status = SPG_ERROR_MEMORY;
    if (nodes != NULL && cell_of_draw != NULL) {
#pragma omp parallel for schedule(dynamic, 16)
        for (int64_t w = 0; w < walks; w++)
            for (int64_t k = 0; k < steps; k++) {
                const int32_t *of = nodes + w * (steps + 1) + k;
                const double share = random_share(chosen->seed + 79, (uint64_t)(w * steps + k));
                cell_of_draw[w * steps + k] =
                    of[0] < 0 ? OF_NO_ITEM : cell_of_step(work, k > 0 ? of[-1] : -1, of[0], of[1], share, cells);
            }
        status = judge_cells(work->bench->context, cell_of_draw, count, cells, verdict);
    } else {
        spg_context_fail(work->bench->context, status, "no memory to test walks");
    }
    free(nodes);
    free(cell_of_draw);
    return status;
}

spg_status run_walk(task_work *work)
{
    const sampling_options *chosen = work->bench->chosen;
    const int64_t steps = chosen->draws * chosen->task_size, nodes = chosen->draws * (chosen->task_size + 1);
    const task_kind kind = {"walk", chosen->p != 1 || chosen->q != 1 ? "spg-walk-second-order" : "spg-walk",
                            walk,   verify,
                            steps,  nodes * (int64_t)sizeof(int32_t)};
    spg_status status = make_graph(work);
    if (status == SPG_OK) status = spg_alias_build(work->bench->context, &work->of.here, &chosen->alias, &work->alias);
    if (status == SPG_OK) status = take_results(work, nodes, sizeof(int32_t));
    return status == SPG_OK ? measure_task(work, &kind) : status;
}
