/* One draw from each row of weights (src/sampling/sums.h has the definitions), one thread per row. */
#include "../work.h"
#include "host_sampling.h"
#include "memory.h"
#include "sampling/faults.h"
#include "weights.h"

#include <float.h>

/* A row to draw from, and the scale of its weights when it is known. */
typedef struct row_weights {
    const void *values; /* from its first item on */
    spg_type type;
    int64_t items, lane; /* lane: its number modulo 32 */
    int lead;
    double scale;
} row_weights;

static double weight_of(const row_weights *row, int64_t item)
{
    return spg_weight_at(row->values, row->type, item) * row->scale;
}

static int64_t last_positive(const row_weights *row)
{
    int64_t item = row->items - 1;
    while (item > 0 && !(weight_of(row, item) > 0)) --item;
    return item;
}

/* The draws below return an item, or one of these. */
enum { CANNOT_DRAW = -1, NOTHING_TO_DRAW = -2 };

/* What a row is, by its sum, that cannot be drawn from. */
static int64_t refuse_sum(bool sound, double sum) { return sound && sum == 0 ? NOTHING_TO_DRAW : CANNOT_DRAW; }

/* Tiles of the tree, in which `lead` items of +0 precede the row's items. */
static int64_t tiles_of(const row_weights *row) { return spg_sum_tiles(row->lead + row->items); }

static int tile_levels(const row_weights *row)
{
    return tiles_of(row) > 1 ? SPG_SUM_TILE_LEVELS : spg_levels(row->lead + row->items);
}

/* The tree of a tile; *sound as for spg_tree_leaves. The padding of the leaves extends into the level above, which is
 * filled later. */
static double fill_tile(const row_weights *row, int64_t tile, double *tree, bool *sound)
{
    int levels = tile_levels(row), skip = tile == 0 ? row->lead : 0;
    int64_t first = tile * SPG_SUM_TILE - row->lead + skip, rest = row->items - first;
    int count = rest < SPG_SUM_TILE - skip ? (int)rest : SPG_SUM_TILE - skip;
    for (int k = 0; k < skip; ++k) tree[k] = 0;
    *sound &= spg_tree_leaves(row->values, row->type, first, count, row->scale, levels, tree + skip);
    return spg_tree_fill_f64(tree, levels);
}

/* The sums of all tiles and the tree over them; `tree` is then that of the last tile. */
static double sum_tiles(const row_weights *row, double *tree, double *tile_tree, bool *sound)
{
    int64_t tiles = tiles_of(row);
    int levels = spg_levels(tiles);
    for (int64_t t = 0; t < tiles; ++t) tile_tree[t] = fill_tile(row, t, tree, sound);
    for (int64_t t = tiles; t < (int64_t)1 << levels; ++t) tile_tree[t] = 0;
    return spg_tree_fill_f64(tile_tree, levels);
}

static int64_t draw_by_tree(row_weights *row, double u, double *tile_tree)
{
    double tree[2 * SPG_SUM_TILE], base = 0;
    int64_t tiles = tiles_of(row);
    bool sound = true;
    double sum = sum_tiles(row, tree, tile_tree, &sound);
    if (sound && sum > DBL_MAX) {
        row->scale = SPG_SCALE_DOWN;
        sum = sum_tiles(row, tree, tile_tree, &sound);
    }
    if (!sound || !(sum > 0 && sum <= DBL_MAX)) return refuse_sum(sound, sum);
    const double target = spg_target_f64(u, sum);
    int64_t tile = spg_tree_descend(tile_tree, spg_levels(tiles), target, &base);
    if (tile != tiles - 1) fill_tile(row, tile, tree, &sound);
    return tile * SPG_SUM_TILE - row->lead + spg_tree_descend(tree, tile_levels(row), target, &base);
}

/* The running sum; for a faulty row it is not positive or not finite. */
static double sum_in_order(const row_weights *row, int64_t from, int64_t to, double sum, bool *sound)
{
    for (int64_t k = from; k < to; ++k) {
        double weight = weight_of(row, k);
        *sound &= weight >= 0;
        sum += weight;
    }
    return sum;
}

static int64_t find_in_order(const row_weights *row, int64_t to, double target)
{
    double sum = 0;
    for (int64_t k = 0; k < to; ++k) {
        sum += weight_of(row, k);
        if (target < sum) return k;
    }
    return -1;
}

static int64_t draw_in_order(row_weights *row, double u, double *unused)
{
    bool sound = true;
    (void)unused;
    row->scale = 1;
    double sum = sum_in_order(row, 0, row->items, 0, &sound);
    if (sound && sum > DBL_MAX) {
        row->scale = SPG_SCALE_DOWN;
        sum = sum_in_order(row, 0, row->items, 0, &sound);
    }
    if (!sound || !(sum > 0 && sum <= DBL_MAX)) return refuse_sum(sound, sum);
    int64_t found = find_in_order(row, row->items, spg_target_f64(u, sum));
    return found >= 0 ? found : last_positive(row);
}

/* The tree over a block of 32 items; *sound as for spg_tree_leaves. */
static double fill_block(const row_weights *row, int64_t first, double *tree, bool *sound)
{
    *sound &= spg_tree_leaves(row->values, row->type, first, SPG_BLOCK, row->scale, SPG_BLOCK_LEVELS, tree);
    return spg_block_fill_f64(tree);
}

static double sum_blocks(const row_weights *row, bool *sound)
{
    double tree[2 * SPG_BLOCK];
    int64_t remnant = row->items % SPG_BLOCK;
    double sum = sum_in_order(row, 0, remnant, 0, sound);
    for (int64_t first = remnant; first < row->items; first += SPG_BLOCK) sum += fill_block(row, first, tree, sound);
    return sum;
}

/* The item at target. The search in a block may end next to it, at an item of weight 0. */
static int64_t find_by_table(const row_weights *row, double target)
{
    double tree[2 * SPG_BLOCK];
    bool sound = true;
    int64_t remnant = row->items % SPG_BLOCK, chosen = -1;
    double sum = sum_in_order(row, 0, remnant, 0, &sound), low = 0, high = 0;
    if (target < sum) return find_in_order(row, remnant, target);
    for (int64_t first = remnant; first < row->items; first += SPG_BLOCK) {
        double block_sum = fill_block(row, first, tree, &sound), next = sum + block_sum;
        if (block_sum > 0) chosen = first, low = sum, high = next;
        if (target < next) break;
        sum = next;
    }
    if (chosen < 0) return remnant - 1;
    fill_block(row, chosen, tree, &sound);
    return chosen + spg_search_block_f64(tree, row->lane, low, high, target);
}

static int64_t draw_by_table(row_weights *row, double u, double *unused)
{
    bool sound = true;
    (void)unused;
    row->scale = 1;
    double sum = sum_blocks(row, &sound);
    if (sound && sum > DBL_MAX) {
        row->scale = SPG_SCALE_DOWN;
        sum = sum_blocks(row, &sound);
    }
    if (!sound || !(sum > 0 && sum <= DBL_MAX)) return refuse_sum(sound, sum);
    int64_t found = find_by_table(row, spg_target_f64(u, sum)), item = found;
    while (item < row->items && !(weight_of(row, item) > 0)) ++item;
    return item < row->items ? item : last_positive(row);
}

enum { MOST_LEAD = SPG_LANE_BYTES / (int)sizeof(float) - 1 };

typedef int64_t row_draw(row_weights *row, double u, double *tile_tree);

static double uniform_of(const spg_random *random, const void *uniforms, spg_type type, int64_t i)
{
    if (uniforms != NULL) return spg_weight_at(uniforms, type, i);
    return spg_uniform_f64(spg_random_number(random->seed, random->stream, random->first + (uint64_t)i));
}

/* The rows of one call, and the first faulty ones. */
typedef struct row_call {
    const spg_csr *weights;
    const spg_random *random;
    const void *uniforms;
    row_draw *draw;
    int32_t *draws;
    double *trees; /* of the tiles' sums; tree_size for each thread */
    int64_t tree_size;
    bool empty_rows; /* are allowed */
    atomic_llong *bad_row, *bad_uniform;
} row_call;

static void draw_from_rows(const void *data, spg_range rows)
{
    const row_call *call = data;
    double *tile_tree = call->trees + call->tree_size * rows.thread;
    const spg_csr *weights = call->weights;
    size_t size = spg_type_size(weights->value_type);
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t begin = spg_offset_at(weights, i);
        double u = uniform_of(call->random, call->uniforms, weights->value_type, i);
        int64_t items = spg_offset_at(weights, i + 1) - begin;
        row_weights row = {(const char *)weights->values + (size_t)begin * size,
                           weights->value_type,
                           items,
                           i % SPG_BLOCK,
                           spg_row_lead(begin, items, (int)size),
                           1};
        bool u_is_sound = u >= 0 && u < 1;
        int64_t item = call->draw(&row, u_is_sound ? u : 0, tile_tree);
        if (!u_is_sound) spg_lower(call->bad_uniform, i);
        if (item == NOTHING_TO_DRAW && call->empty_rows)
            call->draws[i] = SPG_NO_ITEM;
        else if (item < 0)
            spg_lower(call->bad_row, i);
        else
            call->draws[i] = weights->columns != NULL ? weights->columns[begin + item] : (int32_t)item;
    }
}

spg_status spg_host_row_draws(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                              const spg_random *random, const void *uniforms, int32_t *draws)
{
    static row_draw *const methods[] = {draw_by_tree, draw_in_order, draw_in_order, draw_by_table};
    atomic_llong bad_row = weights->rows, bad_uniform = weights->rows;
    int64_t longest = 0;
    spg_status status = spg_host_open_weights(context, weights, context->draw_options.trusted != 0, &longest);
    if (status != SPG_OK) return status;
    const spg_threads threads = spg_host_threads(context, weights->nnz + weights->rows);
    const int64_t tree_size = spg_tree_size(spg_sum_tiles(longest + MOST_LEAD));
    const int64_t tree_bytes = spg_array_bytes(tree_size * threads.count, sizeof(double));
    void *trees = NULL;
    status = spg_allocate_workspace(context, 0, tree_bytes, "sums of tiles of weights", &trees);
    if (status != SPG_OK) return status;
    const row_call call = {weights,  random,      uniforms,  methods[method],
                           draws,    trees,       tree_size, context->draw_options.empty_rows != 0,
                           &bad_row, &bad_uniform};
    spg_host_parallel_rows(threads, weights, spg_host_parts(threads), draw_from_rows, &call);
    spg_release(context, trees, tree_bytes);
    if (bad_row < weights->rows) return spg_host_fail_weights(context, weights, bad_row);
    if (bad_uniform < weights->rows)
        return spg_fail_uniform(context, bad_uniform, spg_weight_at(uniforms, weights->value_type, bad_uniform));
    return SPG_OK;
}
