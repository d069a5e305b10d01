/* One row's bounds, guide table and trees. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_FOREST_ROW_H
#define SPG_SRC_HOST_SAMPLING_FOREST_ROW_H

#include "host/sampling/sums.h"
#include "sampling/forest.h"
#include "sampling/sampling_backend.h"

/* The arrays of a row, from its first item, node and entry on. */
typedef struct forest_view {
    int64_t items;
    int bits;               /* 2^bits cells */
    uint64_t *bounds;       /* or NULL */
    spg_forest_node *nodes; /* or NULL */
    int32_t *guide;
} forest_view;

static inline forest_view spg_forest_row(const spg_forest *forest, int64_t row)
{
    int64_t begin = forest->offsets[row], items = forest->offsets[row + 1] - begin;
    return (forest_view){.items = items,
                         .bits = spg_guide_bits(items, forest->cells_per_item),
                         .bounds = forest->bounds != NULL ? forest->bounds + begin : NULL,
                         .nodes = forest->nodes != NULL ? forest->nodes + begin : NULL,
                         .guide = forest->guide + forest->guide_offsets[row]};
}

/* The lower bound of item `item`; the end of the range from `items` on. */
static inline uint64_t spg_bound_of(const forest_view *view, int64_t item)
{
    if (item >= view->items) return SPG_FOREST_END;
    return view->nodes != NULL ? view->nodes[item].bound : view->bounds[item];
}

/* Finds the item of v; *loads = the number of bounds or nodes visited. */
static inline int32_t spg_search_guide(const forest_view *view, uint64_t v, int32_t *loads)
{
    const int32_t *guide = view->guide + (v >> (63 - view->bits));
    int32_t low = guide[0], high = guide[1], visited = 0;
    for (; low < high; ++visited) {
        int32_t middle = (int32_t)(((int64_t)low + high + 1) / 2);
        if (view->bounds[middle] <= v)
            low = middle;
        else
            high = middle - 1;
    }
    *loads = visited;
    return low;
}

static inline int32_t spg_search_tree(const forest_view *view, uint64_t v, int32_t *loads)
{
    int32_t node = view->guide[v >> (63 - view->bits)], visited = 0;
    for (; node >= 0; ++visited) node = view->nodes[node].child[v >= view->nodes[node].bound];
    *loads = visited;
    return ~node;
}

/* The name of an item that a search found; columns: of the row, or NULL. */
static inline int32_t spg_name_of_found(const int32_t *columns, int32_t item)
{
    if (item == SPG_FOREST_NOTHING) return SPG_NO_ITEM;
    return columns != NULL ? columns[item] : item;
}

typedef struct forest_row {
    const void *weights;
    spg_type type;
    int64_t items;
    spg_unit_scale scale;
    forest_view view;
} forest_row;

/* tile_units: one for each tile of SPG_SUM_TILE items. */
void spg_forest_fill_bounds(const forest_row *row, spg_threads threads, uint64_t *tile_units);

/* Bounds and guide of a row without a distribution. */
void spg_forest_fill_with_nothing(const forest_row *row);

/* The guide of CUTPOINT. */
void spg_forest_fill_guide(const forest_row *row, spg_threads threads);

/* Makes the trees, and replaces the entries of CUTPOINT's guide that lead to them. */
void spg_forest_plant(const forest_row *row, spg_threads threads);

#endif
