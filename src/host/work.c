/* See work.h. */
#include "work.h"

#include <string.h>

enum { ENTRIES_A_THREAD = 1 << 14, PARTS_A_THREAD = 8, BLOCK = 1 << 12, BYTES_A_THREAD = 1 << 19 };

int spg_host_threads(const spg_context *context, int64_t entries)
{
    int64_t paying = 1 + entries / ENTRIES_A_THREAD;
    return paying < context->config.threads ? (int)paying : context->config.threads;
}

int64_t spg_host_parts(int threads) { return threads > 1 ? (int64_t)PARTS_A_THREAD * threads : 1; }

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

/* The first index outside within a block, looked for only where the block as a whole has one. */
static int64_t first_outside_of_block(const int32_t *indices, int64_t count, uint32_t limit)
{
    uint32_t outside = 0;
    for (int64_t k = 0; k < count; ++k) outside |= (uint32_t)indices[k] >= limit;
    if (!outside) return count;
    int64_t first = 0;
    while ((uint32_t)indices[first] < limit) ++first;
    return first;
}

int64_t spg_host_first_outside(const spg_context *context, const int32_t *indices, int64_t count, int64_t limit)
{
    int64_t first = count, blocks = (count + BLOCK - 1) / BLOCK;
#pragma omp parallel for num_threads(spg_host_threads(context, count)) reduction(min : first)
    for (int64_t b = 0; b < blocks; ++b) {
        int64_t begin = b * BLOCK, size = begin + BLOCK < count ? BLOCK : count - begin;
        if (begin >= first) continue;
        int64_t found = first_outside_of_block(indices + begin, size, (uint32_t)limit);
        if (found < size) first = begin + found;
    }
    return first;
}

void spg_host_copy(const spg_context *context, void *to, const void *from, int64_t bytes)
{
    int64_t parts = 1 + bytes / BYTES_A_THREAD;
    if (parts > context->config.threads) parts = context->config.threads;
#pragma omp parallel for num_threads((int)parts)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t begin = spg_host_cut(bytes, p, parts), end = spg_host_cut(bytes, p + 1, parts);
        if (end > begin) memcpy((char *)to + begin, (const char *)from + begin, (size_t)(end - begin));
    }
}
