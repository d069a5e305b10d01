/* See host_matrix.h. */
#include "host_matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *must(void *memory)
{
    if (memory != NULL) return memory;
    fputs("spg_soak: no memory for a case\n", stderr);
    exit(3);
}

void *soak_array(int64_t count, size_t size) { return must(calloc((size_t)count + (count == 0), size)); }

void *soak_grow(void *memory, int64_t *room, int64_t needed, size_t size)
{
    if (needed <= *room) return memory;
    *room = needed > 2 * *room ? needed : 2 * *room;
    return must(realloc(memory, (size_t)*room * size));
}

spg_csr soak_matrix(int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type, spg_type value_type)
{
    return (spg_csr){.rows = rows,
                     .cols = cols,
                     .nnz = nnz,
                     .offset_type = offset_type,
                     .value_type = value_type,
                     .place = SPG_PLACE_HOST,
                     .row_offsets = soak_array(rows + 1, spg_type_size(offset_type)),
                     .columns = soak_array(nnz, sizeof(int32_t)),
                     .values = soak_array(nnz, spg_type_size(value_type))};
}

spg_csr soak_matrix_copy(const spg_csr *matrix)
{
    spg_csr copy = soak_matrix(matrix->rows, matrix->cols, matrix->nnz, matrix->offset_type, matrix->value_type);
    const size_t nnz = (size_t)matrix->nnz;
    memcpy(copy.row_offsets, matrix->row_offsets, (size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type));
    if (nnz > 0) {
        memcpy(copy.columns, matrix->columns, nnz * sizeof(int32_t));
        memcpy(copy.values, matrix->values, nnz * spg_type_size(matrix->value_type));
    }
    return copy;
}

void soak_matrix_free(spg_csr *matrix)
{
    free(matrix->row_offsets);
    free(matrix->columns);
    free(matrix->values);
    memset(matrix, 0, sizeof *matrix);
}

int64_t soak_offset(const spg_csr *matrix, int64_t row)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[row]
                                          : ((const int32_t *)matrix->row_offsets)[row];
}

void soak_set_offset(spg_csr *matrix, int64_t row, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[row] = offset;
    else
        ((int32_t *)matrix->row_offsets)[row] = (int32_t)offset;
}

int64_t soak_row_products(const spg_csr *A, const spg_csr *B, int64_t i)
{
    int64_t products = 0;
    for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++)
        products += soak_offset(B, A->columns[k] + (int64_t)1) - soak_offset(B, A->columns[k]);
    return products;
}

int64_t soak_products(const spg_csr *A, const spg_csr *B)
{
    int64_t products = 0;
    for (int64_t i = 0; i < A->rows; i++) products += soak_row_products(A, B, i);
    return products;
}
