/* Alias tables of all rows: rows by length (primitives/bins), short ones to a thread, a warp or a block each, those of
 * more than a tile by the stages of alias_build.cuh, one after the other. */
#include "alias_build.cuh"

#include "../primitives/bins.cuh"

namespace spg
{
namespace alias
{

namespace
{

enum row_kind { BY_THREAD, BY_WARP, BY_BLOCK, BIG, ROW_KINDS };

struct kind_of_row {
    numbers_view offsets;
    int64_t nnz;
    unsigned long long *first_fault;

    __device__ int operator()(int32_t row) const
    {
        int64_t begin = offsets[row], end = offsets[row + 1], items = end - begin;
        if (begin < 0 || items <= 0 || end > nnz || items > INT32_MAX) {
            report_first(first_fault, row);
            return -1;
        }
        return items <= THREAD_ITEMS ? BY_THREAD : items <= WARP_ITEMS ? BY_WARP : items <= TILE ? BY_BLOCK : BIG;
    }
};

/* What the host waits for, once for a table. */
struct build_notes {
    row_sum sum;
    left_items left;
    unsigned long long first_fault;
};

int64_t row_bytes(bool exact) { return exact ? (int64_t)sizeof(spg_alias_exact) : (int64_t)sizeof(spg_alias_compact); }

spg_status fetch(spg_context *context, void *to, const void *from, int64_t bytes)
{
    return spg_cuda_copy_bytes(context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, bytes);
}

/* What the tiles of a big row leave, brought together and paired. Sizes its lists by what the host has read. */
spg_status pair_left(spg_context *context, const table_job &job, bool exact, const row_sum *sum,
                     const tile_notes &notes, const left_items &left)
{
    workspace work(context);
    left_lists lists = {nullptr, nullptr, nullptr, nullptr, left};
    spg_status status = work.take(left.lights, "lights of an alias table", &lists.lacks);
    if (status == SPG_OK) status = work.take(left.heavies, "heavies of an alias table", &lists.over);
    if (status == SPG_OK) status = work.take(left.lights, "lights of an alias table", &lists.light_items);
    if (status == SPG_OK) status = work.take(left.heavies, "heavies of an alias table", &lists.heavy_items);
    if (status == SPG_OK) status = list_left(context, job, exact, notes, lists);
    return status == SPG_OK ? pack_lists(work, job, exact, sum, lists) : status;
}

/* One big row. A sum that is infinite is formed again, smaller; one that can't be drawn from is reported as `row`.
 * *sound: nothing has been reported, of this row or before. */
spg_status build_big(spg_context *context, const table_job &job, const spg_alias &alias, int64_t row, bool *sound)
{
    workspace work(context);
    bool exact = alias.resolution == SPG_ALIAS_EXACT, greedy = alias.builder == SPG_ALIAS_PSA_PLUS;
    unsigned long long *first_fault = &spg_cuda_of(context)->report->first[0];
    int64_t tiles = tiles_of(job.items);
    build_notes *noted = nullptr, seen;
    spg_status status = work.take(1, "notes on an alias table", &noted);
    tile_notes notes = {nullptr, nullptr};
    if (status == SPG_OK) status = work.take(tiles + 1, "notes on an alias table", &notes.left);
    if (status == SPG_OK) status = work.take(tiles, "notes on an alias table", &notes.places);
    if (status != SPG_OK) return status;
    row_sum *sum = &noted->sum;
    double target = (double)job.items * spg_power_of_two(job.fraction_bits);
    for (double scale = 1;; scale = SPG_SCALE_DOWN) {
        workspace sums(context);
        status = sum_weights(sums, job.weights, job.items, scale, target, row, first_fault, sum);
        if (status == SPG_OK)
            status =
                greedy ? pack_greedily(context, job, exact, sum, notes) : leave_all(context, job, exact, sum, notes);
        if (status == SPG_OK) status = scan_left(sums, job.items, notes);
        if (status == SPG_OK)
            status = for_each(context, 1, "notes on an alias table", [=] __device__(int64_t) {
                noted->left = notes.left[tiles];
                noted->first_fault = *first_fault;
            });
        if (status == SPG_OK) status = fetch(context, &seen, noted, sizeof seen);
        if (status != SPG_OK) return status;
        if (!(seen.sum.total > LARGEST) || scale < 1) break;
    }
    /* Else the call will fail, and what tiles left means nothing. */
    bool has_sum = seen.sum.total > 0 && seen.sum.total <= LARGEST;
    *sound = seen.first_fault == NONE_FIRST && has_sum;
    if (*sound) return pair_left(context, job, exact, sum, notes, seen.left);
    return for_each(context, has_sum ? 0 : 1, "an alias table",
                    [=] __device__(int64_t) { report_first(first_fault, row); });
}

struct big_row {
    int64_t row, begin, end;
};

/* The big rows of a list, one after the other: each takes all of the device. */
spg_status build_big_rows(spg_context *context, const rows_job &job, const spg_alias &alias, const int32_t *row_list,
                          uint32_t count)
{
    workspace work(context);
    bool exact = alias.resolution == SPG_ALIAS_EXACT;
    big_row *here = nullptr;
    void *memory = nullptr;
    int64_t bytes = spg_array_bytes(count, sizeof(big_row));
    const int64_t *offsets = alias.offsets;
    spg_status status = work.take(count, "big rows", &here);
    if (status == SPG_OK)
        status = for_each(context, count, "big rows", [=] __device__(int64_t k) {
            here[k] = {row_list[k], offsets[row_list[k]], offsets[row_list[k] + 1]};
        });
    if (status == SPG_OK) status = spg_allocate_on_host(context, bytes, "big rows", &memory);
    if (status != SPG_OK) return status;
    const big_row *rows = static_cast<const big_row *>(memory);
    status = fetch(context, memory, here, bytes);
    for (uint32_t k = 0; status == SPG_OK && k < count; ++k) {
        int64_t begin = rows[k].begin, items = rows[k].end - begin;
        table_job big = {job.weights.from(begin), items, static_cast<char *>(job.table) + begin * row_bytes(exact),
                         spg_fraction_bits(items)};
        bool sound;
        status = build_big(context, big, alias, rows[k].row, &sound);
    }
    spg_release_on_host(context, memory, bytes);
    return status;
}

/* Rows by kind. */
spg_status build_rows(spg_context *context, const spg_csr &weights, const spg_alias &alias)
{
    workspace work(context);
    int32_t rows = (int32_t)weights.rows, *row_list = nullptr;
    uint32_t *begins = nullptr, seen[2 * ROW_KINDS];
    char *room = nullptr;
    bool exact = alias.resolution == SPG_ALIAS_EXACT;
    rows_job job = {offsets_of(weights), weights_of(weights), alias.table, &spg_cuda_of(context)->report->first[0]};
    int64_t bytes = bins_workspace_bytes(context, rows, ROW_KINDS);
    if (bytes == 0) return SPG_ERROR_DEVICE;
    spg_status status = work.take(rows, "rows by length", &row_list);
    if (status == SPG_OK) status = work.take(2 * ROW_KINDS, "rows by length", &begins);
    if (status == SPG_OK) status = work.take(bytes, "rows by length", &room);
    if (status == SPG_OK)
        status = bin_rows(context, {nullptr, rows, nullptr}, kind_of_row{job.offsets, weights.nnz, job.first_fault},
                          ROW_KINDS, room, {row_list, begins, begins + ROW_KINDS});
    if (status == SPG_OK) status = fetch(context, seen, begins, sizeof seen);
    const uint32_t *counts = begins + ROW_KINDS, *seen_counts = seen + ROW_KINDS;
    if (status == SPG_OK && seen_counts[BY_THREAD] > 0)
        status = build_by_thread(context, job, exact, row_list + seen[BY_THREAD], counts + BY_THREAD,
                                 seen_counts[BY_THREAD]);
    if (status == SPG_OK && seen_counts[BY_WARP] > 0)
        status = build_by_warp(context, job, exact, row_list + seen[BY_WARP], counts + BY_WARP, seen_counts[BY_WARP]);
    if (status == SPG_OK && seen_counts[BY_BLOCK] > 0)
        status =
            build_by_block(context, job, exact, row_list + seen[BY_BLOCK], counts + BY_BLOCK, seen_counts[BY_BLOCK]);
    if (status != SPG_OK || seen_counts[BIG] == 0) return status;
    return build_big_rows(context, job, alias, row_list + seen[BIG], seen_counts[BIG]);
}

spg_status build(spg_context *context, const spg_csr &weights, spg_alias *alias)
{
    void *memory = nullptr;
    bool exact = alias->resolution == SPG_ALIAS_EXACT;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = copy_shape(context, weights, &alias->offsets, &alias->columns);
    if (status == SPG_OK)
        status =
            spg_allocate(context, spg_array_bytes(weights.nnz, (size_t)row_bytes(exact)), "an alias table", &memory);
    alias->table = memory;
    bool sound = false;
    if (status == SPG_OK && weights.rows == 1 && weights.nnz > TILE && weights.nnz <= INT32_MAX) {
        /* The host knows its number of items, if its offsets are sound. */
        table_job job = {weights_of(weights), weights.nnz, memory, spg_fraction_bits(weights.nnz)};
        status = build_big(context, job, *alias, 0, &sound);
    } else if (status == SPG_OK && weights.rows > 0) {
        status = build_rows(context, weights, *alias);
    }
    if (status != SPG_OK || sound) return status;
    spg_report report;
    status = read_report(context, &report);
    if (status != SPG_OK || report.first[0] == NONE_FIRST) return status;
    return fail_by_report(context, weights, report);
}

} // namespace

} // namespace alias
} // namespace spg

spg_status spg_cuda_alias_build(spg_context *context, const spg_csr *weights, spg_alias *alias)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::alias::build(context, *weights, alias);
    if (status != SPG_OK) spg_alias_free_arrays(alias);
    spg_cuda_leave(context);
    return status;
}
