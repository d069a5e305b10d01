/* See rows.h. */
#include "host/amg/rows.h"
#include "host/work.h"

enum { MOST_PARTS = 64, LONGEST_INSERTED = 32 };

int64_t spg_host_sum_counts(int threads, const int64_t *counts, int64_t n)
{
    int64_t sum = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(+ : sum)
    for (int64_t i = 0; i < n; ++i) sum += counts[i];
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

void spg_host_write_offsets(int threads, const int64_t *counts, int64_t n, spg_type type, void *offsets)
{
    const int64_t parts = threads < MOST_PARTS ? threads : MOST_PARTS;
    int64_t begins[MOST_PARTS + 1] = {0};
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t sum = 0;
        for (int64_t i = spg_host_cut(n, p, parts); i < spg_host_cut(n, p + 1, parts); ++i) sum += counts[i];
        begins[p + 1] = sum;
    }
    for (int64_t p = 0; p < parts; ++p) begins[p + 1] += begins[p];
    put_offset(type, offsets, 0, 0);
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t offset = begins[p];
        for (int64_t i = spg_host_cut(n, p, parts); i < spg_host_cut(n, p + 1, parts); ++i)
            offset = put_offset(type, offsets, i + 1, offset + counts[i]);
    }
}

int64_t spg_host_longest_row(int threads, const spg_csr *matrix)
{
    int64_t longest = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(max : longest)
    for (int64_t i = 0; i < matrix->rows; ++i) {
        const int64_t entries = spg_offset_at(matrix, i + 1) - spg_offset_at(matrix, i);
        longest = entries > longest ? entries : longest;
    }
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

/* Moves the root of a heap of `count` down to where it belongs. */
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
