/* Sums of (x + k) * (y + l) over pairs of neighbours x, y in 64 bits, with keys k, l that depend on the place: the NH
 * hash of UMAC (Black, Halevi, Krawczyk, Krovetz, Rogaway, 1999), which vectorises to a few cycles for 16 indices.
 * Plain sums of x * key are added, so that a pair's product cannot hide a change. */
#include "fingerprint.h"

static inline uint32_t key_at(uint32_t place) { return (place + 1) * 0x9E3779B1u ^ 0x7F4A7C15u; }

static inline uint64_t mix(uint32_t x, uint32_t y, uint32_t place)
{
    uint32_t k = key_at(place), l = key_at(place + 1);
    return (uint64_t)(x + k) * (y + l) + (uint64_t)x * (k | 1) + (uint64_t)y * (l | 1);
}

uint64_t spg_fingerprint(const int32_t *indices, int64_t first, int64_t count)
{
    uint64_t sum = 0;
    int64_t pairs = count / 2;
    for (int64_t i = 0; i < pairs; i++)
        sum += mix((uint32_t)indices[2 * i], (uint32_t)indices[2 * i + 1], (uint32_t)first + 2 * (uint32_t)i);
    if (count % 2 != 0) sum += mix((uint32_t)indices[count - 1], 0, (uint32_t)first + 2 * (uint32_t)pairs);
    return sum;
}

uint64_t spg_pattern_fingerprint(const spg_csr *matrix, int threads)
{
    enum { BLOCK = 1 << 14 };
    const int64_t words = matrix->offset_type == SPG_I64 ? 2 : 1, offsets = (matrix->rows + 1) * words;
    const int64_t offset_blocks = (offsets + BLOCK - 1) / BLOCK, column_blocks = (matrix->nnz + BLOCK - 1) / BLOCK;
    uint64_t of_offsets = 0, of_columns = 0;
    (void)threads;
#pragma omp parallel for num_threads(threads) reduction(+ : of_offsets, of_columns)
    for (int64_t block = 0; block < offset_blocks + column_blocks; block++) {
        bool is_offsets = block < offset_blocks;
        const int32_t *indices = is_offsets ? matrix->row_offsets : matrix->columns;
        int64_t all = is_offsets ? offsets : matrix->nnz;
        int64_t first = (is_offsets ? block : block - offset_blocks) * BLOCK;
        uint64_t part = spg_fingerprint(indices + first, first, all - first < BLOCK ? all - first : BLOCK);
        if (is_offsets)
            of_offsets += part;
        else
            of_columns += part;
    }
    return of_offsets * 0x9E3779B97F4A7C15u + of_columns;
}
