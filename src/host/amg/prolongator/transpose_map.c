/* The source of a transpose's values, and new values from it. */
#include "host/amg/host_amg.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

static void number_entries(const void *numbers, spg_range range)
{
    double *to = *(double *const *)numbers;
    for (int64_t k = range.begin; k < range.end; ++k) to[k] = (double)k;
}

typedef struct map_job {
    const double *from;
    int64_t *map;
} map_job;

static void read_numbers(const void *data, spg_range range)
{
    const map_job *job = data;
    for (int64_t k = range.begin; k < range.end; ++k) job->map[k] = (int64_t)job->from[k];
}

/* Transposes the indices of the entries, which a double holds exactly. */
spg_status spg_host_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map)
{
    spg_csr numbered = *A, turned = {0};
    const int64_t bytes = spg_array_bytes(A->nnz, sizeof(double));
    double *numbers;
    spg_status status = spg_allocate(context, bytes, "a transpose's numbers", (void **)&numbers);
    if (status != SPG_OK) return status;
    const spg_threads threads = spg_host_threads(context, A->nnz);
    (void)transpose;
    spg_parallel(threads, A->nnz, 0, number_entries, &numbers);
    numbered.value_type = SPG_F64;
    numbered.values = numbers;
    status = spg_host_csr_transpose(context, &numbered, NULL, &turned);
    if (status == SPG_OK) spg_parallel(threads, A->nnz, 0, read_numbers, &(map_job){turned.values, map});
    spg_csr_free(context, &turned);
    spg_release(context, numbers, bytes);
    return status;
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
