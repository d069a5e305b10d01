/* Rows of at most 16 entries, with their sums in vector registers (AVX-512): an entry of A expands its row of B, which
 * ascends, onto the lanes of C's row in its mask. No columns of B are read, and no loop depends on the length of its
 * rows, which a processor guesses badly. */
#include "numeric.h"

#if defined(__x86_64__) && defined(__GNUC__) && defined(PETSC_USE_REAL_DOUBLE) && !defined(PETSC_USE_COMPLEX)
#include <immintrin.h>
#define VECTORS __attribute__((target("avx512f,bmi2,popcnt")))

PetscBool masks_are_available(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("bmi2") ? PETSC_TRUE : PETSC_FALSE;
}

/* values[0], values[1], ... on the lanes of the mask, in order; 8 values are read. Other lanes are undefined. */
VECTORS static inline __m512d spread(unsigned mask, const double *values)
{
    const uint64_t in_mask = _pdep_u64(mask & 0xFF, 0x0101010101010101u) * 0xFF;
    const uint64_t ranks = _pdep_u64(0x0706050403020100u, in_mask);

    return _mm512_permutexvar_pd(_mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)ranks)), _mm512_loadu_pd(values));
}

/* The masks of one row; false if it cannot have any. */
VECTORS static PetscBool find_row(const SpgPass *pass, PetscInt row)
{
    const spg_csr *A = pass->A, *B = pass->B, *C = pass->C;
    const PetscInt *a_offsets = A->row_offsets, *b_offsets = B->row_offsets, *c_offsets = C->row_offsets;
    const PetscInt n = c_offsets[row + 1] - c_offsets[row];
    const unsigned lanes = (1u << (n < MOST_LANES ? n : MOST_LANES)) - 1;
    __m512i columns;

    if (n > MOST_LANES) return PETSC_FALSE;
    columns = _mm512_maskz_loadu_epi32((__mmask16)lanes, C->columns + c_offsets[row]);
    for (PetscInt k = a_offsets[row]; k < a_offsets[row + 1]; k++) {
        const PetscInt begin = b_offsets[A->columns[k]], end = b_offsets[A->columns[k] + 1];
        unsigned mask = 0;
        if (B->nnz - begin < MOST_LANES) return PETSC_FALSE; /* too near the end to read 8 values twice */
        for (PetscInt t = begin; t < end; t++) {
            const unsigned lane = _mm512_cmpeq_epi32_mask(columns, _mm512_set1_epi32(B->columns[t])) & lanes;
            if (lane <= mask) return PETSC_FALSE; /* B's row does not ascend */
            mask |= lane;
        }
        pass->masks[k] = (uint16_t)mask;
    }
    return PETSC_TRUE;
}

void find_masks(const SpgPass *pass, SpgEqualRows *equal, PetscInt begin, PetscInt end)
{
    for (PetscInt row = begin; row < end; row++)
        if (equal[row] == 1 && find_row(pass, row)) equal[row] = MASKED_ROW;
}

VECTORS void masked_rows(const SpgPass *pass, PetscInt begin, PetscInt end)
{
    const PetscInt *a_offsets = pass->A->row_offsets, *b_offsets = pass->B->row_offsets;
    const PetscInt *c_offsets = pass->C->row_offsets;
    const int32_t *columns = pass->A->columns;
    const uint16_t *masks = pass->masks;
    const double *b_values = pass->B->values;

    for (PetscInt row = begin; row < end; row++) {
        const PetscInt n = c_offsets[row + 1] - c_offsets[row];
        const double *a_value = values_of(pass->A, pass->A_rows, row);
        double *values = values_of(pass->C, pass->C_rows, row);
        __m512d low = _mm512_setzero_pd(), high = low;
        for (PetscInt k = a_offsets[row]; k < a_offsets[row + 1]; k++) {
            const double *b = b_values + b_offsets[columns[k]];
            const __m512d a = _mm512_set1_pd(*a_value++);
            const __mmask8 mask = (__mmask8)masks[k];
            low = _mm512_mask_add_pd(low, mask, low, _mm512_mul_pd(a, spread(mask, b)));
            if (n > 8) {
                const __mmask8 upper = (__mmask8)(masks[k] >> 8);
                high = _mm512_mask_add_pd(high, upper, high, _mm512_mul_pd(a, spread(upper, b + _mm_popcnt_u32(mask))));
            }
        }
        _mm512_mask_storeu_pd(values, (__mmask8)(n < 8 ? (1u << n) - 1 : 0xFF), low);
        if (n > 8) _mm512_mask_storeu_pd(values + 8, (__mmask8)((1u << (n - 8)) - 1), high);
    }
}
#else
PetscBool masks_are_available(void) { return PETSC_FALSE; }
void find_masks(const SpgPass *pass, SpgEqualRows *equal, PetscInt begin, PetscInt end)
{
    (void)pass, (void)equal, (void)begin, (void)end;
}
void masked_rows(const SpgPass *pass, PetscInt begin, PetscInt end) { (void)pass, (void)begin, (void)end; }
#endif
