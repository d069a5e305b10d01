/* Multinomial counts (src/sampling/multinomial.h): the tree of a row's weights is filled, then the draws go down it.
 * Short and middle rows are done by one thread each; the tiles of a long one by all. */
#include "sampling/multinomial.h"

#include "host_sampling.h"
#include "memory.h"
#include "sampling/faults.h"
#include "weights.h"

#include <float.h>
#include <string.h>

/* A tree within a row's tree; its root is the row's node `number`. Levels are stored as in sums.h. */
typedef struct count_tree {
    const double *sums;
    int levels;
    uint64_t key, number;
} count_tree;

/* Splits the draws of node k, counted from the left, at height h among the first `leaves` leaves. */
static void split(const count_tree *tree, int h, int64_t k, int64_t count, int64_t *counts, int64_t leaves)
{
    const int64_t first = k << h, end = (k + 1) << h < leaves ? (k + 1) << h : leaves;
    if (first >= end) return;
    if (h == 0) {
        counts[k] = count;
        return;
    }
    if (count == 0) {
        memset(counts + first, 0, (size_t)(end - first) * sizeof *counts);
        return;
    }
    const int64_t level = ((int64_t)2 << tree->levels) - ((int64_t)4 << (tree->levels - h)); /* of the children */
    const double *children = tree->sums + level + 2 * k;
    const uint64_t node = (tree->number << (tree->levels - h)) + (uint64_t)k;
    const int64_t left = spg_multinomial_left(count, children[0], children[1], tree->key, node);
    split(tree, h - 1, 2 * k, left, counts, leaves);
    split(tree, h - 1, 2 * k + 1, count - left, counts, leaves);
}

/* A row and its draws. */
typedef struct count_row {
    const void *values;
    spg_type type;
    int64_t items, n;
    uint64_t key;
    double scale;
    int64_t *counts; /* of its items */
} count_row;

/* The tree of a tile; *sound as for spg_tree_leaves. */
static double fill_tile(const count_row *row, int64_t tile, int levels, double *sums, bool *sound)
{
    const int64_t first = tile * SPG_SUM_TILE, rest = row->items - first;
    const int count = rest < SPG_SUM_TILE ? (int)rest : SPG_SUM_TILE;
    *sound &= spg_tree_leaves(row->values, row->type, first, count, row->scale, levels, sums);
    return spg_tree_fill_f64(sums, levels);
}

static spg_row_kind count_short_row(count_row *row, bool empty_rows)
{
    double sums[2 * SPG_SUM_TILE];
    const int levels = spg_levels(row->items);
    bool sound = true;
    double sum = fill_tile(row, 0, levels, sums, &sound);
    if (sound && sum > DBL_MAX && row->type == SPG_F64) {
        row->scale = SPG_SCALE_DOWN;
        sum = fill_tile(row, 0, levels, sums, &sound);
    }
    const spg_row_kind kind = spg_kind_of_row(sound && sum <= DBL_MAX, sum, empty_rows);
    if (kind == SPG_ROW_FAULTY) return kind;
    const count_tree tree = {sums, levels, row->key, 1};
    split(&tree, levels, 0, kind == SPG_ROW_SOUND ? row->n : 0, row->counts, row->items);
    return kind;
}

typedef struct tiles_job {
    const count_row *row;
    const int64_t *tile_counts;
    uint64_t first_number; /* of the first tile's root */
} tiles_job;

static void count_tiles(const void *data, spg_range tiles)
{
    const tiles_job *job = data;
    const count_row *row = job->row;
    double sums[2 * SPG_SUM_TILE];
    bool sound = true;
    for (int64_t t = tiles.begin; t < tiles.end; ++t) {
        const int64_t first = t * SPG_SUM_TILE, rest = row->items - first;
        if (job->tile_counts[t] > 0) fill_tile(row, t, SPG_SUM_TILE_LEVELS, sums, &sound);
        const count_tree tree = {sums, SPG_SUM_TILE_LEVELS, row->key, job->first_number + (uint64_t)t};
        split(&tree, SPG_SUM_TILE_LEVELS, 0, job->tile_counts[t], row->counts + first,
              rest < SPG_SUM_TILE ? rest : SPG_SUM_TILE);
    }
}

static int64_t room_bytes(int64_t items)
{
    const int64_t tiles = spg_sum_tiles(items);
    return items > SPG_SUM_TILE ? spg_tree_size(tiles) * (int64_t)sizeof(double) + tiles * (int64_t)sizeof(int64_t) : 0;
}

/* A row of several tiles. room: room_bytes. */
static spg_row_kind count_long_row(count_row *row, bool empty_rows, spg_threads threads, void *room)
{
    const int64_t tiles = spg_sum_tiles(row->items);
    const int levels = spg_levels(tiles);
    double *sums = room, sum = 0;
    int64_t *tile_counts = (int64_t *)(sums + spg_tree_size(tiles));
    const bool sound = spg_host_row_sum(threads, row->values, row->type, row->items, sums, &sum, &row->scale);
    const spg_row_kind kind = spg_kind_of_row(sound, sum, empty_rows);
    if (kind == SPG_ROW_FAULTY) return kind;
    const count_tree tree = {sums, levels, row->key, 1};
    split(&tree, levels, 0, kind == SPG_ROW_SOUND ? row->n : 0, tile_counts, tiles);
    spg_parallel(threads, tiles, 0, count_tiles, &(tiles_job){row, tile_counts, (uint64_t)1 << levels});
    return kind;
}

typedef struct count_call {
    bool empty_rows;
    int64_t n;
    const int64_t *trials;
    const spg_random *random;
    int64_t *counts;
} count_call;

static bool count_row_of(const spg_csr *weights, const void *table, int64_t i, spg_threads threads, void *room)
{
    const count_call *call = table;
    const int64_t begin = spg_offset_at(weights, i), items = spg_offset_at(weights, i + 1) - begin;
    if (items == 0) return call->empty_rows;
    count_row row = {.values = (const char *)weights->values + (size_t)begin * spg_type_size(weights->value_type),
                     .type = weights->value_type,
                     .items = items,
                     .n = call->trials != NULL ? call->trials[i] : call->n,
                     .key = spg_multinomial_key(call->random, i),
                     .scale = 1,
                     .counts = call->counts + begin};
    const spg_row_kind kind = items <= SPG_SUM_TILE ? count_short_row(&row, call->empty_rows)
                                                    : count_long_row(&row, call->empty_rows, threads, room);
    return kind != SPG_ROW_FAULTY;
}

static spg_status check_trials(spg_context *context, const int64_t *trials, int64_t rows)
{
    for (int64_t i = 0; i < rows; ++i)
        if (trials[i] < 0) return spg_fail_trials(context, i, trials[i]);
    return SPG_OK;
}

spg_status spg_host_multinomial_draws(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                      const spg_random *random, int64_t *counts)
{
    const bool trusted = context->draw_options.trusted != 0;
    int64_t longest = 0;
    void *room = NULL;
    spg_status status = spg_host_open_weights(context, weights, trusted, &longest);
    if (status == SPG_OK && trials != NULL && !trusted) status = check_trials(context, trials, weights->rows);
    if (status != SPG_OK) return status;
    const spg_threads threads = spg_host_threads(context, weights->nnz + weights->rows);
    const spg_threads team = spg_host_threads_up_to(context, INT64_MAX);
    const int64_t thread_bytes = room_bytes(longest < SPG_TEAM_ITEMS ? longest : SPG_TEAM_ITEMS);
    const int64_t bytes = thread_bytes * threads.count + (longest > SPG_TEAM_ITEMS ? room_bytes(longest) : 0);
    status = spg_allocate_workspace(context, 0, bytes, "sums of tiles of weights", &room);
    if (status != SPG_OK) return status;
    const count_call call = {context->draw_options.empty_rows != 0, n, trials, random, counts};
    const int64_t bad = spg_host_build_rows(weights, count_row_of, &call, threads, team, thread_bytes, room);
    spg_release(context, room, bytes);
    return bad < weights->rows ? spg_host_fail_weights(context, weights, bad) : SPG_OK;
}
