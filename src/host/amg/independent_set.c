/* Maximal independent sets of distance 2 (Bell, Dalton, Olson: Exposing Fine-Grained Parallelism in Algebraic Multigrid
 * Methods, section 4). What the rounds give is defined in amg_backend.h; here, nodes whose ring is settled and nodes
 * that are decided leave the lists, so that later rounds look at what is left alone. */
#include "host/amg/graph.h"
#include "host/work.h"

#include "amg_random.h"

#include <string.h>

enum { MOST_PARTS = 64 };

static const uint64_t IN = UINT64_C(2) << 62, UNDECIDED = UINT64_C(1) << 62;

uint64_t spg_graph_key(uint64_t seed, int64_t node)
{
    return UNDECIDED | spg_amg_random(seed, (uint64_t)node) >> 33 << 31 | (uint64_t)node;
}

/* Each part is filtered where it lies, then parts close ranks. */
int64_t spg_graph_filter(int threads, int32_t *list, int64_t count, bool (*keep)(const void *data, int32_t node),
                         const void *data)
{
    const int64_t parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    int64_t kept[MOST_PARTS], total = 0;
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t to = spg_host_cut(count, p, parts);
        for (int64_t k = to; k < spg_host_cut(count, p + 1, parts); ++k)
            if (keep(data, list[k])) list[to++] = list[k];
        kept[p] = to - spg_host_cut(count, p, parts);
    }
    for (int64_t p = 0; p < parts; total += kept[p++])
        memmove(list + total, list + spg_host_cut(count, p, parts), (size_t)kept[p] * sizeof *list);
    return total;
}

int64_t spg_graph_number(int threads, int64_t nodes, const uint8_t *chosen, int64_t first, int32_t *number_of)
{
    const int64_t parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    int64_t begins[MOST_PARTS + 1] = {first};
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t count = 0;
        for (int64_t i = spg_host_cut(nodes, p, parts); i < spg_host_cut(nodes, p + 1, parts); ++i)
            count += chosen[i] != 0;
        begins[p + 1] = count;
    }
    for (int64_t p = 0; p < parts; ++p) begins[p + 1] += begins[p];
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t number = begins[p];
        for (int64_t i = spg_host_cut(nodes, p, parts); i < spg_host_cut(nodes, p + 1, parts); ++i)
            if (chosen[i] != 0) number_of[i] = (int32_t)number++;
    }
    return begins[parts];
}

int64_t spg_graph_left_out(int threads, int64_t nodes, const int32_t *aggregate_of)
{
    int64_t count = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(+ : count)
    for (int64_t i = 0; i < nodes; ++i) count += aggregate_of[i] == SPG_AMG_NO_AGGREGATE;
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

/* The state in a key's upper bits is `undecided`: of a ring, its maximum may yet change; once in, it stays in. */
static bool is_undecided(const void *keys, int32_t node) { return ((const uint64_t *)keys)[node] >> 62 == 1; }

void spg_graph_independent_set(int threads, const spg_amg_graph *graph, uint64_t *keys, uint64_t *ring, int32_t *path,
                               int64_t path_count, int32_t *open, int64_t open_count)
{
    (void)threads;
    while (open_count > 0) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
        for (int64_t k = 0; k < path_count; ++k) ring[path[k]] = largest_around(graph, keys, path[k]);
        path_count = spg_graph_filter(threads, path, path_count, is_undecided, ring);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096)
        for (int64_t k = 0; k < open_count; ++k) {
            const int32_t i = open[k];
            const uint64_t around = largest_around(graph, ring, i);
            if (around == keys[i])
                keys[i] += UNDECIDED; /* to IN */
            else if (around >= IN)
                keys[i] = 0;
        }
        open_count = spg_graph_filter(threads, open, open_count, is_undecided, keys);
    }
}
