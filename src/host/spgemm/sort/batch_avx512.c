/* The phases of a batch (network_row.c) in AVX-512. */
#include "batch.h"

#if SPG_HAVE_AVX512
#include "host/spgemm/lanes.h"

/* Expansion: (column, number) for each product of the batch; numbers within a row differ in their low bits. Prefetches
 * the values, which contraction will read. Needs room for eight more keys. */
SPG_AVX512 static void expand_keys(const spg_worker *worker, const network_batch *batch)
{
    const row_chunk *chunk = &worker->chunk;
    const int32_t *b_columns = worker->shared->product->B->columns;
    const char *b_values = worker->shared->product->B->values;
    const int64_t value_bytes = worker->shared->value_bytes;
    const __m256i bases = _mm256_set1_epi32(batch->base), low_bits = _mm256_set1_epi32(NETWORK_KEYS - 1);
    const __m256i lanes = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
    for (int64_t k = batch->first_entry; k < batch->end_entry; k++) {
        int64_t t = chunk->starts[k], at = chunk->before[k] - batch->first_product;
        __builtin_prefetch(b_values + t * value_bytes);
        for (int left = chunk->lengths[k]; left > 0; left -= 8, t += 8, at += 8) {
            const __m256i loaded = _mm256_maskz_loadu_epi32((__mmask8)first_lanes(left), b_columns + t);
            const __m256i columns = _mm256_slli_epi32(_mm256_sub_epi32(loaded, bases), NETWORK_NUMBER_BITS);
            const __m256i numbers = _mm256_and_si256(_mm256_add_epi32(lanes, _mm256_set1_epi32((int)at)), low_bits);
            _mm256_storeu_si256((__m256i *)(void *)(batch->keys + at), _mm256_or_si256(columns, numbers));
        }
    }
}

/* Of the 16 keys from i on, those that differ in column from the key before. */
LANES_INLINE __mmask16 heads_of(const uint32_t *keys, int i, int count)
{
    const __m512i changed = _mm512_xor_si512(_mm512_loadu_si512(keys + i), _mm512_loadu_si512(keys + i - 1));
    return _mm512_mask_cmpge_epu32_mask(first_lanes(count - i), changed, _mm512_set1_epi32(NETWORK_KEYS));
}

/* Writes the columns of a row of C to the staging buffer, which has room for 16 more. */
SPG_AVX512 static void emit_columns(spg_worker *worker, const network_batch *batch, network_row *it)
{
    const __m512i bases = _mm512_set1_epi32(batch->base);
    uint32_t *keys = batch->sorted + it->slot;
    int32_t *columns = worker->columns + worker->staged;
    int n = 0;
    keys[-1] = ~keys[0];
    for (int i = 0; i < it->count; i += 16) {
        const __mmask16 heads = heads_of(keys, i, it->count);
        const __m512i here = _mm512_srli_epi32(_mm512_loadu_si512(keys + i), NETWORK_NUMBER_BITS);
        _mm512_storeu_si512(columns + n, _mm512_maskz_compress_epi32(heads, _mm512_add_epi32(here, bases)));
        n += _mm_popcnt_u32(heads);
    }
    it->begin = worker->staged;
    it->n = n;
    worker->staged += n;
}

/* places[low bits of the number] = the rank of its column in the row of C. */
SPG_AVX512 static void find_places(const uint32_t *keys, int count, uint8_t *places)
{
    int place = -1;
    for (int i = 0; i < count; i += 16) {
        const unsigned heads = heads_of(keys, i, count);
        const int end = count - i < 16 ? count - i : 16;
        for (int lane = 0; lane < end; lane++) {
            place += (int)(heads >> lane & 1);
            places[keys[i + lane] & (NETWORK_KEYS - 1)] = (uint8_t)place;
        }
    }
}

/* products[0..8) = a * values[at..at+8), where the mask allows reading. Stored in halves, so that later loads of single
 * products can use store forwarding. */
LANES_INLINE void multiply_8_f64(double a, const double *values, int64_t at, __mmask8 mask, double *products)
{
    const __m512d b = _mm512_mul_pd(_mm512_set1_pd(a), _mm512_maskz_loadu_pd(mask, values + at));
    _mm256_storeu_pd(products, _mm512_castpd512_pd256(b));
    _mm256_storeu_pd(products + 4, _mm512_extractf64x4_pd(b, 1));
}

LANES_INLINE void multiply_8_f32(float a, const float *values, int64_t at, __mmask8 mask, float *products)
{
    const __m256 b = _mm256_maskz_loadu_ps(mask, values + at);
    _mm256_storeu_ps(products, _mm256_mul_ps(_mm256_set1_ps(a), b));
}

LANES_INLINE void multiply_8_c32(value_c32 a, const value_c32 *values, int64_t at, __mmask8 mask, value_c32 *products)
{
    for (int i = 0; mask >> i != 0; i++) products[i] = product_c32(a, values[at + i]);
}

LANES_INLINE void multiply_8_c64(value_c64 a, const value_c64 *values, int64_t at, __mmask8 mask, value_c64 *products)
{
    for (int i = 0; mask >> i != 0; i++) products[i] = product_c64(a, values[at + i]);
}

LANES_INLINE void multiply_8_none(value_none a, const value_none *values, int64_t at, __mmask8 mask,
                                  value_none *products)
{
    (void)a, (void)values, (void)at, (void)mask, (void)products;
}

#define TEMPLATE "host/spgemm/sort/batch_avx512.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
#else
#define NO_BATCH(suffix)                                                                                               \
    void spg_batch_avx512_##suffix(spg_worker *worker, network_batch *batch) { (void)worker, (void)batch; }
NO_BATCH(none)
NO_BATCH(f32)
NO_BATCH(f64)
NO_BATCH(c32)
NO_BATCH(c64)
#endif
