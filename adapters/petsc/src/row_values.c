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

static inline void one_row(const SpgPass *pass, PetscInt row, PetscScalar *restrict sums)
{
    const spg_csr *A = pass->A, *B = pass->B, *C = pass->C;
    const PetscInt entries = row_of(A, row + 1) - row_of(A, row), n = row_of(C, row + 1) - row_of(C, row);
    const PetscScalar *a_values = values_of(A, pass->A_rows, row), *b_values = B->values;
    const int32_t *a_columns = A->columns + row_of(A, row), *b_columns = B->columns;
    const int32_t *c_columns = C->columns + row_of(C, row);
    PetscScalar *values = values_of(C, pass->C_rows, row);

    for (PetscInt k = 0; k < entries; k++) {
        const PetscInt end = row_of(B, a_columns[k] + 1);
        const PetscScalar a = a_values[k];
        for (PetscInt t = row_of(B, a_columns[k]); t < end; t++) sums[b_columns[t]] += a * b_values[t];
    }
    for (PetscInt t = 0; t < n; t++) {
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

/* Vectors of four doubles where the processor has them. A fused multiply-add is not among what it may use. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(PETSC_USE_COMPLEX)
__attribute__((target_clones("avx2", "default")))
#endif
void row_values(const SpgPass *pass, PetscInt begin, PetscInt end, PetscScalar *sums)
{
    SpgEqualRows *equal = pass->equal;

    for (PetscInt row = begin; row < end;) {
        if (row >= pass->find_begin && row < pass->find_end && equal[row] == 1 && find_masks(pass, row))
            equal[row] = MASKED_ROW;
        const int rows = equal[row] == MASKED_ROW ? 1 : equal[row];
        if (equal[row] == MASKED_ROW)
            masked_row(pass, row);
        else if (rows == 1)
            one_row(pass, row, sums);
        else
            equal_rows(pass, row, rows, sums);
        row += rows;
    }
}
