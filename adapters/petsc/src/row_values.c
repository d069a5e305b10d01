/* The values of a product whose pattern is known. Each row is summed in an array with a place for each column of B, and
 * then taken from there by the columns of C's row. The sums start from zero and go in the order in which A's row and
 * then B's row store their entries, each product and each sum rounded, as in spgemm_csr.
 *
 * This takes no preparation that a single repeat would not pay for. A plan of spg does: it costs as much as several
 * repeats. */
#include "numeric.h"

static inline PetscInt row_of(const spg_csr *matrix, PetscInt row) { return ((const PetscInt *)matrix->row_offsets)[row]; }

static void one_row(const spg_csr *A, const spg_csr *B, const spg_csr *C, PetscInt row, PetscScalar *restrict sums)
{
    const PetscScalar *a_values = A->values, *b_values = B->values;
    const int32_t *b_columns = B->columns, *c_columns = C->columns;
    PetscScalar *values = C->values;

    for (PetscInt k = row_of(A, row); k < row_of(A, row + 1); k++) {
        const PetscInt b_row = A->columns[k], end = row_of(B, b_row + 1);
        const PetscScalar a = a_values[k];
        for (PetscInt t = row_of(B, b_row); t < end; t++) sums[b_columns[t]] += a * b_values[t];
    }
    for (PetscInt t = row_of(C, row); t < row_of(C, row + 1); t++) {
        values[t] = sums[c_columns[t]];
        sums[c_columns[t]] = 0;
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
static inline void equal_rows(const spg_csr *A, const spg_csr *B, const spg_csr *C, PetscInt row, int rows,
                              PetscScalar *all_sums)
{
    const PetscInt first = row_of(A, row), entries = row_of(A, row + 1) - first;
    const PetscInt at = row_of(C, row), n = row_of(C, row + 1) - at;
    const PetscScalar *a_values = (const PetscScalar *)A->values + first, *b_values = B->values;
    const int32_t *b_columns = B->columns, *c_columns = C->columns + at;
    PetscScalar *values = (PetscScalar *)C->values + at;
    Lanes *restrict sums = (Lanes *)(void *)all_sums;
    const Lanes zero = {0};

    for (PetscInt k = 0; k < entries; k++) {
        const PetscInt b_row = A->columns[first + k], end = row_of(B, b_row + 1);
        Lanes a;
        for (int l = 0; l < MOST_EQUAL_ROWS; l++) LANE(a, l) = a_values[k + (l < rows ? l : 0) * entries];
        for (PetscInt t = row_of(B, b_row); t < end; t++) ADD_PRODUCT(sums[b_columns[t]], a, b_values[t]);
    }
    for (PetscInt t = 0; t < n; t++) {
        for (int l = 0; l < rows; l++) values[t + l * n] = LANE(sums[c_columns[t]], l);
        sums[c_columns[t]] = zero;
    }
}

/* Vectors of four doubles where the processor has them. A fused multiply-add is not among what it may use. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(PETSC_USE_COMPLEX)
__attribute__((target_clones("avx2", "default")))
#endif
void row_values(const spg_csr *A, const SpgEqualRows *equal, const spg_csr *B, const spg_csr *C, PetscInt begin,
                PetscInt end, PetscScalar *sums)
{
    for (PetscInt row = begin; row < end; row += equal[row]) {
        if (equal[row] == 1)
            one_row(A, B, C, row, sums);
        else
            equal_rows(A, B, C, row, equal[row], sums);
    }
}
