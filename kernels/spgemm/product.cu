/* The stages of a product on the device (backend.h). begin: how the rows are to be done. multiply: the rows of C are
 * counted, by class. assemble: the counts are scanned, C is allocated, and its rows are filled, by class. The host
 * waits once for the counts, and once before for what chooses the classes where sizes alone do not tell. */
#include "../containers/check.h"
#include "../cuda_backend.h"
#include "assemble.cuh"
#include "route.cuh"
#include "rows_mixed.cuh"
#include "rows_once.cuh"
#include "rows_paper.cuh"
#include "tally.cuh"

#include <algorithm>
#include <cstring>

namespace spg
{

/* Slots of a filling table: half full at most beyond 48 entries, for inserts look until they find an empty slot
 * (spgemm_bench, H100, A*A: tet3d, 63 entries, 2.6 ms with 256, 2.9 with 128; fe3d27, 125, 4.6 with 512, 4.7 with 256;
 * fe2d9, 25, 0.93 with 64, 1.00 with 128). */
int slots_to_fill(int64_t longest)
{
    const int fitting = table_for(longest);
    if (longest <= 48) return fitting > 64 ? fitting : 64;
    return fitting > 0 && 2 * fitting <= TABLE_MOST && longest > fitting / 3 ? 2 * fitting : fitting;
}

enum { SCATTERED_ROWS = 128 }; /* of the 256 that counting by merging looks at */

struct cuda_state {
    cuda_product run;
    route chosen;
    spg_tally found;             /* by the counting kernels; longest_row without the misfits */
    unsigned int longest_misfit; /* entries of C */
    void *wide_a_offsets, *wide_b_offsets;
    length_sums sums;
    mixed_rows mixed;
    paper_rows paper;
    kept_rows kept;
};

spg_status take_workspace(cuda_product &product, int64_t bytes, const char *what, void **memory)
{
    spg_status status = spg_allocate_workspace(product.context, product.held_bytes, bytes, what, memory);
    if (status != SPG_OK) return status;
    product.held_bytes += bytes;
    if (product.held_bytes > product.most_held_bytes) product.most_held_bytes = product.held_bytes;
    return SPG_OK;
}

void give_workspace(cuda_product &product, void *memory, int64_t bytes)
{
    if (memory == nullptr) return;
    spg_release(product.context, memory, bytes);
    product.held_bytes -= bytes;
}

int grid_for(const cuda_product &product, int64_t groups, int threads_each, int block_threads)
{
    int64_t blocks = (groups * threads_each + block_threads - 1) / block_threads;
    int64_t most = (int64_t)product.cuda->multiprocessors * (2048 / block_threads) * 4;
    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

namespace
{

/* The end of a stage, where they are timed. */
void stamp(const spg_context *context, spg_stage stage)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    if (cuda->events[stage] != nullptr) cudaEventRecord(cuda->events[stage], cuda->stream);
}

spg_status check_sizes(const cuda_product &product)
{
    const int64_t sizes[] = {product.A->rows, product.A->cols};
    for (int64_t size : sizes)
        if (size >= INT32_MAX)
            return spg_context_fail(product.context, SPG_ERROR_UNSUPPORTED,
                                    "%lld rows; products on a device take fewer than 2147483647", (long long)size);
    return SPG_OK;
}

spg_status open_run(cuda_state *state, spg_product *product)
{
    cuda_product &run = state->run;
    run = {product->context,
           spg_cuda_of(product->context),
           product->A,
           product->B,
           product->C,
           product->pattern_only,
           product->C->offset_type,
           product->A->row_offsets,
           product->B->row_offsets,
           sizeof *state,
           sizeof *state,
           {},
           {}};
    spg_status status = check_sizes(run);
    if (status == SPG_OK) status = widen_offsets(run, run.A, "A's row offsets", &state->wide_a_offsets);
    if (status == SPG_OK) status = widen_offsets(run, run.B, "B's row offsets", &state->wide_b_offsets);
    if (state->wide_a_offsets != nullptr) run.a_offsets = state->wide_a_offsets;
    if (state->wide_b_offsets != nullptr) run.b_offsets = state->wide_b_offsets;
    if (status != SPG_OK) return status;
    int64_t bytes = spg_array_bytes(run.C->rows + 1, spg_type_size(run.offset_type));
    status = spg_allocate(run.context, bytes, "C's row offsets", &run.C->row_offsets);
    if (status != SPG_OK) return status;
    const bool is_clear = run.cuda->product_tally_is_clear;
    run.cuda->product_tally_is_clear = false;
    if (is_clear) return SPG_OK;
    /* What an earlier product left behind when it failed. */
    return spg_cuda_check(run.context, cudaMemsetAsync(run.cuda->product_tally, 0, sizeof(spg_tally), run.cuda->stream),
                          "clearing a tally");
}

row_set all_rows(const cuda_product &product) { return {nullptr, (int32_t)product.A->rows, nullptr, nullptr}; }

/* FORMAT with the operand's name and row. */
spg_status report_malformed(const cuda_product &product)
{
    spg_status status = spg_cuda_check_contents(product.context, product.A, "A");
    if (status == SPG_OK) status = spg_cuda_check_contents(product.context, product.B, "B");
    if (status != SPG_OK) return status;
    return spg_context_fail(product.context, SPG_ERROR_INTERNAL, "a kernel found a fault that a check does not");
}

/* The counts are scanned while they travel to the host. */
spg_status scan_and_wait(cuda_state *state, unsigned int post)
{
    spg_status status = scan_lengths(state->run, &state->sums);
    return status == SPG_OK ? spg_cuda_wait_for_tally(state->run.context, post, &state->found) : status;
}

spg_status post_scan_and_wait(cuda_state *state)
{
    unsigned int post = ++state->run.cuda->posts;
    spg_status status = post_tally(state->run, post);
    return status == SPG_OK ? scan_and_wait(state, post) : status;
}

/* The rows that the main kernel could not count. */
spg_status count_misfits(cuda_state *state)
{
    spg_tally before = state->found;
    spg_status status = restore_lengths(state->run);
    if (status == SPG_OK) status = count_rows_mixed(state->run, true, &state->mixed);
    if (status == SPG_OK) status = post_scan_and_wait(state);
    state->found.nnz += before.nnz;
    state->found.products += before.products;
    state->found.long_rows += before.long_rows;
    state->found.misfits = before.misfits;
    state->found.scattered = before.scattered;
    state->longest_misfit = state->found.longest_row;
    state->found.longest_row = before.longest_row;
    return status;
}

spg_status count_alike_rows(cuda_product &run, const route &chosen)
{
    if (!chosen.direct) return count_rows_table(run, all_rows(run), chosen.slots, chosen.together);
    spg_status status = chosen.together > 1 ? note_equal_rows(run, chosen.together) : SPG_OK;
    return status == SPG_OK ? count_rows_direct(run, all_rows(run), chosen.span, chosen.together) : status;
}

spg_status count_rows(cuda_state *state);

/* If room is to be had to keep the rows; else, and where no values are wanted, as otherwise. */
spg_status count_once(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = SPG_OK;
    if (!run.pattern_only)
        status = take_kept_rows(run, state->chosen.once_slots, state->chosen.once_stride, &state->kept);
    if (status == SPG_OK && state->kept.memory == nullptr) {
        state->chosen.rows = state->chosen.otherwise;
        return count_rows(state);
    }
    if (status == SPG_OK) status = count_rows_once(run, state->kept);
    return status == SPG_OK ? post_scan_and_wait(state) : status;
}

spg_status count_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = SPG_OK;
    switch (state->chosen.rows) {
    case path::once_rows: return count_once(state);
    case path::short_rows: {
        unsigned int post = ++run.cuda->posts;
        status = count_rows_merge(run, post, &state->sums);
        return status == SPG_OK ? scan_and_wait(state, post) : status;
    }
    case path::alike_rows:
        if (state->chosen.merge) {
            status = state->chosen.longest <= PRIVATE_MOST ? pack_rows(run) : SPG_OK;
            if (status != SPG_OK) return status;
            unsigned int post = ++run.cuda->posts;
            status = run.packed.memory != nullptr ? count_rows_private(run, post, &state->sums)
                                                  : count_rows_merge(run, post, &state->sums);
            return status == SPG_OK ? scan_and_wait(state, post) : status;
        }
        status = count_alike_rows(run, state->chosen);
        break;
    case path::mixed_rows: status = count_rows_mixed(run, false, &state->mixed); break;
    default: status = count_rows_paper(run, &state->paper); break;
    }
    if (status == SPG_OK) status = post_scan_and_wait(state);
    state->found.faults |= state->paper.faults;
    return status;
}

/* Whether merging fills short rows fastest: lists are no match for many products, unless rows of B are so long that
 * merging comes back to them often. */
bool merges_best(const cuda_product &run, const spg_tally &found)
{
    if (found.sampled_a_length > FILL_MERGE_MOST_A) return false;
    const bool short_b = run.B->nnz / FILL_MERGE_SHORT_B <= run.B->rows;
    return found.long_rows > run.C->rows / 8 || (short_b && found.longest_row > FILL_LIST_BEST);
}

bool fills_private(const cuda_product &run)
{
    const spg_type type = run.A->value_type;
    return run.packed.memory != nullptr && !run.pattern_only && (type == SPG_F32 || type == SPG_F64);
}

/* Rows by merging, or in short lists by one thread each; the longer ones, if they are few, by their length. */
spg_status fill_short_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const spg_tally &found = state->found;
    unsigned int longest = std::max(found.longest_row, state->longest_misfit);
    const bool scattered = found.scattered > SCATTERED_ROWS;
    const bool alike = longest <= 6 * (double)found.nnz / (double)run.C->rows + 16;
    if (alike && found.misfits == 0 && merges_best(run, found))
        return fill_rows_merge(run, (int)found.sampled_a_length, scattered);
    if (found.long_rows == 0) return fill_rows_list(run, (int)longest, scattered);
    int slots = slots_to_fill(longest);
    if (alike && slots > 0 && found.long_rows > run.C->rows / 8) return fill_rows_table(run, all_rows(run), slots, 1);
    spg_status status = fill_rows_list(run, LIST_MOST, scattered);
    return status == SPG_OK ? fill_rows_mixed(run, longer_than_list, {}, &state->mixed) : status;
}

spg_status fill_alike_rows(cuda_state *state)
{
    cuda_product &run = state->run;
    const int longest = (int)state->found.longest_row;
    const unsigned int most = std::max(state->found.longest_row, state->longest_misfit);
    if (state->chosen.direct && longest <= DIRECT_MOST)
        return fill_rows_direct(run, all_rows(run), state->chosen.span, longest, state->chosen.together);
    if (fills_private(run)) {
        spg_status status = fill_rows_private(run, longest);
        if (status != SPG_OK || most <= PRIVATE_MOST) return status;
        return fill_rows_mixed(run, PRIVATE_MOST, {}, &state->mixed);
    }
    int slots = slots_to_fill(longest);
    if (slots == 0) slots = TABLE_MOST;
    spg_status status = fill_rows_table(run, all_rows(run), slots, state->chosen.together);
    if (status != SPG_OK || most <= (unsigned int)table_holds(slots)) return status;
    return fill_rows_mixed(run, table_holds(slots), {}, &state->mixed);
}

spg_status fill_rows(cuda_state *state);

/* The kept rows, and those that the tables did not hold; all as otherwise if some were longer than was expected. */
spg_status fill_once(cuda_state *state)
{
    cuda_product &run = state->run;
    const int held = once_holds(state->kept.slots);
    const bool kept = (int)state->found.longest_row <= state->kept.stride;
    spg_status status = kept ? copy_kept_rows(run, state->kept) : SPG_OK;
    release_kept_rows(run, &state->kept);
    if (status == SPG_OK && !kept) {
        state->chosen.rows = state->chosen.otherwise;
        return fill_rows(state);
    }
    return status == SPG_OK && state->found.misfits > 0 ? fill_rows_mixed(run, held, {}, &state->mixed) : status;
}

spg_status fill_rows(cuda_state *state)
{
    switch (state->chosen.rows) {
    case path::once_rows: return fill_once(state);
    case path::short_rows: return fill_short_rows(state);
    case path::alike_rows: return fill_alike_rows(state);
    case path::mixed_rows:
        return fill_rows_mixed(state->run, 0, {state->chosen.span, (int)state->found.longest_row}, &state->mixed);
    default: return fill_rows_paper(state->run, &state->paper);
    }
}

/* Where the rows went: as analysed, or by the kernels that took them. */
void set_class_rows(const cuda_state *state, spgemm_stats *stats)
{
    int64_t rows = state->run.C->rows, others = state->found.long_rows;
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) stats->class_rows[c] = (int64_t)state->found.class_rows[c];
    switch (state->chosen.rows) {
    case path::nothing: stats->class_rows[SPG_ROW_EMPTY] = rows; break;
    case path::short_rows:
        memset(stats->class_rows, 0, sizeof stats->class_rows);
        stats->class_rows[SPG_ROW_THREAD] = rows - others;
        stats->class_rows[SPG_ROW_WARP] = others;
        break;
    case path::alike_rows:
    case path::once_rows:
        memset(stats->class_rows, 0, sizeof stats->class_rows);
        stats->class_rows[SPG_ROW_WARP] = rows;
        break;
    case path::paper: memcpy(stats->class_rows, state->paper.class_rows, sizeof stats->class_rows); break;
    default: break;
    }
}

/* Once more, by classes that take any rows. */
spg_status count_irregular(cuda_state *state)
{
    release_kept_rows(state->run, &state->kept);
    state->chosen.rows = path::paper;
    return count_rows(state);
}

spg_status measure_stages(spg_product *product, const cuda_state *state)
{
    spgemm_stats *stats = &product->stats;
    double *const ms[] = {&stats->analysis_ms, &stats->expand_sort_ms, &stats->assemble_ms, &stats->contract_ms};
    cudaEvent_t *events = state->run.cuda->events;
    spg_status status = spg_cuda_wait(product->context);
    for (int k = 0; k < 4 && status == SPG_OK; ++k) {
        float elapsed = 0;
        status = spg_cuda_check(product->context, cudaEventElapsedTime(&elapsed, events[k], events[k + 1]), "timing");
        *ms[k] = elapsed;
    }
    return status;
}

} // namespace

} // namespace spg

using namespace spg;

spg_status spg_cuda_product_begin(spg_product *product)
{
    spg_context *context = product->context;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    void *memory = nullptr;
    status = spg_check_workspace(context, sizeof(cuda_state), "a product");
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof(cuda_state), "a product's state", &memory);
    if (status == SPG_OK) {
        memset(memory, 0, sizeof(cuda_state));
        cuda_state *state = static_cast<cuda_state *>(memory);
        product->state = state;
        stamp(context, SPG_STAGE_BEGIN);
        status = open_run(state, product);
        if (status == SPG_OK) status = choose_route(state->run, &state->chosen);
        stamp(context, SPG_STAGE_ANALYSIS);
    }
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_product_multiply(spg_product *product)
{
    cuda_state *state = static_cast<cuda_state *>(product->state);
    cuda_product &run = state->run;
    spg_status status = spg_cuda_enter(run.context);
    if (status != SPG_OK) return status;
    if (state->chosen.rows == path::nothing) {
        int64_t bytes = (run.C->rows + 1) * (int64_t)spg_type_size(run.offset_type);
        status = spg_cuda_zero_bytes(run.context, run.C->row_offsets, bytes);
    } else {
        const auto faulty = [&](unsigned int faults) {
            return status == SPG_OK && (state->found.faults & faults) != 0;
        };
        status = count_rows(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
        if (status == SPG_OK && !faulty(SPG_FAULT_B_UNSORTED) && state->found.misfits > 0)
            status = count_misfits(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
        if (faulty(SPG_FAULT_B_UNSORTED) && state->chosen.rows != path::paper) status = count_irregular(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
    }
    /* Sending it clears it; the paper's classes may note faults while they fill. */
    run.cuda->product_tally_is_clear = status == SPG_OK && state->chosen.rows != path::paper;
    stamp(run.context, SPG_STAGE_COUNT);
    spg_cuda_leave(run.context);
    return status;
}

spg_status spg_cuda_product_assemble(spg_product *product)
{
    cuda_state *state = static_cast<cuda_state *>(product->state);
    cuda_product &run = state->run;
    spg_status status = spg_cuda_enter(run.context);
    if (status != SPG_OK) return status;
    status = allocate_entries(run, state->found.nnz);
    stamp(run.context, SPG_STAGE_FILL);
    if (status == SPG_OK && state->found.nnz > 0) status = fill_rows(state);
    stamp(run.context, SPG_STAGE_END);
    product->stats.products = (int64_t)state->found.products;
    set_class_rows(state, &product->stats);
    if (status == SPG_OK && run.cuda->events[0] != nullptr) status = measure_stages(product, state);
    spg_cuda_leave(run.context);
    return status;
}

void spg_cuda_product_end(spg_product *product)
{
    cuda_state *state = static_cast<cuda_state *>(product->state);
    if (state == nullptr) return;
    cuda_product &run = state->run;
    if (spg_cuda_enter(run.context) == SPG_OK) {
        release_mixed(run, &state->mixed);
        release_paper(run, &state->paper);
        release_kept_rows(run, &state->kept);
        int64_t rows = run.A != nullptr ? run.A->rows + 1 : 0, inner = run.B != nullptr ? run.B->rows + 1 : 0;
        give_workspace(run, state->wide_a_offsets, rows * (int64_t)sizeof(int64_t));
        give_workspace(run, state->wide_b_offsets, inner * (int64_t)sizeof(int64_t));
        give_workspace(run, run.notes.memory, run.notes.bytes);
        give_workspace(run, run.packed.memory, run.packed.bytes);
        give_sums(run, &state->sums);
        spg_cuda_leave(run.context);
    }
    product->stats.workspace_bytes = run.most_held_bytes;
    spg_release_on_host(product->context, state, sizeof *state);
    product->state = nullptr;
}
