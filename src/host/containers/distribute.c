/* See distribute.h. Consecutive parts of the entries are counted and placed in parallel. A row takes its entries part
 * after part, so the sort is stable, and the result is the same for any number of parts. */
#include "distribute.h"
#include "host/by_type.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

enum { MOST_BLOCKS = 256 };

typedef struct distribution {
    const spg_host_entries *entries;
    spg_csr *out;
    void *cursors;         /* for all parts but the last */
    int64_t parts, blocks; /* parts of the entries, blocks of the rows */
    int64_t *places;       /* where the entries of a block of rows begin; blocks + 1 */
    spg_threads threads;
} distribution;

#define TYPE_TEMPLATE "host/containers/distribute.inc.h"
#include "host/for_each_type.h"

typedef void distribute_function(const distribution *job);

/* One part per thread, unless their cursors would need more memory than the entries or exceed the limit. One part needs
 * no workspace. */
static int choose_parts(const spg_context *context, const spg_csr *out, int64_t held, int threads)
{
    int64_t cursor_bytes = out->rows * (int64_t)spg_type_size(out->offset_type);
    int64_t entry_bytes = (int64_t)(sizeof *out->columns + spg_type_size(out->value_type));
    int64_t more = out->nnz * entry_bytes / cursor_bytes;
    int64_t limit = context->config.workspace_limit;
    if (limit > 0 && more > (limit - held) / cursor_bytes) more = (limit - held) / cursor_bytes;
    return more < threads - 1 ? 1 + (int)(more > 0 ? more : 0) : threads;
}

spg_status spg_host_distribute(spg_context *context, const spg_host_entries *entries, int64_t held, spg_csr *out)
{
    static distribute_function *const distribute[4][2] = BY_TYPE(distribute);
    if (out->nnz == 0) return SPG_OK;
    int64_t places[MOST_BLOCKS + 1] = {0};
    distribution job = {.entries = entries, .out = out, .places = places};
    job.threads = spg_host_threads(context, out->nnz);
    job.parts = choose_parts(context, out, held, job.threads.count);
    job.blocks = job.threads.count < MOST_BLOCKS ? job.threads.count : MOST_BLOCKS;
    int64_t bytes = (job.parts - 1) * out->rows * (int64_t)spg_type_size(out->offset_type);
    spg_status status = spg_allocate_workspace(context, held, bytes, "placing entries", &job.cursors);
    if (status != SPG_OK) return status;
    distribute[out->value_type][out->offset_type - SPG_I32](&job);
    spg_release(context, job.cursors, bytes);
    return SPG_OK;
}
