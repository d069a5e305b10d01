/* A lower bound of the entries of P^T*A*P, without the product: see amg/amg_backend.h. A row of A raises the numbers of
 * the columns of its row of P, so that their order does not matter. */
#include "host/amg/host_amg.h"
#include "host/work.h"
#include "memory.h"

typedef struct bound_job {
    const spg_csr *A, *P;
    atomic_int *longest; /* for each column of P */
} bound_job;

static void raise_columns(const void *data, spg_range rows)
{
    const bound_job *job = data;
    const spg_csr *A = job->A, *P = job->P;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t longest = 0;
        for (int64_t k = spg_offset_at(A, i), end = spg_offset_at(A, i + 1); k < end; ++k) {
            const int64_t j = A->columns[k], length = spg_offset_at(P, j + 1) - spg_offset_at(P, j);
            if (length > longest) longest = length;
        }
        for (int64_t k = spg_offset_at(P, i), end = spg_offset_at(P, i + 1); k < end; ++k) {
            atomic_int *most = &job->longest[P->columns[k]];
            int before = atomic_load_explicit(most, memory_order_relaxed);
            while (before < longest && !atomic_compare_exchange_weak(most, &before, (int)longest)) continue;
        }
    }
}

spg_status spg_host_least_coarse_entries(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *least)
{
    bound_job job = {A, P, NULL};
    const int64_t bytes = spg_array_bytes(P->cols, sizeof *job.longest);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    *least = 0;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "a bound of entries", (void **)&job.longest);
    if (status != SPG_OK) return status;
    for (int64_t g = 0; g < P->cols; ++g) atomic_init(&job.longest[g], 0);
    spg_host_parallel_rows(threads, A, spg_host_parts(threads), raise_columns, &job);
    for (int64_t g = 0; g < P->cols; ++g) *least += atomic_load_explicit(&job.longest[g], memory_order_relaxed);
    spg_release(context, job.longest, bytes);
    return SPG_OK;
}
