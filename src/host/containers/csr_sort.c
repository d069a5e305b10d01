/* Sorts rows by column: leaves sorted rows unchanged, sorts short ones by insertion and long ones by radix. */
#include "csr_sort.h"
#include "host/by_type.h"
#include "host/host.h"
#include "host/work.h"
#include "memory.h"

#include <string.h>

enum { LONGEST_INSERTED = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint32_t digit_of(int32_t column, int shift) { return ((uint32_t)column >> shift) & (DIGITS - 1); }

static bool is_sorted(const int32_t *columns, int64_t n)
{
    for (int64_t k = 1; k < n; ++k)
        if (columns[k - 1] > columns[k]) return false;
    return true;
}

#define TEMPLATE "host/containers/csr_sort.inc.h"
#include "host/for_each_value_type.h"

typedef void sort_function(const spg_csr *matrix, int64_t first, int64_t last, void *spare);

typedef struct unsorted_job {
    const spg_csr *matrix;
    atomic_llong *longest;
} unsorted_job;

static void find_unsorted(const void *data, spg_range rows)
{
    const unsorted_job *job = data;
    int64_t longest = 0;
    for (int64_t i = rows.begin; i < rows.end; ++i) {
        int64_t begin = spg_offset_at(job->matrix, i), n = spg_offset_at(job->matrix, i + 1) - begin;
        if (n > longest && !is_sorted(job->matrix->columns + begin, n)) longest = n;
    }
    spg_raise(job->longest, longest);
}

/* The number of entries of the longest unsorted row; 0 if all are sorted. */
static int64_t longest_unsorted(const spg_csr *matrix, spg_threads threads)
{
    atomic_llong longest = 0;
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), find_unsorted, &(unsorted_job){matrix, &longest});
    return longest;
}

typedef struct sort_job {
    const spg_csr *matrix;
    sort_function *sort;
    char *spare;
    int64_t spare_bytes; /* per thread */
} sort_job;

static void sort_range(const void *data, spg_range rows)
{
    const sort_job *job = data;
    job->sort(job->matrix, rows.begin, rows.end,
              job->spare_bytes > 0 ? job->spare + rows.thread * job->spare_bytes : NULL);
}

spg_status spg_host_sort_rows(spg_context *context, spg_csr *matrix, int64_t held)
{
    int64_t used;
    return spg_host_sort_rows_beside(context, matrix, held, 0, &used);
}

spg_status spg_host_sort_rows_beside(spg_context *context, spg_csr *matrix, int64_t held, int64_t beside, int64_t *used)
{
    static sort_function *const sort_rows[4] = BY_VALUE_TYPE(sort_rows);
    *used = 0;
    spg_threads threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    int64_t parts = spg_host_parts(threads), longest = longest_unsorted(matrix, threads);
    if (longest == 0) return SPG_OK;
    int64_t entry_bytes = (int64_t)(sizeof *matrix->columns + spg_type_size(matrix->value_type));
    int64_t spare_bytes = longest > LONGEST_INSERTED ? (longest * entry_bytes + 63) / 64 * 64 : 0; /* per thread */
    threads.count = spg_pieces_within_limit(context, held + beside, spare_bytes, threads.count);
    *used = threads.count * spare_bytes;
    void *spare;
    spg_status status = spg_allocate_workspace(context, held, *used, "sorting rows", &spare);
    if (status != SPG_OK) return status;
    spg_host_parallel_rows(threads, matrix, parts, sort_range,
                           &(sort_job){matrix, sort_rows[matrix->value_type], spare, spare_bytes});
    spg_release(context, spare, *used);
    return SPG_OK;
}

bool spg_host_rows_ascend(const spg_context *context, const spg_csr *matrix)
{
    return longest_unsorted(matrix, spg_host_threads(context, matrix->nnz + matrix->rows)) == 0;
}

spg_status spg_host_csr_sort(spg_context *context, spg_csr *matrix) { return spg_host_sort_rows(context, matrix, 0); }
