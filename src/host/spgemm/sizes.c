/* The buffer sizes of a worker, cut to fit the workspace limit, and their layout: one allocation per thread. */
#include "host/spgemm/list/list.h"
#include "poison.h"
#include "worker.h"

#include <string.h>

/* Step 0 has the sizes chosen with the host bench (spgemm_bench, A*P and A*A of its nine matrices). Each further step
 * halves all of them, down to the smallest that every kernel can work with. */
enum { CHUNK_ENTRIES_LEAST = 256 };
static worker_sizes sizes_of_step(int step)
{
    worker_sizes sizes = {4096, 1 << 18, 1 << 18, MAX_LIST, 4096, 1 << 16, 1 << 15};
    for (int s = 0; s < step; s++) {
        if (sizes.chunk_entries > CHUNK_ENTRIES_LEAST) sizes.chunk_entries /= 2;
        if (sizes.staging_entries > SMALLEST_STAGING) sizes.staging_entries /= 2;
        if (sizes.table_slots > 256) sizes.table_slots /= 2;
        if (sizes.list_entries > 64) sizes.list_entries /= 2;
        if (sizes.sort_products > 256) sizes.sort_products /= 2;
        if (sizes.window_columns > 512) sizes.window_columns /= 2;
        sizes.known_products = sizes.known_products > 1 << 12 ? sizes.known_products / 2 : 0;
    }
    return sizes;
}

enum { STEPS = 14, LINE = 64, PAGE = 4096 };

/* Cuts sizes to what a product by this B can use. */
static void shrink_to_fit(worker_sizes *sizes, const spg_csr *B)
{
    while (sizes->table_slots / 2 >= B->cols && sizes->table_slots > 256) sizes->table_slots /= 2;
    while (sizes->window_columns / 2 >= B->cols && sizes->window_columns > 512) sizes->window_columns /= 2;
}

/* Halves chunks while there are too few for all threads and half of one still has work enough to share out (CHUNK_LEAST
 * products, by B's mean row: some 20 us). Two threads, medians of both builds in turn: a random square of 1000 rows
 * with 100 products each 0.24 ms, 0.47 without (python/bench/overhead.py); A*P of econ:3000 0.17 ms and 0.30, A*A of
 * fe3d27:10 0.36 and 0.55, of fd2d5:60 0.18 both (spgemm_bench). */
enum { CHUNK_LEAST = 4096 };
static void split_small_work(worker_sizes *sizes, const spg_product *product)
{
    const spg_csr *A = product->A, *B = product->B;
    const int64_t least = B->nnz > 0 ? (int64_t)(CHUNK_LEAST * ((double)B->rows / (double)B->nnz)) : INT64_MAX;
    while (sizes->chunk_entries / 2 >= least && sizes->chunk_entries > CHUNK_ENTRIES_LEAST &&
           spg_threads_for(product->context, spg_count_chunks(A, sizes->chunk_entries)).count <
               product->context->config.threads)
        sizes->chunk_entries /= 2;
}

worker_sizes spg_plan_sizes(const spg_csr *B)
{
    worker_sizes sizes = sizes_of_step(0);
    shrink_to_fit(&sizes, B);
    sizes.staging_entries = sizes.sort_products = sizes.window_columns = sizes.known_products = 0;
    return sizes;
}

/* Assigns consecutive parts of one block, and guards the gaps between them; without a block it only adds up sizes. */
typedef struct block_layout {
    char *base;
    int64_t used;
} block_layout;

static void *take(block_layout *layout, int64_t bytes)
{
    const int64_t room = (bytes + LINE - 1) / LINE * LINE + SPG_GAP_BYTES;
    char *part = layout->base != NULL ? layout->base + layout->used : NULL;
    if (part != NULL) SPG_POISON(part + bytes, room - bytes);
    layout->used += room;
    return part;
}

static int64_t lay_out(spg_worker *worker, const worker_sizes *sizes, int64_t value_bytes, char *memory)
{
    block_layout all = {memory, 0};
    int64_t chunk = sizes->chunk_entries, value = value_bytes > 0 ? value_bytes : 1;
    worker->marks = take(&all, sizes->window_columns);
    worker->block_marks = take(&all, sizes->window_columns / 64 + LINE);
    worker->window_sums = take(&all, sizes->window_columns * value);
    worker->table = take(&all, sizes->table_slots * (int64_t)sizeof *worker->table);
    worker->chunk.bounds = take(&all, (chunk + 2) * (int64_t)sizeof(int64_t));
    worker->chunk.row_products = take(&all, (chunk + 1) * (int64_t)sizeof(int64_t));
    worker->row_counts = take(&all, (chunk + 2) * (int64_t)sizeof(int64_t));
    worker->chunk.starts = take(&all, 3 * chunk * (int64_t)sizeof(int64_t));
    worker->chunk.before = take(&all, (3 * chunk + 1) * (int64_t)sizeof(int64_t));
    worker->chunk.lengths = take(&all, 3 * chunk * (int64_t)sizeof(int32_t));
    worker->columns = take(&all, sizes->staging_entries * (int64_t)sizeof(int32_t) + LINE);
    worker->values = take(&all, sizes->staging_entries * value + LINE);
    worker->list_columns = take(&all, sizes->list_entries * (int64_t)sizeof(int32_t));
    worker->list_order = take(&all, sizes->list_entries * (int64_t)sizeof(uint16_t));
    worker->list_sums = take(&all, MOST_EQUAL_ROWS * sizes->list_entries * value);
    int64_t keys = sizes->sort_products > sizes->list_entries ? sizes->sort_products : sizes->list_entries;
    worker->keys = take(&all, keys * (int64_t)sizeof(uint64_t) + 4 * LINE);
    worker->keys_spare = take(&all, keys * (int64_t)sizeof(uint64_t) + 4 * LINE);
    worker->sort_products = take(&all, sizes->sort_products * value + 4 * LINE);
    const int64_t known = sizes->known_products;
    worker->known.rows = take(&all, (known > 0 ? KNOWN_ROWS : 0) * (int64_t)sizeof(known_row));
    worker->known.offsets = take(&all, known * (int64_t)sizeof(int32_t));
    worker->known.places = take(&all, known * (int64_t)sizeof(uint16_t));
    worker->known.columns = take(&all, known * (int64_t)sizeof(int32_t) + LINE);
    return all.used;
}

int64_t spg_worker_bytes(const worker_sizes *sizes, int64_t value_bytes)
{
    spg_worker none;
    return (lay_out(&none, sizes, value_bytes, NULL) + PAGE - 1) / PAGE * PAGE;
}

void spg_lay_out_worker(spg_worker *worker)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    const int64_t value_bytes = worker->shared->value_bytes;
    const int64_t window = sizes->window_columns, value = value_bytes > 0 ? value_bytes : 1;
    lay_out(worker, sizes, value_bytes, worker->memory);
    memset(worker->marks, 0, (size_t)window);
    memset(worker->block_marks, 0, (size_t)(window / 64 + LINE));
    memset(worker->window_sums, 0, (size_t)(window * value));
    if (sizes->known_products > 0) memset(worker->known.rows, 0, KNOWN_ROWS * sizeof(known_row));
    memset(worker->table, 0, (size_t)sizes->table_slots * sizeof *worker->table);
}

spg_status spg_choose_sizes(const spg_product *product, int64_t other_bytes, spg_threads *threads, worker_sizes *sizes)
{
    const int64_t limit = product->context->config.workspace_limit;
    const int64_t value = product->pattern_only ? 0 : (int64_t)spg_type_size(product->A->value_type);
    for (int step = 0; step < STEPS; step++) {
        *sizes = sizes_of_step(step);
        shrink_to_fit(sizes, product->B);
        split_small_work(sizes, product);
        *threads = spg_threads_for(product->context, spg_count_chunks(product->A, sizes->chunk_entries));
        if (limit == 0) return SPG_OK;
        const int64_t each = spg_worker_bytes(sizes, value) + (int64_t)sizeof(spg_worker);
        if (other_bytes + threads->count * each <= limit) return SPG_OK;
        if (step + 1 < STEPS) continue;
        threads->count = (int)((limit - other_bytes) / each);
        if (threads->count < 1)
            return spg_context_fail(product->context, SPG_ERROR_MEMORY,
                                    "workspace limit of %lld bytes: the product needs at least %lld", (long long)limit,
                                    (long long)(other_bytes + each));
    }
    return SPG_OK;
}
