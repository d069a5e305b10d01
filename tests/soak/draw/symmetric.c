/* See symmetric.h. */
#include "symmetric.h"

#include "host_matrix.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* An entry on or above the diagonal, or its image, and which entry of the matrix it comes from. */
typedef struct place_of {
    int64_t row, column, entry;
} place_of;

static int by_place(const void *a, const void *b)
{
    const place_of *x = a, *y = b;
    if (x->row != y->row) return x->row < y->row ? -1 : 1;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

spg_csr soak_symmetric_of(const spg_csr *matrix)
{
    place_of *places = soak_array(2 * matrix->nnz, sizeof *places);
    int64_t count = 0, kept = 0;
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = soak_offset(matrix, i); k < soak_offset(matrix, i + 1); k++) {
            const int64_t j = matrix->columns[k];
            if (j >= i) places[count++] = (place_of){i, j, k};
            if (j > i) places[count++] = (place_of){j, i, k};
        }
    qsort(places, (size_t)count, sizeof *places, by_place);
    for (int64_t k = 0; k < count; k++)
        if (kept == 0 || places[k].row != places[kept - 1].row || places[k].column != places[kept - 1].column)
            places[kept++] = places[k];
    spg_csr result = soak_matrix(matrix->rows, matrix->cols, kept, matrix->offset_type, matrix->value_type);
    const size_t size = spg_type_size(matrix->value_type);
    for (int64_t k = 0, row = 0; row < matrix->rows; soak_set_offset(&result, ++row, k))
        for (; k < kept && places[k].row == row; k++) {
            result.columns[k] = (int32_t)places[k].column;
            memcpy((char *)result.values + (size_t)k * size,
                   (const char *)matrix->values + (size_t)places[k].entry * size, size);
        }
    free(places);
    return result;
}

/* For each row, where its entries above the diagonal begin. */
static int64_t *entries_above(const spg_csr *m)
{
    int64_t *next = soak_array(m->rows, sizeof *next);
    for (int64_t i = 0; i < m->rows; i++)
        for (next[i] = soak_offset(m, i); next[i] < soak_offset(m, i + 1) && m->columns[next[i]] <= i;) next[i]++;
    return next;
}

void soak_mirror(spg_csr *m)
{
    const size_t size = spg_type_size(m->value_type);
    int64_t *next = entries_above(m);
    for (int64_t i = 0; i < m->rows; i++)
        for (int64_t k = soak_offset(m, i); k < soak_offset(m, i + 1) && m->columns[k] < i; k++)
            memcpy((char *)m->values + (size_t)k * size,
                   (const char *)m->values + (size_t)(next[m->columns[k]]++) * size, size);
    free(next);
}

void soak_symmetric_numbers(uint64_t seed, soak_numbers numbers, spg_csr *matrix)
{
    soak_draw_numbers(seed, numbers, matrix->value_type, matrix->nnz, matrix->values);
    soak_mirror(matrix);
}

bool soak_is_symmetric(const spg_csr *m)
{
    const size_t size = spg_type_size(m->value_type);
    bool same = m->rows == m->cols;
    for (int64_t i = 0; same && i < m->rows; i++)
        for (int64_t k = soak_offset(m, i) + 1; k < soak_offset(m, i + 1); k++)
            if (m->columns[k] <= m->columns[k - 1]) same = false;
    if (!same) return false;
    int64_t *next = entries_above(m);
    for (int64_t i = 0; same && i < m->rows; i++)
        for (int64_t k = soak_offset(m, i); same && k < soak_offset(m, i + 1) && m->columns[k] < i; k++) {
            const int64_t j = m->columns[k], image = next[j]++;
            same = image < soak_offset(m, j + 1) && m->columns[image] == i &&
                   memcmp((const char *)m->values + (size_t)k * size, (const char *)m->values + (size_t)image * size,
                          size) == 0;
        }
    for (int64_t i = 0; same && i < m->rows; i++) same = next[i] == soak_offset(m, i + 1);
    free(next);
    return same;
}
