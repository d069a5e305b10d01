/* A result against the oracle. */
#include "oracle.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t index_at(const void *indices, spg_type type, int64_t k)
{
    return type == SPG_I64 ? ((const int64_t *)indices)[k] : ((const int32_t *)indices)[k];
}

static double complex value_at(const void *values, spg_type type, int64_t k)
{
    switch (type) {
    case SPG_F32: return (double)((const float *)values)[k];
    case SPG_F64: return ((const double *)values)[k];
    case SPG_C32: return (double complex)((const float complex *)values)[k];
    default: return ((const double complex *)values)[k];
    }
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static bool
refuse(verdict *result, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(result->fault, sizeof result->fault, format, arguments);
    va_end(arguments);
    result->right = false;
    return false;
}

/* Whether a sum of products may pass the largest number of its type on the way, and so end as an infinity or a NaN in
 * one order and not in another: sum|a||b| times the number of products does. */
static bool may_overflow(spg_type type, double allowed)
{
    const bool is_single = type == SPG_F32 || type == SPG_C32;
    return allowed >= (is_single ? 4.0 * FLT_EPSILON * FLT_MAX : 4.0 * DBL_EPSILON * DBL_MAX);
}

/* One entry of C against entry k of the slice. */
static bool check_value(const oracle *truth, const oracle_slice *slice, int64_t k, double complex value, int64_t row,
                        verdict *result)
{
    const double complex expected =
        truth->is_complex ? ((const double complex *)slice->values)[k] : ((const double *)slice->values)[k];
    const double difference = cabs(value - expected), allowed = slice->allowed[k];
    if (!isfinite(difference) && may_overflow(truth->value_type, allowed)) return true;
    const double error = difference <= allowed ? difference / allowed : INFINITY;
    if (difference <= allowed) {
        if (error > result->max_error) result->max_error = error;
        return true;
    }
    result->max_error = isnan(difference) ? INFINITY : difference / allowed;
    return refuse(result, "row %lld, column %lld: the value is wrong", (long long)row, (long long)slice->columns[k]);
}

/* place[column] = 1 + the entry of the slice that has it, for the row at hand. Each is cleared once met, so what is
 * met twice is a duplicate. */
static bool check_row(const oracle *truth, const oracle_slice *slice, int64_t row, const csr_view *C, bool sorted,
                      int *place, verdict *result)
{
    const int first = slice->offsets[row - slice->first_row], last = slice->offsets[row - slice->first_row + 1];
    const int64_t start = index_at(C->row_offsets, C->offset_type, row);
    const int64_t end = index_at(C->row_offsets, C->offset_type, row + 1);
    if (end - start != last - first)
        return refuse(result, "row %lld has %lld entries, not as many as the oracle's", (long long)row,
                      (long long)(end - start));
    for (int k = first; k < last; k++) place[slice->columns[k]] = k + 1;
    bool right = true;
    int64_t before = -1;
    for (int64_t k = start; right && k < end; k++) {
        const int64_t column = index_at(C->columns, C->column_type, k);
        const int found = column >= 0 && column < truth->cols ? place[column] : 0;
        if (found == 0) {
            right = refuse(result, "row %lld, column %lld: not in the oracle, or there twice", (long long)row,
                           (long long)column);
        } else if (sorted && column < before) {
            right = refuse(result, "row %lld, column %lld: not in order", (long long)row, (long long)column);
        } else {
            place[column] = 0;
            before = column;
            right = check_value(truth, slice, found - 1, value_at(C->values, C->value_type, k), row, result);
        }
    }
    for (int k = first; !right && k < last; k++) place[slice->columns[k]] = 0;
    return right;
}

static bool check_slice(const oracle *truth, const oracle_slice *slice, const csr_view *C, bool sorted, verdict *result)
{
    int *place = calloc((size_t)truth->cols + 1, sizeof *place);
    if (place == NULL) return false;
    *result = (verdict){.right = true};
    for (int64_t i = 0; result->right && i < slice->rows; i++)
        check_row(truth, slice, slice->first_row + i, C, sorted, place, result);
    free(place);
    return true;
}

/* Offsets that begin at 0, never fall and end at nnz; without them no row can be looked at. */
static bool check_shape(const oracle *truth, const csr_view *C, verdict *result)
{
    if (C->rows != truth->rows || C->cols != truth->cols)
        return refuse(result, "C is %lld x %lld, not of the oracle's shape", (long long)C->rows, (long long)C->cols);
    if (C->value_type != truth->value_type) return refuse(result, "C's values are of another type");
    for (int64_t i = 0; i < C->rows; i++)
        if (index_at(C->row_offsets, C->offset_type, i) > index_at(C->row_offsets, C->offset_type, i + 1))
            return refuse(result, "row %lld: the offsets fall", (long long)i);
    if (index_at(C->row_offsets, C->offset_type, 0) != 0 || index_at(C->row_offsets, C->offset_type, C->rows) != C->nnz)
        return refuse(result, "the offsets do not run from 0 to nnz");
    return true;
}

spg_status oracle_check(spg_context *errors, const oracle *truth, const csr_view *C, bool sorted, verdict *result)
{
    *result = (verdict){.right = true};
    if (!check_shape(truth, C, result)) {
        result->max_error = INFINITY;
        return SPG_OK;
    }
    verdict *verdicts = calloc((size_t)truth->slice_count + 1, sizeof *verdicts);
    bool done = verdicts != NULL;
    if (done) {
#pragma omp parallel for num_threads(truth->threads) schedule(dynamic, 1) reduction(&& : done)
        for (int s = 0; s < truth->slice_count; s++)
            done = check_slice(truth, &truth->slices[s], C, sorted, &verdicts[s]) && done;
    }
    for (int s = 0; done && s < truth->slice_count && result->right; s++) {
        if (verdicts[s].max_error < result->max_error) verdicts[s].max_error = result->max_error;
        *result = verdicts[s];
    }
    free(verdicts);
    return done ? SPG_OK : spg_context_fail(errors, SPG_ERROR_MEMORY, "verification: no memory");
}

bool same_bits(const csr_view *left, const csr_view *right)
{
    if (left->rows != right->rows || left->cols != right->cols || left->nnz != right->nnz ||
        left->offset_type != right->offset_type || left->column_type != right->column_type ||
        left->value_type != right->value_type)
        return false;
    const size_t nnz = (size_t)left->nnz;
    return memcmp(left->row_offsets, right->row_offsets, (size_t)(left->rows + 1) * spg_type_size(left->offset_type)) ==
               0 &&
           (nnz == 0 || (memcmp(left->columns, right->columns, nnz * spg_type_size(left->column_type)) == 0 &&
                         memcmp(left->values, right->values, nnz * spg_type_size(left->value_type)) == 0));
}
