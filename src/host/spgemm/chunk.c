/* Analysis of a slice: which rows of B its rows name, how long those are, and so how many products each row needs
 * (Dalton, Bell, Olson, section 3.1). The chunk is small enough that what is read here is in cache for the kernels. */
#include "worker.h"

static int64_t offset_at(const spg_csr *matrix, int64_t row)
{
    if (matrix->offset_type == SPG_I32) return ((const int32_t *)matrix->row_offsets)[row];
    return ((const int64_t *)matrix->row_offsets)[row];
}

/* The first row r with row_offsets[r] + r >= position: cuts rows and entries alike into equal chunks. */
static int64_t row_at(const spg_csr *A, int64_t position)
{
    int64_t low = 0, high = A->rows;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (offset_at(A, middle) + middle >= position)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

int64_t spg_count_chunks(const spg_csr *A, int64_t chunk_entries)
{
    return (A->nnz + A->rows + chunk_entries - 1) / chunk_entries;
}

#define DESCRIBE(OFFSET)                                                                                               \
    static bool describe_##OFFSET(const int32_t *columns, const OFFSET *offsets, int64_t b_rows, int64_t b_nnz,        \
                                  int64_t count, int64_t *starts, int32_t *lengths)                                    \
    {                                                                                                                  \
        bool bad = false;                                                                                              \
        for (int64_t k = 0; k < count; k++) {                                                                          \
            int64_t row = columns[k];                                                                                  \
            bool outside = (uint64_t)row >= (uint64_t)b_rows;                                                          \
            row = outside ? 0 : row;                                                                                   \
            int64_t start = offsets[row], length = offsets[row + 1] - start;                                           \
            bad |= outside;                                                                                            \
            starts[k] = start;                                                                                         \
            lengths[k] = (int32_t)length;                                                                              \
        }                                                                                                              \
        (void)b_nnz;                                                                                                   \
        return !bad;                                                                                                   \
    }
DESCRIBE(int32_t)
DESCRIBE(int64_t)

bool spg_describe_entries(const spg_csr *A, const spg_csr *B, int64_t first, int64_t count, int64_t *starts,
                          int32_t *lengths)
{
    if (count == 0) return true;
    if (B->rows == 0) return false;
    if (B->offset_type == SPG_I32)
        return describe_int32_t(A->columns + first, B->row_offsets, B->rows, B->nnz, count, starts, lengths);
    return describe_int64_t(A->columns + first, B->row_offsets, B->rows, B->nnz, count, starts, lengths);
}

bool spg_load_chunk(spg_worker *worker, int64_t index)
{
    row_chunk *chunk = &worker->chunk;
    const multiplication *shared = worker->shared;
    const spg_csr *A = shared->product->A, *B = shared->product->B;
    int64_t size = shared->sizes.chunk_entries;
    chunk->index = index;
    chunk->first_row = row_at(A, index * size);
    int64_t end = index + 1 == shared->chunks ? A->rows : row_at(A, (index + 1) * size);
    chunk->first_entry = offset_at(A, chunk->first_row);
    chunk->has_long_row = end > chunk->first_row && offset_at(A, end) - offset_at(A, end - 1) > 2 * size;
    chunk->rows = end - chunk->first_row - chunk->has_long_row;
    for (int64_t r = 0; r <= chunk->rows; r++)
        chunk->bounds[r] = offset_at(A, chunk->first_row + r) - chunk->first_entry;
    if (!spg_describe_entries(A, B, chunk->first_entry, chunk->bounds[chunk->rows], chunk->starts, chunk->lengths))
        return false;
    chunk->products = 0;
    for (int64_t r = 0; r < chunk->rows; r++) {
        int64_t products = 0;
        for (int64_t k = chunk->bounds[r]; k < chunk->bounds[r + 1]; k++) products += chunk->lengths[k];
        chunk->row_products[r] = products;
        chunk->products += products;
    }
    return true;
}
