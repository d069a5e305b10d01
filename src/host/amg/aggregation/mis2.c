/* Aggregates around maximal independent sets of distance 2; amg/amg_backend.h defines them step by step. */
#include "graph.h"
#include "host/amg/host_amg.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

enum { ENTRIES_WEIGHED = 64, GRAIN_JOINED = 4096, GRAIN_WEIGHED = 1024 };

enum { FREE = SPG_AMG_NO_AGGREGATE - 1 }; /* may still join an aggregate */

typedef struct aggregation {
    const spg_amg_graph *graph;
    uint64_t seed;
    spg_threads threads;
    uint64_t *keys, *neighbor_max;
    int32_t *path, *open;  /* lists of nodes */
    int32_t *aggregate_of; /* the aggregate, or FREE; for isolated nodes, none */
    uint8_t *chosen;       /* marks of nodes */
    int64_t aggregates;
} aggregation;

static void set_keys(const void *data, spg_range range)
{
    const aggregation *job = data;
    for (int64_t k = range.begin; k < range.end; ++k) job->keys[job->open[k]] = spg_graph_key(job->seed, job->open[k]);
}

static void mark_members(const void *data, spg_range nodes)
{
    const aggregation *job = data;
    for (int64_t i = nodes.begin; i < nodes.end; ++i) job->chosen[i] = job->keys[i] != 0;
}

/* Paths may go through any node of list[0..count). */
static void select_roots(aggregation *job, int64_t path_count, int64_t open_count)
{
    const int64_t nodes = job->graph->nodes;
    memset(job->keys, 0, (size_t)nodes * sizeof *job->keys);
    memset(job->neighbor_max, 0, (size_t)nodes * sizeof *job->neighbor_max);
    spg_parallel(job->threads, open_count, 0, set_keys, job);
    spg_graph_independent_set(job->threads, job->graph, job->keys, job->neighbor_max, job->path, path_count, job->open,
                              open_count);
    spg_parallel(job->threads, nodes, 0, mark_members, job);
    job->aggregates = spg_graph_number(job->threads, nodes, job->chosen, job->aggregates, job->aggregate_of);
}

static bool is_free(const void *job, int32_t node) { return ((const aggregation *)job)->aggregate_of[node] == FREE; }

static void list_range(const void *list, spg_range nodes)
{
    int32_t *to = *(int32_t *const *)list;
    for (int64_t i = nodes.begin; i < nodes.end; ++i) to[i] = (int32_t)i;
}

/* Returns the number of free nodes. */
static int64_t list_free(const aggregation *job, int32_t *list)
{
    spg_parallel(job->threads, job->graph->nodes, 0, list_range, &list);
    return spg_graph_filter(job->threads, list, job->graph->nodes, is_free, job);
}

/* The largest number of a marked node named by row i; -1 if there is none. */
static int32_t largest_named(const aggregation *job, int32_t i)
{
    const spg_amg_graph *graph = job->graph;
    int32_t largest = -1;
    for (int64_t k = spg_graph_offset(graph, i); k < spg_graph_offset(graph, i + 1); ++k) {
        const int32_t j = graph->columns[k];
        if (job->chosen[j] && job->aggregate_of[j] > largest) largest = job->aggregate_of[j];
    }
    return largest;
}

/* Free nodes join the largest-numbered marked node of their row. Does not change the marks. */
static void join_range(const void *data, spg_range nodes)
{
    const aggregation *job = data;
    for (int64_t i = nodes.begin; i < nodes.end; ++i) {
        if (job->chosen[i] || !is_free(job, (int32_t)i)) continue;
        const int32_t root = largest_named(job, (int32_t)i);
        if (root >= 0) job->aggregate_of[i] = root;
    }
}

static void join_marked(aggregation *job)
{
    spg_parallel(job->threads, job->graph->nodes, GRAIN_JOINED, join_range, job);
}

static bool has_company(const void *graph, int32_t node) { return !spg_graph_is_alone(graph, node); }

static void mark_joined(const void *data, spg_range nodes)
{
    const aggregation *job = data;
    for (int64_t i = nodes.begin; i < nodes.end; ++i) job->chosen[i] = job->aggregate_of[i] >= 0;
}

static void leave_out(const void *data, spg_range nodes)
{
    const aggregation *job = data;
    for (int64_t i = nodes.begin; i < nodes.end; ++i)
        if (is_free(job, (int32_t)i)) job->aggregate_of[i] = SPG_AMG_NO_AGGREGATE;
}

static void aggregate_by_rings(aggregation *job)
{
    const int64_t nodes = job->graph->nodes, path = list_free(job, job->path), all = list_free(job, job->open);
    select_roots(job, path, spg_graph_filter(job->threads, job->open, all, has_company, job->graph));
    join_marked(job);
    spg_parallel(job->threads, nodes, 0, mark_joined, job);
    join_marked(job);
    spg_parallel(job->threads, nodes, 0, leave_out, job);
}

static bool has_two_free(const void *data, int32_t node)
{
    const aggregation *job = data;
    int free_entries = 0;
    for (int64_t k = spg_graph_offset(job->graph, node); k < spg_graph_offset(job->graph, node + 1); ++k) {
        const int32_t j = job->graph->columns[k];
        free_entries += j != node && is_free(job, j);
    }
    return free_entries >= 2;
}

/* The aggregate that a free node joins; -1 if its row names none. */
static int32_t strongest(const aggregation *job, int32_t node)
{
    int32_t seen[ENTRIES_WEIGHED], best = -1;
    int count = 0, best_weight = 0;
    const int64_t end = spg_graph_offset(job->graph, node + 1);
    for (int64_t k = spg_graph_offset(job->graph, node); k < end && count < ENTRIES_WEIGHED; ++k)
        if (job->aggregate_of[job->graph->columns[k]] >= 0) seen[count++] = job->aggregate_of[job->graph->columns[k]];
    for (int a = 0; a < count; ++a) {
        int weight = 0;
        for (int b = 0; b < count; ++b) weight += seen[b] == seen[a];
        if (weight > best_weight || (weight == best_weight && seen[a] < best)) {
            best = seen[a];
            best_weight = weight;
        }
    }
    return best;
}

static void choose_strongest(const void *data, spg_range range)
{
    const aggregation *job = data;
    for (int64_t k = range.begin; k < range.end; ++k) job->path[k] = strongest(job, job->open[k]);
}

/* job->open: the nodes still free. All choices are stored before any is applied, so that no node sees another's
 * choice. */
static void join_strongest(aggregation *job, int64_t count)
{
    spg_parallel(job->threads, count, GRAIN_WEIGHED, choose_strongest, job);
    for (int64_t k = 0; k < count; ++k)
        job->aggregate_of[job->open[k]] = job->path[k] >= 0 ? job->path[k] : (int32_t)job->aggregates++;
}

/* Neighbours then have close numbers, whichever set the roots of their aggregates come from. */
static void number_by_first_nodes(aggregation *job)
{
    int32_t *new_of = job->path, next = 0;
    memset(new_of, -1, (size_t)job->aggregates * sizeof *new_of);
    for (int64_t i = 0; i < job->graph->nodes; ++i) {
        if (job->aggregate_of[i] == SPG_AMG_NO_AGGREGATE) continue;
        int32_t *number = &new_of[job->aggregate_of[i]];
        if (*number < 0) *number = next++;
        job->aggregate_of[i] = *number;
    }
}

static void aggregate_in_phases(aggregation *job)
{
    const int64_t nodes = list_free(job, job->path);
    memcpy(job->open, job->path, (size_t)nodes * sizeof *job->open);
    select_roots(job, nodes, nodes);
    join_marked(job);
    const int64_t path = list_free(job, job->path);
    memcpy(job->open, job->path, (size_t)path * sizeof *job->open);
    select_roots(job, path, spg_graph_filter(job->threads, job->open, path, has_two_free, job));
    join_marked(job);
    join_strongest(job, list_free(job, job->open));
    number_by_first_nodes(job);
}

static void begin_range(const void *data, spg_range nodes)
{
    const aggregation *job = data;
    const uint8_t *isolated = job->graph->isolated;
    for (int64_t i = nodes.begin; i < nodes.end; ++i)
        job->aggregate_of[i] = isolated != NULL && isolated[i] ? SPG_AMG_NO_AGGREGATE : FREE;
}

spg_status spg_host_aggregate_mis2(spg_context *context, const spg_amg_graph *graph, uint64_t seed, bool join_leftovers,
                                   int32_t *aggregate_of, int64_t *aggregates, int64_t *left_out)
{
    const int64_t nodes = graph->nodes, bytes = nodes * (2 * 8 + 2 * 4 + 1);
    aggregation job = {.graph = graph, .seed = seed, .aggregate_of = aggregate_of};
    job.threads = spg_host_threads(context, graph->nnz + nodes);
    spg_status status = spg_allocate_workspace(context, 0, bytes, "aggregation", (void **)&job.keys);
    if (status != SPG_OK) return status;
    if (nodes > 0) {
        job.neighbor_max = job.keys + nodes;
        job.path = (int32_t *)(void *)(job.neighbor_max + nodes);
        job.open = job.path + nodes;
        job.chosen = (uint8_t *)(void *)(job.open + nodes);
        spg_parallel(job.threads, nodes, 0, begin_range, &job);
        if (join_leftovers)
            aggregate_in_phases(&job);
        else
            aggregate_by_rings(&job);
    }
    *aggregates = job.aggregates;
    *left_out = spg_graph_left_out(job.threads, nodes, aggregate_of);
    spg_release(context, job.keys, bytes);
    return SPG_OK;
}
