/* See sums.h. */
#include "sums.h"

#include <float.h>

#define TEMPLATE "host/sampling/sums.inc.h"
#include "host/sampling/for_each_real.h"

int64_t spg_tree_descend(const double *tree, int levels, double target, double *base)
{
    int64_t node = 0, begin = ((int64_t)2 << levels) - 2; /* of the root's level */
    for (int h = levels - 1; h >= 0; --h) {
        begin -= (int64_t)1 << (levels - h);
        const double *children = tree + begin + 2 * node;
        int right = spg_goes_right(target, *base, children[0], children[1]);
        if (right) *base += children[0];
        node = 2 * node + right;
    }
    return node;
}

/* The tiles of a row. */
typedef struct tiles_job {
    const void *weights;
    spg_type type;
    int64_t items, tiles;
    double scale;
    double *tile_tree;
    atomic_bool *unsound;
} tiles_job;

static void sum_range(const void *data, spg_range tiles)
{
    const tiles_job *job = data;
    bool sound = true;
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        double tree[2 * SPG_SUM_TILE];
        int64_t first = t * SPG_SUM_TILE, rest = job->items - first;
        int count = rest < SPG_SUM_TILE ? (int)rest : SPG_SUM_TILE;
        int tile_levels = job->tiles > 1 ? SPG_SUM_TILE_LEVELS : spg_levels(job->items);
        sound &= spg_tree_leaves(job->weights, job->type, first, count, job->scale, tile_levels, tree);
        job->tile_tree[t] = spg_tree_fill_f64(tree, tile_levels);
    }
    if (!sound) atomic_store(job->unsound, true);
}

/* The sums of all tiles, and the tree over them. */
static bool sum_tiles(spg_threads threads, const void *weights, spg_type type, int64_t items, double scale,
                      double *tile_tree, double *sum)
{
    const int64_t tiles = spg_sum_tiles(items);
    const int levels = spg_levels(tiles);
    atomic_bool unsound = false;
    spg_parallel(threads, tiles, 0, sum_range, &(tiles_job){weights, type, items, tiles, scale, tile_tree, &unsound});
    for (int64_t t = tiles; t < (int64_t)1 << levels; ++t) tile_tree[t] = 0;
    *sum = spg_tree_fill_f64(tile_tree, levels);
    return !unsound;
}

bool spg_host_row_sum(spg_threads threads, const void *weights, spg_type type, int64_t items, double *tile_tree,
                      double *sum, double *scale)
{
    *scale = 1;
    if (!sum_tiles(threads, weights, type, items, 1, tile_tree, sum)) return false;
    if (*sum <= DBL_MAX || type == SPG_F32) return *sum <= DBL_MAX;
    *scale = SPG_SCALE_DOWN;
    return sum_tiles(threads, weights, type, items, SPG_SCALE_DOWN, tile_tree, sum) && *sum <= DBL_MAX;
}
