/* The stages of a product on the host (backend.h): begin, multiply, assemble, end. The paper's phases follow each other
 * chunk by chunk (chunk.c, route.c, rows_*.c, handover.c), so that nothing expanded ever leaves the cache. */
#include "host/host.h"
#include "route.h"
#include "scan.h"
#include "worker.h"

#include "argument.h"

#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

/* What a product keeps from begin to end. */
typedef struct host_state {
    multiplication shared;
    spg_worker *workers;
    char *workspace;
    int threads;
    int64_t worker_bytes, bound; /* of nnz(C) */
    bool reserved_columns, reserved_values;
} host_state;

static int64_t product_bound(const spg_product *product, const b_facts *b)
{
    const spg_csr *A = product->A, *C = product->C;
    int64_t bound = INT64_MAX / 32;
    if (b->longest_row == 0 || A->nnz <= bound / b->longest_row) bound = A->nnz * b->longest_row;
    if (C->cols > 0 && C->rows <= bound / C->cols) bound = C->rows * C->cols;
    if (C->offset_type == SPG_I32 && bound > INT32_MAX) bound = INT32_MAX;
    return bound;
}

static spg_status allocate_workers(spg_product *product, host_state *state)
{
    int64_t bytes = state->threads * (state->worker_bytes + (int64_t)sizeof(spg_worker));
    spg_status status = spg_allocate(product->context, bytes, "the workspace of a product", (void **)&state->workspace);
    if (status != SPG_OK) return status;
    product->stats.workspace_bytes = bytes;
    state->workers = (spg_worker *)(void *)(state->workspace + state->threads * state->worker_bytes);
    memset(state->workers, 0, (size_t)state->threads * sizeof(spg_worker));
    return SPG_OK;
}

spg_status spg_host_product_begin(spg_product *product)
{
    spg_context *context = product->context;
    host_state *state = NULL;
    spg_status status = spg_allocate(context, sizeof *state, "a product's state", (void **)&state);
    if (status != SPG_OK) return status;
    memset(state, 0, sizeof *state);
    product->state = state;
    multiplication *shared = &state->shared;
    shared->product = product;
    state->threads = context->config.threads;
    double begin = spg_seconds();
    if (!spg_offsets_are_valid(product->A, state->threads) || !spg_scan_b(product->B, state->threads, &shared->b))
        return spg_report_malformed(context, product->A, product->B);
    status = spg_choose_worker_sizes(product, &state->threads, &shared->sizes);
    if (status != SPG_OK) return status;
    shared->value_bytes = product->pattern_only ? 0 : (int64_t)spg_type_size(product->A->value_type);
    state->worker_bytes = spg_worker_bytes(&shared->sizes, shared->value_bytes);
    state->worker_bytes = (state->worker_bytes + 4095) / 4096 * 4096;
    shared->chunks = spg_count_chunks(product->A, shared->sizes.chunk_entries);
    if (state->threads > shared->chunks) state->threads = shared->chunks > 0 ? (int)shared->chunks : 1;
    shared->automatic = context->config.row_limits.thread < 0 && context->config.row_limits.warp < 0 &&
                        context->config.row_limits.cta < 0;
    state->bound = product_bound(product, &shared->b);
    status = allocate_workers(product, state);
    product->stats.analysis_ms = 1e3 * (spg_seconds() - begin);
    return status;
}

/* One pass over all chunks, in the mode that is set. */
static void run_workers(host_state *state)
{
    multiplication *shared = &state->shared;
    for (int t = 0; t < state->threads; t++) {
        memset(state->workers[t].class_rows, 0, sizeof state->workers[t].class_rows);
        state->workers[t].products = 0;
    }
    atomic_store(&shared->next_chunk, 0);
    atomic_store(&shared->turn, 0);
    shared->appended = 0;
#pragma omp parallel num_threads(state->threads)
    {
#ifdef _OPENMP
        int thread = omp_get_thread_num();
#else
        int thread = 0;
#endif
        spg_worker *worker = &state->workers[thread];
        if (worker->shared == NULL) {
            worker->shared = shared;
            spg_lay_out_worker(worker, &shared->sizes, shared->value_bytes,
                               state->workspace + thread * state->worker_bytes);
        }
        for (;;) {
            long long index = atomic_fetch_add(&shared->next_chunk, 1);
            if (index >= shared->chunks || atomic_load(&shared->failed)) break;
            double begin = spg_seconds();
            bool good = spg_load_chunk(worker, index);
            double loaded = spg_seconds();
            good = good && spg_multiply_chunk(worker);
            double multiplied = spg_seconds();
            if (!good || !spg_finish_chunk(worker)) {
                atomic_store(&shared->failed, true);
                break;
            }
            worker->analysis_seconds += loaded - begin;
            worker->expand_sort_seconds += multiplied - loaded;
            worker->assemble_seconds += spg_seconds() - multiplied;
        }
    }
}

static spg_status set_ends(spg_product *product, int64_t nnz)
{
    product->C->nnz = nnz;
    return spg_check_offset_range(product->context, nnz, product->C->offset_type, "C");
}

/* One pass into reserved address space. */
static spg_status append(spg_product *product, host_state *state)
{
    multiplication *shared = &state->shared;
    shared->mode = HANDOVER_APPEND;
    shared->c_columns = product->C->columns;
    shared->c_values = product->C->values;
    run_workers(state);
    if (atomic_load(&shared->failed)) return spg_report_malformed(product->context, product->A, product->B);
    return set_ends(product, shared->appended);
}

/* Lengths of the rows to offsets. Returns nnz. */
static int64_t scan_lengths(spg_csr *C)
{
    int64_t sum = 0;
    for (int64_t r = 1; r <= C->rows; r++)
        if (C->offset_type == SPG_I64) {
            sum += ((int64_t *)C->row_offsets)[r];
            ((int64_t *)C->row_offsets)[r] = sum;
        } else {
            sum += ((int32_t *)C->row_offsets)[r];
            ((int32_t *)C->row_offsets)[r] = (int32_t)(sum <= INT32_MAX ? sum : INT32_MAX);
        }
    return sum;
}

/* Two passes, for allocators that must be told exact sizes: lengths first. */
static spg_status count_and_place(spg_product *product, host_state *state)
{
    multiplication *shared = &state->shared;
    spg_context *context = product->context;
    spg_csr *C = product->C;
    bool pattern_only = product->pattern_only;
    int64_t value_bytes = shared->value_bytes;
    product->pattern_only = true;
    shared->mode = HANDOVER_COUNT;
    run_workers(state);
    product->pattern_only = pattern_only;
    if (atomic_load(&shared->failed)) return spg_report_malformed(context, product->A, product->B);
    spg_status status = set_ends(product, scan_lengths(C));
    if (status == SPG_OK) status = spg_allocate(context, C->nnz * 4, "C's columns", (void **)&C->columns);
    if (status == SPG_OK) status = spg_allocate(context, C->nnz * value_bytes, "C's values", &C->values);
    if (status != SPG_OK) return status;
    shared->mode = HANDOVER_PLACE;
    shared->c_columns = C->columns;
    shared->c_values = C->values;
    run_workers(state);
    if (atomic_load(&shared->failed)) return spg_report_malformed(context, product->A, product->B);
    return SPG_OK;
}

static bool reserve_result(spg_product *product, host_state *state)
{
    spg_csr *C = product->C;
    int64_t value_bytes = state->shared.value_bytes;
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
    int64_t offset_bytes = (C->rows + 1) * (int64_t)spg_type_size(C->offset_type);
    double begin = spg_seconds();
    spg_status status = spg_allocate(product->context, offset_bytes, "C's row offsets", &C->row_offsets);
    if (status != SPG_OK) return status;
    memset(C->row_offsets, 0, spg_type_size(C->offset_type));
    status = reserve_result(product, state) ? append(product, state) : count_and_place(product, state);
    double elapsed = 1e3 * (spg_seconds() - begin), analysis = 0, expand_sort = 0, assemble = 0;
    for (int t = 0; t < state->threads; t++) {
        const spg_worker *worker = &state->workers[t];
        analysis += worker->analysis_seconds;
        expand_sort += worker->expand_sort_seconds;
        assemble += worker->assemble_seconds;
        product->stats.products += worker->products;
        for (int c = 0; c < SPG_ROW_CLASSES; c++) product->stats.class_rows[c] += worker->class_rows[c];
    }
    double all = analysis + expand_sort + assemble;
    if (all > 0) {
        product->stats.analysis_ms += elapsed * analysis / all;
        product->stats.expand_sort_ms += elapsed * expand_sort / all;
        product->stats.assemble_ms += elapsed * assemble / all;
    }
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
    spg_release(context, state->workspace, product->stats.workspace_bytes);
    spg_release(context, state, sizeof *state);
    product->state = NULL;
}
