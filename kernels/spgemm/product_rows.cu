/* Counts and fills the rows of a product by the path that route/route.cuh chose: which kernels run, and which kernels
 * do the rows that these leave. */
#include "../cuda_backend.h"
#include "assemble/assemble.cuh"
#include "driver/counters.cuh"
#include "product_state.cuh"

#include <algorithm>

namespace spg
{

namespace
{

/* Slots of a table to fill by (route/tuned.cuh). */
int slots_to_fill(int64_t longest)
{
    const int fitting = table_for(longest);
    if (longest <= FILL_SMALL_ROW) return fitting > FILL_LEAST_SLOTS ? fitting : (int)FILL_LEAST_SLOTS;
    return fitting > 0 && 2 * fitting <= TABLE_MOST && longest > fitting / 3 ? 2 * fitting : fitting;
}

row_set all_rows(const cuda_product &product) { return {nullptr, (int32_t)product.A->rows, nullptr, nullptr}; }

/* Scans the lengths while the counters travel to the host. */
spg_status scan_and_wait(cuda_state *state, unsigned int post)
{
    spg_status status = scan_lengths(state->run, &state->sums);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(state->run.context, post, &state->found);
    state->longest_overflow_row = state->found.longest_overflow_row;
    return status;
}

/* For kernels that hold all rows. */
spg_status post_scan_and_wait(cuda_state *state)
{
    const unsigned int post = ++state->run.cuda->posts;
    const spg_status status = post_counters(state->run, post);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

/* For kernels that may leave overflow rows, and their counters unsent. */
spg_status settle_scan_and_wait(cuda_state *state, unsigned int post)
{
    const spg_status status = count_overflow_rows_and_post(state->run, state->sums, nullptr, post);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

spg_status count_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const route &chosen = state->chosen;
    if (!chosen.bitmap) {
        take_overflow_list(run);
        const spg_status status = count_rows_hash_group(run, all_rows(run), chosen.slots);
        return status == SPG_OK ? settle_scan_and_wait(state, ++run.cuda->posts) : status;
    }
    spg_status status = chosen.together > 1 ? note_equal_rows(run, chosen.together) : SPG_OK;
    if (status == SPG_OK) status = count_rows_bitmap(run, all_rows(run), chosen.span, chosen.together);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

/* Keeps rows if there is memory for them. Otherwise, and for a symbolic product, uses the fallback. */
spg_status count_kept(cuda_state *state)
{
    cuda_product &run = state->run;
    if (!run.pattern_only) take_kept_rows(run, state->chosen.kept_slots, state->chosen.kept_stride, &state->kept);
    if (state->kept.memory == nullptr) {
        state->chosen.rows = state->chosen.fallback;
        return SPG_OK;
    }
    take_overflow_list(run);
    const spg_status status = count_rows_kept(run, state->kept);
    return status == SPG_OK ? settle_scan_and_wait(state, ++run.cuda->posts) : status;
}

/* By runs of shifted rows, if there is memory to list them; otherwise by the fallback. */
spg_status count_shifted(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = list_shifted_rows(run, &state->shifted);
    if (status == SPG_OK && state->shifted.memory == nullptr) {
        state->chosen.rows = state->chosen.fallback;
        return SPG_OK;
    }
    take_overflow_list(run);
    if (status == SPG_OK) status = count_rows_shifted(run, state->shifted, state->chosen.slots);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

/* Symmetric half, if there is memory to keep its rows; otherwise whole rows. If rows do not fit, one wait is spent
 * already: then all rows are binned, without a sample. */
spg_status count_half(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = take_half_rows(run, state->shape, &state->half);
    if (status == SPG_OK && state->half.memory != nullptr) {
        const unsigned int post = ++run.cuda->posts;
        status = count_rows_half(run, state->half, post, &state->sums);
        if (status == SPG_OK) status = scan_and_wait(state, post);
        if (status != SPG_OK || state->found.faults != 0 || state->found.overflow == 0) return status;
        release_half_rows(run, &state->half);
        state->chosen.rows = path::binned_rows;
        return SPG_OK;
    }
    return status == SPG_OK ? choose_route(run, &state->chosen, &state->reserved) : status;
}

/* Equal neighbouring rows, in one pass into reserved arrays. */
spg_status one_pass_of_equal_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    unsigned int post = ++run.cuda->posts;
    spg_status status = note_equal_rows(run, state->chosen.together);
    if (status == SPG_OK) status = spg_cuda_zero_bytes(run.context, state->reserved.memory, state->reserved.bytes);
    if (status == SPG_OK) status = one_pass_bitmap(run, state->reserved, state->chosen.span, post);
    return status == SPG_OK ? spg_cuda_wait_for_counters(run.context, post, &state->found) : status;
}

/* Short rows, in one pass into reserved arrays. With overflow rows the arrays hold no valid part of C: then their
 * columns store the lengths of overflow rows, their values the lengths of all rows, and C is filled after the scan. */
spg_status one_pass_of_short_rows(cuda_state *state, unsigned int post)
{
    cuda_product &run = state->run;
    int32_t *const lengths = state->reserved.columns;
    spg_status status = spg_cuda_zero_bytes(run.context, state->reserved.memory, state->reserved.bytes);
    if (status == SPG_OK) status = one_pass_hash_thread(run, state->reserved, post);
    if (status == SPG_OK) status = count_overflow_rows_and_post(run, {}, lengths, post);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(run.context, post, &state->found);
    if (status != SPG_OK || state->found.overflow == 0 || !all_counted(state)) return status;
    state->longest_overflow_row = state->found.longest_overflow_row;
    status = restore_lengths(run, state->reserved.values);
    if (status == SPG_OK) status = place_overflow_lengths(run, state->found.overflow, lengths);
    return status == SPG_OK ? scan_lengths(run, &state->sums) : status;
}

/* Short rows: one pass into reserved arrays, or count only. Uses hash tables of threads if B's rows are packed. */
spg_status count_short_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = state->chosen.longest <= HASH_THREAD_MOST ? pack_rows(run) : SPG_OK;
    if (status != SPG_OK) return status;
    take_overflow_list(run);
    const unsigned int post = ++run.cuda->posts;
    const bool is_packed = run.packed.memory != nullptr;
    if (!is_packed) release_reserved(run, &state->reserved);
    if (state->reserved.columns == nullptr) {
        status = is_packed ? count_rows_hash_thread(run, post, &state->sums)
                           : count_rows_merge(run, post, true, &state->sums);
        return status == SPG_OK ? settle_scan_and_wait(state, post) : status;
    }
    return one_pass_of_short_rows(state, post);
}

/* Rows of B in any order; waits once more if workspace is short. */
spg_status count_in_any_order(cuda_state *state)
{
    if (!may_count_unsorted(state->run)) {
        state->chosen.rows = path::paper;
        return SPG_OK;
    }
    spg_status status = count_rows_unsorted(state->run, &state->paper);
    if (status == SPG_OK) status = post_scan_and_wait(state);
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) state->paper.class_rows[c] = (int64_t)state->found.class_rows[c];
    return status;
}

/* Whether merging fills short rows fastest. Lists lose with many products, unless rows of B are so long that merging
 * returns to each often. */
bool merges_best(const cuda_product &run, const spg_counters &found)
{
    if (found.merged_a > FILL_MERGE_MOST_A) return false;
    const bool short_b = run.B->nnz / FILL_MERGE_SHORT_B <= run.B->rows;
    return found.long_rows > run.C->rows / 8 || (short_b && found.longest_row > FILL_LIST_BEST);
}

/* Whether sorting fills faster than merging (spgemm_bench, H100, filling pass of A*P: econ 0.090 ms by sorting, 0.120
 * by merging; tri2d, with shorter rows of B, 0.28 and 0.16, fd3d7 0.23 and 0.13). */
bool sorts_best(const cuda_product &run, const spg_counters &found, bool scattered)
{
    const bool long_b = run.B->nnz / FILL_MERGE_SHORT_B > run.B->rows;
    return long_b && scattered && may_sort_rows(run, found.merged_products);
}

bool fills_hash_thread(const cuda_product &run)
{
    const spg_type type = run.A->value_type;
    return run.packed.memory != nullptr && !run.pattern_only && (type == SPG_F32 || type == SPG_F64);
}

/* Rows by merging, or in short lists by one thread each. Longer rows, if few, by their length. */
spg_status fill_short_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const spg_counters &found = state->found;
    unsigned int longest = std::max(found.longest_row, state->longest_overflow_row);
    const bool scattered = found.scattered > SCATTERED_ROWS;
    const bool uniform = are_uniform(longest, found.nnz, run.C->rows);
    if (uniform && found.overflow == 0 && merges_best(run, found))
        return sorts_best(run, found, scattered) ? fill_rows_sorted(run)
                                                 : fill_rows_merge(run, (int)found.merged_a, scattered);
    if (found.long_rows == 0) return fill_rows_list(run, (int)longest, scattered);
    int slots = slots_to_fill(longest);
    if (uniform && slots > 0 && found.long_rows > run.C->rows / 8)
        return fill_rows_hash_group(run, all_rows(run), slots);
    spg_status status = fill_rows_list(run, LIST_MOST, scattered);
    if (status == SPG_OK && found.long_rows <= FEW_ROWS) return fill_few_rows(run, found.long_rows);
    return status == SPG_OK ? fill_rows_binned(run, longer_than_list, {}, &state->binned) : status;
}

spg_status fill_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const int longest = (int)state->found.longest_row;
    const unsigned int most = std::max(state->found.longest_row, state->longest_overflow_row);
    if (state->chosen.bitmap && most <= BITMAP_MOST)
        return fill_rows_bitmap(run, all_rows(run), state->chosen.span, (int)most, state->chosen.together);
    if (fills_hash_thread(run)) {
        spg_status status = fill_rows_hash_thread(run, longest);
        if (status != SPG_OK || state->found.overflow == 0) return status;
        return fill_rows_binned(run, longer_than_hash_thread, {}, &state->binned);
    }
    int slots = slots_to_fill(longest);
    if (slots == 0) slots = TABLE_MOST;
    spg_status status = fill_rows_hash_group(run, all_rows(run), slots);
    if (status != SPG_OK || most <= (unsigned int)table_holds(slots)) return status;
    return fill_rows_binned(run, table_holds(slots), {}, &state->binned);
}

/* Copies the kept rows and fills overflow rows. If a row is longer than expected, fills all rows by the fallback. */
spg_status fill_kept(cuda_state *state)
{
    cuda_product &run = state->run;
    const int held = table_holds(state->kept.slots);
    const bool kept = (int)state->found.longest_row <= state->kept.stride;
    spg_status status = kept ? copy_kept_rows(run, state->kept) : SPG_OK;
    release_kept_rows(run, &state->kept);
    if (status == SPG_OK && !kept) {
        state->chosen.rows = state->chosen.fallback;
        return SPG_OK;
    }
    return status == SPG_OK && state->found.overflow > 0 ? fill_rows_binned(run, held, {}, &state->binned) : status;
}

/* Fills runs, then the rows outside runs. If the tables of runs cannot hold some rows, fills all rows as uniform
 * rows. */
spg_status fill_shifted(cuda_state *state)
{
    cuda_product &run = state->run;
    const int longest = (int)std::max(state->found.longest_row, state->longest_overflow_row);
    if (longest > SHIFTED_MOST) {
        release_shifted_rows(run, &state->shifted);
        return fill_uniform_rows(state);
    }
    const spg_status status = fill_runs(run, state->shifted);
    return status == SPG_OK ? fill_rows_hash_group(run, single_rows(run, state->shifted), slots_to_fill(longest))
                            : status;
}

/* As the path says; or, where that cannot have what it needs, names another path. */
spg_status count_by_path(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = SPG_OK;
    switch (state->chosen.rows) {
    case path::half_rows: return count_half(state);
    case path::kept_rows: return count_kept(state);
    case path::shifted_rows: return count_shifted(state);
    case path::unsorted_b: return count_in_any_order(state);
    case path::short_rows: {
        const unsigned int post = ++run.cuda->posts;
        take_overflow_list(run);
        status = count_rows_merge(run, post, false, &state->sums);
        return status == SPG_OK ? scan_and_wait(state, post) : status;
    }
    case path::uniform_rows:
        if (state->chosen.merge) return count_short_uniform_rows(state);
        return state->reserved.columns != nullptr ? one_pass_of_equal_rows(state) : count_uniform_rows(state);
    case path::binned_rows: status = count_rows_binned(run, &state->binned); break;
    default: status = count_rows_paper(run, &state->paper); break;
    }
    if (status == SPG_OK) status = post_scan_and_wait(state);
    state->found.faults |= state->paper.faults;
    return status;
}

spg_status fill_by_path(cuda_state *state)
{
    switch (state->chosen.rows) {
    case path::half_rows: return place_half_rows(state->run, state->half);
    case path::kept_rows: return fill_kept(state);
    case path::shifted_rows: return fill_shifted(state);
    case path::short_rows: return fill_short_rows(state);
    case path::uniform_rows: return fill_uniform_rows(state);
    case path::binned_rows:
        return fill_rows_binned(state->run, 0,
                                {state->chosen.span, (int)state->found.longest_row, (int64_t)state->found.products},
                                &state->binned);
    default: return fill_rows_paper(state->run, &state->paper);
    }
}

spg_status until_path_stays(cuda_state *state, spg_status (*do_rows)(cuda_state *))
{
    path tried;
    spg_status status;
    do {
        tried = state->chosen.rows;
        status = do_rows(state);
    } while (status == SPG_OK && state->chosen.rows != tried);
    return status;
}

} // namespace

spg_status count_rows(cuda_state *state) { return until_path_stays(state, count_by_path); }

/* Methods that bin rows write the lengths of rows without products, but do not count these rows. */
static int64_t rows_counted(const cuda_state *state)
{
    const path rows = state->chosen.rows;
    int64_t counted = (int64_t)state->found.rows;
    if (rows == path::nothing) return state->run.C->rows;
    if (rows == path::binned_rows) counted += (int64_t)state->found.class_rows[SPG_ROW_EMPTY];
    if (takes_any(rows)) counted += state->paper.class_rows[SPG_ROW_EMPTY];
    return counted;
}

bool all_counted(const cuda_state *state) { return rows_counted(state) == state->run.C->rows; }

/* Releases what was prepared for a path that is abandoned. */
static void release_begun(cuda_state *state)
{
    give_overflow_list(state->run);
    give_sums(state->run, &state->sums);
    release_kept_rows(state->run, &state->kept);
    release_shifted_rows(state->run, &state->shifted);
    release_reserved(state->run, &state->reserved);
}

/* Counts the overflow rows listed by counting by merging, after the lengths have been scanned. */
static spg_status count_short_overflow_rows(cuda_state *state)
{
    const spg_counters before = state->found;
    spg_status status = restore_lengths(state->run, nullptr);
    if (status == SPG_OK)
        status = before.overflow <= FEW_ROWS ? count_few_overflow_rows(state->run, before.overflow)
                                             : count_overflow_rows_binned(state->run, before.overflow, &state->binned);
    if (status == SPG_OK) status = post_scan_and_wait(state);
    const spg_counters more = state->found;
    state->found = before;
    state->found.faults |= more.faults;
    state->found.nnz += more.nnz;
    state->found.products += more.products;
    state->found.rows += more.rows;
    state->found.long_rows += more.long_rows;
    state->longest_overflow_row = more.longest_row;
    return status;
}

spg_status count_rows_missing(cuda_state *state)
{
    if (state->chosen.rows == path::short_rows && state->found.overflow <= state->run.overflow.room)
        return count_short_overflow_rows(state);
    if (state->found.overflow <= state->run.overflow.room || state->chosen.rows == path::binned_rows) return SPG_OK;
    release_begun(state);
    state->chosen.rows = path::binned_rows;
    return count_rows(state);
}

spg_status check_counts(cuda_state *state)
{
    const cuda_product &run = state->run;
    give_overflow_list(state->run);
    if (all_counted(state)) return SPG_OK;
    return spg_context_fail(run.context, SPG_ERROR_INTERNAL, "%lld of the %lld rows of C were counted",
                            (long long)rows_counted(state), (long long)run.C->rows);
}

spg_status count_unsorted(cuda_state *state)
{
    release_begun(state);
    state->chosen.rows = path::unsorted_b;
    return count_rows(state);
}

spg_status fill_rows_left(cuda_state *state)
{
    return fill_rows_binned(state->run, std::min(state->reserved.most, (int)HASH_THREAD_MOST), {}, &state->binned);
}

spg_status fill_rows(cuda_state *state) { return until_path_stays(state, fill_by_path); }

} // namespace spg
