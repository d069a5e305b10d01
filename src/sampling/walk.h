/* Random walks over the rows of an alias table: the definition of their steps, for the host and for kernels. Private.
 *
 * Step k, from 0, of walker w has the number n = random.first + w * steps + k. A step of first order is the draw from
 * the node's row by number n of (seed, stream). A walk that has no item to draw goes on as SPG_NO_ITEM.
 *
 * SECOND ORDER (Grover, Leskovec 2016), from step 1 on: item x of the row of `node`, reached from `previous`, has its
 * weight times 1 / p if x is `previous`, 1 if the row of `previous` has an entry of column x, else 1 / q. By rejection
 * (Yang, Zhang, Chen, Ma, Zhang 2019): attempt a has the block spg_philox(spg_walk_key, n, a); its first half draws x,
 * its second half u accepts x if u is below the factor over the largest of the three. A row of one entry is drawn from
 * by attempt 0. */
#ifndef SPG_SRC_SAMPLING_WALK_H
#define SPG_SRC_SAMPLING_WALK_H

#include "alias.h"

/* The graph of a table, at its place. */
typedef struct spg_walk_graph {
    const int64_t *offsets;
    const int32_t *columns;
    const void *table;
    int exact;
} spg_walk_graph;

/* The factors over the largest of them. */
typedef struct spg_walk_bias {
    double back, near, far; /* x is the node before, a neighbour of it, neither */
} spg_walk_bias;

/* One call. */
typedef struct spg_walk_call {
    int64_t walkers, steps;
    const int32_t *starts; /* NULL: walker w starts at node w */
    spg_random random;
    int second_order;
    spg_walk_bias bias;
    int32_t *walks; /* walkers x (steps + 1) */
} spg_walk_call;

/* Different from the keys of draws and of splits (sampling/binomial.h). */
SPG_INLINE uint64_t spg_walk_key(uint64_t seed, uint64_t stream)
{
    spg_philox_block block = spg_philox(~seed, UINT64_MAX, stream);
    return spg_philox_half(&block, 1);
}

SPG_INLINE uint64_t spg_walk_number(const spg_walk_call *call, int64_t walker, int64_t step)
{
    return call->random.first + (uint64_t)walker * (uint64_t)call->steps + (uint64_t)step;
}

/* A draw from the node's row by the bits x. */
SPG_INLINE int32_t spg_walk_draw(const spg_walk_graph *graph, int32_t node, uint64_t x)
{
    int64_t begin = graph->offsets[node], items = graph->offsets[node + 1] - begin;
    int32_t item;
    if (items == 0) return SPG_NO_ITEM;
    item = graph->exact ? spg_alias_draw_exact((const spg_alias_exact *)graph->table + begin, items, x)
                        : spg_alias_draw_compact((const spg_alias_compact *)graph->table + begin, items, x);
    return item < 0 ? SPG_NO_ITEM : graph->columns[begin + item];
}

/* Whether the row of `from`, whose columns ascend, has an entry of column `to`. */
SPG_INLINE int spg_walk_is_edge(const spg_walk_graph *graph, int32_t from, int32_t to)
{
    int64_t low = graph->offsets[from], end = graph->offsets[from + 1], high = end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (graph->columns[middle] < to)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && graph->columns[low] == to;
}

/* Whether x is accepted. */
SPG_INLINE int spg_walk_accepts(const spg_walk_graph *graph, const spg_walk_bias *bias, int32_t previous, int32_t x,
                                double u)
{
    if (x == previous) return u < bias->back;
    if (u < bias->near && u < bias->far) return 1;
    if (u >= bias->near && u >= bias->far) return 0;
    return spg_walk_is_edge(graph, previous, x) ? u < bias->near : u < bias->far;
}

/* A step of second order by number n. */
SPG_INLINE int32_t spg_walk_second(const spg_walk_graph *graph, const spg_walk_bias *bias, uint64_t key, uint64_t n,
                                   int32_t previous, int32_t node)
{
    int64_t items = graph->offsets[node + 1] - graph->offsets[node];
    for (uint64_t attempt = 0;; ++attempt) {
        spg_philox_block block = spg_philox(key, n, attempt);
        int32_t x = spg_walk_draw(graph, node, spg_philox_half(&block, 0));
        if (x < 0 || items == 1) return x;
        if (spg_walk_accepts(graph, bias, previous, x, spg_uniform_f64(spg_philox_half(&block, 1)))) return x;
    }
}

#endif
