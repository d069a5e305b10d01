/* Fills the rows of C, one function a path (route/route.cuh): which kernels run, by what counting found. */
#include "assemble/assemble.cuh"
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

} // namespace

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
    return status == SPG_OK ? fill_rows_binned(run, longer_than_list, {}, &state->binned) : status;
}

spg_status fill_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const unsigned int longest = state->found.longest_row, most = std::max(longest, state->longest_overflow_row);
    if (state->chosen.bitmap && most <= BITMAP_MOST)
        return fill_rows_bitmap(run, all_rows(run), state->chosen.span, (int)most, state->chosen.together);
    int slots = slots_to_fill(longest);
    if (slots == 0) slots = TABLE_MOST;
    spg_status status = fill_rows_hash_group(run, all_rows(run), slots);
    if (status != SPG_OK || most <= (unsigned int)table_holds(slots)) return status;
    return fill_rows_binned(run, table_holds(slots), {}, &state->binned);
}

/* Copies the kept rows and fills overflow rows. If a row is longer than expected, fills all rows by the fallback. */
spg_status fill_kept_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const int held = table_holds(state->kept.slots);
    const bool kept = (int)state->found.longest_row <= state->kept.stride;
    spg_status status = kept ? copy_kept_rows(run, state->kept) : SPG_OK;
    release(run, &state->kept);
    if (status == SPG_OK && !kept) {
        state->chosen.rows = state->chosen.fallback;
        state->kept_too_long = true;
        return SPG_OK;
    }
    return status == SPG_OK && state->found.overflow > 0 ? fill_rows_binned(run, held, {}, &state->binned) : status;
}

/* Fills runs, then the rows outside runs. If the tables of runs cannot hold some rows, fills all rows as uniform
 * rows. */
spg_status fill_shifted_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const int longest = (int)std::max(state->found.longest_row, state->longest_overflow_row);
    if (longest > SHIFTED_MOST) {
        release(run, &state->shifted);
        return fill_uniform_rows(state);
    }
    const spg_status status = fill_runs(run, state->shifted);
    return status == SPG_OK ? fill_rows_hash_group(run, single_rows(run, state->shifted), slots_to_fill(longest))
                            : status;
}

spg_status fill_binned_rows(cuda_state *state)
{
    const spg_counters &found = state->found;
    return fill_rows_binned(state->run, 0, {state->chosen.span, (int)found.longest_row}, &state->binned);
}

spg_status fill_by_limits(cuda_state *state) { return fill_rows_paper(state->run, &state->paper); }

spg_status fill_half_rows(cuda_state *state) { return place_half_rows(state->run, state->half); }

spg_status fill_rows_left(cuda_state *state)
{
    return fill_rows_binned(state->run, std::min(state->reserved.most, (int)HASH_THREAD_MOST), {}, &state->binned);
}

} // namespace spg
