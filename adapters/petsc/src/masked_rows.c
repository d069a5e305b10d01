/* Rows of at most 32 entries, with their sums in vector registers (AVX-512): an entry of A expands its row of B, which
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

/* For each mask of 8 lanes, how many lanes of the mask come before each lane. */
static uint64_t ranks_of[256];

static void fill_ranks(void)
{
    if (ranks_of[255] != 0) return;
    for (unsigned mask = 0; mask < 256; mask++)
        for (unsigned lane = 0, rank = 0; lane < 8; lane++) {
            ranks_of[mask] |= (uint64_t)rank << (8 * lane);
            rank += mask >> lane & 1;
        }
}

/* values[0], values[1], ... on the lanes of the mask, in order; 8 values are read. Other lanes are undefined. */
VECTORS static inline __m512d spread(unsigned mask, const double *values)
{
    const __m128i ranks = _mm_loadl_epi64((const __m128i *)(const void *)&ranks_of[mask & 0xFF]);

    return _mm512_permutexvar_pd(_mm512_cvtepu8_epi64(ranks), _mm512_loadu_pd(values));
}

/* The masks of one row; false if it cannot have any. */
VECTORS static PetscBool find_row(const SpgPass *pass, PetscInt row)
{
    const spg_csr *A = pass->A, *B = pass->B, *C = pass->C;
    const PetscInt *a_offsets = A->row_offsets, *b_offsets = B->row_offsets, *c_offsets = C->row_offsets;
    const PetscInt n = c_offsets[row + 1] - c_offsets[row], entries = a_offsets[row + 1] - a_offsets[row];
    PetscInt products = 0;
    __m512i low, high;
    __mmask16 in_low, in_high;

    if (n > MOST_LANES) return PETSC_FALSE;
    in_low = (__mmask16)((1u << PetscMin(n, 16)) - 1);
    in_high = (__mmask16)((1u << PetscMax(n - 16, 0)) - 1);
    low = _mm512_maskz_loadu_epi32(in_low, C->columns + c_offsets[row]);
    high = _mm512_maskz_loadu_epi32(in_high, C->columns + c_offsets[row] + 16);
    for (PetscInt k = a_offsets[row]; k < a_offsets[row + 1]; k++) {
        const PetscInt begin = b_offsets[A->columns[k]], end = b_offsets[A->columns[k] + 1];
        uint32_t mask = 0;
        if (B->nnz - begin < MOST_LANES) return PETSC_FALSE; /* too near the end to read all lanes */
        for (PetscInt t = begin; t < end; t++) {
            const __m512i column = _mm512_set1_epi32(B->columns[t]);
            uint32_t lane = _mm512_mask_cmpeq_epi32_mask(in_low, low, column);
            if (n > 16) lane |= (uint32_t)_mm512_mask_cmpeq_epi32_mask(in_high, high, column) << 16;
            if (lane <= mask) return PETSC_FALSE; /* B's row does not ascend */
            mask |= lane;
        }
        pass->masks[k] = mask;
        products += end - begin;
    }
    return n <= 16 || products >= (n + 7) / 8 * entries ? PETSC_TRUE : PETSC_FALSE; /* else one by one is faster */
}

void find_masks(const SpgPass *pass, SpgEqualRows *equal, PetscInt begin, PetscInt end)
{
    fill_ranks();
    for (PetscInt row = begin; row < end; row++)
        if (equal[row] == 1 && find_row(pass, row)) equal[row] = MASKED_ROW;
}

/* One row of A, and of C with n entries. */
typedef struct MaskedRow {
    PetscInt entries, n;
    const double *a;
    const int32_t *columns;
    const uint32_t *masks;
    double *values;
} MaskedRow;

/* For n of more than 8 * (vectors - 1), up to 8 * vectors. */
VECTORS static inline __attribute__((always_inline)) void masked_row(MaskedRow row, const PetscInt *b_offsets,
                                                                     const double *b_values, int vectors)
{
    __m512d sums[MOST_LANES / 8];

    for (int v = 0; v < vectors; v++) sums[v] = _mm512_setzero_pd();
    for (PetscInt k = 0; k < row.entries; k++) {
        const double *b = b_values + b_offsets[row.columns[k]];
        const __m512d a = _mm512_set1_pd(row.a[k]);
        const uint32_t mask = row.masks[k];
        for (int v = 0; v < vectors; v++) {
            const __mmask8 lanes = (__mmask8)(mask >> 8 * v);
            const double *from = b + _mm_popcnt_u32(mask & ((1u << 8 * v) - 1));
            sums[v] = _mm512_mask_add_pd(sums[v], lanes, sums[v], _mm512_mul_pd(a, spread(lanes, from)));
        }
    }
    for (int v = 0; v < vectors - 1; v++) _mm512_storeu_pd(row.values + 8 * v, sums[v]);
    _mm512_mask_storeu_pd(row.values + 8 * (vectors - 1), (__mmask8)((1u << (row.n - 8 * (vectors - 1))) - 1),
                          sums[vectors - 1]);
}

VECTORS void masked_rows(const SpgPass *pass, PetscInt begin, PetscInt end)
{
    const PetscInt *a_offsets = pass->A->row_offsets, *b_offsets = pass->B->row_offsets;
    const PetscInt *c_offsets = pass->C->row_offsets;
    const int32_t *columns = pass->A->columns;
    const uint32_t *masks = pass->masks;
    const double *b_values = pass->B->values;
    double *const *a_rows = pass->A_rows, *const *c_rows = pass->C_rows, *a_values = pass->A->values;
    double *c_values = pass->C->values;

    for (PetscInt i = begin; i < end; i++) {
        const PetscInt first = a_offsets[i];
        const MaskedRow row = {.entries = a_offsets[i + 1] - first,
                               .n = c_offsets[i + 1] - c_offsets[i],
                               .a = a_rows ? a_rows[i] : a_values + first,
                               .columns = columns + first,
                               .masks = masks + first,
                               .values = c_rows ? c_rows[i] : c_values + c_offsets[i]};
        if (row.n <= 8)
            masked_row(row, b_offsets, b_values, 1);
        else if (row.n <= 16)
            masked_row(row, b_offsets, b_values, 2);
        else if (row.n <= 24)
            masked_row(row, b_offsets, b_values, 3);
        else
            masked_row(row, b_offsets, b_values, 4);
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
