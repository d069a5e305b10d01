/* The smoothed prolongator's pattern. T has one block a row, so that A*T needs no product: the columns of A are
 * relabelled by their aggregates, and each named once. */
#include "host/amg/host_amg.h"
#include "host/amg/rows.h"
#include "host/work.h"
#include "memory.h"

enum { MOST_INSERTED = 64 };

typedef struct pattern_job {
    const spg_csr *A;
    const spg_amg_aggregates *aggregates;
    bool smooth;
    int threads;
    int64_t *counts;    /* blocks of each row */
    int64_t list_bytes; /* of each thread, for rows that name more than MOST_INSERTED aggregates */
    char *lists;
} pattern_job;

/* The aggregates of row i, ascending: in `few` or, if they are too many, in `many`. */
static int64_t name_aggregates(const pattern_job *job, int64_t i, int32_t *few, int32_t *many, const int32_t **named)
{
    const int size = job->aggregates->block_size;
    const int32_t *aggregate_of = job->aggregates->aggregate_of, *columns = job->A->columns;
    int32_t before = aggregate_of[spg_amg_node_of(i, size)];
    int count = 0;
    *named = few;
    if (before >= 0) few[count++] = before;
    if (!job->smooth) return count;
    const int64_t begin = spg_offset_at(job->A, i), end = spg_offset_at(job->A, i + 1);
    int64_t k = begin;
    for (; k < end && count < MOST_INSERTED; ++k) {
        const int32_t aggregate = aggregate_of[spg_amg_node_of(columns[k], size)];
        if (aggregate == before || aggregate < 0) continue;
        count = spg_host_insert_index(few, count, aggregate);
        before = aggregate;
    }
    if (k == end) return count;
    int64_t all = 0, distinct = 0;
    for (int f = 0; f < count; ++f) many[all++] = few[f];
    for (; k < end; ++k) {
        const int32_t aggregate = aggregate_of[spg_amg_node_of(columns[k], size)];
        if (aggregate >= 0) many[all++] = aggregate;
    }
    spg_host_sort_indices(many, all);
    for (int64_t m = 0; m < all; ++m)
        if (distinct == 0 || many[distinct - 1] != many[m]) many[distinct++] = many[m];
    *named = many;
    return distinct;
}

/* Rows [first, last); without P they are counted. */
static void name_rows(const pattern_job *job, int64_t first, int64_t last, int32_t *many, spg_csr *P)
{
    int32_t few[MOST_INSERTED + 1];
    const int32_t *named;
    const int candidates = job->aggregates->candidates;
    for (int64_t i = first; i < last; ++i) {
        const int64_t count = name_aggregates(job, i, few, many, &named);
        if (P == NULL) {
            job->counts[i] = count * candidates;
            continue;
        }
        int32_t *to = P->columns + spg_offset_at(P, i);
        for (int64_t a = 0; a < count; ++a)
            for (int c = 0; c < candidates; ++c) *to++ = named[a] * candidates + c;
    }
}

static void name_all(const pattern_job *job, spg_csr *P)
{
    const int64_t parts = spg_host_parts(job->threads);
#pragma omp parallel for num_threads(job->threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p) {
        int32_t *many = (int32_t *)(void *)(job->lists + spg_host_thread() * job->list_bytes);
        name_rows(job, spg_host_first_row(job->A, p, parts), spg_host_first_row(job->A, p + 1, parts), many, P);
    }
}

spg_status spg_host_prolongator_pattern(spg_context *context, const spg_csr *A, const spg_amg_aggregates *aggregates,
                                        bool smooth, spg_csr *P)
{
    pattern_job job = {.A = A, .aggregates = aggregates, .smooth = smooth};
    job.threads = spg_host_threads(context, A->nnz + A->rows);
    const int64_t longest = spg_host_longest_row(job.threads, A), counts_bytes = A->rows * 8;
    if (smooth && longest >= MOST_INSERTED) job.list_bytes = ((longest + 1) * 4 + 63) / 64 * 64;
    job.threads = spg_pieces_within_limit(context, counts_bytes, job.list_bytes, job.threads);
    const int64_t bytes = counts_bytes + job.threads * job.list_bytes;
    spg_status status = spg_allocate_workspace(context, 0, bytes, "a prolongator", (void **)&job.counts);
    if (status != SPG_OK) return status;
    job.lists = (char *)(job.counts + A->rows);
    name_all(&job, NULL);
    status = spg_csr_alloc(context, A->rows, aggregates->aggregates * aggregates->candidates,
                           spg_host_sum_counts(job.threads, job.counts, A->rows), A->offset_type, A->value_type, P);
    if (status == SPG_OK) {
        spg_host_write_offsets(job.threads, job.counts, A->rows, P->offset_type, P->row_offsets);
        name_all(&job, P);
    }
    spg_release(context, job.counts, bytes);
    return status;
}
