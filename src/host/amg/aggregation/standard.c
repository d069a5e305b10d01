/* Standard aggregation: greedy, in row order (Vanek, Mandel, Brezina 1996, Algorithm 5.1, as in PyAMG). */
#include "graph.h"
#include "host/amg/host_amg.h"
#include "host/work.h"

enum { FREE = INT32_MIN };

static bool is_out(int32_t aggregate) { return aggregate == SPG_AMG_NO_AGGREGATE; }

/* Pass 1: a node becomes a root, and takes its neighbours, if it and all of them are free. Isolated nodes do not count
 * as neighbours. */
static int64_t seed_free_rows(const spg_amg_graph *graph, int32_t *aggregate_of)
{
    int64_t aggregates = 0;
    for (int64_t i = 0; i < graph->nodes; ++i) {
        if (aggregate_of[i] != FREE) continue;
        const int64_t begin = spg_graph_offset(graph, i), end = spg_graph_offset(graph, i + 1);
        bool has_neighbours = false, all_free = true;
        for (int64_t k = begin; k < end && all_free; ++k) {
            has_neighbours |= graph->columns[k] != i;
            all_free = aggregate_of[graph->columns[k]] == FREE || is_out(aggregate_of[graph->columns[k]]);
        }
        if (!has_neighbours) {
            aggregate_of[i] = SPG_AMG_NO_AGGREGATE;
        } else if (all_free) {
            aggregate_of[i] = (int32_t)aggregates;
            for (int64_t k = begin; k < end; ++k)
                if (!is_out(aggregate_of[graph->columns[k]])) aggregate_of[graph->columns[k]] = (int32_t)aggregates;
            ++aggregates;
        }
    }
    return aggregates;
}

/* Pass 2: free nodes join the first neighbour that pass 1 took. They are marked, so that other nodes do not join them:
 * aggregate a as FREE + 1 + a, which is less than SPG_AMG_NO_AGGREGATE. */
static void join_first_neighbours(const spg_amg_graph *graph, int32_t *aggregate_of)
{
    for (int64_t i = 0; i < graph->nodes; ++i) {
        if (aggregate_of[i] != FREE) continue;
        for (int64_t k = spg_graph_offset(graph, i); k < spg_graph_offset(graph, i + 1); ++k) {
            const int32_t aggregate = aggregate_of[graph->columns[k]];
            if (aggregate < 0) continue;
            aggregate_of[i] = FREE + 1 + aggregate;
            break;
        }
    }
}

/* Pass 3: each node that is still free forms an aggregate with its free neighbours. */
static int64_t gather_rest(const spg_amg_graph *graph, int64_t aggregates, int32_t *aggregate_of)
{
    for (int64_t i = 0; i < graph->nodes; ++i) {
        if (is_out(aggregate_of[i]) || aggregate_of[i] >= 0) continue;
        if (aggregate_of[i] != FREE) {
            aggregate_of[i] -= FREE + 1;
            continue;
        }
        aggregate_of[i] = (int32_t)aggregates;
        for (int64_t k = spg_graph_offset(graph, i); k < spg_graph_offset(graph, i + 1); ++k)
            if (aggregate_of[graph->columns[k]] == FREE) aggregate_of[graph->columns[k]] = (int32_t)aggregates;
        ++aggregates;
    }
    return aggregates;
}

spg_status spg_host_aggregate_standard(spg_context *context, const spg_amg_graph *graph, int32_t *aggregate_of,
                                       int64_t *aggregates, int64_t *left_out)
{
    const uint8_t *isolated = graph->isolated;
    for (int64_t i = 0; i < graph->nodes; ++i)
        aggregate_of[i] = isolated != NULL && isolated[i] ? SPG_AMG_NO_AGGREGATE : FREE;
    *aggregates = seed_free_rows(graph, aggregate_of);
    join_first_neighbours(graph, aggregate_of);
    *aggregates = gather_rest(graph, *aggregates, aggregate_of);
    *left_out = spg_graph_left_out(spg_host_threads(context, graph->nodes), graph->nodes, aggregate_of);
    return SPG_OK;
}
