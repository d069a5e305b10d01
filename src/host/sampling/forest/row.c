/* See row.h. */
#include "row.h"

/* Cells that a thread fills at a time. */
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

/* The tiles of a row: first their units, then the sum of all tiles before each. */
typedef struct bounds_job {
    const forest_row *row;
    uint64_t *tile_units;
    uint64_t total, reciprocal; /* set after the units are summed */
} bounds_job;

static void sum_tiles(const void *data, spg_range tiles)
{
    const bounds_job *job = data;
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        uint64_t sum = 0;
        for (int64_t k = t * SPG_SUM_TILE; k < tile_end(job->row, t); ++k) sum += units_of(job->row, k);
        job->tile_units[t] = sum;
    }
}

static void bound_tiles(const void *data, spg_range tiles)
{
    const bounds_job *job = data;
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        uint64_t sum = job->tile_units[t];
        for (int64_t k = t * SPG_SUM_TILE; k < tile_end(job->row, t); ++k) {
            set_bound(job->row, k, spg_forest_bound(sum, job->total, job->reciprocal));
            sum += units_of(job->row, k);
        }
    }
}

void spg_forest_fill_bounds(const forest_row *row, spg_threads threads, uint64_t *tile_units)
{
    const int64_t tiles = spg_sum_tiles(row->items);
    bounds_job job = {.row = row, .tile_units = tile_units};
    spg_parallel(threads, tiles, 0, sum_tiles, &job);
    for (int64_t t = 0; t < tiles; ++t) {
        uint64_t units = tile_units[t];
        tile_units[t] = job.total;
        job.total += units;
    }
    job.reciprocal = spg_reciprocal(job.total);
    spg_parallel(threads, tiles, 0, bound_tiles, &job);
}

/* The last item that begins at or before v. */
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

static void fill_cells(const void *data, spg_range blocks)
{
    const forest_view *view = data;
    const int64_t cells = (int64_t)1 << view->bits;
    for (int64_t b = blocks.begin; b < blocks.end; ++b) {
        int64_t cell = b * CELLS, end = cell + CELLS < cells ? cell + CELLS : cells;
        int64_t item = item_at(view, (uint64_t)cell << (63 - view->bits));
        for (; cell < end; ++cell) {
            uint64_t v = (uint64_t)cell << (63 - view->bits);
            while (spg_bound_of(view, item + 1) <= v) ++item;
            view->guide[cell] = (int32_t)item;
        }
    }
}

void spg_forest_fill_guide(const forest_row *row, spg_threads threads)
{
    const forest_view *view = &row->view;
    const int64_t cells = (int64_t)1 << view->bits;
    spg_parallel(threads, (cells + CELLS - 1) / CELLS, 0, fill_cells, view);
    view->guide[cells] = (int32_t)item_at(view, SPG_FOREST_END - 1);
}

void spg_forest_fill_with_nothing(const forest_row *row)
{
    const forest_view *view = &row->view;
    const int64_t cells = (int64_t)1 << view->bits;
    for (int64_t k = 0; k < row->items; ++k) set_bound(row, k, SPG_FOREST_END);
    for (int64_t cell = 0; cell < cells; ++cell)
        view->guide[cell] = view->nodes != NULL ? ~SPG_FOREST_NOTHING : SPG_FOREST_NOTHING;
    view->guide[cells] = SPG_FOREST_NOTHING;
}
