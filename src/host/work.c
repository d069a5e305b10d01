/* See work.h. */
#include "work.h"

#include <string.h>

enum { ENTRIES_A_THREAD = 1 << 14, PARTS_A_THREAD = 8, BLOCK = 1 << 12, BYTES_A_THREAD = 1 << 19 };

spg_threads spg_host_threads_up_to(const spg_context *context, int64_t most)
{
    const int64_t count = most < context->config.threads ? most : context->config.threads;
    return (spg_threads){count > 1 ? (int)count : 1, context->pool};
}

spg_threads spg_host_threads(const spg_context *context, int64_t entries)
{
    return spg_host_threads_up_to(context, 1 + entries / ENTRIES_A_THREAD);
}

int64_t spg_host_parts(spg_threads threads) { return threads.count > 1 ? (int64_t)PARTS_A_THREAD * threads.count : 1; }

int64_t spg_host_row_at(const spg_csr *matrix, int64_t position)
{
    int64_t low = 0, high = matrix->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (spg_offset_at(matrix, middle) + middle >= position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t spg_host_first_row(const spg_csr *matrix, int64_t part, int64_t parts)
{
    return spg_host_row_at(matrix, spg_host_cut(matrix->nnz + matrix->rows, part, parts));
}

int64_t spg_host_row_of(const spg_csr *matrix, int64_t k)
{
    int64_t low = 0, high = matrix->rows - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (spg_offset_at(matrix, middle + 1) > k)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Parts of rows, as work items. */
typedef struct row_parts {
    const spg_csr *matrix;
    int64_t parts;
    spg_work *work;
    const void *job;
} row_parts;

static void work_on_rows(const void *data, spg_range part)
{
    const row_parts *all = data;
    const int64_t begin = spg_host_first_row(all->matrix, part.begin, all->parts);
    const int64_t end = spg_host_first_row(all->matrix, part.end, all->parts);
    all->work(all->job, (spg_range){begin, end, part.thread});
}

void spg_host_parallel_rows(spg_threads threads, const spg_csr *matrix, int64_t parts, spg_work *work, const void *job)
{
    spg_parallel(threads, parts, 1, work_on_rows, &(row_parts){matrix, parts, work, job});
}

/* The first index out of range within a block; searched only if the block has one. */
static int64_t first_outside_of_block(const int32_t *indices, int64_t count, uint32_t limit)
{
    uint32_t outside = 0;
    for (int64_t k = 0; k < count; ++k) outside |= (uint32_t)indices[k] >= limit;
    if (!outside) return count;
    int64_t first = 0;
    while ((uint32_t)indices[first] < limit) ++first;
    return first;
}

typedef struct outside_job {
    const int32_t *indices;
    int64_t count;
    uint32_t limit;
    atomic_llong *first;
} outside_job;

static void find_outside(const void *data, spg_range blocks)
{
    const outside_job *job = data;
    for (int64_t b = blocks.begin; b < blocks.end; ++b) {
        int64_t begin = b * BLOCK, size = begin + BLOCK < job->count ? BLOCK : job->count - begin;
        int64_t found = first_outside_of_block(job->indices + begin, size, job->limit);
        if (found == size) continue;
        spg_lower(job->first, begin + found);
        return;
    }
}

int64_t spg_host_first_outside(const spg_context *context, const int32_t *indices, int64_t count, int64_t limit)
{
    const int64_t most = (int64_t)INT32_MAX + 1; /* above every index, below negative ones as unsigned numbers */
    atomic_llong first = count;
    spg_parallel(spg_host_threads(context, count), (count + BLOCK - 1) / BLOCK, 0, find_outside,
                 &(outside_job){indices, count, (uint32_t)(limit < most ? limit : most), &first});
    return first;
}

typedef struct copy_job {
    char *to;
    const char *from;
} copy_job;

static void copy_bytes(const void *data, spg_range bytes)
{
    const copy_job *job = data;
    memcpy(job->to + bytes.begin, job->from + bytes.begin, (size_t)(bytes.end - bytes.begin));
}

void spg_host_copy(const spg_context *context, void *to, const void *from, int64_t bytes)
{
    spg_parallel(spg_host_threads_up_to(context, 1 + bytes / BYTES_A_THREAD), bytes, BYTES_A_THREAD / 2, copy_bytes,
                 &(copy_job){to, from});
}
