/* Alias tables of all rows: short and middle rows by one thread each, long ones one after another by all threads. A
 * table does not depend on the thread that builds it (src/sampling/alias.h). */
#include "clock.h"
#include "host/sampling/host_sampling.h"
#include "host/sampling/weights.h"
#include "host/work.h"
#include "memory.h"
#include "row.h"

#include <float.h>

/* Bytes of an alias_room, with its arrays one after another. */
static int64_t room_bytes(int64_t items)
{
    if (items <= SPG_ALIAS_TILE) return 0;
    int64_t tiles = spg_alias_tiles(items);
    return tiles * (int64_t)sizeof(alias_tile) + spg_tree_size(spg_sum_tiles(items)) * (int64_t)sizeof(double) +
           (items + 1) / 2 * 2 * (int64_t)sizeof(int32_t);
}

static alias_room room_in(void *memory, int64_t items)
{
    alias_tile *tiles = memory;
    double *tile_tree = (double *)(tiles + spg_alias_tiles(items));
    return (alias_room){(int32_t *)(tile_tree + spg_tree_size(spg_sum_tiles(items))), tiles, tile_tree};
}

/* The sum of a short row, for which a tree over two tiles is enough. */
static bool sum_short_row(const alias_row *row, double *sum, double *scale)
{
    double tile_tree[4];
    return spg_host_row_sum((spg_threads){1, NULL}, row->weights, row->type, row->items, tile_tree, sum, scale);
}

static int64_t count_left(const alias_room *room, int64_t tiles)
{
    int64_t left = 0;
    for (int64_t t = 0; t < tiles; ++t) left += room->tiles[t].lights + room->tiles[t].heavies;
    return left;
}

typedef struct tiles_job {
    const alias_row *row;
    const alias_room *room;
} tiles_job;

static void open_tiles(const void *data, spg_range tiles)
{
    const tiles_job *job = data;
    for (int64_t t = tiles.begin; t < tiles.end; ++t)
        spg_alias_open_tile(job->row, t, job->room->left + t * SPG_ALIAS_TILE, job->room->tiles + t);
}

/* The entries of a row without a distribution. */
static void fill_with_nothing(const alias_row *row)
{
    for (int64_t k = 0; k < row->items; ++k) {
        if (row->exact)
            ((spg_alias_exact *)row->table)[k] = spg_exact_nothing();
        else
            ((spg_alias_compact *)row->table)[k] = spg_compact_nothing();
    }
}

/* False for a row that cannot be drawn from. */
static bool build_row(alias_row *row, spg_threads threads, void *memory, spg_alias_stats *stats)
{
    double sum = 0, scale = 1, start = spg_seconds(), split_end;
    alias_room room = {NULL, NULL, NULL};
    bool is_short = row->items <= SPG_ALIAS_TILE;
    if (!is_short) room = room_in(memory, row->items);
    bool sound = is_short
                     ? sum_short_row(row, &sum, &scale)
                     : spg_host_row_sum(threads, row->weights, row->type, row->items, room.tile_tree, &sum, &scale);
    const spg_row_kind kind = spg_kind_of_row(sound, sum, row->empty_rows);
    if (kind == SPG_ROW_OF_NOTHING) fill_with_nothing(row);
    if (kind != SPG_ROW_SOUND) return kind == SPG_ROW_OF_NOTHING;
    row->fraction_bits = spg_fraction_bits(row->items);
    row->scale = spg_units_of_row(sum, scale, (double)row->items * spg_power_of_two(row->fraction_bits));
    if (is_short) {
        spg_alias_sweep_row(row);
        return true;
    }
    int64_t tiles = spg_alias_tiles(row->items);
    double summed = spg_seconds();
    spg_parallel(threads, tiles, 0, open_tiles, &(tiles_job){row, &room});
    double opened = spg_seconds();
    stats->left = count_left(&room, tiles);
    spg_alias_pair_left(row, threads, &room, &stats->splits, &split_end);
    stats->sum_ms = 1e3 * (summed - start);
    stats->tiles_ms = 1e3 * (opened - summed);
    stats->split_ms = 1e3 * (split_end - opened);
    stats->pack_ms = 1e3 * (spg_seconds() - split_end);
    return true;
}

static size_t bucket_size(const spg_alias *alias)
{
    return alias->resolution == SPG_ALIAS_EXACT ? sizeof(spg_alias_exact) : sizeof(spg_alias_compact);
}

/* A table, and the stats of its only row. */
typedef struct table_of_rows {
    const spg_alias *alias;
    spg_alias_stats *stats;
} table_of_rows;

static bool build_row_of(const spg_csr *weights, const void *table, int64_t i, spg_threads threads, void *memory)
{
    const table_of_rows *of = table;
    const spg_alias *alias = of->alias;
    spg_alias_stats unused;
    size_t begin = (size_t)alias->offsets[i], size = spg_type_size(weights->value_type);
    alias_row row = {.weights = (const char *)weights->values + begin * size,
                     .type = weights->value_type,
                     .exact = alias->resolution == SPG_ALIAS_EXACT,
                     .greedy = alias->builder == SPG_ALIAS_PSA_PLUS,
                     .empty_rows = alias->empty_rows,
                     .items = alias->offsets[i + 1] - alias->offsets[i],
                     .table = (char *)alias->table + begin * bucket_size(alias)};
    return build_row(&row, threads, memory, weights->rows == 1 ? of->stats : &unused);
}

typedef struct lengths_job {
    const int64_t *offsets;
    const int32_t *rows;
    atomic_llong *longest, *all;
} lengths_job;

static void add_lengths(const void *data, spg_range range)
{
    const lengths_job *job = data;
    int64_t longest = 0, all = 0;
    for (int64_t k = range.begin; k < range.end; ++k) {
        const int64_t i = job->rows != NULL ? job->rows[k] : k, items = job->offsets[i + 1] - job->offsets[i];
        all += items;
        if (items > longest) longest = items;
    }
    spg_raise(job->longest, longest);
    atomic_fetch_add(job->all, all);
}

spg_status spg_host_alias_fill(spg_context *context, const spg_csr *weights, spg_row_list rows, spg_alias *alias)
{
    atomic_llong longest_row = 0, all = 0;
    spg_parallel(spg_host_threads(context, rows.count), rows.count, 0, add_lengths,
                 &(lengths_job){alias->offsets, rows.rows, &longest_row, &all});
    const int64_t longest = longest_row;
    spg_build_means means = {.threads = spg_host_threads(context, all + rows.count)};
    /* SPG_ALIAS_SWEEP: one thread per row, in one part. */
    means.team = spg_host_threads_up_to(context, alias->builder == SPG_ALIAS_SWEEP ? 1 : INT64_MAX);
    means.thread_room = room_bytes(longest < SPG_TEAM_ITEMS ? longest : SPG_TEAM_ITEMS);
    const int64_t bytes =
        means.thread_room * means.threads.count + (longest > SPG_TEAM_ITEMS ? room_bytes(longest) : 0);
    spg_status status = spg_allocate_workspace(context, 0, bytes, "items that tiles leave", &means.room);
    if (status != SPG_OK) return status;
    const table_of_rows table = {alias, &alias->stats};
    const int64_t bad = spg_host_build_listed_rows(weights, rows, build_row_of, &table, &means);
    spg_release(context, means.room, bytes);
    if (bad == rows.count) return SPG_OK;
    return spg_host_fail_weights(context, weights, rows.rows != NULL ? rows.rows[bad] : bad);
}

spg_status spg_host_alias_build(spg_context *context, const spg_csr *weights, spg_alias *alias)
{
    int64_t longest = 0;
    spg_status status = spg_host_open_weights(context, weights, false, &longest);
    if (status == SPG_OK) status = spg_host_copy_shape(context, weights, &alias->offsets, &alias->columns);
    const int64_t table_bytes = spg_array_bytes(weights->nnz, bucket_size(alias));
    if (status == SPG_OK) status = spg_allocate(context, table_bytes, "an alias table", &alias->table);
    if (status == SPG_OK) status = spg_host_alias_fill(context, weights, (spg_row_list){NULL, weights->rows}, alias);
    if (status != SPG_OK) spg_alias_free_arrays(alias);
    return status;
}
