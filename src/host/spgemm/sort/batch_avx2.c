/* The phases of a batch (network_row.c) in AVX2. */
#include "batch.h"

#if SPG_HAVE_AVX2
#include <immintrin.h>

#define AVX2_INLINE SPG_AVX2 static inline __attribute__((always_inline))

/* All bits of the first `count` of 8 lanes. */
AVX2_INLINE __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Expansion: (column, number) for each product of the batch; numbers within a row differ in their low bits. Prefetches
 * the values, which contraction will read. Needs room for eight more keys. */
SPG_AVX2 static void expand_keys(const spg_worker *worker, const network_batch *batch)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const char *b_values = worker->shared->product->B->values;
    const int64_t value_bytes = worker->shared->value_bytes;
    const __m256i bases = _mm256_set1_epi32(batch->base), low_bits = _mm256_set1_epi32(NETWORK_KEYS - 1);
    const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int64_t k = batch->first_entry; k < batch->end_entry; k++) {
        int64_t t = chunk->starts[k], at = chunk->before[k] - batch->first_product;
        __builtin_prefetch(b_values + t * value_bytes);
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8, at += 8) {
            const __m256i loaded = _mm256_maskload_epi32(b_columns + t, first_lanes(left));
            const __m256i columns = _mm256_slli_epi32(_mm256_sub_epi32(loaded, bases), NETWORK_NUMBER_BITS);
            const __m256i numbers = _mm256_and_si256(_mm256_add_epi32(lanes, _mm256_set1_epi32((int)at)), low_bits);
            _mm256_storeu_si256((__m256i *)(void *)(batch->keys + at), _mm256_or_si256(columns, numbers));
        }
    }
}

/* Writes the columns of a row of C to the staging buffer; places[low bits of a product's number] = the rank of its
 * column. */
static void emit_columns(spg_worker *worker, const network_batch *batch, network_row *it, uint8_t *places)
{
    const uint32_t *keys = batch->sorted + it->slot;
    int32_t *columns = worker->columns + worker->staged;
    uint32_t last = ~(keys[0] >> NETWORK_NUMBER_BITS);
    int place = -1;
    for (int i = 0; i < it->count; i++) {
        const uint32_t column = keys[i] >> NETWORK_NUMBER_BITS;
        place += column != last;
        last = column;
        columns[place] = (int32_t)column + batch->base;
        places[keys[i] & (NETWORK_KEYS - 1)] = (uint8_t)place;
    }
    it->begin = worker->staged;
    it->n = place + 1;
    worker->staged += it->n;
}

/* products[0..8) = a * values[at..at+8), of which `count` may be read. */
AVX2_INLINE void multiply_8_f64(double a, const double *values, int64_t at, int count, double *products)
{
    const __m256i lanes = first_lanes(count);
    const __m256i low = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(lanes));
    const __m256i high = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(lanes, 1));
    _mm256_storeu_pd(products, _mm256_mul_pd(_mm256_set1_pd(a), _mm256_maskload_pd(values + at, low)));
    if (count > 4)
        _mm256_storeu_pd(products + 4, _mm256_mul_pd(_mm256_set1_pd(a), _mm256_maskload_pd(values + at + 4, high)));
}

AVX2_INLINE void multiply_8_f32(float a, const float *values, int64_t at, int count, float *products)
{
    const __m256 b = _mm256_maskload_ps(values + at, first_lanes(count));
    _mm256_storeu_ps(products, _mm256_mul_ps(_mm256_set1_ps(a), b));
}

AVX2_INLINE void multiply_8_c32(value_c32 a, const value_c32 *values, int64_t at, int count, value_c32 *products)
{
    for (int i = 0; i < count && i < 8; i++) products[i] = product_c32(a, values[at + i]);
}

AVX2_INLINE void multiply_8_c64(value_c64 a, const value_c64 *values, int64_t at, int count, value_c64 *products)
{
    for (int i = 0; i < count && i < 8; i++) products[i] = product_c64(a, values[at + i]);
}

AVX2_INLINE void multiply_8_none(value_none a, const value_none *values, int64_t at, int count, value_none *products)
{
    (void)a, (void)values, (void)at, (void)count, (void)products;
}

#define TEMPLATE "host/spgemm/sort/batch_avx2.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
#else
#define NO_BATCH(suffix)                                                                                               \
    void spg_batch_avx2_##suffix(spg_worker *worker, network_batch *batch) { (void)worker, (void)batch; }
NO_BATCH(none)
NO_BATCH(f32)
NO_BATCH(f64)
NO_BATCH(c32)
NO_BATCH(c64)
#endif
