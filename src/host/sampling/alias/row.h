/* The steps of building the alias table of one row (src/sampling/alias.h has the definitions). Private. */
#ifndef SPG_SRC_HOST_SAMPLING_ALIAS_ROW_H
#define SPG_SRC_HOST_SAMPLING_ALIAS_ROW_H

#include "host/sampling/sums.h"
#include "sampling/alias.h"

#include "spg/sampling.h"

typedef struct alias_row {
    const void *weights; /* from its first item on */
    spg_type type;
    bool exact;
    bool greedy; /* tiles pair what they can */
    bool empty_rows;
    int64_t items;
    int fraction_bits;
    spg_unit_scale scale;
    void *table; /* the table from the row's first item on */
} alias_row;

/* What a tile leaves, in its part of the row's list of items: lights first, then heavies. Until they are paired, their
 * deficits and excesses are stored in their entries of the table. */
typedef struct alias_tile {
    int32_t lights, heavies;
    uint64_t deficit, excess;               /* of all of them */
    uint64_t deficit_before, excess_before; /* of all tiles before */
} alias_tile;

/* Workspace for a row of more than one tile. */
typedef struct alias_room {
    int32_t *left;     /* one for each item */
    alias_tile *tiles; /* one for each SPG_ALIAS_TILE items */
    double *tile_tree; /* spg_tree_size(spg_sum_tiles(items)) */
} alias_room;

static inline int64_t spg_alias_tiles(int64_t items) { return (items + SPG_ALIAS_TILE - 1) / SPG_ALIAS_TILE; }

/* The whole sweep, for a row of at most one tile. */
void spg_alias_sweep_row(const alias_row *row);

/* Tile `t`: pairs what it can, if the row is greedy, and lists what is left. */
void spg_alias_open_tile(const alias_row *row, int64_t t, int32_t *left, alias_tile *tile);

/* Pairs what the tiles left, in one part per thread. *splits: the number of splits; *split_end: when they were found
 * (spg_seconds). */
void spg_alias_pair_left(const alias_row *row, spg_threads threads, const alias_room *room, int64_t *splits,
                         double *split_end);

/* Stores a finished bucket. units: of its own item; alias: the item that has the rest. started_light, for exact tables:
 * the threshold comes from the weight itself, x units. */
static inline void spg_alias_store(const alias_row *row, int64_t item, uint64_t units, int64_t alias,
                                   bool started_light, double x)
{
    double unit = spg_power_of_two(-row->fraction_bits);
    if (!row->exact) {
        ((spg_alias_compact *)row->table)[item] =
            spg_compact_row(units, row->fraction_bits, (int32_t)item, (int32_t)alias);
    } else {
        bool full = units >> row->fraction_bits != 0;
        double threshold = started_light ? x * unit : (double)units * unit;
        ((spg_alias_exact *)row->table)[item] =
            (spg_alias_exact){full ? 1 : threshold, (int32_t)(full ? item : alias), 0};
    }
}

static inline void spg_alias_store_full(const alias_row *row, int64_t item)
{
    spg_alias_store(row, item, (uint64_t)1 << row->fraction_bits, item, false, 0);
}

#endif
