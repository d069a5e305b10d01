/* The workers of a product, and a pass of all of them over its chunks. */
#include "clock.h"
#include "host/work.h"
#include "poison.h"
#include "worker.h"

#include <string.h>

enum { CHUNKS_A_THREAD = 4 }; /* with fewer, a thread is not worth starting */

spg_threads spg_threads_for(const spg_context *context, int64_t chunks)
{
    return spg_host_threads_up_to(context, chunks / CHUNKS_A_THREAD);
}

spg_status spg_allocate_team(spg_context *context, multiplication *shared, worker_team *team)
{
    const int64_t each = spg_worker_bytes(&shared->sizes, shared->value_bytes);
    team->bytes = team->threads.count * (each + (int64_t)sizeof(spg_worker));
    spg_status status = spg_allocate(context, team->bytes, "the workspace of a product", (void **)&team->memory);
    if (status != SPG_OK) return status;
    team->workers = (spg_worker *)(void *)(team->memory + team->threads.count * each);
    memset(team->workers, 0, (size_t)team->threads.count * sizeof *team->workers);
    for (int t = 0; t < team->threads.count; t++) {
        team->workers[t].shared = shared;
        team->workers[t].memory = team->memory + t * each;
    }
    return SPG_OK;
}

void spg_release_team(spg_context *context, worker_team *team)
{
    SPG_UNPOISON(team->memory, team->bytes);
    spg_release(context, team->memory, team->bytes);
    *team = (worker_team){0};
}

spg_worker *spg_worker_of(const worker_team *team, int thread)
{
    spg_worker *worker = &team->workers[thread];
    if (worker->table == NULL) spg_lay_out_worker(worker);
    return worker;
}

/* min(products, columns) of the long row that ends the loaded chunk. */
static int64_t bound_long_row(const multiplication *shared, const row_chunk *chunk)
{
    const spg_csr *A = shared->product->A, *B = shared->product->B;
    const int64_t piece = shared->sizes.chunk_entries, end = chunk->first_entry + chunk->bounds[chunk->rows + 1];
    int64_t products = 0;
    for (int64_t k = chunk->first_entry + chunk->bounds[chunk->rows]; k < end; k += piece) {
        const int64_t count = end - k < piece ? end - k : piece;
        if (!spg_describe_entries(A, B, k, count, chunk->starts, chunk->lengths)) break;
        for (int64_t i = 0; i < count; i++) products += chunk->lengths[i];
    }
    return products < B->cols ? products : B->cols;
}

typedef struct bound_job {
    const worker_team *team;
    atomic_llong *sum;
} bound_job;

static void bound_chunks(const void *data, spg_range chunks)
{
    const bound_job *job = data;
    spg_worker *worker = spg_worker_of(job->team, chunks.thread);
    const row_chunk *chunk = &worker->chunk;
    const int64_t cols = worker->shared->product->B->cols;
    int64_t sum = 0;
    for (int64_t index = chunks.begin; index < chunks.end; index++) {
        if (!spg_load_chunk(worker, index)) continue; /* the product will fail */
        for (int64_t r = 0; r < chunk->rows; r++) sum += chunk->row_products[r] < cols ? chunk->row_products[r] : cols;
        if (chunk->has_long_row) sum += bound_long_row(worker->shared, chunk);
    }
    atomic_fetch_add(job->sum, sum);
}

int64_t spg_bound_by_products(const worker_team *team)
{
    atomic_llong sum = 0;
    spg_parallel(team->threads, team->workers[0].shared->chunks, 4, bound_chunks, &(bound_job){team, &sum});
    return sum;
}

/* Multiplies chunks until none are left or the product failed. */
static bool multiply_chunks(spg_worker *worker)
{
    multiplication *shared = worker->shared;
    for (;;) {
        const long long index = atomic_fetch_add(&shared->next_chunk, 1);
        if (index >= shared->chunks || atomic_load(&shared->failed)) break;
        const double begin = spg_seconds();
        if (!spg_load_chunk(worker, index)) return false;
        const double loaded = spg_seconds();
        spg_begin_chunk(worker);
        if (!spg_multiply_chunk(worker)) return false;
        const double multiplied = spg_seconds();
        if (!spg_finish_chunk(worker)) return false;
        worker->analysis_seconds += loaded - begin;
        worker->multiply_seconds += multiplied - loaded;
        worker->assemble_seconds += spg_seconds() - multiplied;
    }
    return spg_finish_waiting(worker);
}

/* Each thread comes here once, or again while others have not come yet; no chunk is left then. */
static void multiply(const void *data, spg_range turn)
{
    const worker_team *team = data;
    spg_worker *worker = spg_worker_of(team, turn.thread);
    if (multiply_chunks(worker)) return;
    atomic_store(&worker->shared->failed, true);
    spg_wake_waiting(team->threads.pool);
}

bool spg_run_team(const worker_team *team, handover_mode mode)
{
    multiplication *shared = team->workers[0].shared;
    shared->mode = mode;
    shared->appended = 0;
    atomic_store(&shared->next_chunk, 0);
    atomic_store(&shared->turn, 0);
    for (int t = 0; t < team->threads.count; t++) {
        memset(team->workers[t].class_rows, 0, sizeof team->workers[t].class_rows);
        team->workers[t].products = 0;
    }
    spg_parallel(team->threads, team->threads.count, 1, multiply, team);
    return !atomic_load(&shared->failed);
}

void spg_sum_team(const worker_team *team, double elapsed_ms, spgemm_stats *stats)
{
    double analysis = 0, multiply = 0, assemble = 0;
    for (int t = 0; t < team->threads.count; t++) {
        const spg_worker *worker = &team->workers[t];
        analysis += worker->analysis_seconds;
        multiply += worker->multiply_seconds;
        assemble += worker->assemble_seconds;
        stats->products += worker->products;
        for (int c = 0; c < SPG_ROW_CLASSES; c++) stats->class_rows[c] += worker->class_rows[c];
    }
    const double share = elapsed_ms / (analysis + multiply + assemble + 1e-9);
    stats->analysis_ms += share * analysis;
    stats->expand_sort_ms += share * multiply;
    stats->assemble_ms += share * assemble;
}
