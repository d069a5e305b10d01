/* One tile of a row: converts weights to units, partitions them into lights and heavies, and sweeps over them. */
#include "row.h"

#include <string.h>

/* The items of a tile, counted from its first. heavies has room for one more, which is read but not used. */
typedef struct tile_items {
    int64_t first;
    int count, light_count, heavy_count;
    double x[SPG_ALIAS_TILE];
    uint64_t units[SPG_ALIAS_TILE];
    int32_t lights[SPG_ALIAS_TILE], heavies[SPG_ALIAS_TILE + 1];
} tile_items;

/* The state of the sweep: the next light, the open heavy, and the units that it still holds. */
typedef struct tile_sweep {
    int light, heavy;
    uint64_t held;
} tile_sweep;

static void read_units(const alias_row *row, tile_items *tile)
{
    spg_unit_scale scale = row->scale; /* a copy, so that writes cannot alias it */
    if (row->type == SPG_F32) {
        const float *weights = (const float *)row->weights + tile->first;
        for (int k = 0; k < tile->count; ++k) tile->x[k] = spg_units((double)weights[k], scale);
    } else {
        const double *weights = (const double *)row->weights + tile->first;
        for (int k = 0; k < tile->count; ++k) tile->x[k] = spg_units(weights[k], scale);
    }
    for (int k = 0; k < tile->count; ++k) tile->units[k] = spg_alias_units(tile->x[k], tile->first + k);
}

/* Without a branch on the kind, which is unpredictable. */
static void partition(const alias_row *row, tile_items *tile)
{
    uint64_t bucket = (uint64_t)1 << row->fraction_bits;
    int lights = 0, heavies = 0;
    for (int k = 0; k < tile->count; ++k) {
        bool light = tile->units[k] < bucket;
        tile->lights[lights] = k;
        tile->heavies[heavies] = k;
        lights += light;
        heavies += !light;
    }
    tile->light_count = lights;
    tile->heavy_count = heavies;
    tile->heavies[heavies] = 0;
}

static void open_tile(const alias_row *row, int64_t t, tile_items *tile)
{
    int64_t rest = row->items - t * SPG_ALIAS_TILE;
    tile->first = t * SPG_ALIAS_TILE;
    tile->count = rest < SPG_ALIAS_TILE ? (int)rest : SPG_ALIAS_TILE;
    read_units(row, tile);
    partition(row, tile);
}

/* One step: the open heavy fills the next light or, if it holds no more than a bucket, is itself filled by the next
 * heavy. Without a branch, since the case is unpredictable. */
static inline void step(const alias_row *row, const tile_items *tile, tile_sweep *sweep, uint64_t bucket)
{
    int light_item = tile->lights[sweep->light], heavy_item = tile->heavies[sweep->heavy];
    int next_item = tile->heavies[sweep->heavy + 1];
    bool light = sweep->held > bucket;
    uint64_t units = light ? tile->units[light_item] : sweep->held;
    uint64_t giver = light ? sweep->held : tile->units[next_item];
    int item = light ? light_item : heavy_item, alias = light ? heavy_item : next_item;
    spg_alias_store(row, tile->first + item, units, tile->first + alias, light, tile->x[item]);
    sweep->held = giver - (bucket - units);
    sweep->light += light;
    sweep->heavy += !light;
}

/* Sweeps until there is no light to fill, or the last heavy holds no more than its bucket. */
static void sweep_tile(const alias_row *row, const tile_items *tile, tile_sweep *sweep)
{
    uint64_t bucket = (uint64_t)1 << row->fraction_bits;
    if (tile->heavy_count == 0) return;
    tile_sweep at = {0, 0, tile->units[tile->heavies[0]]};
    while (at.light < tile->light_count && at.heavy < tile->heavy_count - 1) step(row, tile, &at, bucket);
    while (at.held > bucket ? at.light < tile->light_count : at.heavy < tile->heavy_count - 1)
        step(row, tile, &at, bucket);
    *sweep = at;
}

void spg_alias_sweep_row(const alias_row *row)
{
    tile_items tile;
    tile_sweep sweep = {0, 0, 0};
    open_tile(row, 0, &tile);
    sweep_tile(row, &tile, &sweep);
    for (int h = sweep.heavy; h < tile.heavy_count; ++h) spg_alias_store_full(row, tile.heavies[h]);
    for (int l = sweep.light; l < tile.light_count; ++l) {
        int item = tile.lights[l];
        if (tile.heavy_count > 0)
            spg_alias_store(row, item, tile.units[item], tile.heavies[tile.heavy_count - 1], true, tile.x[item]);
        else
            spg_alias_store_full(row, item);
    }
}

/* Lists an item as left, with its amount in its entry of the table. `turned`: a heavy that became a light. */
static void leave(const alias_row *row, int64_t item, uint64_t amount, bool turned, int32_t *listed)
{
    *listed = (int32_t)item;
    if (row->exact) {
        spg_alias_exact *at = (spg_alias_exact *)row->table + item;
        memcpy(&at->threshold, &amount, sizeof amount);
        at->pad = turned;
    } else {
        memcpy((spg_alias_compact *)row->table + item, &amount, sizeof amount);
    }
}

static void leave_light(const alias_row *row, int64_t item, uint64_t deficit, bool turned, int32_t *left,
                        alias_tile *result)
{
    leave(row, item, deficit, turned, left + result->lights++);
    result->deficit += deficit;
}

static void leave_heavy(const alias_row *row, int64_t item, uint64_t excess, int32_t *left, alias_tile *result)
{
    leave(row, item, excess, false, left + result->lights + result->heavies++);
    result->excess += excess;
}

void spg_alias_open_tile(const alias_row *row, int64_t t, int32_t *left, alias_tile *result)
{
    tile_items tile;
    tile_sweep sweep = {0, 0, 0};
    uint64_t bucket = (uint64_t)1 << row->fraction_bits;
    *result = (alias_tile){0};
    open_tile(row, t, &tile);
    if (row->greedy) sweep_tile(row, &tile, &sweep);
    bool swept = row->greedy && tile.heavy_count > 0;
    int h = sweep.heavy;
    if (swept && sweep.held <= bucket) { /* the last heavy, and possibly lights */
        int64_t item = tile.first + tile.heavies[h++];
        if (sweep.held < bucket)
            leave_light(row, item, bucket - sweep.held, true, left, result);
        else
            spg_alias_store_full(row, item);
    }
    for (int l = sweep.light; l < tile.light_count; ++l)
        leave_light(row, tile.first + tile.lights[l], bucket - tile.units[tile.lights[l]], false, left, result);
    for (; h < tile.heavy_count; ++h) {
        uint64_t units = swept && h == sweep.heavy ? sweep.held : tile.units[tile.heavies[h]];
        leave_heavy(row, tile.first + tile.heavies[h], units - bucket, left, result);
    }
}
