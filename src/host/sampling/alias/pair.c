/* The sweep over what the tiles left, cut into parts: a part has the lights of some tiles, and the heavies whose
 * excesses end among their deficits. The first heavy of each part is found first, by the sums of the tiles, so that the
 * parts do not wait for each other: partial p-ary split (Lehmann 2020, section 4.3) with one part per thread. */
#include "clock.h"
#include "row.h"

#include <string.h>

enum { MOST_PARTS = 256 };

/* A heavy among those left, or their end (tile = the number of tiles). */
typedef struct heavy_cursor {
    int64_t tile;
    int32_t index;   /* among the tile's heavies */
    uint64_t excess; /* including all heavies before it */
} heavy_cursor;

typedef struct pairing {
    const alias_row *row;
    const alias_room *room;
    int64_t tiles;
    int64_t last_heavy; /* its item; -1: there is none */
} pairing;

static int64_t light_item(const pairing *all, int64_t tile, int32_t index)
{
    return all->room->left[tile * SPG_ALIAS_TILE + index];
}

static int64_t heavy_item(const pairing *all, int64_t tile, int32_t index)
{
    return all->room->left[tile * SPG_ALIAS_TILE + all->room->tiles[tile].lights + index];
}

static uint64_t amount_of(const pairing *all, int64_t item)
{
    uint64_t amount = 0;
    if (all->row->exact)
        memcpy(&amount, &((spg_alias_exact *)all->row->table)[item].threshold, sizeof amount);
    else
        memcpy(&amount, (spg_alias_compact *)all->row->table + item, sizeof amount);
    return amount;
}

/* Moves a cursor past the last heavy of a tile to the next heavy. */
static void skip_tiles(const pairing *all, heavy_cursor *at)
{
    while (at->tile < all->tiles && at->index >= all->room->tiles[at->tile].heavies) {
        ++at->tile;
        at->index = 0;
    }
}

/* Adds the excess of the heavy at the cursor to that of the heavies before it. */
static void add_excess(const pairing *all, heavy_cursor *at)
{
    if (at->tile < all->tiles) at->excess += amount_of(all, heavy_item(all, at->tile, at->index));
}

static heavy_cursor first_heavy(const pairing *all)
{
    heavy_cursor at = {0, 0, 0};
    skip_tiles(all, &at);
    add_excess(all, &at);
    return at;
}

static heavy_cursor next_heavy(const pairing *all, heavy_cursor at)
{
    ++at.index;
    skip_tiles(all, &at);
    add_excess(all, &at);
    return at;
}

/* The first heavy whose excess, including those before it, is more than `deficit`. */
static heavy_cursor heavy_above(const pairing *all, uint64_t deficit)
{
    int64_t low = 0, high = all->tiles;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const alias_tile *tile = all->room->tiles + middle;
        if (tile->excess_before + tile->excess > deficit)
            high = middle;
        else
            low = middle + 1;
    }
    heavy_cursor at = {low, 0, low < all->tiles ? all->room->tiles[low].excess_before : 0};
    skip_tiles(all, &at);
    add_excess(all, &at);
    while (at.tile < all->tiles && at.excess <= deficit) at = next_heavy(all, at);
    return at;
}

/* The deficit of the lights of all tiles before. */
static uint64_t deficit_before(const pairing *all, int64_t tile)
{
    const alias_tile *last = all->room->tiles + all->tiles - 1;
    return tile < all->tiles ? all->room->tiles[tile].deficit_before : last->deficit_before + last->deficit;
}

static bool is_at(const heavy_cursor *a, const heavy_cursor *b) { return a->tile == b->tile && a->index == b->index; }

/* Finishes the heavy at the cursor, which owes `deficit` - its excess, and moves to the next. `end` is the next part's
 * first heavy, which that part may be writing to. */
static void finish_heavy(const pairing *all, heavy_cursor *at, const heavy_cursor *end, uint64_t deficit)
{
    uint64_t bucket = (uint64_t)1 << all->row->fraction_bits, over = deficit - at->excess;
    int64_t item = heavy_item(all, at->tile, at->index);
    heavy_cursor next = *at;
    ++next.index;
    skip_tiles(all, &next);
    if (over > 0 && next.tile < all->tiles)
        spg_alias_store(all->row, item, bucket - over, heavy_item(all, next.tile, next.index), false, 0);
    else
        spg_alias_store_full(all->row, item);
    if (is_at(&next, end))
        next.excess = end->excess;
    else
        add_excess(all, &next);
    *at = next;
}

static void finish_light(const pairing *all, int64_t item, uint64_t deficit, int64_t alias)
{
    const alias_row *row = all->row;
    bool turned = row->exact && ((const spg_alias_exact *)row->table)[item].pad != 0;
    uint64_t units = ((uint64_t)1 << row->fraction_bits) - deficit;
    if (alias < 0)
        spg_alias_store_full(row, item);
    else if (row->exact && !turned)
        spg_alias_store(row, item, units, alias, true,
                        spg_units(spg_weight_at(row->weights, row->type, item), row->scale));
    else
        spg_alias_store(row, item, units, alias, false, 0);
}

/* Pairs the lights of tiles [from, to) with the heavies from `at` to `end`. */
static void pair_part(const pairing *all, int64_t from, int64_t to, heavy_cursor at, const heavy_cursor *end)
{
    uint64_t deficit = deficit_before(all, from);
    for (int64_t t = from; t < to; ++t)
        for (int32_t k = 0; k < all->room->tiles[t].lights; ++k) {
            int64_t item = light_item(all, t, k);
            uint64_t amount = amount_of(all, item);
            while (at.tile < all->tiles && at.excess <= deficit) finish_heavy(all, &at, end, deficit);
            finish_light(all, item, amount,
                         at.tile < all->tiles ? heavy_item(all, at.tile, at.index) : all->last_heavy);
            deficit += amount;
        }
    while (!is_at(&at, end)) {
        if (at.excess > deficit) /* only at the very end: no light is left for it */
            deficit = at.excess;
        finish_heavy(all, &at, end, deficit);
    }
}

/* Sums over the tiles before each tile; finds the last heavy. */
static void sum_tiles(pairing *all)
{
    uint64_t deficit = 0, excess = 0;
    for (int64_t t = 0; t < all->tiles; ++t) {
        alias_tile *tile = all->room->tiles + t;
        tile->deficit_before = deficit;
        tile->excess_before = excess;
        deficit += tile->deficit;
        excess += tile->excess;
        if (tile->heavies > 0) all->last_heavy = heavy_item(all, t, tile->heavies - 1);
    }
}

typedef struct pair_job {
    const pairing *all;
    const heavy_cursor *begins; /* for each part; parts + 1 */
    int64_t parts;
} pair_job;

static void pair_parts(const void *data, spg_range parts)
{
    const pair_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p)
        pair_part(job->all, spg_host_cut(job->all->tiles, p, job->parts),
                  spg_host_cut(job->all->tiles, p + 1, job->parts), job->begins[p], &job->begins[p + 1]);
}

void spg_alias_pair_left(const alias_row *row, spg_threads threads, const alias_room *room, int64_t *splits,
                         double *split_end)
{
    pairing all = {row, room, spg_alias_tiles(row->items), -1};
    heavy_cursor begins[MOST_PARTS + 1];
    int parts = threads.count < MOST_PARTS ? threads.count : MOST_PARTS;
    sum_tiles(&all);
    for (int p = 0; p < parts; ++p) {
        int64_t from = spg_host_cut(all.tiles, p, parts);
        begins[p] = p == 0 ? first_heavy(&all) : heavy_above(&all, deficit_before(&all, from));
    }
    begins[parts] = (heavy_cursor){all.tiles, 0, 0};
    *splits = parts + 1;
    *split_end = spg_seconds();
    spg_parallel(threads, parts, 1, pair_parts, &(pair_job){&all, begins, parts});
}
