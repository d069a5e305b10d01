/* The oracle's product, by CXSparse. Three products a slice: of the values; of their absolute values; of ones, which
 * counts the products of each entry. cs_multiply's pattern and its order depend on the patterns alone, so the three
 * agree entry by entry. */
#include "oracle.h"

#include <complex.h>
#include <cs.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int64_t most_slice_products = (int64_t)1 << 25, least_slice_products = (int64_t)1 << 18;

void factor_free(factor *given)
{
    free(given->magnitudes);
    free(given->counts);
    free(given->converted);
}

static double magnitude(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return fabs((double)((const float *)matrix->values)[k]);
    case SPG_F64: return fabs(((const double *)matrix->values)[k]);
    case SPG_C32: return cabs((double complex)((const float complex *)matrix->values)[k]);
    default: return cabs(((const double complex *)matrix->values)[k]);
    }
}

bool factor_create(const spg_csr *matrix, factor *result)
{
    const size_t nnz = (size_t)matrix->nnz, room = nnz > 0 ? nnz : 1;
    const size_t parts = is_complex_type(matrix->value_type) ? 2 : 1;
    const bool is_single = matrix->value_type == SPG_F32 || matrix->value_type == SPG_C32;
    *result = (factor){.matrix = matrix};
    result->magnitudes = malloc(room * sizeof(double));
    result->counts = malloc(room * sizeof(double));
    if (is_single) result->converted = malloc(room * parts * sizeof(double));
    if (result->magnitudes == NULL || result->counts == NULL || (is_single && result->converted == NULL)) return false;
    for (size_t k = 0; k < nnz; k++) {
        result->magnitudes[k] = magnitude(matrix, (int64_t)k);
        result->counts[k] = 1.0;
    }
    for (size_t k = 0; is_single && k < nnz * parts; k++)
        result->converted[k] = (double)((const float *)matrix->values)[k];
    return true;
}

/* Rows [first, first + rows) as columns of the transpose. `offsets` begin at 0; values start at entry `start`. */
static cs_di real_part(const spg_csr *matrix, int *offsets, int64_t rows, int64_t start, double *values)
{
    return (cs_di){.nzmax = offsets[rows],
                   .m = (int)matrix->cols,
                   .n = (int)rows,
                   .p = offsets,
                   .i = matrix->columns + start,
                   .x = values + start,
                   .nz = -1};
}

static cs_ci complex_part(const spg_csr *matrix, int *offsets, int64_t rows, int64_t start, double *converted)
{
    double complex *values = converted != NULL ? (double complex *)(void *)converted : matrix->values;
    return (cs_ci){.nzmax = offsets[rows],
                   .m = (int)matrix->cols,
                   .n = (int)rows,
                   .p = offsets,
                   .i = matrix->columns + start,
                   .x = values + start,
                   .nz = -1};
}

static cs_di *real_product(const factor *A, int *A_offsets, const oracle_slice *slice, double *A_values,
                           const factor *B, int *B_offsets, double *B_values)
{
    cs_di left = real_part(A->matrix, A_offsets, slice->rows, row_offset(A->matrix, slice->first_row), A_values);
    cs_di right = real_part(B->matrix, B_offsets, B->matrix->rows, 0, B_values);
    return cs_di_multiply(&right, &left);
}

static bool multiply_values(const factor *A, int *A_offsets, const factor *B, int *B_offsets, oracle_slice *slice)
{
    if (!is_complex_type(A->matrix->value_type)) {
        double *A_values = A->converted != NULL ? A->converted : A->matrix->values;
        double *B_values = B->converted != NULL ? B->converted : B->matrix->values;
        cs_di *C = real_product(A, A_offsets, slice, A_values, B, B_offsets, B_values);
        if (C == NULL) return false;
        slice->offsets = C->p, slice->columns = C->i, slice->values = C->x;
        free(C);
        return true;
    }
    const int64_t start = row_offset(A->matrix, slice->first_row);
    cs_ci left = complex_part(A->matrix, A_offsets, slice->rows, start, A->converted);
    cs_ci right = complex_part(B->matrix, B_offsets, B->matrix->rows, 0, B->converted);
    cs_ci *C = cs_ci_multiply(&right, &left);
    if (C == NULL) return false;
    slice->offsets = C->p, slice->columns = C->i, slice->values = C->x;
    free(C);
    return true;
}

static double epsilon(spg_type type) { return type == SPG_F32 || type == SPG_C32 ? FLT_EPSILON : DBL_EPSILON; }

static double smallest(spg_type type) { return type == SPG_F32 || type == SPG_C32 ? FLT_TRUE_MIN : DBL_TRUE_MIN; }

static bool multiply_bounds(const factor *A, int *A_offsets, const factor *B, int *B_offsets, bool keeps_parts,
                            oracle_slice *slice)
{
    cs_di *sums = real_product(A, A_offsets, slice, A->magnitudes, B, B_offsets, B->magnitudes);
    cs_di *counts = real_product(A, A_offsets, slice, A->counts, B, B_offsets, B->counts);
    const bool made = sums != NULL && counts != NULL;
    if (made && keeps_parts) {
        slice->magnitudes = sums->x, slice->counts = counts->x;
        sums->x = counts->x = NULL;
    } else if (made) {
        const spg_type type = A->matrix->value_type;
        for (int k = 0; k < slice->offsets[slice->rows]; k++)
            sums->x[k] = counts->x[k] * (4.0 * epsilon(type) * sums->x[k] + smallest(type));
        slice->allowed = sums->x;
        sums->x = NULL;
    }
    cs_di_spfree(sums);
    cs_di_spfree(counts);
    return made;
}

static bool compute_slice(const factor *A, const factor *B, int *B_offsets, bool keeps_parts, oracle_slice *slice)
{
    int *A_offsets = malloc((size_t)(slice->rows + 1) * sizeof *A_offsets);
    if (A_offsets == NULL) return false;
    const int64_t start = row_offset(A->matrix, slice->first_row);
    for (int64_t i = 0; i <= slice->rows; i++)
        A_offsets[i] = (int)(row_offset(A->matrix, slice->first_row + i) - start);
    const bool made = multiply_values(A, A_offsets, B, B_offsets, slice) &&
                      multiply_bounds(A, A_offsets, B, B_offsets, keeps_parts, slice);
    free(A_offsets);
    return made;
}

static int64_t products_of_row(const spg_csr *A, const spg_csr *B, int64_t row)
{
    int64_t products = 0;
    for (int64_t k = row_offset(A, row); k < row_offset(A, row + 1); k++)
        products += row_offset(B, A->columns[k] + 1) - row_offset(B, A->columns[k]);
    return products;
}

/* Cuts the rows into slices of about `target` products; with slices NULL only counts them. */
static int cut_slices(const spg_csr *A, const spg_csr *B, int64_t target, oracle_slice *slices)
{
    int count = 0;
    for (int64_t row = 0; row < A->rows; count++) {
        oracle_slice slice = {.first_row = row};
        int64_t work = 0;
        while (row < A->rows && work < target) {
            const int64_t products = products_of_row(A, B, row++);
            slice.products += products;
            work += products + 8;
        }
        slice.rows = row - slice.first_row;
        if (slices != NULL) slices[count] = slice;
    }
    return count;
}

static bool plan_slices(const spg_csr *A, const spg_csr *B, oracle *truth)
{
    for (int64_t i = 0; i < A->rows; i++) truth->products += products_of_row(A, B, i);
    int64_t target = truth->products / (4 * truth->threads);
    if (target < least_slice_products) target = least_slice_products;
    if (target > most_slice_products) target = most_slice_products;
    const int count = cut_slices(A, B, target, NULL);
    truth->slices = calloc((size_t)count + 1, sizeof *truth->slices);
    if (truth->slices == NULL) return false;
    truth->slice_count = cut_slices(A, B, target, truth->slices);
    return true;
}

static bool compute_slices(const factor *A, const factor *B, bool keeps_parts, oracle *truth)
{
    bool made = true;
    int *B_offsets = offsets_as_int32(B->matrix);
    if (B_offsets == NULL) return false;
#pragma omp parallel for num_threads(truth->threads) schedule(dynamic, 1) reduction(&& : made)
    for (int s = 0; s < truth->slice_count; s++)
        made = made && compute_slice(A, B, B_offsets, keeps_parts, &truth->slices[s]);
    free(B_offsets);
    for (int s = 0; made && s < truth->slice_count; s++) truth->nnz += truth->slices[s].offsets[truth->slices[s].rows];
    return made;
}

spg_status oracle_multiply(spg_context *errors, const factor *A, const factor *B, int threads, bool keeps_parts,
                           oracle **result)
{
    *result = NULL;
    oracle *truth = calloc(1, sizeof *truth);
    if (truth == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "oracle: no memory");
    truth->rows = A->matrix->rows;
    truth->cols = B->matrix->cols;
    truth->value_type = A->matrix->value_type;
    truth->is_complex = is_complex_type(truth->value_type);
    truth->threads = threads;
    if (!plan_slices(A->matrix, B->matrix, truth) || !compute_slices(A, B, keeps_parts, truth)) {
        oracle_destroy(truth);
        return spg_context_fail(errors, SPG_ERROR_MEMORY, "oracle: no memory, or B's offsets pass 32 bits");
    }
    *result = truth;
    return SPG_OK;
}

spg_status oracle_create(spg_context *errors, const spg_csr *A, const spg_csr *B, int threads, oracle **result)
{
    *result = NULL;
    factor left = {0}, right = {0};
    spg_status status = SPG_OK;
    if (!factor_create(A, &left) || !factor_create(B, &right))
        status = spg_context_fail(errors, SPG_ERROR_MEMORY, "oracle: no memory");
    if (status == SPG_OK) status = oracle_multiply(errors, &left, &right, threads, false, result);
    factor_free(&left);
    factor_free(&right);
    return status;
}

void oracle_destroy(oracle *truth)
{
    if (truth == NULL) return;
    for (int s = 0; s < truth->slice_count; s++) {
        free(truth->slices[s].offsets);
        free(truth->slices[s].columns);
        free(truth->slices[s].values);
        free(truth->slices[s].allowed);
        free(truth->slices[s].magnitudes);
        free(truth->slices[s].counts);
    }
    free(truth->slices);
    free(truth);
}

int64_t oracle_products(const oracle *truth) { return truth->products; }

int64_t oracle_nnz(const oracle *truth) { return truth->nnz; }
