/* Builds the alias tables of many rows of more than a tile at once: each stage of build.cuh takes the tiles of all
 * rows, or the parts of all their lists. The host waits once, for the room that the lists need. */
#include "build.cuh"

namespace spg
{
namespace alias
{

namespace
{

/* Numbers the rows' tiles. */
int64_t number_tiles(big_row *rows, int32_t count)
{
    int64_t tiles = 0;
    for (int32_t k = 0; k < count; ++k) {
        rows[k].first_tile = tiles;
        tiles += tiles_of(rows[k].items);
    }
    return tiles;
}

/* Takes memory for `count` elements at *from. */
template <typename T> T *cut(uintptr_t *from, int64_t count)
{
    uintptr_t memory = *from;
    *from += (uintptr_t)spg_array_bytes(count, sizeof(T));
    return reinterpret_cast<T *>(memory);
}

/* Divides `memory` into the arrays of `rows`, which knows the numbers of rows and tiles; returns their bytes. With
 * memory NULL it only computes these. The largest elements come first, so that all are aligned. */
int64_t cut_arrays(char *memory, many_rows *rows, big_row **list, int32_t **row_of_tile, double **tile_sums)
{
    uintptr_t at = reinterpret_cast<uintptr_t>(memory);
    int64_t tiles = rows->rows.tiles, count = rows->rows.count;
    *list = cut<big_row>(&at, count);
    rows->notes.sum = cut<row_sum>(&at, count);
    rows->notes.all = cut<left_by_all>(&at, count);
    rows->notes.left = cut<left_items>(&at, tiles);
    rows->left = cut<left_of_rows>(&at, 1);
    *tile_sums = cut<double>(&at, tiles);
    rows->notes.places = cut<left_place>(&at, tiles);
    *row_of_tile = cut<int32_t>(&at, tiles);
    rows->row_of_part = cut<int32_t>(&at, tiles);
    return (int64_t)(at - reinterpret_cast<uintptr_t>(memory));
}

/* Copies the list of rows to the device, and makes the tables that follow from it. */
spg_status bring_rows(spg_context *context, const big_row *rows, int32_t count, int64_t tiles, big_row *list,
                      int32_t *row_of_tile)
{
    int64_t bytes = spg_array_bytes(count, sizeof *list);
    spg_status status = spg_cuda_copy_bytes(context, list, SPG_PLACE_DEVICE, rows, SPG_PLACE_HOST, bytes);
    if (status != SPG_OK) return status;
    return for_each(context, tiles, "numbering tiles of rows", [=] __device__(int64_t tile) {
        row_of_tile[tile] = first_that(0, count, [=](int32_t k) { return list[k].first_tile > tile; }) - 1;
    });
}

/* Lists what is left, and pairs it. */
spg_status pair_left_of_rows(const workspace &held, const many_rows &rows, bool exact, const spg_counters &counters)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    int64_t room = (int64_t)counters.nnz;
    left_lists lists = {nullptr, nullptr, room, nullptr};
    if (room == 0) return SPG_OK;
    spg_status status = work.take(room, "items that tiles leave", &lists.sums);
    if (status == SPG_OK) status = work.take(room, "items that tiles leave", &lists.items);
    if (status == SPG_OK) status = list_left(context, rows, exact, lists);
    return status == SPG_OK ? pack_lists(context, rows, exact, (int64_t)counters.products, lists) : status;
}

} // namespace

spg_status build_many(const workspace &held, weights_view weights, const spg_alias &alias, big_row *rows, int32_t count,
                      bool *endless)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    bool exact = alias.resolution == SPG_ALIAS_EXACT;
    many_rows many = {};
    char *memory = nullptr;
    big_row *list;
    int32_t *row_of_tile;
    double *tile_sums;
    unsigned int post;
    spg_counters counters;
    many.rows.count = count;
    many.rows.tiles = number_tiles(rows, count);
    many.weights = weights;
    many.table = static_cast<char *>(alias.table);
    many.row_bytes = exact ? (int64_t)sizeof(spg_alias_exact) : (int64_t)sizeof(spg_alias_compact);
    spg_status status =
        work.take(cut_arrays(nullptr, &many, &list, &row_of_tile, &tile_sums), "notes on alias tables", &memory);
    if (status != SPG_OK) return status;
    cut_arrays(memory, &many, &list, &row_of_tile, &tile_sums);
    many.rows.list = list;
    many.rows.row_of_tile = row_of_tile;
    many.notes.groups = &many.left->none;
    many.notes.done = &many.left->done;
    many.notes.first_fault = &spg_cuda_of(context)->report->first[0];
    status = bring_rows(context, rows, count, many.rows.tiles, list, row_of_tile);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(context, many.left, sizeof *many.left);
    if (status == SPG_OK)
        status = sum_weights_of_rows(context, weights, many.rows, many.notes.first_fault, tile_sums, many.notes.sum);
    if (status == SPG_OK)
        status =
            alias.builder == SPG_ALIAS_PSA_PLUS ? pack_greedily(context, many, exact) : leave_all(context, many, exact);
    if (status == SPG_OK) status = scan_left(context, many, &post);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(context, post, &counters);
    *endless = status == SPG_OK && (counters.faults & ENDLESS_SUM) != 0;
    if (status != SPG_OK || counters.faults != 0) return status;
    return pair_left_of_rows(work, many, exact, counters);
}

} // namespace alias
} // namespace spg
