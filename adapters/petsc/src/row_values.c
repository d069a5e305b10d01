/* The values of a product whose pattern is known. Each row is summed in an array with a place for each column of B, and
 * then taken from there by the columns of C's row. The sums start from zero and go in the order in which A's row and
 * then B's row store their entries, each product and each sum rounded, as in spgemm_csr.
 *
 * A repeat must not pay for later ones, so there is no plan, which costs as much as several repeats. The masks are
 * found for a part of the rows at a time. */
#include "numeric.h"

static inline PetscInt row_of(const spg_csr *matrix, PetscInt row)
{
    return ((const PetscInt *)matrix->row_offsets)[row];
}

static inline void single_rows(const SpgPass *pass, PetscInt begin, PetscInt end, PetscScalar *restrict sums)
{
    const PetscInt *a_offsets = pass->A->row_offsets, *b_offsets = pass->B->row_offsets;
    const PetscInt *c_offsets = pass->C->row_offsets;
    const PetscScalar *b_values = pass->B->values;
    const int32_t *a_columns = pass->A->columns, *b_columns = pass->B->columns, *c_columns = pass->C->columns;

    for (PetscInt row = begin; row < end; row++) {
        const PetscScalar *a = values_of(pass->A, pass->A_rows, row);
        PetscScalar *values = values_of(pass->C, pass->C_rows, row);
        for (PetscInt k = a_offsets[row]; k < a_offsets[row + 1]; k++, a++)
            for (PetscInt t = b_offsets[a_columns[k]]; t < b_offsets[a_columns[k] + 1]; t++)
                sums[b_columns[t]] += *a * b_values[t];
        for (PetscInt t = c_offsets[row]; t < c_offsets[row + 1]; t++) {
            *values++ = sums[c_columns[t]];
            sums[c_columns[t]] = 0;
        }
    }
}

/* The sums of one column, one for each row of a group, lie in a vector. */
#if defined(PETSC_USE_COMPLEX)
typedef struct Lanes {
    PetscScalar of[MOST_EQUAL_ROWS];
} Lanes;
#define LANE(lanes, l) ((lanes).of[l])
#define ADD_PRODUCT(sums, a, b)                                                                                        \
    for (int lane_ = 0; lane_ < MOST_EQUAL_ROWS; lane_++) LANE(sums, lane_) += LANE(a, lane_) * (b)
#else
typedef PetscScalar Lanes
    __attribute__((vector_size(MOST_EQUAL_ROWS * sizeof(PetscScalar)), aligned(sizeof(PetscScalar))));
#define LANE(lanes, l) ((lanes)[l])
#define ADD_PRODUCT(sums, a, b) (sums) += (a) * (b)
#endif

/* Rows that have the same columns in A, and so in C; the lanes beyond their number repeat the first. */
static inline void equal_rows(const SpgPass *pass, PetscInt row, int rows, PetscScalar *all_sums)
{
    const spg_csr *A = pass->A, *B = pass->B, *C = pass->C;
    const PetscInt entries = row_of(A, row + 1) - row_of(A, row), n = row_of(C, row + 1) - row_of(C, row);
    const int32_t *a_columns = A->columns + row_of(A, row), *b_columns = B->columns;
    const int32_t *c_columns = C->columns + row_of(C, row);
    const PetscScalar *b_values = B->values, *a_values[MOST_EQUAL_ROWS];
    Lanes *restrict sums = (Lanes *)(void *)all_sums;
    const Lanes zero = {0};

    for (int l = 0; l < MOST_EQUAL_ROWS; l++) a_values[l] = values_of(A, pass->A_rows, row + (l < rows ? l : 0));
    for (PetscInt k = 0; k < entries; k++) {
        const PetscInt end = row_of(B, a_columns[k] + 1);
        Lanes a;
        for (int l = 0; l < MOST_EQUAL_ROWS; l++) LANE(a, l) = a_values[l][k];
        for (PetscInt t = row_of(B, a_columns[k]); t < end; t++) ADD_PRODUCT(sums[b_columns[t]], a, b_values[t]);
    }
    for (int l = 0; l < rows; l++) {
        PetscScalar *values = values_of(C, pass->C_rows, row + l);
        for (PetscInt t = 0; t < n; t++) values[t] = LANE(sums[c_columns[t]], l);
    }
    for (PetscInt t = 0; t < n; t++) sums[c_columns[t]] = zero;
}

/* Vectors of four doubles where the processor has them; products are rounded there too (-ffp-contract=off). */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) && !defined(PETSC_USE_COMPLEX)
#if __has_attribute(target_clones)
__attribute__((target_clones("avx2", "default")))
#endif
#endif
void row_values(const SpgPass *pass, PetscInt begin, PetscInt end, PetscScalar *sums)
{
    const SpgEqualRows *equal = pass->equal;

    for (PetscInt row = begin, next; row < end; row = next) {
        const SpgEqualRows rows = equal[row];
        next = row + 1;
        if (rows == 1 || rows == MASKED_ROW) {
            while (next < end && equal[next] == rows) next++;
            if (rows == 1)
                single_rows(pass, row, next, sums);
            else
                masked_rows(pass, row, next);
        } else {
            next = row + rows;
            equal_rows(pass, row, rows, sums);
        }
    }
}
