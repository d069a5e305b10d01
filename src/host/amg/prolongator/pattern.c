/* The pattern of the smoothed prolongator. T has one block per row, so A*T needs no product: the columns of A are
 * relabelled by their aggregates, each listed once. The lists are stored row after row, then written to P after they
 * are counted. */
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/work.h"
#include "memory.h"

enum { MOST_INSERTED = 64 };

typedef struct pattern_job {
    const spg_csr *A;
    const spg_amg_aggregates *aggregates;
    bool smooth;
    int64_t parts;    /* of A's rows */
    const spg_csr *P; /* NULL while counting */
    int64_t *counts;  /* entries of each row of P */
    int32_t *names;   /* for each part, from the position of its first row and entry among all rows and entries */
} pattern_job;

/* Where a part's list begins: a row lists at most one more aggregate than it has entries. */
static int32_t *names_of(const pattern_job *job, int64_t first_row)
{
    return job->names + first_row + (job->smooth ? spg_offset_at(job->A, first_row) : 0);
}

/* Sorts indices and removes duplicates; returns how many are left. */
static int64_t sort_distinct(int32_t *indices, int64_t count)
{
    int64_t distinct = 0;
    spg_host_sort_indices(indices, count);
    for (int64_t k = 0; k < count; ++k)
        if (distinct == 0 || indices[distinct - 1] != indices[k]) indices[distinct++] = indices[k];
    return distinct;
}

/* The aggregates of row i, ascending; returns their number. */
static inline int64_t name_row(const pattern_job *job, int64_t i, int size, int32_t *names)
{
    const int32_t *aggregate_of = job->aggregates->aggregate_of, *columns = job->A->columns;
    int32_t before = aggregate_of[spg_amg_node_of(i, size)];
    int64_t count = 0;
    if (before >= 0) names[count++] = before;
    if (!job->smooth) return count;
    const int64_t end = spg_offset_at(job->A, i + 1);
    int64_t k = spg_offset_at(job->A, i);
    for (; k < end && count < MOST_INSERTED; ++k) {
        const int32_t aggregate = aggregate_of[spg_amg_node_of(columns[k], size)];
        if (aggregate == before || aggregate < 0) continue;
        count = spg_host_insert_index(names, (int)count, aggregate);
        before = aggregate;
    }
    if (k == end) return count;
    for (; k < end; ++k) {
        const int32_t aggregate = aggregate_of[spg_amg_node_of(columns[k], size)];
        if (aggregate >= 0) names[count++] = aggregate;
    }
    return sort_distinct(names, count);
}

static void name_part(const pattern_job *job, int64_t first, int64_t last)
{
    const int size = job->aggregates->block_size, candidates = job->aggregates->candidates;
    int32_t *names = names_of(job, first);
    for (int64_t i = first; i < last; ++i) {
        const int64_t count = size == 1 ? name_row(job, i, 1, names) : name_row(job, i, size, names);
        job->counts[i] = count * candidates;
        names += count;
    }
}

static void place_part(const pattern_job *job, int64_t first, int64_t last)
{
    const int candidates = job->aggregates->candidates;
    const int32_t *names = names_of(job, first);
    int32_t *to = job->P->columns + spg_offset_at(job->P, first);
    const int32_t *end = job->P->columns + spg_offset_at(job->P, last);
    for (; to < end; ++names)
        for (int c = 0; c < candidates; ++c) *to++ = *names * candidates + c;
}

/* Without P lists the aggregates of the rows; with P writes them. */
static void run_parts(const void *data, spg_range parts)
{
    const pattern_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p) {
        const int64_t first = spg_host_first_row(job->A, p, job->parts);
        const int64_t last = spg_host_first_row(job->A, p + 1, job->parts);
        (job->P == NULL ? name_part : place_part)(job, first, last);
    }
}

spg_status spg_host_prolongator_pattern(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                        bool smooth, spg_csr *P, int64_t *longest_row)
{
    pattern_job job = {.A = A, .aggregates = aggregates, .smooth = smooth};
    const int64_t bytes = A->rows * 12 + (smooth ? spg_array_bytes(A->nnz, sizeof *job.names) : 0);
    spg_status status = spg_allocate_workspace(context, 0, bytes, "a prolongator", (void **)&job.counts);
    if (status != SPG_OK) return status;
    job.names = (int32_t *)(void *)(job.counts + A->rows);
    const spg_threads threads = spg_host_threads(context, A->nnz + A->rows);
    job.parts = spg_host_parts(threads);
    spg_parallel(threads, job.parts, 1, run_parts, &job);
    status = spg_csr_alloc(context, A->rows, aggregates->aggregates * aggregates->candidates,
                           spg_host_sum_counts(threads, job.counts, A->rows), A->offset_type, A->value_type, P);
    *longest_row = 0;
    if (status == SPG_OK) {
        spg_host_write_offsets(threads, job.counts, A->rows, P->offset_type, P->row_offsets);
        job.P = P;
        spg_parallel(threads, job.parts, 1, run_parts, &job);
        *longest_row = spg_host_longest_row(threads, P);
    }
    spg_release(context, job.counts, bytes);
    return status;
}
