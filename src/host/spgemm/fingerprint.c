/* Sums of (x + k) * (y + l) over pairs of neighbours x, y, with keys k, l that depend on the place: the NH hash of UMAC
 * (Black, Halevi, Krawczyk, Krovetz, Rogaway, 1999), a few cycles for 16 indices. */
#include "fingerprint.h"

#include "../vector.h"
#include "host/work.h"

#if SPG_HAVE_AVX512
#include <immintrin.h>
#endif

static inline uint32_t key_at(int64_t place) { return (uint32_t)place * 0x9E3779B1u + 0x7F4A7C15u; }

static uint64_t sum_of_pairs(const int32_t *indices, int64_t first, int64_t count)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i + 1 < count; i += 2) {
        const uint32_t x = (uint32_t)indices[i] + key_at(first + i),
                       y = (uint32_t)indices[i + 1] + key_at(first + i + 1);
        sum += (uint64_t)x * y;
    }
    if (count % 2 != 0)
        sum += (uint64_t)((uint32_t)indices[count - 1] + key_at(first + count - 1)) * key_at(first + count);
    return sum;
}

#if SPG_HAVE_AVX512
SPG_AVX512 static uint64_t sum_of_pairs_in_vectors(const int32_t *indices, int64_t first, int64_t count)
{
    const __m512i step = _mm512_set1_epi32((int)(16 * 0x9E3779B1u));
    __m512i sums = _mm512_setzero_si512(), keys;
    uint32_t first_keys[16];
    for (int i = 0; i < 16; i++) first_keys[i] = key_at(first + i);
    keys = _mm512_loadu_si512(first_keys);
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512i keyed = _mm512_add_epi32(_mm512_loadu_si512(indices + i), keys);
        sums = _mm512_add_epi64(sums, _mm512_mul_epu32(keyed, _mm512_srli_epi64(keyed, 32)));
        keys = _mm512_add_epi32(keys, step);
    }
    uint64_t lanes[8], sum = sum_of_pairs(indices + i, first + i, count - i);
    _mm512_storeu_si512(lanes, sums);
    for (int lane = 0; lane < 8; lane++) sum += lanes[lane];
    return sum;
}
#endif

uint64_t spg_fingerprint(const int32_t *indices, int64_t first, int64_t count)
{
#if SPG_HAVE_AVX512
    if (spg_vector_is_available()) return sum_of_pairs_in_vectors(indices, first, count);
#endif
    return sum_of_pairs(indices, first, count);
}

enum { BLOCK = 1 << 14 };

typedef struct pattern_job {
    const spg_csr *matrix;
    int64_t offsets, offset_blocks; /* in words of 32 bits; blocks of columns follow */
    atomic_ullong *of_offsets, *of_columns;
} pattern_job;

static void add_fingerprints(const void *data, spg_range blocks)
{
    const pattern_job *job = data;
    const spg_csr *matrix = job->matrix;
    uint64_t of_offsets = 0, of_columns = 0;
    for (int64_t block = blocks.begin; block < blocks.end; block++) {
        bool is_offsets = block < job->offset_blocks;
        const int32_t *indices = is_offsets ? matrix->row_offsets : matrix->columns;
        int64_t all = is_offsets ? job->offsets : matrix->nnz;
        int64_t first = (is_offsets ? block : block - job->offset_blocks) * BLOCK;
        uint64_t part = spg_fingerprint(indices + first, first, all - first < BLOCK ? all - first : BLOCK);
        if (is_offsets)
            of_offsets += part;
        else
            of_columns += part;
    }
    atomic_fetch_add(job->of_offsets, of_offsets);
    atomic_fetch_add(job->of_columns, of_columns);
}

uint64_t spg_pattern_fingerprint(const spg_csr *matrix, spg_threads threads)
{
    const int64_t words = matrix->offset_type == SPG_I64 ? 2 : 1, offsets = (matrix->rows + 1) * words;
    const int64_t offset_blocks = (offsets + BLOCK - 1) / BLOCK, column_blocks = (matrix->nnz + BLOCK - 1) / BLOCK;
    atomic_ullong of_offsets = 0, of_columns = 0;
    spg_parallel(threads, offset_blocks + column_blocks, 0, add_fingerprints,
                 &(pattern_job){matrix, offsets, offset_blocks, &of_offsets, &of_columns});
    return of_offsets * 0x9E3779B97F4A7C15u + of_columns;
}
