/* Shared by the families of generators: the request, one function per name, and helpers to write entries. Private to
 * matrices/. */
#ifndef SPG_MATRICES_FAMILIES_H
#define SPG_MATRICES_FAMILIES_H

#include "generators.h"

typedef struct generator_request {
    spg_context *context; /* at the host */
    const char *name;     /* as the caller wrote it, for messages */
    int64_t size;         /* N, not negative */
    double number[2];     /* what follows the size, as in aniso2d:64:0.001:45 */
    uint64_t seed;
    spg_type value_type;
} generator_request;

/* On failure these leave *matrix zeroed. */
spg_status generate_fd2d5(const generator_request *request, spg_csr *matrix);
spg_status generate_fe2d9(const generator_request *request, spg_csr *matrix);
spg_status generate_fd3d7(const generator_request *request, spg_csr *matrix);
spg_status generate_fe3d27(const generator_request *request, spg_csr *matrix);
spg_status generate_tri2d(const generator_request *request, spg_csr *matrix);
spg_status generate_tet3d(const generator_request *request, spg_csr *matrix);
spg_status generate_elast3d(const generator_request *request, spg_csr *matrix);
spg_status generate_solid3d(const generator_request *request, spg_csr *matrix);
spg_status generate_stretch2d(const generator_request *request, spg_csr *matrix);
spg_status generate_aniso2d(const generator_request *request, spg_csr *matrix);
spg_status generate_magnet2d(const generator_request *request, spg_csr *matrix);
spg_status generate_magnet3d(const generator_request *request, spg_csr *matrix);
spg_status generate_conv2d(const generator_request *request, spg_csr *matrix);
spg_status generate_recirc2d(const generator_request *request, spg_csr *matrix);
spg_status generate_layers3d(const generator_request *request, spg_csr *matrix);
spg_status generate_econ(const generator_request *request, spg_csr *matrix);
spg_status generate_random(const generator_request *request, spg_csr *matrix);
spg_status generate_arrow(const generator_request *request, spg_csr *matrix);
spg_status generate_ladder(const generator_request *request, spg_csr *matrix);
spg_status generate_empty(const generator_request *request, spg_csr *matrix);
spg_status generate_hypersparse(const generator_request *request, spg_csr *matrix);
spg_status generate_rmat(const generator_request *request, spg_csr *matrix);

/* ARGUMENT unless number[0], which the message calls `what`, is above 0. */
spg_status check_positive(const generator_request *request, const char *what);

/* By series, so that they have the same bits everywhere; of -360 to 360 degrees. (anisotropic.c) */
void find_direction(double degrees, double *cosine, double *sine);

/* OVERFLOW if 32-bit columns cannot number n rows. */
spg_status check_order(const generator_request *request, int64_t n);

/* Allocates an n x n matrix with zeroed offsets, of 32 bits if nnz fits. check_order must have accepted n. */
spg_status allocate_square(const generator_request *request, int64_t n, int64_t nnz, spg_csr *matrix);

/* *memory = count elements, uninitialised, for free(). */
spg_status allocate_scratch(spg_context *context, int64_t count, size_t element_size, void **memory);

static inline int64_t get_offset(const spg_csr *matrix, int64_t row)
{
    if (matrix->offset_type == SPG_I64) return ((const int64_t *)matrix->row_offsets)[row];
    return ((const int32_t *)matrix->row_offsets)[row];
}

static inline void set_offset(const spg_csr *matrix, int64_t row, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[row] = offset;
    else
        ((int32_t *)matrix->row_offsets)[row] = (int32_t)offset;
}

static inline void set_value(const spg_csr *matrix, int64_t k, double real, double imaginary)
{
    switch (matrix->value_type) {
    case SPG_F32: ((float *)matrix->values)[k] = (float)real; break;
    case SPG_C32:
        ((float *)matrix->values)[2 * k] = (float)real;
        ((float *)matrix->values)[2 * k + 1] = (float)imaginary;
        break;
    case SPG_C64:
        ((double *)matrix->values)[2 * k] = real;
        ((double *)matrix->values)[2 * k + 1] = imaginary;
        break;
    default: ((double *)matrix->values)[k] = real; break;
    }
}

/* Writes entry k. In complex types, off-diagonal values are multiplied by a factor of modulus below 1, 3/4 + i/2 above
 * the diagonal and 3/4 - i/2 below it: a symmetric matrix becomes Hermitian, and dominant diagonals stay dominant. */
static inline void put_entry(const spg_csr *matrix, int64_t k, int64_t row, int64_t column, double value)
{
    matrix->columns[k] = (int32_t)column;
    bool turned = column != row && (matrix->value_type == SPG_C32 || matrix->value_type == SPG_C64);
    if (turned)
        set_value(matrix, k, 0.75 * value, column > row ? 0.5 * value : -0.5 * value);
    else
        set_value(matrix, k, value, 0.0);
}

/* Sorts in ascending order; for rows of at most a few dozen columns. */
static inline void sort_short_row(int32_t *columns, int count)
{
    for (int i = 1; i < count; i++) {
        int32_t column = columns[i];
        int j = i;
        for (; j > 0 && columns[j - 1] > column; j--) columns[j] = columns[j - 1];
        columns[j] = column;
    }
}

#endif
