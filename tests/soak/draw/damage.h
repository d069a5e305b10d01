/* Malformed operands. */
#ifndef SPG_SOAK_DAMAGE_H
#define SPG_SOAK_DAMAGE_H

#include "soak.h"

/* A copy of the matrix with the damage that a case asks for, freed by soak_matrix_free. *row: the row that it falls on.
 * False where the matrix is too small for it; there is no copy then. */
bool soak_damage_matrix(const spg_csr *matrix, const soak_damage *damage, spg_csr *broken, int64_t *row);

/* Whether A has an entry in this column. */
bool soak_names_column(const spg_csr *A, int64_t column);

#endif
