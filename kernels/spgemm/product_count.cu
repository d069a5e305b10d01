/* Counts the rows of C, one function a path (route/route.cuh): which kernels run. Each waits for the counters; these
 * say whether there are overflow rows (product_rows.cu). */
#include "../cuda_backend.h"
#include "assemble/assemble.cuh"
#include "driver/counters.cuh"
#include "product_state.cuh"

namespace spg
{

namespace
{

/* Scans the lengths while the counters travel to the host. */
spg_status scan_and_wait(cuda_state *state, unsigned int post)
{
    spg_status status = scan_lengths(state->run, &state->sums);
    if (status == SPG_OK) status = spg_cuda_wait_for_counters(state->run.context, post, &state->found);
    return status;
}

} // namespace

/* For kernels that do not post the counters. */
spg_status post_scan_and_wait(cuda_state *state)
{
    const unsigned int post = ++state->run.cuda->posts;
    const spg_status status = post_counters(state->run, post);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

/* Keeps rows if there is memory for them. Otherwise, and for a symbolic product, uses the fallback. */
spg_status count_kept_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    if (!run.pattern_only) take_kept_rows(run, state->chosen.kept_slots, state->chosen.kept_stride, &state->kept);
    if (state->kept.memory == nullptr) {
        state->chosen.rows = state->chosen.fallback;
        return SPG_OK;
    }
    take_overflow_list(run);
    const spg_status status = count_rows_kept(run, state->kept);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

/* By runs of shifted rows, if there is memory to list them; otherwise by the fallback. Overflow rows are not listed,
 * because other rows take their lengths: if there are any, all rows are binned. */
spg_status count_shifted_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = list_shifted_rows(run, &state->shifted);
    if (status == SPG_OK && state->shifted.memory == nullptr) {
        state->chosen.rows = state->chosen.fallback;
        return SPG_OK;
    }
    if (status == SPG_OK) status = count_rows_shifted(run, state->shifted, state->chosen.slots);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

/* Symmetric half, if there is memory to keep its rows; otherwise whole rows. If rows do not fit, one wait is spent
 * already: then all rows are binned, without a sample. */
spg_status count_half_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = take_half_rows(run, state->shape, &state->half);
    if (status == SPG_OK && state->half.memory != nullptr) {
        const unsigned int post = ++run.cuda->posts;
        status = count_rows_half(run, state->half, post, &state->sums);
        if (status == SPG_OK) status = scan_and_wait(state, post);
        if (status != SPG_OK || state->found.faults != 0 || state->found.overflow == 0) return status;
        release(run, &state->half);
        state->chosen.rows = path::binned_rows;
        return SPG_OK;
    }
    return status == SPG_OK ? choose_route(run, &state->chosen, &state->reserved) : status;
}

/* Rows of B in any order; waits once more if workspace is short. */
spg_status count_unsorted_b(cuda_state *state)
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

spg_status count_short_rows(cuda_state *state)
{
    const unsigned int post = ++state->run.cuda->posts;
    take_overflow_list(state->run);
    const spg_status status = count_rows_merge(state->run, post, &state->sums);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

namespace
{

spg_status count_long_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const route &chosen = state->chosen;
    if (!chosen.bitmap) {
        take_overflow_list(run);
        const spg_status status = count_rows_hash_group(run, all_rows(run), chosen.slots);
        return status == SPG_OK ? post_scan_and_wait(state) : status;
    }
    spg_status status = chosen.together > 1 ? note_equal_rows(run, chosen.together) : SPG_OK;
    if (status == SPG_OK) status = count_rows_bitmap(run, all_rows(run), chosen.span, chosen.together);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
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

/* Short rows, in one pass into reserved arrays. */
spg_status one_pass_of_short_rows(cuda_state *state, unsigned int post)
{
    cuda_product &run = state->run;
    spg_status status = spg_cuda_zero_bytes(run.context, state->reserved.memory, state->reserved.bytes);
    if (status == SPG_OK) status = one_pass_hash_thread(run, state->reserved, post);
    release(run, &run.packed);
    return status == SPG_OK ? spg_cuda_wait_for_counters(run.context, post, &state->found) : status;
}

/* Short rows: by hash tables of threads if B's rows can be packed, in one pass where arrays are reserved; else counted
 * by merging. */
spg_status count_short_uniform_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = state->chosen.longest <= HASH_THREAD_MOST ? pack_rows(run) : SPG_OK;
    if (status != SPG_OK) return status;
    take_overflow_list(run);
    const unsigned int post = ++run.cuda->posts;
    const bool is_packed = run.packed.memory != nullptr;
    if (is_packed && state->reserved.columns != nullptr) return one_pass_of_short_rows(state, post);
    release_reserved(run, &state->reserved);
    status = is_packed ? count_rows_hash_thread(run, post, &state->sums) : count_rows_merge(run, post, &state->sums);
    release(run, &run.packed);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

} // namespace

spg_status count_uniform_rows(cuda_state *state)
{
    if (state->chosen.merge) return count_short_uniform_rows(state);
    return state->reserved.columns != nullptr ? one_pass_of_equal_rows(state) : count_long_uniform_rows(state);
}

spg_status count_binned_rows(cuda_state *state)
{
    const spg_status status = count_rows_binned(state->run, &state->binned);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

spg_status count_by_limits(cuda_state *state)
{
    spg_status status = count_rows_paper(state->run, &state->paper);
    if (status == SPG_OK) status = post_scan_and_wait(state);
    state->found.faults |= state->paper.faults;
    return status;
}

} // namespace spg
