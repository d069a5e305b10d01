/* Maximal independent sets of distance 2 (Bell, Dalton, Olson: Exposing Fine-Grained Parallelism in Algebraic Multigrid
 * Methods, section 4). amg/amg_backend.h defines the result of the rounds. Here, nodes whose maximum is final and nodes
 * that are decided leave the lists, so that later rounds process only the rest. */
#include "graph.h"
#include "host/work.h"

#include "amg/random.h"

#include <string.h>

enum { MOST_PARTS = 64, GRAIN = 4096 };

static const uint64_t IN = UINT64_C(2) << 62, UNDECIDED = UINT64_C(1) << 62;

uint64_t spg_graph_key(uint64_t seed, int64_t node)
{
    return UNDECIDED | spg_amg_random(seed, (uint64_t)node) >> 33 << 31 | (uint64_t)node;
}

static int64_t parts_for(spg_threads threads) { return threads.count < MOST_PARTS ? threads.count : MOST_PARTS; }

typedef struct filter_job {
    int32_t *list;
    int64_t count, parts;
    bool (*keep)(const void *data, int32_t node);
    const void *data;
    int64_t *kept; /* for each part */
} filter_job;

static void filter_parts(const void *data, spg_range parts)
{
    const filter_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p) {
        const int64_t begin = spg_host_cut(job->count, p, job->parts),
                      end = spg_host_cut(job->count, p + 1, job->parts);
        int64_t to = begin;
        for (int64_t k = begin; k < end; ++k)
            if (job->keep(job->data, job->list[k])) job->list[to++] = job->list[k];
        job->kept[p] = to - begin;
    }
}

/* Each part is filtered in place; then the parts are moved together. */
int64_t spg_graph_filter(spg_threads threads, int32_t *list, int64_t count,
                         bool (*keep)(const void *data, int32_t node), const void *data)
{
    const int64_t parts = parts_for(threads);
    int64_t kept[MOST_PARTS], total = 0;
    spg_parallel(threads, parts, 1, filter_parts, &(filter_job){list, count, parts, keep, data, kept});
    for (int64_t p = 0; p < parts; total += kept[p++])
        memmove(list + total, list + spg_host_cut(count, p, parts), (size_t)kept[p] * sizeof *list);
    return total;
}

typedef struct number_job {
    const uint8_t *chosen;
    int64_t nodes, parts;
    int64_t *begins; /* parts + 1 */
    int32_t *number_of;
} number_job;

static void count_chosen(const void *data, spg_range parts)
{
    const number_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p) {
        int64_t count = 0;
        for (int64_t i = spg_host_cut(job->nodes, p, job->parts); i < spg_host_cut(job->nodes, p + 1, job->parts); ++i)
            count += job->chosen[i] != 0;
        job->begins[p + 1] = count;
    }
}

static void number_chosen(const void *data, spg_range parts)
{
    const number_job *job = data;
    const int64_t end = spg_host_cut(job->nodes, parts.end, job->parts);
    int64_t number = job->begins[parts.begin];
    for (int64_t i = spg_host_cut(job->nodes, parts.begin, job->parts); i < end; ++i)
        if (job->chosen[i] != 0) job->number_of[i] = (int32_t)number++;
}

int64_t spg_graph_number(spg_threads threads, int64_t nodes, const uint8_t *chosen, int64_t first, int32_t *number_of)
{
    const int64_t parts = parts_for(threads);
    int64_t begins[MOST_PARTS + 1] = {first};
    const number_job job = {chosen, nodes, parts, begins, number_of};
    spg_parallel(threads, parts, 1, count_chosen, &job);
    for (int64_t p = 0; p < parts; ++p) begins[p + 1] += begins[p];
    spg_parallel(threads, parts, 1, number_chosen, &job);
    return begins[parts];
}

static void count_left_out(const void *data, spg_range parts)
{
    const number_job *job = data;
    const int64_t end = spg_host_cut(job->nodes, parts.end, job->parts);
    for (int64_t i = spg_host_cut(job->nodes, parts.begin, job->parts); i < end; ++i)
        job->begins[parts.begin] += job->number_of[i] == SPG_AMG_NO_AGGREGATE;
}

int64_t spg_graph_left_out(spg_threads threads, int64_t nodes, int32_t *aggregate_of)
{
    const int64_t parts = parts_for(threads);
    int64_t counts[MOST_PARTS] = {0}, count = 0;
    spg_parallel(threads, parts, 1, count_left_out, &(number_job){NULL, nodes, parts, counts, aggregate_of});
    for (int64_t p = 0; p < parts; ++p) count += counts[p];
    return count;
}

/* The largest of values[] of a node itself and of the nodes that its row names. */
static inline uint64_t largest_around(const spg_amg_graph *graph, const uint64_t *values, int64_t node)
{
    uint64_t largest = values[node];
    const int64_t end = spg_graph_offset(graph, node + 1);
    for (int64_t k = spg_graph_offset(graph, node); k < end; ++k) {
        const uint64_t value = values[graph->columns[k]];
        largest = value > largest ? value : largest;
    }
    return largest;
}

/* Whether the state in a key's upper bits is `undecided`. Of a maximum: it may still change; once it is `in`, it
 * stays. */
static bool is_undecided(const void *keys, int32_t node) { return ((const uint64_t *)keys)[node] >> 62 == 1; }

/* A round: the largest keys around the nodes of a list, then the candidates that are in. */
typedef struct round_job {
    const spg_amg_graph *graph;
    uint64_t *keys, *neighbor_max;
    const int32_t *list;
} round_job;

static void look_around(const void *data, spg_range range)
{
    const round_job *job = data;
    for (int64_t k = range.begin; k < range.end; ++k)
        job->neighbor_max[job->list[k]] = largest_around(job->graph, job->keys, job->list[k]);
}

static void decide(const void *data, spg_range range)
{
    const round_job *job = data;
    for (int64_t k = range.begin; k < range.end; ++k) {
        const int32_t i = job->list[k];
        const uint64_t around = largest_around(job->graph, job->neighbor_max, i);
        if (around == job->keys[i])
            job->keys[i] += UNDECIDED; /* to IN */
        else if (around >= IN)
            job->keys[i] = 0;
    }
}

void spg_graph_independent_set(spg_threads threads, const spg_amg_graph *graph, uint64_t *keys, uint64_t *neighbor_max,
                               int32_t *path, int64_t path_count, int32_t *open, int64_t open_count)
{
    while (open_count > 0) {
        spg_parallel(threads, path_count, GRAIN, look_around, &(round_job){graph, keys, neighbor_max, path});
        path_count = spg_graph_filter(threads, path, path_count, is_undecided, neighbor_max);
        spg_parallel(threads, open_count, GRAIN, decide, &(round_job){graph, keys, neighbor_max, open});
        open_count = spg_graph_filter(threads, open, open_count, is_undecided, keys);
    }
}
