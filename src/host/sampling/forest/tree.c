/* The radix trees of a row's cells (Binder, Keller 2019): each cell separately, with a stack of the nodes on the right
 * side of the tree. A tree that is too deep is replaced by a balanced one. */
#include "row.h"

/* Deeper than any tree: 63 bits of the bounds, then 31 of the item numbers. */
enum { MOST_DEPTH = 128, MOST_PARTS = 256 };

static void set_children(const forest_view *view, int32_t node, int32_t left, int32_t right)
{
    view->nodes[node].child[0] = left;
    view->nodes[node].child[1] = right;
}

static bool stands_above(const forest_view *view, int32_t i, int32_t j)
{
    const spg_forest_node *nodes = view->nodes;
    return spg_split_before(nodes[i - 1].bound, nodes[i].bound, i, nodes[j - 1].bound, nodes[j].bound, j);
}

/* The tree of leaves first ... last; returns its root. */
static int32_t grow(const forest_view *view, int32_t first, int32_t last)
{
    int32_t stack[MOST_DEPTH];
    int depth = 0;
    for (int32_t i = first + 1; i <= last; ++i) {
        int32_t below = ~(i - 1);
        while (depth > 0 && stands_above(view, i, stack[depth - 1])) below = stack[--depth];
        set_children(view, i, below, ~i);
        if (depth > 0) view->nodes[stack[depth - 1]].child[1] = i;
        stack[depth++] = i;
        if (i == INT32_MAX) break;
    }
    return depth > 0 ? stack[0] : ~first;
}

/* The balanced tree over leaves a ... b. */
static int32_t grow_balanced(const forest_view *view, int32_t a, int32_t b)
{
    if (a == b) return ~a;
    int32_t node = (int32_t)(((int64_t)a + b + 1) / 2);
    set_children(view, node, grow_balanced(view, a, node - 1), grow_balanced(view, node, b));
    return node;
}

/* Whether some draw in the cell visits too many nodes for a tree of this many items. */
static bool is_degenerate(const forest_view *view, int64_t cell, int32_t low, int32_t high)
{
    int64_t items = (int64_t)high - low + 1;
    int32_t most = SPG_FOREST_DEEPEST * spg_levels(items), loads = 0;
    if (items - 1 <= most) return false;
    for (int32_t i = low + 1; i <= high && loads <= most; ++i) { /* item `low` is below the root */
        if (view->nodes[i].bound >> (63 - view->bits) == (uint64_t)cell)
            spg_search_tree(view, view->nodes[i].bound, &loads);
    }
    return loads > most;
}

static void plant_cell(const forest_view *view, int64_t cell, int32_t low, int32_t high)
{
    view->guide[cell] = ~low;
    if (low == high) return;
    set_children(view, low + 1, ~low, grow(view, low + 1, high));
    view->guide[cell] = low + 1;
    if (is_degenerate(view, cell, low, high)) view->guide[cell] = grow_balanced(view, low, high);
}

typedef struct plant_job {
    const forest_view *view;
    int64_t parts;       /* parts of the cells */
    const int32_t *ends; /* the value after each part, saved before the next part changes it */
} plant_job;

static void plant_parts(const void *data, spg_range parts)
{
    const plant_job *job = data;
    const forest_view *view = job->view;
    const int64_t cells = (int64_t)1 << view->bits;
    for (int64_t p = parts.begin; p < parts.end; ++p) {
        const int64_t end = spg_host_cut(cells, p + 1, job->parts);
        for (int64_t cell = spg_host_cut(cells, p, job->parts); cell < end; ++cell)
            plant_cell(view, cell, view->guide[cell], cell + 1 < end ? view->guide[cell + 1] : job->ends[p]);
    }
}

void spg_forest_plant(const forest_row *row, spg_threads threads)
{
    const forest_view *view = &row->view;
    int32_t ends[MOST_PARTS];
    const int parts = threads.count < MOST_PARTS ? threads.count : MOST_PARTS;
    for (int p = 0; p < parts; ++p) ends[p] = view->guide[spg_host_cut((int64_t)1 << view->bits, p + 1, parts)];
    spg_parallel(threads, parts, 1, plant_parts, &(plant_job){view, parts, ends});
}
