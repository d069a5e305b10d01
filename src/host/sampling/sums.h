/* Tree sums and the descent in them (src/sampling/sums.h). Private.
 *
 * A block of up to SPG_SUM_TILE leaves is stored completely: level h begins at spg_level_begin. A longer row uses a
 * tree over the sums of its tiles. */
#ifndef SPG_SRC_HOST_SAMPLING_SUMS_H
#define SPG_SRC_HOST_SAMPLING_SUMS_H

#include "../work.h"
#include "sampling/sums.h"

enum { SPG_SUM_TILE_LEVELS = 10, SPG_SUM_TILE = 1 << SPG_SUM_TILE_LEVELS };

static inline int64_t spg_sum_tiles(int64_t items) { return (items + SPG_SUM_TILE - 1) / SPG_SUM_TILE; }

/* The number of doubles of a tree over this many leaves, padded to a power of two. */
static inline int64_t spg_tree_size(int64_t leaves) { return (int64_t)2 << spg_levels(leaves); }

/* A tree whose 2^levels leaves are at tree[0]: fills the levels above, one after another; returns the root. */
float spg_tree_fill_f32(float *tree, int levels);
double spg_tree_fill_f64(double *tree, int levels);

/* The leaf at target, from the root down. *base is the sum before the root, then before the leaf. */
int64_t spg_tree_descend(const double *tree, int levels, double target, double *base);

/* TABLE DRAW. fill: the tree of a block, in the same way. search: the leaf at target in a block whose sums go from low
 * to high. Of a node's two children the paper's table holds only one, the left one if the lane's bit is clear
 * (Algorithms 9 and 10). */
enum { SPG_BLOCK_LEVELS = 5, SPG_BLOCK = 1 << SPG_BLOCK_LEVELS };
float spg_block_fill_f32(float *tree);
double spg_block_fill_f64(double *tree);
int32_t spg_search_block_f32(const float *tree, int64_t lane, float low, float high, float target);
int32_t spg_search_block_f64(const double *tree, int64_t lane, double low, double high, double target);

/* Leaves of `count` <= SPG_SUM_TILE weights times scale, padded to 2^levels. False if a weight is negative or NaN. */
bool spg_tree_leaves_f32(const float *weights, int count, double scale, int levels, double *tree);
bool spg_tree_leaves_f64(const double *weights, int count, double scale, int levels, double *tree);

/* The sum of a row, by the context's threads, and its scale. tile_sums, of spg_tree_size(spg_sum_tiles(items)) doubles,
 * receives the tree over the tiles. False if a weight is negative, NaN or infinite. */
bool spg_host_row_sum(spg_threads threads, const void *weights, spg_type type, int64_t items, double *tile_tree,
                      double *sum, double *scale);

/* The leaves from item `first` on, for either type. */
static inline bool spg_tree_leaves(const void *weights, spg_type type, int64_t first, int count, double scale,
                                   int levels, double *tree)
{
    return type == SPG_F32 ? spg_tree_leaves_f32((const float *)weights + first, count, scale, levels, tree)
                           : spg_tree_leaves_f64((const double *)weights + first, count, scale, levels, tree);
}

/* Weight k, as double. */
static inline double spg_weight_at(const void *weights, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)weights)[k] : ((const double *)weights)[k];
}

#endif
