/* The stages of a product on the host (backend.h): begin, multiply, assemble, end. The paper's phases alternate chunk
 * by chunk (chunk.c, route.c, rows_*.c, handover.c), so that expanded products never leave the cache. */
#include "../vector.h"
#include "argument.h"
#include "clock.h"
#include "host/host.h"
#include "host/work.h"
#include "scan.h"
#include "worker.h"

#include <string.h>

/* The state of a product from begin to end. */
typedef struct host_state {
    multiplication shared;
    worker_team team;
    int64_t bound; /* of nnz(C) */
    bool reserved_columns, reserved_values;
} host_state;

/* A bound of nnz(C), computed without reading the columns of A. */
static int64_t coarse_bound(const spg_product *product, const b_facts *b)
{
    const spg_csr *A = product->A, *C = product->C;
    int64_t bound = INT64_MAX / 32;
    if (b->longest_row == 0 || A->nnz <= bound / b->longest_row) bound = A->nnz * b->longest_row;
    if (C->cols == 0 || C->rows <= bound / C->cols) bound = C->rows * C->cols < bound ? C->rows * C->cols : bound;
    return bound;
}

/* Lengths of rows of B are stored in 32 bits (chunk.c); longer rows repeat columns. */
static spg_status check_row_lengths(const spg_product *product, const b_facts *b)
{
    const spg_csr *B = product->B;
    if (b->longest_row <= INT32_MAX) return SPG_OK;
    int64_t row = 0;
    while (spg_offset_at(B, row + 1) - spg_offset_at(B, row) <= INT32_MAX) row++;
    return spg_context_fail(product->context, SPG_ERROR_UNSUPPORTED,
                            "B: row %lld has %lld entries; products on the host take rows of up to 2147483647",
                            (long long)row, (long long)(spg_offset_at(B, row + 1) - spg_offset_at(B, row)));
}

static bool limits_are_default(const spg_row_limits *limits)
{
    return limits->thread < 0 && limits->warp < 0 && limits->cta < 0;
}

spg_status spg_host_product_begin(spg_product *product)
{
    spg_context *context = product->context;
    const double begin = spg_seconds();
    host_state *state = NULL;
    spg_status status = spg_allocate(context, sizeof *state, "a product's state", (void **)&state);
    if (status != SPG_OK) return status;
    memset(state, 0, sizeof *state);
    product->state = state;
    multiplication *shared = &state->shared;
    shared->product = product;
    shared->value_bytes = product->pattern_only ? 0 : (int64_t)spg_type_size(product->A->value_type);
    shared->automatic = limits_are_default(&context->config.row_limits);
    shared->vector = spg_host_vector_level();
    status = spg_choose_sizes(product, (int64_t)sizeof *state, &state->team.threads, &shared->sizes);
    if (status != SPG_OK) return status;
    shared->chunks = spg_count_chunks(product->A, shared->sizes.chunk_entries);
    const spg_threads threads = state->team.threads;
    if (!spg_offsets_are_valid(product->A, threads) || !spg_scan_b(product->B, threads, &shared->b))
        return spg_report_malformed(context, product->A, product->B);
    status = check_row_lengths(product, &shared->b);
    if (status != SPG_OK) return status;
    state->bound = coarse_bound(product, &shared->b);
    status = spg_allocate_team(context, shared, &state->team);
    product->stats.workspace_bytes = state->team.bytes + (int64_t)sizeof *state;
    product->stats.analysis_ms = 1e3 * (spg_seconds() - begin);
    return status;
}

static spg_status set_nnz(const spg_product *product, int64_t nnz)
{
    product->C->nnz = nnz;
    return spg_check_offset_range(product->context, nnz, product->C->offset_type, "C");
}

static spg_status run(const spg_product *product, host_state *state, handover_mode mode)
{
    state->shared.c_columns = product->C->columns;
    state->shared.c_values = product->C->values;
    if (spg_run_team(&state->team, mode)) return SPG_OK;
    return spg_report_malformed(product->context, product->A, product->B);
}

/* Scans the row lengths into offsets. Returns nnz. */
static int64_t scan_lengths(spg_csr *C)
{
    const int64_t most = C->offset_type == SPG_I64 ? INT64_MAX : INT32_MAX;
    int64_t sum = 0;
    for (int64_t r = 1; r <= C->rows; r++) {
        sum += spg_offset_at(C, r);
        spg_set_offset(C, r, sum <= most ? sum : most);
    }
    return sum;
}

/* Two passes, for when sizes must be known before entries are written: first the lengths. */
static spg_status count_and_place(spg_product *product, host_state *state)
{
    spg_context *context = product->context;
    spg_csr *C = product->C;
    const int64_t value_bytes = state->shared.value_bytes;
    const bool pattern_only = product->pattern_only;
    product->pattern_only = true;
    spg_status status = run(product, state, HANDOVER_COUNT);
    product->pattern_only = pattern_only;
    if (status == SPG_OK) status = set_nnz(product, scan_lengths(C));
    if (status == SPG_OK) status = spg_allocate(context, C->nnz * 4, "C's columns", (void **)&C->columns);
    if (status == SPG_OK) status = spg_allocate(context, C->nnz * value_bytes, "C's values", &C->values);
    return status == SPG_OK ? run(product, state, HANDOVER_PLACE) : status;
}

/* Reserves room for as many entries as C can have; only written memory costs anything. */
static bool reserve_result(const spg_product *product, host_state *state)
{
    spg_csr *C = product->C;
    const int64_t value_bytes = state->shared.value_bytes;
    void *columns, *values = NULL;
    if (value_bytes > 0 && !spg_reserve(product->context, state->bound * value_bytes, &values)) return false;
    if (!spg_reserve(product->context, state->bound * 4, &columns)) {
        spg_cancel_reservation(product->context, values);
        return false;
    }
    C->values = values;
    C->columns = columns;
    state->reserved_columns = true;
    state->reserved_values = value_bytes > 0;
    return true;
}

spg_status spg_host_product_multiply(spg_product *product)
{
    host_state *state = product->state;
    spg_csr *C = product->C;
    const double begin = spg_seconds();
    const int64_t offset_bytes = (C->rows + 1) * (int64_t)spg_type_size(C->offset_type);
    spg_status status = spg_allocate(product->context, offset_bytes, "C's row offsets", &C->row_offsets);
    if (status != SPG_OK) return status;
    memset(C->row_offsets, 0, spg_type_size(C->offset_type));
    const bool narrow = C->offset_type == SPG_I32;
    if (narrow && state->bound > INT32_MAX) state->bound = spg_bound_by_products(&state->team);
    if ((!narrow || state->bound <= INT32_MAX) && reserve_result(product, state)) {
        status = run(product, state, HANDOVER_APPEND);
        if (status == SPG_OK) status = set_nnz(product, state->shared.appended);
    } else {
        status = count_and_place(product, state);
    }
    spg_sum_team(&state->team, 1e3 * (spg_seconds() - begin), &product->stats);
    return status;
}

spg_status spg_host_product_assemble(spg_product *product)
{
    host_state *state = product->state;
    spg_csr *C = product->C;
    if (state->reserved_columns) C->columns = spg_trim(product->context, C->columns, C->nnz * 4);
    if (state->reserved_values) C->values = spg_trim(product->context, C->values, C->nnz * state->shared.value_bytes);
    state->reserved_columns = state->reserved_values = false;
    return SPG_OK;
}

void spg_host_product_end(spg_product *product)
{
    host_state *state = product->state;
    spg_context *context = product->context;
    if (state == NULL) return;
    if (state->reserved_columns) {
        spg_cancel_reservation(context, product->C->columns);
        product->C->columns = NULL;
    }
    if (state->reserved_values) {
        spg_cancel_reservation(context, product->C->values);
        product->C->values = NULL;
    }
    spg_release_team(context, &state->team);
    spg_release(context, state, sizeof *state);
    product->state = NULL;
}
