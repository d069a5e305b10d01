/* See rows.h. */
#include "host/amg/rows.h"
#include "host/work.h"

enum { MOST_PARTS = 64, LONGEST_INSERTED = 32 };

typedef struct counts_job {
    const int64_t *counts;
    atomic_llong *sum;
} counts_job;

static void sum_counts(const void *data, spg_range range)
{
    const counts_job *job = data;
    int64_t sum = 0;
    for (int64_t i = range.begin; i < range.end; ++i) sum += job->counts[i];
    atomic_fetch_add(job->sum, sum);
}

int64_t spg_host_sum_counts(spg_threads threads, const int64_t *counts, int64_t n)
{
    atomic_llong sum = 0;
    spg_parallel(threads, n, 0, sum_counts, &(counts_job){counts, &sum});
    return sum;
}

static int64_t put_offset(spg_type type, void *offsets, int64_t at, int64_t offset)
{
    if (type == SPG_I64)
        ((int64_t *)offsets)[at] = offset;
    else
        ((int32_t *)offsets)[at] = (int32_t)offset;
    return offset;
}

/* Offsets by parts: first the sum of each part, then the sum of all parts before it. */
typedef struct offsets_job {
    const int64_t *counts;
    int64_t n, parts;
    int64_t *begins; /* parts + 1 */
    spg_type type;
    void *offsets;
} offsets_job;

static void sum_parts(const void *data, spg_range parts)
{
    const offsets_job *job = data;
    for (int64_t p = parts.begin; p < parts.end; ++p) {
        int64_t sum = 0;
        for (int64_t i = spg_host_cut(job->n, p, job->parts); i < spg_host_cut(job->n, p + 1, job->parts); ++i)
            sum += job->counts[i];
        job->begins[p + 1] = sum;
    }
}

static void write_parts(const void *data, spg_range parts)
{
    const offsets_job *job = data;
    int64_t offset = job->begins[parts.begin];
    const int64_t end = spg_host_cut(job->n, parts.end, job->parts);
    for (int64_t i = spg_host_cut(job->n, parts.begin, job->parts); i < end; ++i)
        offset = put_offset(job->type, job->offsets, i + 1, offset + job->counts[i]);
}

void spg_host_write_offsets(spg_threads threads, const int64_t *counts, int64_t n, spg_type type, void *offsets)
{
    int64_t begins[MOST_PARTS + 1] = {0};
    const offsets_job job = {counts, n, threads.count < MOST_PARTS ? threads.count : MOST_PARTS, begins, type, offsets};
    spg_parallel(threads, job.parts, 1, sum_parts, &job);
    for (int64_t p = 0; p < job.parts; ++p) begins[p + 1] += begins[p];
    put_offset(type, offsets, 0, 0);
    spg_parallel(threads, job.parts, 1, write_parts, &job);
}

typedef struct longest_job {
    const spg_csr *matrix;
    atomic_llong *longest;
} longest_job;

static void find_longest(const void *data, spg_range rows)
{
    const longest_job *job = data;
    int64_t longest = 0;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        const int64_t entries = spg_offset_at(job->matrix, i + 1) - spg_offset_at(job->matrix, i);
        longest = entries > longest ? entries : longest;
    }
    spg_raise(job->longest, longest);
}

int64_t spg_host_longest_row(spg_threads threads, const spg_csr *matrix)
{
    atomic_llong longest = 0;
    spg_parallel(threads, matrix->rows, 0, find_longest, &(longest_job){matrix, &longest});
    return longest;
}

static void sort_by_insertion(int32_t *indices, int64_t count)
{
    for (int64_t k = 1; k < count; ++k) {
        const int32_t index = indices[k];
        int64_t at = k;
        for (; at > 0 && indices[at - 1] > index; --at) indices[at] = indices[at - 1];
        indices[at] = index;
    }
}

/* Moves the root of a heap of `count` elements down to its place. */
static void sift(int32_t *heap, int64_t root, int64_t count)
{
    const int32_t index = heap[root];
    for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && heap[child + 1] > heap[child]) ++child;
        if (heap[child] <= index) break;
        heap[root] = heap[child];
        root = child;
    }
    heap[root] = index;
}

void spg_host_sort_indices(int32_t *indices, int64_t count)
{
    int64_t ascending = 1;
    while (ascending < count && indices[ascending - 1] <= indices[ascending]) ++ascending;
    if (ascending >= count) return;
    if (count <= LONGEST_INSERTED) {
        sort_by_insertion(indices, count);
        return;
    }
    for (int64_t k = count / 2; k-- > 0;) sift(indices, k, count);
    for (int64_t last = count - 1; last > 0; --last) {
        const int32_t largest = indices[0];
        indices[0] = indices[last];
        indices[last] = largest;
        sift(indices, 0, last);
    }
}
