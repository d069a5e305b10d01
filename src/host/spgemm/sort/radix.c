/* See sort.h. Few keys: insertion sort. More: radix sort on only the bits in which they differ (the paper's section
 * 3.3). */
#include "radix.h"

#include <string.h>

enum { INSERTION_KEYS = 32, DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

column_range spg_row_column_range(const spg_worker *worker, int64_t row)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *columns = worker->shared->product->B->columns;
    bool sorted = worker->shared->b.sorted;
    column_range range = {INT64_MAX, -1};
    for (int64_t k = chunk->bounds[row]; k < chunk->bounds[row + 1]; k++) {
        int64_t begin = chunk->starts[k], end = begin + chunk->lengths[k];
        if (begin == end) continue;
        if (sorted) {
            range.first = columns[begin] < range.first ? columns[begin] : range.first;
            range.last = columns[end - 1] > range.last ? columns[end - 1] : range.last;
            continue;
        }
        for (int64_t t = begin; t < end; t++) {
            range.first = columns[t] < range.first ? columns[t] : range.first;
            range.last = columns[t] > range.last ? columns[t] : range.last;
        }
    }
    if (range.last < 0) range.first = 0;
    return range;
}

static void insertion_sort(uint64_t *keys, int count)
{
    for (int i = 1; i < count; i++) {
        uint64_t key = keys[i];
        int j = i;
        for (; j > 0 && keys[j - 1] > key; j--) keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* One stable pass over the digit at `shift`. */
static void radix_pass(const uint64_t *from, uint64_t *to, int count, int shift)
{
    int begin[DIGITS + 1] = {0};
    for (int i = 0; i < count; i++) begin[((from[i] >> shift) & (DIGITS - 1)) + 1]++;
    for (int d = 0; d < DIGITS; d++) begin[d + 1] += begin[d];
    for (int i = 0; i < count; i++) to[begin[(from[i] >> shift) & (DIGITS - 1)]++] = from[i];
}

uint64_t *spg_sort_keys(uint64_t *keys, uint64_t **spare, int count, int low_bits)
{
    if (count <= INSERTION_KEYS) {
        insertion_sort(keys, count);
        return keys;
    }
    uint64_t differing = 0;
    for (int i = 1; i < count; i++) differing |= keys[i] ^ keys[0];
    for (int shift = low_bits; differing >> shift != 0; shift += DIGIT_BITS) {
        radix_pass(keys, *spare, count, shift);
        uint64_t *sorted = *spare;
        *spare = keys;
        keys = sorted;
    }
    return keys;
}
