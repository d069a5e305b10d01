/* The stages of a product on the device (backend.h): begin chooses how rows are done, multiply counts the rows of C
 * (symbolic pass), assemble scans the counts, allocates C and fills it (numeric pass). The host waits once for the
 * counts. Before that it waits once for a sample of rows, if sizes alone do not decide. */
#include "../containers/check.h"
#include "../cuda_backend.h"
#include "assemble/assemble.cuh"
#include "product_state.cuh"

#include <cstring>

namespace spg
{

static void note_taken(cuda_product &product, int64_t bytes)
{
    product.held_bytes += bytes;
    if (product.held_bytes > product.most_held_bytes) product.most_held_bytes = product.held_bytes;
}

spg_status take_workspace(cuda_product &product, int64_t bytes, const char *what, void **memory)
{
    spg_status status = spg_allocate_workspace(product.context, product.held_bytes, bytes, what, memory);
    if (status == SPG_OK) note_taken(product, bytes);
    return status;
}

void *take_spare_workspace(cuda_product &product, int64_t bytes)
{
    void *memory = spg_allocate_spare(product.context, product.held_bytes, bytes);
    if (memory != nullptr) note_taken(product, bytes);
    return memory;
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
    int64_t most = (int64_t)product.cuda->multiprocessors * (product.cuda->multiprocessor_threads / block_threads) * 4;
    return (int)(blocks < 1 ? 1 : blocks < most ? blocks : most);
}

namespace
{

/* Records the event at the end of a stage, if stages are timed and *status is SPG_OK. */
void stamp(spg_context *context, spg_stage stage, spg_status *status)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    if (*status == SPG_OK && cuda->events[stage] != nullptr)
        *status = spg_cuda_check(context, cudaEventRecord(cuda->events[stage], cuda->stream), "timing");
}

/* Index plus the stride of a block stays below 2^31. */
enum { MOST_ENTRIES_BY_32_BITS = INT32_MAX - 1024 };

spg_status check_sizes(const cuda_product &product)
{
    if (product.A->rows >= INT32_MAX || product.A->cols >= INT32_MAX)
        return spg_context_fail(product.context, SPG_ERROR_UNSUPPORTED,
                                "A is %lld x %lld; products on a device take fewer than 2147483647 rows and columns",
                                (long long)product.A->rows, (long long)product.A->cols);
    const struct {
        const char *name;
        const spg_csr *matrix;
    } operands[] = {{"A", product.A}, {"B", product.B}};
    for (const auto &operand : operands)
        if (product.offset_type == SPG_I32 && operand.matrix->nnz > MOST_ENTRIES_BY_32_BITS)
            return spg_context_fail(
                product.context, SPG_ERROR_UNSUPPORTED,
                "%s has %lld entries; products on a device take at most %d with 32-bit row offsets, use 64-bit ones",
                operand.name, (long long)operand.matrix->nnz, (int)MOST_ENTRIES_BY_32_BITS);
    return SPG_OK;
}

spg_status open_run(cuda_state *state, spg_product *product)
{
    cuda_product &run = state->run;
    run.context = product->context, run.cuda = spg_cuda_of(product->context);
    run.A = product->A, run.B = product->B, run.C = product->C;
    run.a_offsets = product->A->row_offsets, run.b_offsets = product->B->row_offsets;
    run.pattern_only = product->pattern_only, run.offset_type = product->C->offset_type;
    run.held_bytes = run.most_held_bytes = sizeof *state;
    spg_status status = check_sizes(run);
    if (status == SPG_OK) status = widen_offsets(run, run.A, "A's row offsets", &state->wide_a_offsets);
    if (status == SPG_OK) status = widen_offsets(run, run.B, "B's row offsets", &state->wide_b_offsets);
    if (state->wide_a_offsets.memory != nullptr) run.a_offsets = state->wide_a_offsets.memory;
    if (state->wide_b_offsets.memory != nullptr) run.b_offsets = state->wide_b_offsets.memory;
    if (status != SPG_OK) return status;
    int64_t bytes = spg_array_bytes(run.C->rows + 1, spg_type_size(run.offset_type));
    status = spg_allocate(run.context, bytes, "C's row offsets", &run.C->row_offsets);
    if (status != SPG_OK) return status;
    const bool is_clear = run.cuda->product_counters_are_clear;
    run.cuda->product_counters_are_clear = false;
    if (is_clear) return SPG_OK;
    /* An earlier product failed and left its counts. */
    return spg_cuda_zero_bytes(run.context, run.cuda->product_counters, sizeof(spg_counters));
}

/* FORMAT with the operand's name and the row. */
spg_status check_operands(const cuda_product &product)
{
    const spg_status status = spg_cuda_check_contents(product.context, product.A, "A");
    return status == SPG_OK ? spg_cuda_check_contents(product.context, product.B, "B") : status;
}
spg_status report_malformed(const cuda_product &product)
{
    const spg_status status = check_operands(product);
    if (status != SPG_OK) return status;
    return spg_context_fail(product.context, SPG_ERROR_INTERNAL, "a kernel found a fault that a check does not");
}

/* A or B has no entries, so C has none. No kernel reads the operands, so they are checked here. */
spg_status make_empty(cuda_product &product)
{
    const spg_status status = check_operands(product);
    return status == SPG_OK ? zero_lengths(product) : status;
}

/* Reports rows by class: as the analysis counted them, or by the kernels that did them. */
void set_class_rows(const cuda_state *state, spgemm_stats *stats)
{
    const int64_t rows = state->run.C->rows, others = state->found.long_rows;
    const path done_by = state->chosen.rows;
    const auto only = [stats](int row_class, int64_t count) {
        memset(stats->class_rows, 0, sizeof stats->class_rows);
        stats->class_rows[row_class] = count;
    };
    for (int c = 0; c < SPG_ROW_CLASSES; ++c) stats->class_rows[c] = (int64_t)state->found.class_rows[c];
    if (done_by == path::nothing) stats->class_rows[SPG_ROW_EMPTY] = rows;
    if (takes_any(done_by)) memcpy(stats->class_rows, state->paper.class_rows, sizeof stats->class_rows);
    if (done_by == path::short_rows) {
        only(SPG_ROW_THREAD, rows - others);
        stats->class_rows[SPG_ROW_WARP] = others;
    }
    if (done_by == path::uniform_rows || done_by == path::kept_rows || done_by == path::shifted_rows ||
        done_by == path::half_rows)
        only(SPG_ROW_WARP, rows);
    /* Counted as kept rows, some of which were too long: then no analysis counted them. */
    if (done_by == path::binned_rows && state->kept_too_long) stats->class_rows[SPG_ROW_WARP] = rows;
}

/* total_ms is the time to the end of the work. The stages' times need the context's events, which are missing if
 * multigrid asks for times in a context created without timing. */
spg_status measure_stages(spg_product *product, const cuda_state *state)
{
    spgemm_stats *stats = &product->stats;
    double *const ms[] = {&stats->analysis_ms, &stats->expand_sort_ms, &stats->assemble_ms, &stats->contract_ms};
    cudaEvent_t *events = state->run.cuda->events;
    spg_status status = spg_cuda_wait(product->context);
    for (int k = 0; k < 4 && status == SPG_OK && events[0] != nullptr; ++k) {
        float elapsed = 0;
        status = spg_cuda_check(product->context, cudaEventElapsedTime(&elapsed, events[k], events[k + 1]), "timing");
        *ms[k] = elapsed;
    }
    return status;
}

/* Whether the one pass filled C, except for a few rows of hash_thread. No if C has far fewer entries than the sample
 * predicted: it must not hold that much memory. */
bool is_filled(const cuda_state *state)
{
    const spg_counters &found = state->found;
    const int64_t most_left = state->chosen.merge ? state->run.C->rows / RESERVED_MOST_LEFT : 0;
    return state->reserved.columns != nullptr && found.rows_left <= most_left && found.nnz > 0 &&
           may_commit_reserved(state->run, state->reserved, found.nnz);
}

spg_status allocate_and_fill(cuda_state *state)
{
    cuda_product &run = state->run;
    spg_status status = SPG_OK;
    if (is_filled(state)) {
        run.C->nnz = (int64_t)state->found.nnz;
        commit_reserved(run, &state->reserved);
        stamp(run.context, SPG_STAGE_FILL, &status);
        return status == SPG_OK && state->found.rows_left > 0 ? fill_rows_left(state) : status;
    }
    release_reserved(run, &state->reserved);
    status = allocate_entries(run, state->found.nnz);
    stamp(run.context, SPG_STAGE_FILL, &status);
    return status == SPG_OK && state->found.nnz > 0 ? fill_rows(state) : status;
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
    stamp(context, SPG_STAGE_BEGIN, &status);
    if (status == SPG_OK) status = spg_check_workspace(context, sizeof(cuda_state), "a product");
    if (status == SPG_OK) status = spg_allocate_on_host(context, sizeof(cuda_state), "a product's state", &memory);
    if (status == SPG_OK) {
        memset(memory, 0, sizeof(cuda_state));
        cuda_state *state = static_cast<cuda_state *>(memory);
        product->state = state;
        status = open_run(state, product);
        if (status == SPG_OK && product->symmetric && choose_half(state->run, &state->shape))
            state->chosen.rows = path::half_rows;
        else if (status == SPG_OK)
            status = choose_route(state->run, &state->chosen, &state->reserved);
        stamp(context, SPG_STAGE_ANALYSIS, &status);
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
        status = make_empty(run);
    } else {
        const auto faulty = [&](unsigned int faults) {
            return status == SPG_OK && (state->found.faults & faults) != 0;
        };
        status = count_rows(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
        if (status == SPG_OK && !faulty(SPG_FAULT_B_UNSORTED) && !all_counted(state))
            status = count_rows_missing(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
        if (faulty(SPG_FAULT_B_UNSORTED) && !takes_any(state->chosen.rows)) status = count_unsorted(state);
        if (faulty(SPG_FAULT_A | SPG_FAULT_B)) status = report_malformed(run);
        if (status == SPG_OK) status = check_counts(state);
    }
    /* Sending the counters clears them. The paper's classes may add faults while they fill. */
    run.cuda->product_counters_are_clear = status == SPG_OK && !takes_any(state->chosen.rows);
    stamp(run.context, SPG_STAGE_COUNT, &status);
    spg_cuda_leave(run.context);
    return status;
}

spg_status spg_cuda_product_assemble(spg_product *product)
{
    cuda_state *state = static_cast<cuda_state *>(product->state);
    cuda_product &run = state->run;
    spg_status status = spg_cuda_enter(run.context);
    if (status != SPG_OK) return status;
    status = allocate_and_fill(state);
    stamp(run.context, SPG_STAGE_END, &status);
    product->is_mirrored = state->chosen.rows == path::half_rows;
    product->stats.products = (int64_t)state->found.products;
    set_class_rows(state, &product->stats);
    if (status == SPG_OK && run.context->config.timing) status = measure_stages(product, state);
    spg_cuda_leave(run.context);
    return status;
}

void spg_cuda_product_end(spg_product *product)
{
    cuda_state *state = static_cast<cuda_state *>(product->state);
    if (state == nullptr) return;
    cuda_product &run = state->run;
    if (spg_cuda_enter(run.context) == SPG_OK) {
        release(run, &state->binned);
        release(run, &state->paper.products);
        release(run, &state->paper.permutation);
        release(run, &state->kept);
        release(run, &state->shifted);
        release(run, &state->half);
        release(run, &state->wide_a_offsets);
        release(run, &state->wide_b_offsets);
        release(run, &run.notes);
        release(run, &run.packed);
        give_overflow_list(run);
        release(run, &state->sums);
        release_reserved(run, &state->reserved);
        spg_cuda_leave(run.context);
    }
    product->stats.workspace_bytes = run.most_held_bytes;
    spg_release_on_host(product->context, state, sizeof *state);
    product->state = nullptr;
}
