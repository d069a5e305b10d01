/* Rows of few entries, with their sums in vector registers: an entry of A expands its row of B, which ascends, onto the
 * lanes of C in its mask. No columns are read, and nothing depends on the lengths of B's rows. AVX-512 only. */
#include "rows.h"

#include "host/vector.h"

#if SPG_HAVE_AVX512
#include "host/spgemm/lanes.h"

bool spg_masks_are_available(spg_type value_type)
{
    return (value_type == SPG_F64 || value_type == SPG_F32) && spg_host_vector_level() >= SPG_VECTOR_AVX512;
}

SPG_AVX512 void spg_mask_row_avx512_f64(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                                        int64_t entries, int64_t n, double *values)
{
    const row_chunk *chunk = &rows->worker->chunk;
    const double *a_values = (const double *)rows->A->values + chunk->first_entry + first_entry;
    const double *b_values = rows->B->values;
    const int64_t *starts = chunk->starts + first_entry, b_end = rows->B->nnz;
    __m512d low = _mm512_setzero_pd(), high = _mm512_setzero_pd();
    if (code == CODE_MASK_8) {
        for (int64_t k = 0; k < entries; k++) {
            const __m512d b = spread_f64(masks[k], b_values + starts[k], b_end - starts[k]);
            low = _mm512_mask_add_pd(low, masks[k], low, _mm512_mul_pd(_mm512_set1_pd(a_values[k]), b));
        }
        _mm512_mask_storeu_pd(values, (__mmask8)first_lanes(n), low);
        return;
    }
    const uint16_t *wide = (const uint16_t *)(const void *)masks;
    for (int64_t k = 0; k < entries; k++) {
        const __mmask8 first = (__mmask8)wide[k], second = (__mmask8)(wide[k] >> 8);
        const int64_t start = starts[k], middle = start + _mm_popcnt_u32(first);
        const __m512d a = _mm512_set1_pd(a_values[k]);
        const __m512d b_low = spread_f64(first, b_values + start, b_end - start);
        const __m512d b_high = spread_f64(second, b_values + middle, b_end - middle);
        low = _mm512_mask_add_pd(low, first, low, _mm512_mul_pd(a, b_low));
        high = _mm512_mask_add_pd(high, second, high, _mm512_mul_pd(a, b_high));
    }
    _mm512_mask_storeu_pd(values, (__mmask8)first_lanes(n), low);
    _mm512_mask_storeu_pd(values + 8, (__mmask8)(first_lanes(n) >> 8), high);
}

SPG_AVX512 void spg_mask_row_avx512_f32(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                                        int64_t entries, int64_t n, float *values)
{
    const row_chunk *chunk = &rows->worker->chunk;
    const float *a_values = (const float *)rows->A->values + chunk->first_entry + first_entry;
    const float *b_values = rows->B->values;
    const int64_t *starts = chunk->starts + first_entry, b_end = rows->B->nnz;
    const uint16_t *wide = (const uint16_t *)(const void *)masks;
    __m512 sums = _mm512_setzero_ps();
    for (int64_t k = 0; k < entries; k++) {
        const __mmask16 mask = code == CODE_MASK_8 ? masks[k] : wide[k];
        const __m512 b = spread_f32(mask, b_values + starts[k], b_end - starts[k]);
        sums = _mm512_mask_add_ps(sums, mask, sums, _mm512_mul_ps(_mm512_set1_ps(a_values[k]), b));
    }
    _mm512_mask_storeu_ps(values, first_lanes(n), sums);
}
#else
bool spg_masks_are_available(spg_type value_type) { return (void)value_type, false; }

void spg_mask_row_avx512_f64(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                             int64_t entries, int64_t n, double *values)
{
    (void)rows, (void)code, (void)masks, (void)first_entry, (void)entries, (void)n, (void)values;
}

void spg_mask_row_avx512_f32(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                             int64_t entries, int64_t n, float *values)
{
    (void)rows, (void)code, (void)masks, (void)first_entry, (void)entries, (void)n, (void)values;
}
#endif
