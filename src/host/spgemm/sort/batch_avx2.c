/* The phases of a batch (network_row.c) in AVX2. */
#include "batch.h"

#if SPG_HAVE_AVX2
#include "network_avx2.h"

/* All bits of the first `count` of 8 lanes. */
AVX2_INLINE __m256i first_lanes(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* keys = the row's columns above the numbers of their products. Reads and writes up to 7 more. */
SPG_AVX2 static void make_keys(const network_batch *batch, const network_row *it, uint32_t *keys)
{
    const int32_t *columns = batch->columns + it->first;
    const __m256i bases = _mm256_set1_epi32(batch->base);
    __m256i numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    for (int i = 0; i < it->count; i += 8) {
        const __m256i loaded = _mm256_loadu_si256((const __m256i *)(const void *)(columns + i));
        const __m256i column = _mm256_slli_epi32(_mm256_sub_epi32(loaded, bases), NETWORK_NUMBER_BITS);
        _mm256_storeu_si256((__m256i *)(void *)(keys + i), _mm256_or_si256(column, numbers));
        numbers = _mm256_add_epi32(numbers, _mm256_set1_epi32(8));
    }
}

/* The columns of a row of C from its sorted keys; returns how many. */
static int columns_of_keys(const uint32_t *keys, int count, int32_t base, int32_t *columns)
{
    uint32_t last = ~(keys[0] >> NETWORK_NUMBER_BITS);
    int place = -1;
    for (int i = 0; i < count; i++) {
        const uint32_t column = keys[i] >> NETWORK_NUMBER_BITS;
        place += column != last;
        last = column;
        columns[place] = (int32_t)column + base;
    }
    return place + 1;
}

/* places[number] = the rank of its column in the row of C. */
static void find_places(const uint32_t *keys, int count, uint8_t *places)
{
    uint32_t last = keys[0] >> NETWORK_NUMBER_BITS;
    int place = 0;
    for (int i = 0; i < count; i++) {
        const uint32_t column = keys[i] >> NETWORK_NUMBER_BITS;
        place += column != last;
        last = column;
        places[keys[i] & (NETWORK_KEYS - 1)] = (uint8_t)place;
    }
}

/* The columns of the batch's rows of C, in the staging buffer. */
SPG_AVX2 static void find_columns(spg_worker *worker, network_batch *batch)
{
    for (int i = 0; i < batch->rows; i++) {
        network_row *it = &batch->row[i];
        const int32_t *columns = batch->columns + it->first;
        int32_t *staged = worker->columns + worker->staged;
        if (it->count <= SHORT_ROW / 2) {
            it->n = sort_columns(columns, it->count, staged, 2);
        } else if (it->count <= SHORT_ROW) {
            it->n = sort_columns(columns, it->count, staged, 4);
        } else {
            uint32_t *keys = batch->sorted + it->slot;
            make_keys(batch, it, keys);
            spg_sort_by_network_avx2(keys, it->count, keys);
            it->n = columns_of_keys(keys, it->count, batch->base, staged);
        }
        it->begin = worker->staged;
        worker->staged += it->n;
        worker->row_counts[batch->first_row + i] = it->n;
    }
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

/* The same for four of f64, without a branch; for the others it would gain nothing. */
AVX2_INLINE void multiply_4_f64(double a, const double *values, int64_t at, int count, double *products)
{
    const __m256i lanes = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
    _mm256_storeu_pd(products, _mm256_mul_pd(_mm256_set1_pd(a), _mm256_maskload_pd(values + at, lanes)));
}

#define multiply_4_f32 multiply_8_f32
#define multiply_4_c32 multiply_8_c32
#define multiply_4_c64 multiply_8_c64
#define multiply_4_none multiply_8_none

AVX2_INLINE unsigned equal_lanes(__m256i columns, __m256i column)
{
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(columns, column)));
}

/* The place of a column among those in `registers` registers. */
AVX2_INLINE int place_of(const __m256i *c_columns, int32_t column, const int registers)
{
    unsigned lanes = 0;
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) lanes |= equal_lanes(c_columns[i], _mm256_set1_epi32(column)) << 8 * i;
    return __builtin_ctz(lanes);
}

/* The first n of up to 8 * `registers` columns, and others that are none. */
AVX2_INLINE void load_columns(const int32_t *columns, int n, __m256i *loaded, const int registers)
{
#pragma GCC unroll 4
    for (int i = 0; i < registers; i++) loaded[i] = load_8((const uint32_t *)columns, i, n);
}

/* Sums of up to 8 entries of C in registers: adds each product in the lane of its column, and 0 in the others. (No sum
 * that begins with 0 becomes -0, which this would change.) */
AVX2_INLINE void sum_in_registers_f64(const int32_t *c_columns, int n, const int32_t *columns, const double *products,
                                      int count, double *sums)
{
    const __m256i all = load_8((const uint32_t *)c_columns, 0, n);
    const __m128i low = _mm256_castsi256_si128(all), high = _mm256_extracti128_si256(all, 1);
    __m256d low_sums = _mm256_setzero_pd(), high_sums = low_sums;
    for (int p = 0; p < count; p++) {
        const __m128i column = _mm_set1_epi32(columns[p]);
        const __m256d product = _mm256_set1_pd(products[p]);
        const __m256i low_lane = _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(low, column));
        const __m256i high_lane = _mm256_cvtepi32_epi64(_mm_cmpeq_epi32(high, column));
        low_sums = _mm256_add_pd(low_sums, _mm256_and_pd(_mm256_castsi256_pd(low_lane), product));
        high_sums = _mm256_add_pd(high_sums, _mm256_and_pd(_mm256_castsi256_pd(high_lane), product));
    }
    _mm256_storeu_pd(sums, low_sums);
    if (n > 4) _mm256_storeu_pd(sums + 4, high_sums);
}

AVX2_INLINE void sum_in_registers_f32(const int32_t *c_columns, int n, const int32_t *columns, const float *products,
                                      int count, float *sums)
{
    const __m256i all = load_8((const uint32_t *)c_columns, 0, n);
    __m256 all_sums = _mm256_setzero_ps();
    for (int p = 0; p < count; p++) {
        const __m256i lane = _mm256_cmpeq_epi32(all, _mm256_set1_epi32(columns[p]));
        all_sums = _mm256_add_ps(all_sums, _mm256_and_ps(_mm256_castsi256_ps(lane), _mm256_set1_ps(products[p])));
    }
    _mm256_storeu_ps(sums, all_sums);
}

/* The most entries of a row that are summed in registers. */
enum { IN_REGISTERS_f32 = 8, IN_REGISTERS_f64 = 8, IN_REGISTERS_c32 = 0, IN_REGISTERS_c64 = 0, IN_REGISTERS_none = 0 };
#define sum_in_registers_c32(c_columns, n, columns, products, count, sums) ((void)0)
#define sum_in_registers_c64 sum_in_registers_c32
#define sum_in_registers_none sum_in_registers_c32

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
