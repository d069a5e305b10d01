/* See row_numbers.h. */
#include "row_numbers.h"

#include "../work.h"
#include "sampling/sums.h"

typedef struct numbers_job {
    const int32_t *rows;
    int64_t least, limit;
    atomic_llong *first;
} numbers_job;

static void find_bad_row(const void *data, spg_range range)
{
    const numbers_job *job = data;
    for (int64_t i = range.begin; i < range.end; ++i) {
        if (job->rows[i] >= job->least && job->rows[i] < job->limit) continue;
        spg_lower(job->first, i);
        return;
    }
}

int64_t spg_host_first_bad_row(const spg_context *context, const int32_t *rows, int64_t count, int64_t limit,
                               bool empty_rows)
{
    if (context->draw_options.trusted) return count;
    if (!empty_rows) return spg_host_first_outside(context, rows, count, limit <= INT32_MAX ? limit : (int64_t)1 << 31);
    atomic_llong first = count;
    spg_parallel(spg_host_threads(context, count), count, 0, find_bad_row,
                 &(numbers_job){rows, SPG_NO_ITEM, limit, &first});
    return first;
}
