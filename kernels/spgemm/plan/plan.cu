/* Plans on the device (backend.h). A plan is made from the patterns of C, A and B: rows by class (plan/classes.cu),
 * then the data of each class (plan/short_rows.cu, plan/items.cu, plan/entries.cu); under a workspace limit, part of
 * the rows at a time. A run launches one kernel for each class that has rows, and runs windows on a side stream. It
 * allocates nothing, does not wait, and can be captured. Small products of a hierarchy are not planned: their runs look
 * every product up (plan/run/search.cu). */
#include "plan.cuh"

#include "../../cuda_backend.h"

#include "amg/amg_backend.h"

#include <algorithm>
#include <cstring>

namespace spg
{

namespace
{

cuda_plan *state_of(const spgemm_plan *plan) { return static_cast<cuda_plan *>(plan->state); }

/* The most entries of C in a row that a thread sums: the sums must leave room for enough threads. */
int thread_sums(spg_type type)
{
    return std::min<int>(PLAN_THREAD_SUMS, (int)(PLAN_THREAD_SUM_BYTES / spg_type_size(type)));
}

spg_status make_classes(plan_maker &maker)
{
    scratch products_memory(maker), entry_products_memory(maker), rows_memory(maker);
    spg_status status = products_memory.allocate(maker.patterns.rows, &maker.row_products);
    if (status == SPG_OK) status = entry_products_memory.allocate(maker.patterns.rows + 1, &maker.entry_products);
    if (status == SPG_OK) status = rows_memory.allocate(maker.patterns.rows, &maker.listed_rows);
    if (status == SPG_OK) status = classify_rows(maker);
    const int32_t *rows = maker.listed_rows;
    for (int row_class = PLAN_THREAD; row_class < PLAN_CLASSES && status == SPG_OK; row_class++) {
        const int64_t count = (int64_t)maker.facts.classes[row_class].rows;
        if (count > 0)
            status = row_class == PLAN_THREAD    ? make_thread_rows(maker, rows)
                     : row_class == PLAN_ENTRIES ? make_windows(maker)
                                                 : make_items(maker, row_class, rows);
        rows += count;
    }
    return status;
}

/* Rows of a part: as many as fit the workspace. */
int64_t choose_rows(const plan_maker &maker, int64_t rows)
{
    if (maker.context->config.workspace_limit == 0) return rows;
    const int64_t limit = maker.context->config.workspace_limit - maker.held;
    const int64_t row_bytes = maker.halves ? PLAN_HALVES_ROW_BYTES : PLAN_ROW_BYTES;
    const int64_t steps = std::max(limit - PLAN_SLICE_REST, limit / 2) / (row_bytes * PLAN_PART_STEP);
    return std::min(rows, std::max<int64_t>(steps, 1) * PLAN_PART_STEP);
}

numbers_view offsets_from(const spg_csr &matrix, int64_t row)
{
    const numbers_view all = offsets_of(matrix);
    return {static_cast<const char *>(all.memory) + row * (all.wide ? 8 : 4), all.wide};
}

spg_status make_parts(plan_maker &maker, const spg_csr &A, const spg_csr &C)
{
    cuda_plan *state = maker.plan;
    void *memory = nullptr;
    scratch marks(maker), found(maker);
    spg_status status = can_order(maker, maker.patterns.b_rows)
                            ? marks.allocate(maker.patterns.b_rows, &maker.b_has_same_pattern)
                            : SPG_OK;
    const int64_t rows = choose_rows(maker, C.rows), count = (C.rows + rows - 1) / rows;
    if (status == SPG_OK) status = found.allocate(1, &maker.found);
    if (status == SPG_OK) status = find_b_facts(maker);
    if (status == SPG_OK)
        status = spg_allocate_on_host(maker.context, spg_array_bytes(count, sizeof *state->parts), "a plan", &memory);
    if (status != SPG_OK) return status;
    state->parts = static_cast<plan_part *>(memory);
    state->parts_count = count;
    std::fill_n(state->parts, count, plan_part{});
    for (int64_t k = 0; k < count && status == SPG_OK; k++) {
        const int64_t first = k * rows;
        maker.part = &state->parts[k];
        maker.patterns.a = offsets_from(A, first);
        maker.patterns.c = offsets_from(C, first);
        maker.patterns.first_row = first;
        maker.patterns.rows = std::min(rows, C.rows - first);
        status = make_classes(maker);
    }
    return status;
}

bool has_class(const plan_part &part, int row_class)
{
    if (row_class == PLAN_ENTRIES) return part.windows.count > 0 || part.windows.long_count > 0;
    return row_class == PLAN_THREAD ? part.thread.count > 0 : part.classes[row_class].count > 0;
}

/* The class of the part that runs on the side stream: a single kernel leaves much of the device waiting, so if rows
 * are done by entries and by groups, or by groups of several classes, the last of these classes. Else PLAN_NOTHING. */
int side_class(const plan_part &part)
{
    int last = PLAN_NOTHING, count = 0;
    for (int row_class = PLAN_SMALL; row_class < PLAN_CLASSES; row_class++)
        if (has_class(part, row_class)) last = row_class, count++;
    return count > 1 ? last : PLAN_NOTHING;
}

spg_status find_fingerprints(spg_context *context, const spg_csr *A, const spg_csr *B, cuda_plan *state)
{
    draw_keys(&state->keys);
    spg_status status = find_fingerprint(context, A, state->keys, &state->of_a);
    return status == SPG_OK ? find_fingerprint(context, B, state->keys, &state->of_b) : status;
}

/* Whether a run looks the products up, and no codes are made. */
bool chooses_search(const spgemm_plan &plan, const spg_csr &A)
{
    const double mean = (double)A.nnz / (double)std::max<int64_t>(A.rows, 1); /* entries of A looked up for one of C */
    return plan.operands == SPG_OPERANDS_OF_LEVEL && A.nnz <= PLAN_SEARCH_A && mean * (double)plan.C.nnz <= PLAN_SEARCH;
}

spg_status make_codes(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan)
{
    const spg_csr &C = plan->C;
    plan_maker maker = {};
    spg_status status = SPG_OK;
    if (plan->symmetric != nullptr)
        status = context->backend->amg->find_images(context, &C, plan->symmetric, &plan->images);
    maker.context = context;
    maker.cuda = spg_cuda_of(context);
    maker.plan = state_of(plan);
    maker.patterns = {offsets_of(*A), offsets_of(*B), offsets_of(C), A->columns, B->columns, C.columns,
                      A->rows,        B->rows,        false,         false,      0};
    maker.a_nnz = A->nnz, maker.b_nnz = B->nnz, maker.c_nnz = C.nnz;
    maker.value_bytes = (int)spg_type_size(A->value_type);
    maker.scheme.thread_sums = thread_sums(A->value_type);
    maker.halves = plan->images.count > 0;
    if (status == SPG_OK && C.nnz > 0) status = make_parts(maker, *A, C);
    plan->stats.workspace_bytes = std::max(plan->stats.workspace_bytes, maker.most_held);
    return status;
}

spg_status make_plan(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan)
{
    cuda_plan *state = state_of(plan);
    const bool are_given = plan->operands == SPG_OPERANDS_GIVEN;
    spg_status status = are_given ? find_fingerprints(context, A, B, state) : SPG_OK;
    state->searches = chooses_search(*plan, *A);
    if (status == SPG_OK && !state->searches) status = make_codes(context, A, B, plan);
    /* Others may change A and B, on other streams, as soon as the plan exists. */
    if (status == SPG_OK && are_given) status = spg_cuda_wait(context);
    plan->stats.plan_bytes = (int64_t)sizeof *plan + (int64_t)sizeof *state + state->bytes +
                             spg_array_bytes(state->parts_count, sizeof *state->parts) +
                             spg_images_bytes(&plan->images) + spg_plan_pattern_bytes(plan);
    return status;
}

spg_status run_class(spg_context *context, cudaStream_t stream, const plan_part &part, int row_class,
                     const plan_values &values)
{
    if (row_class == PLAN_ENTRIES) return run_windows(context, stream, part.windows, values);
    return row_class == PLAN_THREAD ? run_thread_rows(context, stream, part.thread, values)
                                    : run_items(context, stream, part.classes[row_class], values);
}

spg_status run_on_side_stream(spg_context *context, const plan_part &part, int row_class, const plan_values &values)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    cudaStream_t side = cuda->side_streams[0];
    cudaError_t error = cudaEventRecord(cuda->fork, cuda->stream);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(side, cuda->fork, 0);
    spg_status status = spg_cuda_check(context, error, "a plan's streams");
    if (status == SPG_OK) status = run_class(context, side, part, row_class, values);
    /* After a failure too: run_part waits for what was queued before it. */
    const spg_status ended = spg_cuda_check(context, cudaEventRecord(cuda->joins[0], side), "a plan's streams");
    return status == SPG_OK ? ended : status;
}

spg_status run_part(spg_context *context, const plan_part &part, plan_values values)
{
    const spg_cuda *cuda = spg_cuda_of(context);
    const int side = side_class(part);
    plan_values alone = values;
    alone.may_overlap = false;
    spg_status status = side != PLAN_NOTHING ? run_on_side_stream(context, part, side, alone) : SPG_OK;
    for (int row_class = PLAN_ENTRIES; row_class > PLAN_NOTHING && status == SPG_OK; row_class--) {
        if (row_class == side || !has_class(part, row_class)) continue;
        status = run_class(context, cuda->stream, part, row_class, values);
        values.may_overlap = true; /* with the kernel before it */
    }
    if (side == PLAN_NOTHING) return status;
    /* After a failure too, because the side stream writes to C, which may be freed now. */
    const spg_status joined =
        spg_cuda_check(context, cudaStreamWaitEvent(cuda->stream, cuda->joins[0], 0), "a plan's streams");
    return status == SPG_OK ? joined : status;
}

spg_status run_parts(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    const cuda_plan *state = state_of(plan);
    const bool may_skip = plan->images.count > 0 || state->searches;
    plan_values values = {A->value_type,    A->values, B->values, C->values, may_skip ? plan->symmetric : nullptr,
                          plan->may_overlap};
    if (state->searches) return run_search(plan->context, *A, *B, plan->C, values);
    spg_status status = SPG_OK;
    for (int64_t k = 0; k < state->parts_count && status == SPG_OK; k++, values.may_overlap = false)
        status = run_part(plan->context, state->parts[k], values);
    return status;
}

/* If timing is asked for: waits for the end of the run. */
spg_status time_run(spgemm_plan *plan)
{
    spg_cuda *cuda = spg_cuda_of(plan->context);
    spgemm_stats &stats = plan->stats;
    stats.analysis_ms = stats.expand_sort_ms = stats.contract_ms = stats.assemble_ms = stats.total_ms = 0;
    if (cuda->events[SPG_STAGE_END] == nullptr) return SPG_OK;
    float milliseconds = 0;
    cudaError_t error = cudaEventRecord(cuda->events[SPG_STAGE_END], cuda->stream);
    if (error == cudaSuccess) error = cudaEventSynchronize(cuda->events[SPG_STAGE_END]);
    if (error == cudaSuccess)
        error = cudaEventElapsedTime(&milliseconds, cuda->events[SPG_STAGE_BEGIN], cuda->events[SPG_STAGE_END]);
    stats.contract_ms = stats.total_ms = milliseconds;
    return spg_cuda_check(plan->context, error, "timing a plan's run");
}

spg_status compare_fingerprint(spg_context *context, const spg_csr *matrix, const fingerprint_keys &keys,
                               const pattern_fingerprint &planned, const char *name)
{
    pattern_fingerprint found;
    spg_status status = find_fingerprint(context, matrix, keys, &found);
    if (status != SPG_OK) return status;
    if (memcmp(&found, &planned, sizeof found) == 0) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_SHAPE, "%s has another pattern than the plan was made for", name);
}

} // namespace

spg_status keep_memory(plan_maker &maker, int64_t bytes, void **memory)
{
    cuda_plan *plan = maker.plan;
    void *host_memory = nullptr;
    *memory = nullptr;
    spg_status status = spg_allocate_on_host(maker.context, sizeof(plan_array), "a plan", &host_memory);
    if (status != SPG_OK) return status;
    plan_array *array = static_cast<plan_array *>(host_memory);
    *array = {plan->arrays, nullptr, bytes};
    plan->arrays = array;
    plan->bytes += bytes + (int64_t)sizeof *array;
    status = spg_allocate(maker.context, bytes, "a plan", &array->memory);
    *memory = array->memory;
    return status;
}

} // namespace spg

spg_status spg_cuda_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan)
{
    spg_status status = spg_allocate_on_host(context, sizeof(spg::cuda_plan), "a plan", &plan->state);
    if (status != SPG_OK) return status;
    memset(plan->state, 0, sizeof(spg::cuda_plan));
    status = spg_cuda_enter(context);
    if (status != SPG_OK) return status; /* spgemm_plan_destroy frees the state */
    status = spg::make_plan(context, A, B, plan);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_plan_allocate_result(spgemm_plan *plan, spg_csr *C)
{
    spg_context *context = plan->context;
    const spg_csr &pattern = plan->C;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status =
        spg_csr_alloc(context, pattern.rows, pattern.cols, pattern.nnz, pattern.offset_type, pattern.value_type, C);
    const int64_t offset_bytes = (pattern.rows + 1) * (int64_t)spg_type_size(pattern.offset_type);
    if (status == SPG_OK) status = spg_cuda_copy_on_device(context, C->row_offsets, pattern.row_offsets, offset_bytes);
    if (status == SPG_OK) status = spg_cuda_copy_on_device(context, C->columns, pattern.columns, pattern.nnz * 4);
    if (status != SPG_OK) spg_csr_free(context, C);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_plan_compare_result(spgemm_plan *plan, const spg_csr *C)
{
    bool are_equal = false;
    spg_status status = spg_cuda_enter(plan->context);
    if (status != SPG_OK) return status;
    status = spg::patterns_are_equal(plan->context, C, &plan->C, &are_equal);
    spg_cuda_leave(plan->context);
    if (status != SPG_OK || are_equal) return status;
    return spg_context_fail(plan->context, SPG_ERROR_SHAPE, "C has another pattern than the plan's product");
}

spg_status spg_cuda_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B)
{
    const spg::cuda_plan *state = spg::state_of(plan);
    spg_status status = spg_cuda_enter(plan->context);
    if (status != SPG_OK) return status;
    status = spg::compare_fingerprint(plan->context, A, state->keys, state->of_a, "A");
    if (status == SPG_OK) status = spg::compare_fingerprint(plan->context, B, state->keys, state->of_b, "B");
    spg_cuda_leave(plan->context);
    return status;
}

spg_status spg_cuda_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    spg_context *context = plan->context;
    const spg_cuda *cuda = spg_cuda_of(context);
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    if (cuda->events[SPG_STAGE_BEGIN] != nullptr)
        status = spg_cuda_check(context, cudaEventRecord(cuda->events[SPG_STAGE_BEGIN], cuda->stream), "timing");
    if (status == SPG_OK) status = spg::run_parts(plan, A, B, C);
    if (status == SPG_OK) status = spg::time_run(plan);
    spg_cuda_leave(context);
    return status;
}

void spg_cuda_plan_destroy(spgemm_plan *plan)
{
    spg_context *context = plan->context;
    spg::cuda_plan *state = spg::state_of(plan);
    while (state->arrays != nullptr) {
        spg::plan_array *array = state->arrays;
        state->arrays = array->next;
        if (array->memory != nullptr) spg_release(context, array->memory, array->bytes);
        spg_release_on_host(context, array, sizeof *array);
    }
    spg_release_on_host(context, state->parts, spg_array_bytes(state->parts_count, sizeof *state->parts));
    spg_release_on_host(context, state, sizeof *state);
    plan->state = nullptr;
}
