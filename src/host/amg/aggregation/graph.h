/* Helpers for graphs of strong connections on the host. Private. */
#ifndef SPG_SRC_HOST_AMG_AGGREGATION_GRAPH_H
#define SPG_SRC_HOST_AMG_AGGREGATION_GRAPH_H

#include "amg/amg_backend.h"
#include "threads/pool.h"

static inline int64_t spg_graph_offset(const spg_amg_graph *graph, int64_t k)
{
    return graph->offset_type == SPG_I64 ? ((const int64_t *)graph->row_offsets)[k]
                                         : ((const int32_t *)graph->row_offsets)[k];
}

/* Whether a node's row names no other node. */
static inline bool spg_graph_is_alone(const spg_amg_graph *graph, int64_t node)
{
    for (int64_t k = spg_graph_offset(graph, node); k < spg_graph_offset(graph, node + 1); ++k)
        if (graph->columns[k] != node) return false;
    return true;
}

/* Numbers the nodes with chosen[] not 0 in ascending order from `first` on, in number_of[]; others do not change.
 * Returns the number after the last. */
int64_t spg_graph_number(spg_threads threads, int64_t nodes, const uint8_t *chosen, int64_t first, int32_t *number_of);

/* The number of nodes in no aggregate. */
int64_t spg_graph_left_out(spg_threads threads, int64_t nodes, int32_t *aggregate_of);

/* A maximal independent set of distance 2 among candidates; see amg/amg_backend.h. keys: those of candidates, 0 for
 * other nodes; neighbor_max: zeros. path: the path_count allowed nodes; open: the candidates. Both lists are
 * overwritten. At the end keys is nonzero only for the members of the set. */
void spg_graph_independent_set(spg_threads threads, const spg_amg_graph *graph, uint64_t *keys, uint64_t *neighbor_max,
                               int32_t *path, int64_t path_count, int32_t *open, int64_t open_count);

/* The key of an undecided node. */
uint64_t spg_graph_key(uint64_t seed, int64_t node);

/* Keeps those of list[0..count) for which `keep` is true, in order; returns their number. */
int64_t spg_graph_filter(spg_threads threads, int32_t *list, int64_t count,
                         bool (*keep)(const void *data, int32_t node), const void *data);

#endif
