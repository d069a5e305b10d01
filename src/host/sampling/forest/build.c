/* Bounds, guide tables and trees of all rows (src/sampling/forest.h): short and middle rows by one thread each, long
 * ones one after another by all threads. */
#include "host/sampling/host_sampling.h"
#include "host/sampling/weights.h"
#include "host/work.h"
#include "memory.h"
#include "row.h"

/* Doubles for the tree of sums, and one more number per tile. */
static int64_t room_of(int64_t items) { return spg_tree_size(spg_sum_tiles(items)) + spg_sum_tiles(items); }

static forest_row row_of(const spg_csr *weights, const spg_forest *forest, int64_t i)
{
    int64_t begin = forest->offsets[i];
    size_t size = spg_type_size(weights->value_type);
    forest_row row = {.weights = (const char *)weights->values + (size_t)begin * size,
                      .type = weights->value_type,
                      .items = forest->offsets[i + 1] - begin,
                      .view = spg_forest_row(forest, i)};
    return row;
}

static bool build_row(const spg_csr *weights, const void *forest, int64_t i, spg_threads threads, void *memory)
{
    forest_row row = row_of(weights, forest, i);
    double *room = memory, sum = 0, scale = 1;
    bool sound = spg_host_row_sum(threads, row.weights, row.type, row.items, room, &sum, &scale);
    const spg_row_kind kind = spg_kind_of_row(sound, sum, ((const spg_forest *)forest)->empty_rows);
    if (kind == SPG_ROW_OF_NOTHING) spg_forest_fill_with_nothing(&row);
    if (kind != SPG_ROW_SOUND) return kind == SPG_ROW_OF_NOTHING;
    row.scale = spg_units_of_row(sum, scale, SPG_FOREST_TARGET);
    spg_forest_fill_bounds(&row, threads, (uint64_t *)(room + spg_tree_size(spg_sum_tiles(row.items))));
    spg_forest_fill_guide(&row, threads);
    if (row.view.nodes != NULL) spg_forest_plant(&row, threads);
    return true;
}

/* Computes where each row's guide begins, and allocates all guides. */
static spg_status allocate_guides(spg_context *context, spg_forest *forest)
{
    void *memory = NULL;
    int64_t bytes = spg_array_bytes(forest->rows + 1, sizeof *forest->guide_offsets);
    spg_status status = spg_allocate(context, bytes, "offsets of guide tables", &memory);
    if (status != SPG_OK) return status;
    forest->guide_offsets = memory;
    forest->guide_offsets[0] = 0;
    for (int64_t i = 0; i < forest->rows; ++i) {
        int64_t items = forest->offsets[i + 1] - forest->offsets[i];
        int64_t cells = (int64_t)1 << spg_guide_bits(items, forest->cells_per_item);
        forest->guide_offsets[i + 1] = forest->guide_offsets[i] + cells + 1;
    }
    int64_t count = forest->guide_offsets[forest->rows];
    status = spg_allocate(context, spg_array_bytes(count, sizeof *forest->guide), "guide tables", &memory);
    if (status != SPG_OK) return status;
    forest->guide = memory;
    forest->guide_count = count;
    return SPG_OK;
}

static spg_status allocate_bounds(spg_context *context, spg_forest *forest)
{
    void *memory = NULL;
    bool radix = forest->method == SPG_FOREST_RADIX;
    size_t size = radix ? sizeof *forest->nodes : sizeof *forest->bounds;
    spg_status status = spg_allocate(context, spg_array_bytes(forest->nnz, size), radix ? "nodes" : "bounds", &memory);
    if (radix)
        forest->nodes = memory;
    else
        forest->bounds = memory;
    return status;
}

spg_status spg_host_forest_build(spg_context *context, const spg_csr *weights, spg_forest *forest)
{
    int64_t longest = 0;
    void *room = NULL;
    spg_status status = spg_host_open_weights(context, weights, false, &longest);
    if (status == SPG_OK) status = spg_host_copy_shape(context, weights, &forest->offsets, &forest->columns);
    if (status == SPG_OK) status = allocate_guides(context, forest);
    if (status == SPG_OK) status = allocate_bounds(context, forest);
    spg_threads threads = spg_host_threads(context, weights->nnz + weights->rows);
    int64_t thread_bytes = room_of(longest < SPG_TEAM_ITEMS ? longest : SPG_TEAM_ITEMS) * (int64_t)sizeof(double);
    int64_t bytes = thread_bytes * threads.count + spg_array_bytes(room_of(longest), sizeof(double));
    if (status == SPG_OK) status = spg_allocate_workspace(context, 0, bytes, "sums of tiles of weights", &room);
    if (status == SPG_OK) {
        const spg_threads team = spg_host_threads_up_to(context, INT64_MAX);
        int64_t bad = spg_host_build_rows(weights, build_row, forest, threads, team, thread_bytes, room);
        if (bad < weights->rows) status = spg_host_fail_weights(context, weights, bad);
    }
    spg_release(context, room, bytes);
    if (status != SPG_OK) spg_forest_free_arrays(forest);
    return status;
}
