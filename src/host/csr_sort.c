/* Sorts rows by column: sorted ones are left alone, short ones sorted by insertion, long ones by radix. */
#include "csr_sort.h"
#include "by_type.h"
#include "host.h"
#include "memory.h"
#include "work.h"

#include <string.h>

enum { LONGEST_INSERTED = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

static inline uint32_t digit_of(int32_t column, int shift) { return ((uint32_t)column >> shift) & (DIGITS - 1); }

static bool is_sorted(const int32_t *columns, int64_t n)
{
    for (int64_t k = 1; k < n; ++k)
        if (columns[k - 1] > columns[k]) return false;
    return true;
}

#define TEMPLATE "host/csr_sort.inc.h"
#include "host/for_each_value_type.h"

typedef void sort_function(const spg_csr *matrix, int64_t first, int64_t last, void *spare);

/* The entries of the longest row that is not sorted; 0 if all are. */
static int64_t longest_unsorted(const spg_csr *matrix, int threads, int64_t parts)
{
    int64_t longest = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(max : longest)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t last = spg_host_first_row(matrix, p + 1, parts);
        for (int64_t i = spg_host_first_row(matrix, p, parts); i < last; ++i) {
            int64_t begin = spg_offset_at(matrix, i), n = spg_offset_at(matrix, i + 1) - begin;
            if (n > longest && !is_sorted(matrix->columns + begin, n)) longest = n;
        }
    }
    return longest;
}

spg_status spg_host_sort_rows(spg_context *context, spg_csr *matrix, int64_t held)
{
    static sort_function *const sort_rows[4] = BY_VALUE_TYPE(sort_rows);
    int threads = spg_host_threads(context, matrix->nnz + matrix->rows);
    int64_t parts = spg_host_parts(threads), longest = longest_unsorted(matrix, threads, parts);
    if (longest == 0) return SPG_OK;
    int64_t entry_bytes = (int64_t)(sizeof *matrix->columns + spg_type_size(matrix->value_type));
    int64_t spare_bytes = longest > LONGEST_INSERTED ? (longest * entry_bytes + 63) / 64 * 64 : 0; /* a thread */
    threads = spg_pieces_within_limit(context, held, spare_bytes, threads);
    void *spare;
    spg_status status = spg_allocate_workspace(context, held, threads * spare_bytes, "sorting rows", &spare);
    if (status != SPG_OK) return status;
#pragma omp parallel for num_threads(threads) schedule(dynamic)
    for (int64_t p = 0; p < parts; ++p)
        sort_rows[matrix->value_type](matrix, spg_host_first_row(matrix, p, parts),
                                      spg_host_first_row(matrix, p + 1, parts),
                                      spare_bytes > 0 ? (char *)spare + spg_host_thread() * spare_bytes : NULL);
    spg_release(context, spare, threads * spare_bytes);
    return SPG_OK;
}

spg_status spg_host_csr_sort(spg_context *context, spg_csr *matrix) { return spg_host_sort_rows(context, matrix, 0); }
