/* The source of a transpose's values, and new values from it. */
#include "host/amg/host_amg.h"
#include "host/containers/distribute.h"
#include "host/host.h"
#include "host/work.h"

#include <string.h>

/* Distributes the entries once more; the offsets and columns written are those that are there. */
spg_status spg_host_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map)
{
    const spg_host_entries entries = {.keys = A->columns, .rows_of = A, .map = map};
    spg_csr out = *transpose;
    return spg_host_distribute(context, &entries, 0, &out);
}

typedef struct gather_job {
    const char *from;
    const int64_t *map;
    char *to;
    size_t size; /* of a value */
} gather_job;

static void gather(const void *data, spg_range range)
{
    const gather_job *job = data;
    const char *from = job->from;
    const int64_t *map = job->map;
    char *to = job->to;
    switch (job->size) { /* so that the size of each copy is a constant */
    case 4:
        for (int64_t k = range.begin; k < range.end; ++k) memcpy(to + 4 * k, from + 4 * map[k], 4);
        break;
    case 8:
        for (int64_t k = range.begin; k < range.end; ++k) memcpy(to + 8 * k, from + 8 * map[k], 8);
        break;
    default:
        for (int64_t k = range.begin; k < range.end; ++k) memcpy(to + 16 * k, from + 16 * map[k], 16);
        break;
    }
}

spg_status spg_host_gather_values(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose)
{
    spg_parallel(spg_host_threads(context, A->nnz), A->nnz, 0, gather,
                 &(gather_job){A->values, map, transpose->values, spg_type_size(A->value_type)});
    return SPG_OK;
}
