/* The phases of a batch (network_row.c) in AVX-512. */
#include "batch.h"

#if SPG_HAVE_AVX512
#include "network_avx512.h"

/* keys = the row's columns above the numbers of their products. Reads and writes up to 15 more. */
SPG_AVX512 static void make_keys(const network_batch *batch, const network_row *it, uint32_t *keys)
{
    const int32_t *columns = batch->columns + it->first;
    const __m512i bases = _mm512_set1_epi32(batch->base);
    __m512i numbers = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int i = 0; i < it->count; i += 16) {
        const __m512i column = _mm512_sub_epi32(_mm512_loadu_si512(columns + i), bases);
        _mm512_storeu_si512(keys + i, _mm512_or_si512(_mm512_slli_epi32(column, NETWORK_NUMBER_BITS), numbers));
        numbers = _mm512_add_epi32(numbers, _mm512_set1_epi32(16));
    }
}

/* Of the 16 keys from i on, those that differ in column from the key before. */
LANES_INLINE __mmask16 heads_of(const uint32_t *keys, int i, int count)
{
    const __m512i changed = _mm512_xor_si512(_mm512_loadu_si512(keys + i), _mm512_loadu_si512(keys + i - 1));
    return _mm512_mask_cmpge_epu32_mask(first_lanes(count - i), changed, _mm512_set1_epi32(NETWORK_KEYS));
}

/* The columns of a row of C from its sorted keys; returns how many. There must be room for 16 more. */
SPG_AVX512 static int columns_of_keys(uint32_t *keys, int count, int32_t base, int32_t *columns)
{
    const __m512i bases = _mm512_set1_epi32(base);
    int n = 0;
    keys[-1] = ~keys[0];
    for (int i = 0; i < count; i += 16) {
        const __mmask16 heads = heads_of(keys, i, count);
        const __m512i here = _mm512_srli_epi32(_mm512_loadu_si512(keys + i), NETWORK_NUMBER_BITS);
        _mm512_storeu_si512(columns + n, _mm512_maskz_compress_epi32(heads, _mm512_add_epi32(here, bases)));
        n += _mm_popcnt_u32(heads);
    }
    return n;
}

/* places[number] = the rank of its column in the row of C. */
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

/* The columns of the batch's rows of C, in the staging buffer. */
SPG_AVX512 static void find_columns(spg_worker *worker, network_batch *batch)
{
    for (int i = 0; i < batch->rows; i++) {
        network_row *it = &batch->row[i];
        const int32_t *columns = batch->columns + it->first;
        int32_t *staged = worker->columns + worker->staged;
        if (it->count <= SHORT_ROW / 2) {
            it->n = sort_columns(columns, it->count, staged, 1);
        } else if (it->count <= SHORT_ROW) {
            it->n = sort_columns(columns, it->count, staged, 2);
        } else {
            uint32_t *keys = batch->sorted + it->slot;
            make_keys(batch, it, keys);
            spg_sort_by_network_avx512(keys, it->count, keys);
            it->n = columns_of_keys(keys, it->count, batch->base, staged);
        }
        it->begin = worker->staged;
        worker->staged += it->n;
        worker->row_counts[batch->first_row + i] = it->n;
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
    _mm256_storeu_ps(products, _mm256_mul_ps(_mm256_set1_ps(a), _mm256_maskz_loadu_ps(mask, values + at)));
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

/* The same for four of f64, in half a register; for the others it would gain nothing. */
LANES_INLINE void multiply_4_f64(double a, const double *values, int64_t at, __mmask8 mask, double *products)
{
    _mm256_storeu_pd(products, _mm256_mul_pd(_mm256_set1_pd(a), _mm256_maskz_loadu_pd(mask, values + at)));
}

#define multiply_4_f32 multiply_8_f32
#define multiply_4_c32 multiply_8_c32
#define multiply_4_c64 multiply_8_c64
#define multiply_4_none multiply_8_none

/* The place of a column among the first 16 and those after them. */
LANES_INLINE int place_of(__m512i low, __m512i high, int32_t column)
{
    const __m512i columns = _mm512_set1_epi32(column);
    const unsigned first = _mm512_cmpeq_epi32_mask(low, columns), second = _mm512_cmpeq_epi32_mask(high, columns);
    return __builtin_ctz(first | second << 16);
}

/* Sums of up to 16 entries of C in two registers: each product is added in the lane of its column. */
LANES_INLINE void sum_in_registers_f64(const int32_t *c_columns, int n, const int32_t *columns, const double *products,
                                       int count, double *sums)
{
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)c_columns);
    __m512d low_sums = _mm512_setzero_pd(), high_sums = low_sums;
    if (n <= 8) {
#pragma GCC unroll 4
        for (int p = 0; p < count; p++) {
            const __mmask8 lane = _mm256_cmpeq_epi32_mask(low, _mm256_set1_epi32(columns[p]));
            low_sums = _mm512_mask_add_pd(low_sums, lane, low_sums, _mm512_set1_pd(products[p]));
        }
    } else {
        const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(c_columns + 8));
#pragma GCC unroll 4
        for (int p = 0; p < count; p++) {
            const __m256i column = _mm256_set1_epi32(columns[p]);
            const __m512d product = _mm512_set1_pd(products[p]);
            low_sums = _mm512_mask_add_pd(low_sums, _mm256_cmpeq_epi32_mask(low, column), low_sums, product);
            high_sums = _mm512_mask_add_pd(high_sums, _mm256_cmpeq_epi32_mask(high, column), high_sums, product);
        }
        _mm512_storeu_pd(sums + 8, high_sums);
    }
    _mm512_storeu_pd(sums, low_sums);
}

LANES_INLINE void sum_in_registers_f32(const int32_t *c_columns, int n, const int32_t *columns, const float *products,
                                       int count, float *sums)
{
    const __m512i all = _mm512_loadu_si512(c_columns);
    __m512 all_sums = _mm512_setzero_ps();
    (void)n;
#pragma GCC unroll 4
    for (int p = 0; p < count; p++) {
        const __mmask16 lane = _mm512_cmpeq_epi32_mask(all, _mm512_set1_epi32(columns[p]));
        all_sums = _mm512_mask_add_ps(all_sums, lane, all_sums, _mm512_set1_ps(products[p]));
    }
    _mm512_storeu_ps(sums, all_sums);
}

/* The most entries of a row that are summed in registers. */
enum {
    IN_REGISTERS_f32 = 16,
    IN_REGISTERS_f64 = 16,
    IN_REGISTERS_c32 = 0,
    IN_REGISTERS_c64 = 0,
    IN_REGISTERS_none = 0
};
#define sum_in_registers_c32(c_columns, n, columns, products, count, sums) ((void)0)
#define sum_in_registers_c64 sum_in_registers_c32
#define sum_in_registers_none sum_in_registers_c32

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
