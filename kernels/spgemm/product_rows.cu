/* The table of row methods: counts and fills the rows of a product by the path that route/route.cuh chose, and sees to
 * it that every row is counted. */
#include "../cuda_backend.h"
#include "assemble/assemble.cuh"
#include "product_state.cuh"

#include <algorithm>

namespace spg
{

namespace
{

spg_status no_rows(cuda_state *) { return SPG_OK; }

/* A line a path, in the order of `path`. */
constexpr struct row_method {
    path rows;
    spg_status (*count)(cuda_state *);
    spg_status (*fill)(cuda_state *);
} methods[] = {
    {path::nothing, no_rows, no_rows},
    {path::short_rows, count_short_rows, fill_short_rows},
    {path::kept_rows, count_kept_rows, fill_kept_rows},
    {path::half_rows, count_half_rows, fill_half_rows},
    {path::shifted_rows, count_shifted_rows, fill_shifted_rows},
    {path::uniform_rows, count_uniform_rows, fill_uniform_rows},
    {path::binned_rows, count_binned_rows, fill_binned_rows},
    {path::unsorted_b, count_unsorted_b, fill_by_limits},
    {path::paper, count_by_limits, fill_by_limits},
};

constexpr bool has_a_line_a_path()
{
    for (int p = 0; p <= (int)path::paper; ++p)
        if (methods[p].rows != (path)p) return false;
    return sizeof methods / sizeof *methods == (size_t)path::paper + 1;
}
static_assert(has_a_line_a_path());

/* Calls the function of the chosen path, then those of the paths that it names in turn. */
spg_status until_path_stays(cuda_state *state, spg_status (*row_method::*pass)(cuda_state *))
{
    path tried;
    spg_status status;
    do {
        tried = state->chosen.rows;
        status = (methods[(int)tried].*pass)(state);
    } while (status == SPG_OK && state->chosen.rows != tried);
    return status;
}

} // namespace

spg_status count_rows(cuda_state *state) { return until_path_stays(state, &row_method::count); }

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
    release(state->run, &state->sums);
    release(state->run, &state->kept);
    release(state->run, &state->shifted);
    release_reserved(state->run, &state->reserved);
}

/* Rows in the list of overflow rows, which fits a block of the small pool. */
enum { MOST_LISTED = SPG_SMALL_BYTES / (int)sizeof(int32_t) };

void take_overflow_list(cuda_product &product)
{
    if (product.overflow.rows != nullptr) return;
    const int64_t limit = product.context->config.workspace_limit;
    int64_t room = std::min<int64_t>(product.A->rows, MOST_LISTED);
    if (limit > 0) room = std::min(room, (limit - product.held_bytes) / PART_OF_LIMIT / (int64_t)sizeof(int32_t));
    void *memory = room > 0 ? take_spare_workspace(product, room * (int64_t)sizeof(int32_t)) : nullptr;
    if (memory != nullptr) product.overflow = {static_cast<int32_t *>(memory), (uint32_t)room};
}

void give_overflow_list(cuda_product &product)
{
    give_workspace(product, product.overflow.rows, product.overflow.room * (int64_t)sizeof(int32_t));
    product.overflow = {};
}

/* Counts the listed overflow rows, after the lengths of the others have been scanned. */
static spg_status count_overflow_rows(cuda_state *state)
{
    const spg_counters before = state->found;
    release_reserved(state->run, &state->reserved); /* they hold no valid part of C */
    spg_status status = restore_lengths(state->run);
    if (status == SPG_OK) status = count_overflow_rows_binned(state->run, before.overflow, &state->binned);
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
    if (state->found.overflow == 0 || state->chosen.rows == path::binned_rows) return SPG_OK;
    if (state->found.overflow <= state->run.overflow.room) return count_overflow_rows(state);
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

spg_status fill_rows(cuda_state *state) { return until_path_stays(state, &row_method::fill); }

} // namespace spg
