/* Where a transpose's values come from, and new ones. */
#include "host/amg/host_amg.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

/* Transposes the entries' own numbers, which a double holds exactly. */
spg_status spg_host_transpose_map(spg_context *context, const spg_csr *A, const spg_csr *transpose, int64_t *map)
{
    spg_csr numbered = *A, turned = {0};
    const int64_t bytes = spg_array_bytes(A->nnz, sizeof(double));
    double *numbers;
    spg_status status = spg_allocate(context, bytes, "a transpose's numbers", (void **)&numbers);
    if (status != SPG_OK) return status;
    const int threads = spg_host_threads(context, A->nnz);
    (void)threads, (void)transpose;
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < A->nnz; ++k) numbers[k] = (double)k;
    numbered.value_type = SPG_F64;
    numbered.values = numbers;
    status = spg_host_csr_transpose(context, &numbered, NULL, &turned);
    if (status == SPG_OK) {
        const double *from = turned.values;
#pragma omp parallel for num_threads(threads)
        for (int64_t k = 0; k < A->nnz; ++k) map[k] = (int64_t)from[k];
    }
    spg_csr_free(context, &turned);
    spg_release(context, numbers, bytes);
    return status;
}

spg_status spg_host_gather_values(spg_context *context, const spg_csr *A, const int64_t *map, spg_csr *transpose)
{
    const size_t size = spg_type_size(A->value_type);
    const char *from = A->values;
    char *to = transpose->values;
    const int64_t count = A->nnz;
    const int threads = spg_host_threads(context, count);
    (void)threads;
    switch (size) { /* so that each copy is of a size known here */
    case 4:
#pragma omp parallel for num_threads(threads)
        for (int64_t k = 0; k < count; ++k) memcpy(to + 4 * k, from + 4 * map[k], 4);
        break;
    case 8:
#pragma omp parallel for num_threads(threads)
        for (int64_t k = 0; k < count; ++k) memcpy(to + 8 * k, from + 8 * map[k], 8);
        break;
    default:
#pragma omp parallel for num_threads(threads)
        for (int64_t k = 0; k < count; ++k) memcpy(to + 16 * k, from + 16 * map[k], 16);
        break;
    }
    return SPG_OK;
}
