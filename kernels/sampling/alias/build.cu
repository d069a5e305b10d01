/* Builds the alias tables of all rows. Rows are binned by length (primitives/bins): short ones share a warp, others
 * take a warp or a block each, those of more than a tile go through the stages of build.cuh: many at once
 * (many_rows.cu), or the longest one after the other. */
#include "build.cuh"

#include "../../primitives/bins.cuh"

namespace spg
{
namespace alias
{

namespace
{

enum row_kind { SHORT, BY_WARP, BY_BLOCK, BIG, ROW_KINDS };

struct kind_of_row {
    numbers_view offsets;
    int64_t nnz;
    const unsigned char *is_done; /* of each row; or NULL */
    unsigned long long *first_fault;

    __device__ int operator()(int32_t row) const
    {
        int64_t begin = offsets[row], end = offsets[row + 1], items = end - begin;
        if (is_done != nullptr && is_done[row]) return -1;
        if (begin < 0 || end <= begin || end > nnz || items > INT32_MAX) {
            report_first(first_fault, row);
            return -1;
        }
        return items <= SHORT_ITEMS ? SHORT : items <= WARP_ITEMS ? BY_WARP : items <= TILE ? BY_BLOCK : BIG;
    }
};

int64_t row_bytes(bool exact) { return exact ? (int64_t)sizeof(spg_alias_exact) : (int64_t)sizeof(spg_alias_compact); }

spg_status fetch(spg_context *context, void *to, const void *from, int64_t bytes)
{
    return spg_cuda_copy_bytes(context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, bytes);
}

/* One block of memory for all notes, allocated before the first kernel can start. */
spg_status take_notes(workspace &work, int64_t items, build_notes *notes)
{
    int64_t tiles = tiles_of(items), groups = groups_of(items);
    int64_t bytes = (tiles + groups) * (int64_t)sizeof *notes->left + (int64_t)sizeof *notes->all +
                    (int64_t)sizeof *notes->sum + tiles * (int64_t)sizeof *notes->places + (int64_t)sizeof *notes->done;
    char *memory = nullptr;
    spg_status status = work.take(bytes, "notes on an alias table", &memory);
    if (status != SPG_OK) return status;
    notes->left = reinterpret_cast<left_items *>(memory);
    notes->groups = notes->left + tiles;
    notes->all = reinterpret_cast<left_by_all *>(notes->groups + groups);
    notes->sum = reinterpret_cast<row_sum *>(notes->all + 1);
    notes->places = reinterpret_cast<left_place *>(notes->sum + 1);
    notes->done = reinterpret_cast<unsigned int *>(notes->places + tiles);
    notes->first_fault = &spg_cuda_of(work.context)->report->first[0];
    return SPG_OK;
}

/* Gathers and pairs what the tiles of a big row leave, at most `room` items. */
spg_status pair_left(const workspace &held, const one_row &row, spg_alias *alias, int64_t room, build_clock &clock)
{
    workspace work(held.context, held.held_bytes());
    bool exact = alias->resolution == SPG_ALIAS_EXACT, ahead = alias->builder != SPG_ALIAS_PSA_PLUS;
    packing how = {ahead, alias->split == SPG_ALIAS_BINARY, ahead ? alias->chunks : 1, &clock, &alias->stats.splits};
    left_lists lists = {nullptr, nullptr, room, row.notes.all};
    if (room == 0) return SPG_OK;
    spg_status status = work.take(room, "items that tiles leave", &lists.sums);
    if (status == SPG_OK) status = work.take(room, "items that tiles leave", &lists.items);
    if (status == SPG_OK) status = list_left(held.context, row, exact, lists);
    if (status != SPG_OK) return status;
    clock.stamp(build_clock::PARTITION);
    return pack_lists(work, row, exact, how, room, lists);
}

/* Room for what greedily pairing tiles leave of weights of similar size: a fiftieth of the items (for uniform weights).
 * With it, the device need not wait until the host has read the counters. */
int64_t likely_left(const spg_alias &alias, int64_t items)
{
    return alias.builder == SPG_ALIAS_PSA_PLUS ? items / 16 + TILE : 0;
}

/* One big row; its sum with `scale` has been queued. *counters: what scan_left posts. */
spg_status pack_big(const workspace &held, const one_row &row, spg_alias *alias, spg_counters *counters,
                    build_clock &clock)
{
    spg_context *context = held.context;
    bool exact = alias->resolution == SPG_ALIAS_EXACT, greedy = alias->builder == SPG_ALIAS_PSA_PLUS;
    unsigned int post;
    int64_t room = likely_left(*alias, row.job.items);
    spg_status status = greedy ? pack_greedily(context, row, exact) : leave_all(context, row, exact);
    clock.stamp(build_clock::TILES);
    if (status == SPG_OK) status = scan_left(context, row, &post);
    if (status == SPG_OK) status = pair_left(held, row, alias, room, clock);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(context, post, counters);
    if (status == SPG_OK) alias->stats.left = (int64_t)counters->nnz;
    if (status != SPG_OK || counters->faults != 0 || (int64_t)counters->nnz <= room) return status;
    return pair_left(held, row, alias, (int64_t)counters->nnz, clock);
}

/* Allocates the arrays of a table. */
spg_status take_arrays(spg_context *context, const spg_csr &weights, spg_alias *alias)
{
    int64_t bytes = spg_array_bytes(weights.nnz, (size_t)row_bytes(alias->resolution == SPG_ALIAS_EXACT));
    spg_status status = copy_shape(context, weights, &alias->offsets, &alias->columns);
    return status == SPG_OK ? spg_allocate(context, bytes, "an alias table", &alias->table) : status;
}

/* The table of one row. Without memory, it is the table of all of `weights`, and its arrays are allocated while the
 * first kernels run. An infinite sum is formed again with a smaller scale; a row that cannot be drawn from is reported
 * as `row`. *sound: nothing has been reported for this row or before. */
spg_status build_big(const workspace &held, table_job job, const spg_csr &weights, spg_alias *alias, int64_t row,
                     bool *sound, build_clock &clock)
{
    spg_context *context = held.context;
    workspace work(context, held.held_bytes());
    build_notes notes;
    spg_counters counters;
    spg_status status = take_notes(work, job.items, &notes);
    double target = (double)job.items * spg_power_of_two(job.fraction_bits);
    for (double scale = 1; status == SPG_OK; scale = SPG_SCALE_DOWN) {
        workspace sums(context, work.held_bytes());
        status = sum_weights(sums, job.weights, job.items, scale, target, row, notes.first_fault, notes.sum);
        if (status == SPG_OK && job.table == nullptr) status = take_arrays(context, weights, alias);
        if (job.table == nullptr) job.table = alias->table;
        clock.stamp(build_clock::SUM);
        if (status == SPG_OK) status = pack_big(sums, {job, notes}, alias, &counters, clock);
        if (status == SPG_OK && ((counters.faults & ENDLESS_SUM) == 0 || scale < 1)) break;
    }
    if (status != SPG_OK) return status;
    *sound = counters.faults == 0;
    unsigned long long *first_fault = notes.first_fault;
    return for_each(context, (counters.faults & (NO_SUM | ENDLESS_SUM)) != 0 ? 1 : 0, "an alias table",
                    [=] __device__(int64_t) { report_first(first_fault, row); });
}

/* Items of the rows that are built at once: enough to fill a device, and a bound on workspace. */
enum { ITEMS_AT_ONCE = 1 << 24 };

/* How many rows of rows[0, count) are built at once. */
int32_t rows_at_once(const big_row *rows, int32_t count)
{
    int64_t items = 0;
    int32_t together = 0;
    while (together < count && tiles_of(rows[together].items) <= TILE && items <= ITEMS_AT_ONCE)
        items += rows[together++].items;
    return together;
}

/* Builds big rows (in host memory) in batches; one after the other if a row is alone, or a sum of the batch is
 * infinite. */
spg_status build_batches(const workspace &held, const rows_job &job, const spg_csr &weights, spg_alias *alias,
                         big_row *rows, int32_t count)
{
    spg_status status = SPG_OK;
    for (int32_t k = 0, alone = 0; status == SPG_OK && k < count;) {
        int32_t together = alone > 0 ? 1 : rows_at_once(rows + k, count - k);
        bool sound, endless = false;
        if (together > 1) {
            status = build_many(held, job.weights, *alias, rows + k, together, &endless);
            if (endless)
                alone = together;
            else
                k += together;
            continue;
        }
        int64_t begin = rows[k].begin, items = rows[k].items;
        table_job big = {job.weights.from(begin), items,
                         static_cast<char *>(job.table) + begin * row_bytes(alias->resolution == SPG_ALIAS_EXACT),
                         spg_fraction_bits(items)};
        build_clock none;
        status = build_big(held, big, weights, alias, rows[k].row, &sound, none);
        ++k;
        if (alone > 0) --alone;
    }
    return status;
}

/* Builds the big rows of a list. A copy of what describes them is in host memory and counts as workspace. */
spg_status build_big_rows(const workspace &held, const rows_job &job, const spg_csr &weights, spg_alias *alias,
                          const int32_t *row_list, uint32_t count)
{
    int64_t bytes = spg_array_bytes(count, sizeof(big_row));
    spg_context *context = held.context;
    workspace work(context, held.held_bytes() + bytes);
    big_row *here = nullptr;
    void *memory = nullptr;
    const int64_t *offsets = alias->offsets;
    spg_status status = work.take(count, "big rows", &here);
    if (status == SPG_OK)
        status = for_each(context, count, "big rows", [=] __device__(int64_t k) {
            int64_t begin = offsets[row_list[k]];
            here[k] = {row_list[k], begin, offsets[row_list[k] + 1] - begin, 0};
        });
    if (status == SPG_OK) status = spg_allocate_on_host(context, bytes, "big rows", &memory);
    if (status != SPG_OK) return status;
    status = fetch(context, memory, here, bytes);
    if (status == SPG_OK)
        status = build_batches(work, job, weights, alias, static_cast<big_row *>(memory), (int32_t)count);
    spg_release_on_host(context, memory, bytes);
    return status;
}

/* Writes the tables of listed rows without a distribution, a warp a row, and tells which these are. A warp stops at the
 * first weight that is not zero; faulty rows are left to the build. */
template <typename Bucket>
spg_status build_of_nothing(spg_context *context, const spg_csr &weights, spg_row_list rows, Bucket no_item,
                            void *table, unsigned char *is_done)
{
    Bucket *buckets = static_cast<Bucket *>(table);
    numbers_view offsets = offsets_of(weights);
    weights_view values = weights_of(weights);
    int64_t nnz = weights.nnz;
    return for_each(context, rows.count * WARP, "empty rows of weights", [=] __device__(int64_t thread) {
        int64_t row = rows.rows != nullptr ? rows.rows[thread / WARP] : thread / WARP;
        int64_t begin = offsets[row], end = offsets[row + 1];
        bool nothing = begin >= 0 && begin <= end && end <= nnz && end - begin <= INT32_MAX;
        for (int64_t k = begin; nothing && k < end; k += WARP) {
            int64_t mine = k + lane_in_warp();
            nothing = __all_sync(ALL_LANES, mine >= end || values[mine] == 0);
        }
        if (lane_in_warp() == 0) is_done[row] = nothing;
        for (int64_t k = begin + lane_in_warp(); nothing && k < end; k += WARP) buckets[k] = no_item;
    });
}

/* Builds listed rows by kind. */
spg_status build_rows(spg_context *context, const spg_csr &weights, spg_row_list list, spg_alias *alias)
{
    workspace work(context);
    int32_t rows = (int32_t)list.count, *row_list = nullptr;
    uint32_t *begins = nullptr, seen[2 * ROW_KINDS];
    char *room = nullptr;
    unsigned char *is_done = nullptr;
    bool exact = alias->resolution == SPG_ALIAS_EXACT;
    rows_job job = {offsets_of(weights), weights_of(weights), alias->table, &spg_cuda_of(context)->report->first[0]};
    int64_t bytes = 0;
    spg_status status = bins_workspace_bytes(context, rows, ROW_KINDS, &bytes);
    if (status == SPG_OK) status = work.take(rows, "rows by length", &row_list);
    if (status == SPG_OK) status = work.take(2 * ROW_KINDS, "rows by length", &begins);
    if (status == SPG_OK) status = work.take(bytes, "rows by length", &room);
    if (status == SPG_OK && alias->empty_rows) status = work.take(weights.rows, "empty rows of weights", &is_done);
    if (status == SPG_OK && alias->empty_rows)
        status = exact ? build_of_nothing(context, weights, list, spg_exact_nothing(), alias->table, is_done)
                       : build_of_nothing(context, weights, list, spg_compact_nothing(), alias->table, is_done);
    if (status == SPG_OK)
        status = bin_rows(context, {list.rows, rows, nullptr},
                          kind_of_row{job.offsets, weights.nnz, is_done, job.first_fault}, ROW_KINDS, room,
                          {row_list, begins, begins + ROW_KINDS});
    if (status == SPG_OK) status = fetch(context, seen, begins, sizeof seen);
    const uint32_t *counts = begins + ROW_KINDS, *seen_counts = seen + ROW_KINDS;
    if (status == SPG_OK && seen_counts[SHORT] > 0)
        status = build_short(context, job, exact, row_list + seen[SHORT], counts + SHORT, seen_counts[SHORT]);
    if (status == SPG_OK && seen_counts[BY_WARP] > 0)
        status = build_by_warp(context, job, exact, row_list + seen[BY_WARP], counts + BY_WARP, seen_counts[BY_WARP]);
    if (status == SPG_OK && seen_counts[BY_BLOCK] > 0)
        status =
            build_by_block(context, job, exact, row_list + seen[BY_BLOCK], counts + BY_BLOCK, seen_counts[BY_BLOCK]);
    if (status != SPG_OK || seen_counts[BIG] == 0) return status;
    return build_big_rows(work, job, weights, alias, row_list + seen[BIG], seen_counts[BIG]);
}

/* Whether the weights of one row are all zeros, so that it may have no distribution. Waits. */
spg_status find_all_zeros(spg_context *context, const spg_csr &weights, bool *all_zeros)
{
    weights_view values = weights_of(weights);
    unsigned long long *first = &spg_cuda_of(context)->report->first[1];
    spg_report report;
    spg_status status = for_each(context, weights.nnz, "looking for a weight", [=] __device__(int64_t k) {
        if (values[k] != 0) report_first(first, 0); /* NaN too */
    });
    if (status == SPG_OK) status = read_report(context, &report);
    if (status == SPG_OK) *all_zeros = report.first[1] == NONE_FIRST;
    return status;
}

/* Builds listed rows. The arrays of a new table are allocated. */
spg_status build(spg_context *context, const spg_csr &weights, spg_row_list list, bool is_new, spg_alias *alias)
{
    if (weights.rows > INT32_MAX) /* binning numbers rows in 32 bits */
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED,
                                "weights: %lld rows; alias tables on a device take up to 2147483647",
                                (long long)weights.rows);
    spg_status status = clear_report(context);
    bool sound = false, is_one = weights.rows == 1 && weights.nnz > TILE && weights.nnz <= INT32_MAX, nothing = false;
    if (status == SPG_OK && is_one && alias->empty_rows) status = find_all_zeros(context, weights, &nothing);
    if (status == SPG_OK && is_one && !nothing) {
        /* The host knows the number of items if the offsets are sound. */
        table_job job = {weights_of(weights), weights.nnz, alias->table, spg_fraction_bits(weights.nnz)};
        build_clock clock;
        status = clock.start(context);
        if (status == SPG_OK) status = build_big(workspace(context), job, weights, alias, 0, &sound, clock);
        if (status == SPG_OK) status = clock.read(context, &alias->stats);
    } else if (status == SPG_OK) {
        if (is_new) status = take_arrays(context, weights, alias);
        if (status == SPG_OK && list.count > 0) status = build_rows(context, weights, list, alias);
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
    status = spg::alias::build(context, *weights, {nullptr, weights->rows}, true, alias);
    /* The caller may free the weights now, and other contexts may draw. */
    if (status == SPG_OK) status = spg_cuda_wait(context);
    if (status != SPG_OK) spg_alias_free_arrays(alias);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_alias_fill(spg_context *context, const spg_csr *weights, spg_row_list rows, spg_alias *alias)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::alias::build(context, *weights, rows, false, alias);
    if (status == SPG_OK) status = spg_cuda_wait(context);
    spg_cuda_leave(context);
    return status;
}
