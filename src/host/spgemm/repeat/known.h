/* Rows whose products have the same columns as those of an earlier row, but for a shift, as on grids: their sums go to
 * the same places of the row of C. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_REPEAT_KNOWN_H
#define SPG_SRC_HOST_SPGEMM_REPEAT_KNOWN_H

#include "host/spgemm/worker.h"

/* Chosen with spgemm_bench on one thread (A*P and A*A of fd2d5, fe3d27 and tri2d); the short sample with R*(A*P) of
 * fe3d27:20 (343 rows, 1.46 ms without it and 1.06 with it) and of fd3d7:20 (1040 rows, 0.96 and 0.88). */
enum {
    SAMPLE = 256,
    SHORT_SAMPLE = SAMPLE / 4, /* if none is known */
    FEWEST_KNOWN = SAMPLE * 5 / 8,
    REST = 16 * SAMPLE,
    SCATTERED = SAMPLE / 8,
    MOST_KNOWN = SAMPLE * 31 / 32
}; /* rows */

/* Whether rows are compared at all now: not for a while after few of them were known. */
static inline bool spg_comparing_pays(spg_worker *worker)
{
    known_rows *known = &worker->known;
    if (worker->shared->sizes.known_products == 0) return false;
    if (known->rest == 0) return true;
    known->rest--;
    return false;
}

/* Counts whether a row was known. */
static inline void spg_count_known(known_rows *known, bool is_known)
{
    /* Copies: gcc would test the two members as one word, which waits for both stores. */
    const int compared = ++known->compared, found = known->found += is_known;
    if (compared < SAMPLE && !(compared == SHORT_SAMPLE && found == 0)) return;
    if (found < FEWEST_KNOWN) known->rest = REST;
    known->scattered = found < SCATTERED;
    known->is_sampled = true;
    known->repeats = found >= MOST_KNOWN;
    known->compared = known->found = 0;
}

/* The signature of a row that has products: the lengths of its rows of B, and the first columns of some of these. */
static inline row_signature spg_row_signature(const spg_worker *worker, int64_t row)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *columns = worker->shared->product->B->columns, *lengths = chunk->lengths;
    const int64_t begin = chunk->bounds[row], last = chunk->bounds[row + 1] - 1, middle = (begin + last) / 2;
    int64_t first = begin;
    while (lengths[first] == 0) first++;
    row_signature signature = {0, columns[chunk->starts[first]]};
    for (int64_t k = begin; k <= last; k++)
        signature.hash = (signature.hash << 5 | signature.hash >> 27) + (uint32_t)lengths[k];
    if (lengths[middle] > 0)
        signature.hash = signature.hash * 37 + (uint32_t)(columns[chunk->starts[middle]] - signature.base);
    if (lengths[last] > 0)
        signature.hash = signature.hash * 37 + (uint32_t)(columns[chunk->starts[last]] - signature.base);
    signature.hash *= 0x9E3779B1u;
    signature.hash ^= signature.hash >> 16;
    return signature;
}

/* Keeps the row that was computed last, of `n` entries, if they still are in the staging buffer. */
void spg_keep_row(spg_worker *worker, int64_t row, int64_t n);

static inline const known_row *spg_find_known(const spg_worker *worker, int64_t row, row_signature signature)
{
    const known_row *known = &worker->known.rows[signature.hash % KNOWN_ROWS];
    return known->products == worker->chunk.row_products[row] && known->hash == signature.hash ? known : NULL;
}

#endif
