/* See forest_row.h. */
#include "forest_row.h"

/* Cells that one thread fills at a time. */
enum { CELLS = 1 << 12 };

static uint64_t units_of(const forest_row *row, int64_t item)
{
    return spg_forest_units(spg_units(spg_weight_at(row->weights, row->type, item), row->scale));
}

static void set_bound(const forest_row *row, int64_t item, uint64_t bound)
{
    if (row->view.nodes != NULL)
        row->view.nodes[item] = (spg_forest_node){bound, {~0, ~0}};
    else
        row->view.bounds[item] = bound;
}

static int64_t tile_end(const forest_row *row, int64_t tile)
{
    int64_t end = (tile + 1) * SPG_SUM_TILE;
    return end < row->items ? end : row->items;
}

void spg_forest_fill_bounds(const forest_row *row, int threads, uint64_t *tile_units)
{
    int64_t tiles = spg_sum_tiles(row->items);
    uint64_t total = 0;
#pragma omp parallel for num_threads(threads)
    for (int64_t t = 0; t < tiles; ++t) {
        uint64_t sum = 0;
        for (int64_t k = t * SPG_SUM_TILE; k < tile_end(row, t); ++k) sum += units_of(row, k);
        tile_units[t] = sum;
    }
    for (int64_t t = 0; t < tiles; ++t) {
        uint64_t units = tile_units[t];
        tile_units[t] = total;
        total += units;
    }
    uint64_t reciprocal = spg_reciprocal(total);
#pragma omp parallel for num_threads(threads)
    for (int64_t t = 0; t < tiles; ++t) {
        uint64_t sum = tile_units[t];
        for (int64_t k = t * SPG_SUM_TILE; k < tile_end(row, t); ++k) {
            set_bound(row, k, spg_forest_bound(sum, total, reciprocal));
            sum += units_of(row, k);
        }
    }
}

/* The last item that begins at v or before. */
static int64_t item_at(const forest_view *view, uint64_t v)
{
    int64_t low = 0, high = view->items - 1;
    while (low < high) {
        int64_t middle = low + (high - low + 1) / 2;
        if (spg_bound_of(view, middle) <= v)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

void spg_forest_fill_guide(const forest_row *row, int threads)
{
    const forest_view *view = &row->view;
    int64_t cells = (int64_t)1 << view->bits, blocks = (cells + CELLS - 1) / CELLS;
#pragma omp parallel for num_threads(threads)
    for (int64_t b = 0; b < blocks; ++b) {
        int64_t cell = b * CELLS, end = cell + CELLS < cells ? cell + CELLS : cells;
        int64_t item = item_at(view, (uint64_t)cell << (63 - view->bits));
        for (; cell < end; ++cell) {
            uint64_t v = (uint64_t)cell << (63 - view->bits);
            while (spg_bound_of(view, item + 1) <= v) ++item;
            view->guide[cell] = (int32_t)item;
        }
    }
    view->guide[cells] = (int32_t)item_at(view, SPG_FOREST_END - 1);
}
