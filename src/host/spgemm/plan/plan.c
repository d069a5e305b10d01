/* A plan on the host: C's pattern, a code that maps each product to its entry of C (plan_rows.c), and fingerprints of
 * the operands' patterns. A's fingerprint is checked chunk by chunk, when A is read anyway. */
#include "spgemm/plan.h"

#include "clock.h"
#include "fingerprint.h"
#include "host/host.h"
#include "host/spgemm/scan.h"
#include "host/work.h"
#include "memory.h"
#include "rows.h"

#include <string.h>

/* A planned chunk of A's rows. */
typedef struct planned_chunk {
    int64_t first_row, first_entry, code_begin;
    uint64_t bounds, columns; /* fingerprints */
} planned_chunk;

typedef struct host_plan {
    multiplication shared;
    spg_product product; /* A and B are those of the current call */
    worker_team team;
    int64_t chunks_bytes, rows_bytes, code_bytes, b_bytes;
    planned_chunk *chunks; /* shared.chunks + 1 */
    planned_row *rows;
    uint8_t *code;
    fingerprint_keys keys;
    uint64_t *b_fingerprints; /* one per part */
    bool masks;
} host_plan;

/* For the chunk whose bounds are loaded. The bounds are checked first, so that only existing columns are read. */
static uint64_t bounds_fingerprint(const host_plan *plan, const row_chunk *chunk)
{
    const int64_t words = 2 * (chunk->rows + 1 + chunk->has_long_row);
    return spg_fingerprint(&plan->keys, (const int32_t *)(const void *)chunk->bounds, words);
}

static uint64_t columns_fingerprint(const host_plan *plan, const row_chunk *chunk)
{
    const int64_t count = chunk->bounds[chunk->rows + chunk->has_long_row];
    return spg_fingerprint(&plan->keys, plan->product.A->columns + chunk->first_entry, count);
}

static spg_status allocate_plan(spg_context *context, const spg_csr *A, host_plan *plan)
{
    multiplication *shared = &plan->shared;
    shared->sizes = spg_plan_sizes(plan->product.B);
    shared->value_bytes = (int64_t)spg_type_size(A->value_type);
    shared->chunks = spg_count_chunks(A, shared->sizes.chunk_entries);
    plan->team.threads = spg_threads_for(context, shared->chunks);
    plan->chunks_bytes = (shared->chunks + 1) * (int64_t)sizeof(planned_chunk);
    plan->rows_bytes = spg_array_bytes(A->rows, sizeof *plan->rows);
    plan->b_bytes = spg_count_pattern_parts(plan->product.B) * (int64_t)sizeof *plan->b_fingerprints;
    spg_status status = spg_allocate_team(context, shared, &plan->team);
    if (status == SPG_OK) status = spg_allocate(context, plan->chunks_bytes, "a plan", (void **)&plan->chunks);
    if (status == SPG_OK) status = spg_allocate(context, plan->rows_bytes, "a plan", (void **)&plan->rows);
    if (status == SPG_OK) status = spg_allocate(context, plan->b_bytes, "a plan", (void **)&plan->b_fingerprints);
    return status;
}

/* Chooses the codes of a chunk's rows; code_begin is the chunk's number of bytes for now. False if A or B is malformed,
 * which can happen if an operand changes during the call. */
static bool choose_codes(host_plan *plan, const spg_csr *C, spg_worker *worker, int64_t index)
{
    const row_chunk *chunk = &worker->chunk;
    planned_chunk *planned = &plan->chunks[index];
    if (!spg_load_chunk(worker, index)) return false;
    *planned = (planned_chunk){chunk->first_row, chunk->first_entry, 0, bounds_fingerprint(plan, chunk),
                               columns_fingerprint(plan, chunk)};
    for (int64_t r = 0; r < chunk->rows; r++) {
        int64_t row = chunk->first_row + r, n = spg_offset_at(C, row + 1) - spg_offset_at(C, row);
        int64_t entries = chunk->bounds[r + 1] - chunk->bounds[r];
        plan->rows[row] = spg_plan_row(n, entries, chunk->row_products[r], plan->masks);
        planned->code_begin += spg_code_bytes(plan->rows[row]);
    }
    if (chunk->has_long_row) plan->rows[chunk->first_row + chunk->rows] = (planned_row){CODE_RANK, 0};
    return true;
}

/* Whether the bounds agree with the planned ones, so that the entries exist and fit the worker. */
static bool bounds_are_sound(const row_chunk *chunk, const planned_chunk *planned, int64_t room)
{
    const int64_t rows = chunk->rows + chunk->has_long_row;
    bool falls = false;
    for (int64_t r = 0; r < rows; r++) falls |= chunk->bounds[r + 1] < chunk->bounds[r];
    return !falls && chunk->first_entry == planned->first_entry && chunk->bounds[chunk->rows] <= room &&
           chunk->bounds[rows] == planned[1].first_entry - planned->first_entry;
}

/* Loads the bounds of a planned chunk; false if they cannot be the planned ones. */
static bool load_planned_bounds(const host_plan *plan, spg_worker *worker, int64_t index)
{
    const planned_chunk *planned = &plan->chunks[index];
    spg_load_bounds(worker, planned->first_row, planned[1].first_row);
    return bounds_are_sound(&worker->chunk, planned, 3 * plan->shared.sizes.chunk_entries);
}

/* Writes the positions of a row's products, or the masks of its entries. */
static void write_row_code(const host_plan *plan, const spg_csr *C, spg_worker *worker, int64_t r, uint8_t *code)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = plan->product.B->columns;
    const int64_t row = chunk->first_row + r, at = spg_offset_at(C, row), n = spg_offset_at(C, row + 1) - at;
    const row_code kind = (row_code)plan->rows[row].code;
    const rank_lookup ranks = spg_prepare_ranks(worker, C->columns + at, n);
    uint16_t *wide = (uint16_t *)(void *)code;
    int64_t product = 0;
    for (int64_t k = chunk->bounds[r]; k < chunk->bounds[r + 1]; k++) {
        unsigned mask = 0;
        for (int64_t t = chunk->starts[k]; t < chunk->starts[k] + chunk->lengths[k]; t++, product++) {
            int64_t place = rank_of(ranks, b_columns[t]);
            if (kind == CODE_POSITION_8) code[product] = (uint8_t)place;
            if (kind == CODE_POSITION_16) wide[product] = (uint16_t)place;
            mask |= 1u << (place & 15);
        }
        if (kind == CODE_MASK_8) code[k - chunk->bounds[r]] = (uint8_t)mask;
        if (kind == CODE_MASK_16) wide[k - chunk->bounds[r]] = (uint16_t)mask;
    }
}

static bool write_codes(const host_plan *plan, const spg_csr *C, spg_worker *worker, int64_t index)
{
    const row_chunk *chunk = &worker->chunk;
    uint8_t *code = plan->code + plan->chunks[index].code_begin;
    if (!load_planned_bounds(plan, worker, index) || !spg_describe_chunk(worker)) return false;
    for (int64_t r = 0; r < chunk->rows; r++) {
        const planned_row row = plan->rows[chunk->first_row + r];
        const bool has_masks = row.code == CODE_MASK_8 || row.code == CODE_MASK_16;
        if (row.count == 0) continue;
        if ((has_masks ? chunk->bounds[r + 1] - chunk->bounds[r] : chunk->row_products[r]) != row.count) return false;
        write_row_code(plan, C, worker, r, code);
        code += spg_code_bytes(row);
    }
    return true;
}

/* The making of a plan: the pattern of its C, and whether the operands were found to be malformed. */
typedef struct coding_job {
    host_plan *plan;
    const spg_csr *C;
    atomic_bool *failed;
} coding_job;

static void choose_codes_of(const void *data, spg_range chunks)
{
    const coding_job *job = data;
    spg_worker *worker = spg_worker_of(&job->plan->team, chunks.thread);
    for (int64_t index = chunks.begin; index < chunks.end; index++)
        if (!choose_codes(job->plan, job->C, worker, index)) atomic_store(job->failed, true);
}

static void write_codes_of(const void *data, spg_range chunks)
{
    const coding_job *job = data;
    spg_worker *worker = spg_worker_of(&job->plan->team, chunks.thread);
    for (int64_t index = chunks.begin; index < chunks.end; index++)
        if (!write_codes(job->plan, job->C, worker, index)) atomic_store(job->failed, true);
}

static spg_status make_codes(spg_context *context, const spg_csr *C, host_plan *plan)
{
    const int64_t chunks = plan->shared.chunks;
    const spg_csr *A = plan->product.A, *B = plan->product.B;
    atomic_bool failed = false;
    const coding_job job = {plan, C, &failed};
    spg_parallel(plan->team.threads, chunks, 8, choose_codes_of, &job);
    if (atomic_load(&failed)) return spg_report_malformed(context, A, B);
    for (int64_t index = 0; index < chunks; index++) {
        int64_t bytes = plan->chunks[index].code_begin;
        plan->chunks[index].code_begin = plan->code_bytes;
        plan->code_bytes += bytes;
    }
    plan->chunks[chunks] = (planned_chunk){A->rows, A->nnz, plan->code_bytes, 0, 0};
    spg_status status = spg_allocate(context, plan->code_bytes, "a plan's code", (void **)&plan->code);
    if (status != SPG_OK) return status;
    spg_parallel(plan->team.threads, chunks, 8, write_codes_of, &job);
    return atomic_load(&failed) ? spg_report_malformed(context, A, B) : SPG_OK;
}

/* Masks require that B's rows are sorted like C's. */
static bool rows_ascend(const spg_csr *B, spg_threads threads)
{
    b_facts facts;
    return spg_scan_b(B, threads, &facts) && facts.sorted;
}

spg_status spg_host_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan *plan)
{
    host_plan *state = NULL;
    spg_status status = spg_allocate(context, sizeof *state, "a plan", (void **)&state);
    if (status != SPG_OK) return status;
    memset(state, 0, sizeof *state);
    plan->state = state;
    state->product = (spg_product){.context = context, .A = A, .B = B};
    state->shared.product = &state->product;
    spg_draw_fingerprint_keys(&state->keys);
    state->masks =
        spg_masks_are_available(A->value_type) && rows_ascend(B, spg_host_threads(context, B->nnz + B->rows));
    status = allocate_plan(context, A, state);
    if (status == SPG_OK) status = make_codes(context, &plan->C, state);
    if (status != SPG_OK) return status; /* spgemm_plan_destroy frees the state */
    spg_pattern_fingerprints(&state->keys, B, spg_host_threads(context, B->nnz + B->rows), state->b_fingerprints);
    plan->stats.plan_bytes = (int64_t)sizeof *plan + (int64_t)sizeof *state + state->team.bytes + state->chunks_bytes +
                             state->rows_bytes + state->code_bytes + state->b_bytes + spg_plan_pattern_bytes(plan);
    return SPG_OK;
}

void spg_host_plan_destroy(spgemm_plan *plan)
{
    spg_context *context = plan->context;
    host_plan *state = plan->state;
    spg_release(context, state->b_fingerprints, state->b_bytes);
    spg_release(context, state->code, state->code_bytes);
    spg_release(context, state->rows, state->rows_bytes);
    spg_release(context, state->chunks, state->chunks_bytes);
    spg_release_team(context, &state->team);
    spg_release(context, state, sizeof *state);
    plan->state = NULL;
}

spg_status spg_host_plan_allocate_result(spgemm_plan *plan, spg_csr *C)
{
    spg_context *context = plan->context;
    const spg_csr *pattern = &plan->C;
    spg_status status = spg_csr_alloc(context, pattern->rows, pattern->cols, pattern->nnz, pattern->offset_type,
                                      pattern->value_type, C);
    if (status != SPG_OK) return status;
    const int64_t offset_bytes = (pattern->rows + 1) * (int64_t)spg_type_size(pattern->offset_type);
    spg_host_copy(context, C->row_offsets, pattern->row_offsets, offset_bytes);
    spg_host_copy(context, C->columns, pattern->columns, pattern->nnz * (int64_t)sizeof *C->columns);
    return SPG_OK;
}

typedef struct comparison {
    const char *one, *other;
    atomic_bool *differ;
} comparison;

static void compare_bytes(const void *data, spg_range bytes)
{
    const comparison *job = data;
    const size_t count = (size_t)(bytes.end - bytes.begin);
    if (memcmp(job->one + bytes.begin, job->other + bytes.begin, count) != 0) atomic_store(job->differ, true);
}

static bool are_equal(const void *one, const void *other, int64_t bytes, spg_threads threads)
{
    atomic_bool differ = false;
    spg_parallel(threads, bytes, 1 << 16, compare_bytes, &(comparison){one, other, &differ});
    return !differ;
}

spg_status spg_host_plan_compare_result(spgemm_plan *plan, const spg_csr *C)
{
    const spg_csr *pattern = &plan->C;
    const spg_threads threads = ((const host_plan *)plan->state)->team.threads;
    const int64_t offset_bytes = (pattern->rows + 1) * (int64_t)spg_type_size(pattern->offset_type);
    if (are_equal(C->row_offsets, pattern->row_offsets, offset_bytes, threads) &&
        are_equal(C->columns, pattern->columns, C->nnz * 4, threads))
        return SPG_OK;
    return spg_context_fail(plan->context, SPG_ERROR_SHAPE, "C has another pattern than the plan's product");
}

/* Whether the chunk is the planned one; loads its bounds. */
static bool check_chunk(const host_plan *plan, spg_worker *worker, int64_t index)
{
    const planned_chunk *planned = &plan->chunks[index];
    return load_planned_bounds(plan, worker, index) && bounds_fingerprint(plan, &worker->chunk) == planned->bounds &&
           columns_fingerprint(plan, &worker->chunk) == planned->columns;
}

/* False if the chunk is not the planned one. */
static bool run_chunk(const host_plan *plan, const spg_csr *pattern, spg_worker *worker, int64_t index, void *values)
{
    const planned_chunk *planned = &plan->chunks[index];
    const spg_csr *A = plan->product.A;
    if (!check_chunk(plan, worker, index) || !spg_describe_chunk(worker)) return false;
    const plan_rows rows = {worker, A, plan->product.B, pattern, plan->rows, plan->code + planned->code_begin, values};
    switch (A->value_type) {
    case SPG_F32: return spg_plan_rows_f32(&rows);
    case SPG_C32: return spg_plan_rows_c32(&rows);
    case SPG_C64: return spg_plan_rows_c64(&rows);
    default: return spg_plan_rows_f64(&rows);
    }
}

/* Stores the operands of the current call, if B has the plan's pattern. */
static spg_status take_operands(spgemm_plan *plan, const spg_csr *A, const spg_csr *B)
{
    host_plan *state = plan->state;
    if (!spg_has_pattern(&state->keys, B, state->team.threads, state->b_fingerprints))
        return spg_context_fail(plan->context, SPG_ERROR_SHAPE, "B has another pattern than the plan was made for");
    state->product.A = A;
    state->product.B = B;
    return SPG_OK;
}

static spg_status refuse_a(const spgemm_plan *plan)
{
    return spg_context_fail(plan->context, SPG_ERROR_SHAPE, "A has another pattern than the plan was made for");
}

/* The chunks of a call. */
typedef struct plan_job {
    const host_plan *plan;
    const spg_csr *C; /* the plan's pattern */
    void *values;
    atomic_bool *differs;
} plan_job;

static void check_chunks(const void *data, spg_range chunks)
{
    const plan_job *job = data;
    spg_worker *worker = spg_worker_of(&job->plan->team, chunks.thread);
    for (int64_t index = chunks.begin; index < chunks.end; index++)
        if (!check_chunk(job->plan, worker, index)) atomic_store(job->differs, true);
}

static void run_chunks(const void *data, spg_range chunks)
{
    const plan_job *job = data;
    spg_worker *worker = spg_worker_of(&job->plan->team, chunks.thread);
    for (int64_t index = chunks.begin; index < chunks.end; index++)
        if (!run_chunk(job->plan, job->C, worker, index, job->values)) atomic_store(job->differs, true);
}

enum { CHUNKS_AT_ONCE = 4 };

spg_status spg_host_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B)
{
    host_plan *state = plan->state;
    spg_status status = take_operands(plan, A, B);
    if (status != SPG_OK) return status;
    atomic_bool differs = false;
    spg_parallel(state->team.threads, state->shared.chunks, CHUNKS_AT_ONCE, check_chunks,
                 &(plan_job){state, &plan->C, NULL, &differs});
    return differs ? refuse_a(plan) : SPG_OK;
}

spg_status spg_host_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    host_plan *state = plan->state;
    double begin = spg_seconds();
    spg_status status = take_operands(plan, A, B);
    if (status != SPG_OK) return status;
    double checked = spg_seconds();
    atomic_bool differs = false;
    spg_parallel(state->team.threads, state->shared.chunks, CHUNKS_AT_ONCE, run_chunks,
                 &(plan_job){state, &plan->C, C->values, &differs});
    if (differs) {
        if (C->nnz > 0) memset(C->values, 0, (size_t)C->nnz * spg_type_size(C->value_type));
        return refuse_a(plan);
    }
    plan->stats.analysis_ms = 1e3 * (checked - begin);
    plan->stats.contract_ms = 1e3 * (spg_seconds() - checked);
    plan->stats.expand_sort_ms = plan->stats.assemble_ms = 0;
    plan->stats.total_ms = plan->stats.analysis_ms + plan->stats.contract_ms;
    return SPG_OK;
}
