/* How the host cuts work into parts: rows and entries have equal weight, so that neither a long row nor many empty ones
 * leave all the work to one thread. The parts do not depend on the threads. Private. */
#ifndef SPG_SRC_HOST_WORK_H
#define SPG_SRC_HOST_WORK_H

#include "context.h"
#include "threads/pool.h"

#include <stdatomic.h>

/* Row offset k, of either type. */
static inline int64_t spg_offset_at(const spg_csr *matrix, int64_t k)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[k]
                                          : ((const int32_t *)matrix->row_offsets)[k];
}

static inline void spg_set_offset(const spg_csr *matrix, int64_t k, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[k] = offset;
    else
        ((int32_t *)matrix->row_offsets)[k] = (int32_t)offset;
}

/* Where part `part` of `parts` equal parts of `total` begins; total if part == parts. */
static inline int64_t spg_host_cut(int64_t total, int64_t part, int64_t parts)
{
    int64_t rest = total % parts;
    return total / parts * part + (part < rest ? part : rest);
}

/* *least = min(*least, value); spg_raise: *most = max(*most, value). For results of ranges of work, in any order. */
static inline void spg_lower(atomic_llong *least, int64_t value)
{
    long long before = atomic_load(least);
    while (value < before && !atomic_compare_exchange_weak(least, &before, value)) continue;
}

static inline void spg_raise(atomic_llong *most, int64_t value)
{
    long long before = atomic_load(most);
    while (value > before && !atomic_compare_exchange_weak(most, &before, value)) continue;
}

/* The first k in [begin, end) with columns[k] >= column, for ascending columns; end if there is none. */
static inline int64_t spg_host_lower_bound(const int32_t *columns, int64_t begin, int64_t end, int64_t column)
{
    int64_t length = end - begin;
    for (int64_t half = length / 2; length > 1; half = length / 2) {
        begin += half & -(int64_t)(columns[begin + half - 1] < column);
        length -= half;
    }
    return begin + (length > 0 && columns[begin] < column);
}

/* How many threads pay off for this many entries: the context's, or fewer. */
spg_threads spg_host_threads(const spg_context *context, int64_t entries);

/* All threads of the context, but at most `most`. */
spg_threads spg_host_threads_up_to(const spg_context *context, int64_t most);

/* How many parts to cut work into for these threads, which take parts on demand: one for one thread. */
int64_t spg_host_parts(spg_threads threads);

/* spg_parallel over the rows of a matrix, in parts of equal numbers of entries plus rows. */
void spg_host_parallel_rows(spg_threads threads, const spg_csr *matrix, int64_t parts, spg_work *work, const void *job);

/* The first row r with row_offsets[r] + r >= position, where position counts entries plus rows. */
int64_t spg_host_row_at(const spg_csr *matrix, int64_t position);

/* The first row of a part, for parts of equal numbers of entries plus rows; rows if part == parts. */
int64_t spg_host_first_row(const spg_csr *matrix, int64_t part, int64_t parts);

/* The row that contains entry k. */
int64_t spg_host_row_of(const spg_csr *matrix, int64_t k);

/* The first k with indices[k] outside [0, limit); count if there is none. */
int64_t spg_host_first_outside(const spg_context *context, const int32_t *indices, int64_t count, int64_t limit);

/* memcpy, by the context's threads. */
void spg_host_copy(const spg_context *context, void *to, const void *from, int64_t bytes);

#endif
