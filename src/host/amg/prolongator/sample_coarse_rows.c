/* The lengths of some rows of P^T*A*P, without the product: see amg/amg_backend.h. Each column of P has a word with a
 * bit for each sampled row: whether the row has an entry there. Bits are set in any order. */
#include "host/amg/host_amg.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

typedef struct sample_job {
    const spg_csr *A, *P;
    int32_t stride;       /* from one sampled row to the next */
    atomic_ullong *words; /* for each column of P */
} sample_job;

/* The bits of the sampled rows that hold row i of A*P. */
static uint64_t sampled_by(const sample_job *job, int64_t i)
{
    uint64_t bits = 0;
    for (int64_t k = spg_offset_at(job->P, i), end = spg_offset_at(job->P, i + 1); k < end; ++k) {
        const int32_t g = job->P->columns[k], row = g / job->stride;
        if (row < SPG_AMG_SAMPLED && row * job->stride == g) bits |= UINT64_C(1) << row;
    }
    return bits;
}

static void mark_columns(const void *data, spg_range rows)
{
    const sample_job *job = data;
    const spg_csr *A = job->A, *P = job->P;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const uint64_t bits = sampled_by(job, i);
        if (bits == 0) continue;
        for (int64_t k = spg_offset_at(A, i), end = spg_offset_at(A, i + 1); k < end; ++k)
            for (int64_t j = A->columns[k], at = spg_offset_at(P, j), last = spg_offset_at(P, j + 1); at < last; ++at) {
                atomic_ullong *word = &job->words[P->columns[at]];
                if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
                    atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
            }
    }
}

static void count_bits(const sample_job *job, int64_t *lengths)
{
    memset(lengths, 0, SPG_AMG_SAMPLED * sizeof *lengths);
    for (int64_t g = 0; g < job->P->cols; ++g) {
        const uint64_t word = atomic_load_explicit(&job->words[g], memory_order_relaxed);
        if (word == 0) continue;
        for (int row = 0; row < SPG_AMG_SAMPLED; ++row) lengths[row] += (int64_t)(word >> row & 1);
    }
}

spg_status spg_host_sample_coarse_rows(spg_context *context, const spg_csr *A, const spg_csr *P, int64_t *lengths)
{
    sample_job job = {A, P, (int32_t)(P->cols / SPG_AMG_SAMPLED), NULL};
    const int64_t bytes = spg_array_bytes(P->cols, sizeof *job.words);
    const spg_threads threads = spg_host_threads(context, P->nnz + P->rows);
    spg_status status = spg_allocate_workspace(context, 0, bytes, "a sample of rows", (void **)&job.words);
    if (status != SPG_OK) return status;
    for (int64_t g = 0; g < P->cols; ++g) atomic_init(&job.words[g], 0);
    spg_host_parallel_rows(threads, P, spg_host_parts(threads), mark_columns, &job);
    count_bits(&job, lengths);
    spg_release(context, job.words, bytes);
    return SPG_OK;
}
