/* Checks that all values are finite, or small enough. */
#define REAL_ONLY
#include "argument.h"
#include "host/amg/host_amg.h"
#include "host/by_type.h"
#include "host/work.h"

#include <math.h>

enum { BLOCK = 1 << 14 };

#define TEMPLATE "host/amg/check_finite.inc.h"
#include "host/for_each_value_type.h"

typedef int64_t find_function(const void *values, int64_t begin, int64_t end, double most);

typedef struct finding {
    find_function *find; /* the first invalid value in [begin, end); end if there is none */
    const void *values;
    int64_t count;
    double most;
    atomic_llong *first;
} finding;

static void find_in_blocks(const void *data, spg_range blocks)
{
    const finding *job = data;
    for (int64_t b = blocks.begin; b < blocks.end; ++b) {
        const int64_t begin = b * BLOCK, end = job->count - begin < BLOCK ? job->count : begin + BLOCK;
        const int64_t found = job->find(job->values, begin, end, job->most);
        if (found == end) continue;
        spg_lower(job->first, found);
        return;
    }
}

/* The first invalid one of `count` values; count if there is none. */
static int64_t find_first(const spg_context *context, find_function *find, const void *values, int64_t count,
                          double most)
{
    atomic_llong first = count;
    spg_parallel(spg_host_threads(context, count), count / BLOCK + (count % BLOCK > 0), 0, find_in_blocks,
                 &(finding){find, values, count, most, &first});
    return first;
}

spg_status spg_host_check_finite(spg_context *context, const spg_csr *A)
{
    static find_function *const first_infinite[2] = BY_REAL_VALUE_TYPE(first_infinite);
    const int parts = spg_parts_of(A->value_type);
    const int64_t first =
        find_first(context, first_infinite[spg_part_type(A->value_type)], A->values, parts * A->nnz, 0) / parts;
    if (first == A->nnz) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_FORMAT, "A: row %lld holds an infinite value or a NaN in column %d",
                            (long long)spg_host_row_of(A, first), (int)A->columns[first]);
}

spg_status spg_host_find_beyond(spg_context *context, spg_type type, int64_t count, const void *values, double most,
                                int64_t *first)
{
    static find_function *const first_beyond[2] = BY_REAL_VALUE_TYPE(first_beyond);
    *first = find_first(context, first_beyond[type], values, count, most);
    return SPG_OK;
}
