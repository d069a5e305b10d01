/* The oracle of R*A*P: that of A*P made a factor, its values as they are in double and its entries counted as the
 * products they are made of, and multiplied by R. */
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

/* The matrix of an oracle's product, without values: the factor has them. */
static bool gather_pattern(const oracle *truth, spg_csr *matrix)
{
    *matrix = (spg_csr){.rows = truth->rows, .cols = truth->cols, .nnz = truth->nnz};
    matrix->offset_type = SPG_I64;
    matrix->value_type = truth->value_type;
    int64_t *offsets = malloc((size_t)(truth->rows + 1) * sizeof *offsets);
    matrix->row_offsets = offsets;
    matrix->columns = malloc((size_t)(truth->nnz + 1) * sizeof *matrix->columns);
    if (offsets == NULL || matrix->columns == NULL) return false;
    int64_t start = 0;
    for (int s = 0; s < truth->slice_count; s++) {
        const oracle_slice *slice = &truth->slices[s];
        const int nnz = slice->offsets[slice->rows];
        for (int64_t i = 0; i < slice->rows; i++) offsets[slice->first_row + i] = start + slice->offsets[i];
        if (nnz > 0) memcpy(matrix->columns + start, slice->columns, (size_t)nnz * sizeof *matrix->columns);
        start += nnz;
    }
    offsets[truth->rows] = start;
    return true;
}

/* One array of all slices; `size` bytes an entry. */
static void *gather(const oracle *truth, size_t size, const void *(*part)(const oracle_slice *slice))
{
    char *all = malloc((size_t)(truth->nnz + 1) * size);
    size_t start = 0;
    for (int s = 0; all != NULL && s < truth->slice_count; s++) {
        const oracle_slice *slice = &truth->slices[s];
        const size_t bytes = (size_t)slice->offsets[slice->rows] * size;
        if (bytes > 0) memcpy(all + start, part(slice), bytes);
        start += bytes;
    }
    return all;
}

static const void *values_of(const oracle_slice *slice) { return slice->values; }
static const void *magnitudes_of(const oracle_slice *slice) { return slice->magnitudes; }
static const void *counts_of(const oracle_slice *slice) { return slice->counts; }

/* The matrix's arrays and the factor's are to be freed in either case. */
static bool factor_of(const oracle *truth, spg_csr *matrix, factor *result)
{
    *result = (factor){.matrix = matrix};
    if (!gather_pattern(truth, matrix)) return false;
    result->converted = gather(truth, (truth->is_complex ? 2 : 1) * sizeof(double), values_of);
    result->magnitudes = gather(truth, sizeof(double), magnitudes_of);
    result->counts = gather(truth, sizeof(double), counts_of);
    return result->converted != NULL && result->magnitudes != NULL && result->counts != NULL;
}

static spg_status multiply_first(spg_context *errors, const spg_csr *A, const spg_csr *P, int threads, oracle **result)
{
    factor left = {0}, right = {0};
    spg_status status = SPG_OK;
    if (!factor_create(A, &left) || !factor_create(P, &right))
        status = spg_context_fail(errors, SPG_ERROR_MEMORY, "oracle: no memory");
    if (status == SPG_OK) status = oracle_multiply(errors, &left, &right, threads, true, result);
    factor_free(&left);
    factor_free(&right);
    return status;
}

spg_status oracle_create_galerkin(spg_context *errors, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                  int threads, oracle **result)
{
    *result = NULL;
    oracle *first = NULL;
    spg_csr AP = {0};
    factor left = {0}, right = {0};
    spg_status status = multiply_first(errors, A, P, threads, &first);
    if (status == SPG_OK && (!factor_create(R, &left) || !factor_of(first, &AP, &right)))
        status = spg_context_fail(errors, SPG_ERROR_MEMORY, "oracle: no memory");
    const int64_t products = first != NULL ? first->products : 0;
    oracle_destroy(first);
    if (status == SPG_OK) status = oracle_multiply(errors, &left, &right, threads, false, result);
    if (status == SPG_OK) (*result)->products += products;
    factor_free(&left);
    factor_free(&right);
    free(AP.row_offsets);
    free(AP.columns);
    return status;
}
