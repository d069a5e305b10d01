/* Matrices on the host with arrays by malloc, which need no context: cases are drawn and cut in a process that never
 * calls the library. A failed malloc ends the process. */
#ifndef SPG_SOAK_HOST_MATRIX_H
#define SPG_SOAK_HOST_MATRIX_H

#include "spg/spg.h"

void *soak_array(int64_t count, size_t size);
void *soak_grow(void *memory, int64_t *room, int64_t needed, size_t size);

/* Offsets are zero. */
spg_csr soak_matrix(int64_t rows, int64_t cols, int64_t nnz, spg_type offset_type, spg_type value_type);
spg_csr soak_matrix_copy(const spg_csr *matrix);
void soak_matrix_free(spg_csr *matrix);

int64_t soak_offset(const spg_csr *matrix, int64_t row);
void soak_set_offset(spg_csr *matrix, int64_t row, int64_t offset);

/* The products of A*B, and of its row i. */
int64_t soak_products(const spg_csr *A, const spg_csr *B);
int64_t soak_row_products(const spg_csr *A, const spg_csr *B, int64_t i);

#endif
