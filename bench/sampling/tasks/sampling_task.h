/* Tasks other than draws, each a call that is timed and whose last results are tested: --counts, --subset, --walk and
 * --rebuild. */
#ifndef SPG_BENCH_SAMPLING_TASK_H
#define SPG_BENCH_SAMPLING_TASK_H

#include "sampling_arrays.h"
#include "sampling_modes.h"
#include "sampling_problem.h"

/* A task at work. */
typedef struct task_work {
    sampling_bench *bench;
    sampling_problem of;
    void *results;        /* at the place: counts, items or nodes */
    int64_t result_bytes; /* of all */
    spg_alias *alias;     /* of walks and rebuilds */
    int32_t *columns;     /* of a generated graph, on the host */
} task_work;

/* What is measured. */
typedef struct task_kind {
    const char *phase, *implementation;
    spg_status (*call)(void *work);                                         /* is given a task_work */
    spg_status (*verify)(const task_work *work, sampling_verdict *verdict); /* of the last call */
    int64_t draws;                                                          /* that a call makes or counts */
    int64_t bytes;                                                          /* that it must read and write */
} task_kind;

/* Times, tests, tells and records. */
spg_status measure_task(task_work *work, const task_kind *kind);

/* Each measures on work->of, whose weights are made. */
spg_status run_counts(task_work *work);
spg_status run_subset(task_work *work);
spg_status run_walk(task_work *work);
spg_status run_rebuild(task_work *work);

/* Memory for results at the place, and all of them on the host, by malloc; NULL: none, with a message. */
spg_status take_results(task_work *work, int64_t count, int64_t size);
void *fetch_results(const task_work *work, int64_t bytes);

/* Names of nodes for generated weights, so that row v has the edges of node v, ascending. */
spg_status make_graph(task_work *work);

static inline int64_t weight_bytes_of(const task_work *work)
{
    return work->of.host.nnz * (int64_t)spg_type_size(work->of.host.value_type);
}

#endif
