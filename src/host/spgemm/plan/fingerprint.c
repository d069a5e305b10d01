/* For a block of indices there are two sums of (x + k) * (y + l) over pairs of neighbours x, y, with random keys k, l
 * for their positions; the second sum uses keys one pair further on. This is the NH hash of UMAC (Black, Halevi,
 * Krawczyk, Krovetz, Rogaway: UMAC: Fast and secure message authentication, 1999): two blocks that differ have the same
 * sums with a probability of at most 2^-64. The four words of the sums, each times a key, are added; the results of the
 * blocks are the coefficients of a polynomial (universal_hash.h). Nearly all of the work is in the first step, a few
 * cycles for 16 indices. */
#include "fingerprint.h"

#include "host/vector.h"
#include "host/work.h"
#include "random_bytes.h"
#include "spgemm/universal_hash.h"

#if SPG_HAVE_AVX512
#include <immintrin.h>
#endif

typedef struct block_sums {
    uint64_t one, other;
} block_sums;

/* The sums of at most a block; a last index without a neighbour is paired with 0. */
static block_sums sum_pairs(const uint32_t *keys, const int32_t *indices, int64_t count)
{
    block_sums sums = {0, 0};
    for (int64_t i = 0; i < count; i += 2) {
        const uint32_t x = (uint32_t)indices[i], y = i + 1 < count ? (uint32_t)indices[i + 1] : 0;
        sums.one += (uint64_t)(uint32_t)(x + keys[i]) * (uint32_t)(y + keys[i + 1]);
        sums.other += (uint64_t)(uint32_t)(x + keys[i + 2]) * (uint32_t)(y + keys[i + 3]);
    }
    return sums;
}

#if SPG_HAVE_AVX512
SPG_AVX512 static inline __m512i products_of_pairs(__m512i indices, const uint32_t *keys)
{
    const __m512i keyed = _mm512_add_epi32(indices, _mm512_loadu_si512(keys));
    return _mm512_mul_epu32(keyed, _mm512_srli_epi64(keyed, 32));
}

SPG_AVX512 static block_sums sum_pairs_in_vectors(const uint32_t *keys, const int32_t *indices, int64_t count)
{
    __m512i one = _mm512_setzero_si512(), other = one;
    int64_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const __m512i some = _mm512_loadu_si512(indices + i);
        one = _mm512_add_epi64(one, products_of_pairs(some, keys + i));
        other = _mm512_add_epi64(other, products_of_pairs(some, keys + i + 2));
    }
    uint64_t ones[8], others[8];
    block_sums sums = sum_pairs(keys + i, indices + i, count - i);
    _mm512_storeu_si512(ones, one);
    _mm512_storeu_si512(others, other);
    for (int lane = 0; lane < 8; lane++) sums.one += ones[lane], sums.other += others[lane];
    return sums;
}
#endif

static block_sums sums_of_block(const uint32_t *keys, const int32_t *indices, int64_t count)
{
#if SPG_HAVE_AVX512
    if (spg_host_vector_level() >= SPG_VECTOR_AVX512) return sum_pairs_in_vectors(keys, indices, count);
#endif
    return sum_pairs(keys, indices, count);
}

void spg_draw_fingerprint_keys(fingerprint_keys *keys)
{
    spg_random_bytes(keys, sizeof *keys);
    for (int k = 0; k < 4; k++) keys->of_words[k] = spg_hash_key(keys->of_words[k]);
    keys->of_blocks = spg_hash_key(keys->of_blocks);
}

uint64_t spg_fingerprint(const fingerprint_keys *keys, const int32_t *indices, int64_t count)
{
    uint64_t fingerprint = 0;
    for (int64_t at = 0; at < count; at += FINGERPRINT_BLOCK) {
        const block_sums sums = sums_of_block(keys->of_places, indices + at,
                                              count - at < FINGERPRINT_BLOCK ? count - at : FINGERPRINT_BLOCK);
        const spg_wide block =
            (spg_wide)keys->of_words[0] * (uint32_t)sums.one + (spg_wide)keys->of_words[1] * (sums.one >> 32) +
            (spg_wide)keys->of_words[2] * (uint32_t)sums.other + (spg_wide)keys->of_words[3] * (sums.other >> 32);
        fingerprint = spg_hash_remainder((spg_wide)fingerprint * keys->of_blocks + block);
    }
    return fingerprint;
}

enum { PART = 1 << 14 };

static int64_t parts_of(int64_t indices) { return (indices + PART - 1) / PART; }

/* The number of 32-bit indices in the offsets. */
static int64_t offset_indices(const spg_csr *matrix)
{
    return (matrix->rows + 1) * (matrix->offset_type == SPG_I64 ? 2 : 1);
}

int64_t spg_count_pattern_parts(const spg_csr *matrix)
{
    return parts_of(offset_indices(matrix)) + parts_of(matrix->nnz);
}

static uint64_t part_fingerprint(const fingerprint_keys *keys, const spg_csr *matrix, int64_t part)
{
    const int64_t of_offsets = parts_of(offset_indices(matrix));
    const bool is_offsets = part < of_offsets;
    const int32_t *indices = is_offsets ? matrix->row_offsets : matrix->columns;
    const int64_t all = is_offsets ? offset_indices(matrix) : matrix->nnz;
    const int64_t first = (is_offsets ? part : part - of_offsets) * PART;
    return spg_fingerprint(keys, indices + first, all - first < PART ? all - first : PART);
}

/* A job that computes, or compares, the fingerprints of a pattern's parts. */
typedef struct pattern_job {
    const fingerprint_keys *keys;
    const spg_csr *matrix;
    uint64_t *of_parts;
    const uint64_t *planned;
    atomic_bool *differs;
} pattern_job;

static void find_parts(const void *data, spg_range parts)
{
    const pattern_job *job = data;
    for (int64_t part = parts.begin; part < parts.end; part++)
        job->of_parts[part] = part_fingerprint(job->keys, job->matrix, part);
}

static void compare_parts(const void *data, spg_range parts)
{
    const pattern_job *job = data;
    bool differs = false;
    for (int64_t part = parts.begin; part < parts.end; part++)
        differs |= part_fingerprint(job->keys, job->matrix, part) != job->planned[part];
    if (differs) atomic_store(job->differs, true);
}

void spg_pattern_fingerprints(const fingerprint_keys *keys, const spg_csr *matrix, spg_threads threads,
                              uint64_t *of_parts)
{
    spg_parallel(threads, spg_count_pattern_parts(matrix), 0, find_parts,
                 &(pattern_job){.keys = keys, .matrix = matrix, .of_parts = of_parts});
}

bool spg_has_pattern(const fingerprint_keys *keys, const spg_csr *matrix, spg_threads threads, const uint64_t *of_parts)
{
    atomic_bool differs = false;
    spg_parallel(threads, spg_count_pattern_parts(matrix), 0, compare_parts,
                 &(pattern_job){.keys = keys, .matrix = matrix, .planned = of_parts, .differs = &differs});
    return !atomic_load(&differs);
}
