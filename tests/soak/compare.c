/* See compare.h. */
#include "compare.h"

#include "host_matrix.h"
#include "products.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/cs.h>

bool soak_is_sound(const spg_csr *C, const char *what)
{
    if (soak_offset(C, 0) != 0) return soak_fault("%s: offsets begin at %lld", what, (long long)soak_offset(C, 0));
    if (soak_offset(C, C->rows) != C->nnz)
        return soak_fault("%s: offsets end at %lld, not at nnz, %lld", what, (long long)soak_offset(C, C->rows),
                          (long long)C->nnz);
    for (int64_t i = 0; i < C->rows; i++) {
        const int64_t begin = soak_offset(C, i), end = soak_offset(C, i + 1);
        if (begin > end || begin < 0 || end > C->nnz)
            return soak_fault("%s: row %lld lies at [%lld, %lld) of %lld entries", what, (long long)i, (long long)begin,
                              (long long)end, (long long)C->nnz);
        for (int64_t k = begin; k < end; k++)
            if (C->columns[k] < 0 || C->columns[k] >= C->cols || (k > begin && C->columns[k] <= C->columns[k - 1]))
                return soak_fault("%s: row %lld: column %d out of order or of range", what, (long long)i,
                                  (int)C->columns[k]);
    }
    return true;
}

static double part_value(const void *values, bool narrow, int64_t k)
{
    return narrow ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

bool soak_are_same_values(const void *actual, const void *expected, spg_type type, int64_t count, const char *what)
{
    const bool narrow = type == SPG_F32 || type == SPG_C32;
    const int64_t parts = type == SPG_C32 || type == SPG_C64 ? 2 : 1;
    const size_t bytes = narrow ? sizeof(float) : sizeof(double);
    if (count == 0 || memcmp(actual, expected, (size_t)(count * parts) * bytes) == 0) return true;
    for (int64_t k = 0; k < count * parts; k++) {
        if (memcmp((const char *)actual + (size_t)k * bytes, (const char *)expected + (size_t)k * bytes, bytes) == 0)
            continue;
        const double x = part_value(actual, narrow, k), y = part_value(expected, narrow, k);
        if (x == x || y == y)
            return soak_fault("%s: value %lld is %a, expected %a", what, (long long)(k / parts), x, y);
    }
    return true;
}

bool soak_is_same(const spg_csr *actual, const spg_csr *expected, const char *what)
{
    if (actual->rows != expected->rows || actual->cols != expected->cols || actual->nnz != expected->nnz)
        return soak_fault("%s: %lld x %lld with %lld entries, expected %lld x %lld with %lld", what,
                          (long long)actual->rows, (long long)actual->cols, (long long)actual->nnz,
                          (long long)expected->rows, (long long)expected->cols, (long long)expected->nnz);
    if (actual->offset_type != expected->offset_type || actual->value_type != expected->value_type)
        return soak_fault("%s: %s offsets and %s values, expected %s and %s", what, spg_type_name(actual->offset_type),
                          spg_type_name(actual->value_type), spg_type_name(expected->offset_type),
                          spg_type_name(expected->value_type));
    for (int64_t i = 0; i <= actual->rows; i++)
        if (soak_offset(actual, i) != soak_offset(expected, i))
            return soak_fault("%s: offset %lld is %lld, expected %lld", what, (long long)i,
                              (long long)soak_offset(actual, i), (long long)soak_offset(expected, i));
    for (int64_t k = 0; k < actual->nnz; k++)
        if (actual->columns[k] != expected->columns[k])
            return soak_fault("%s: entry %lld has column %d, expected %d", what, (long long)k, (int)actual->columns[k],
                              (int)expected->columns[k]);
    return soak_are_same_values(actual->values, expected->values, actual->value_type, actual->nnz, what);
}

/* ---- CXSparse --------------------------------------------------------------------------------------------------- */

static double complex value_of(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (double)((const float *)matrix->values)[k];
    case SPG_F64: return ((const double *)matrix->values)[k];
    case SPG_C32: return (double complex)((const float complex *)matrix->values)[k];
    default: return ((const double complex *)matrix->values)[k];
    }
}

/* CXSparse stores columns: rows of ours are columns of the transpose. Real values for real types, which is faster. */
static cs_dl real_transpose(const spg_csr *matrix)
{
    cs_dl t = {.nzmax = matrix->nnz, .m = matrix->cols, .n = matrix->rows, .nz = -1};
    t.p = soak_array(matrix->rows + 1, sizeof *t.p);
    t.i = soak_array(matrix->nnz, sizeof *t.i);
    t.x = soak_array(matrix->nnz, sizeof *t.x);
    for (int64_t i = 0; i <= matrix->rows; i++) t.p[i] = soak_offset(matrix, i);
    for (int64_t k = 0; k < matrix->nnz; k++) {
        t.i[k] = matrix->columns[k];
        t.x[k] = creal(value_of(matrix, k));
    }
    return t;
}

static cs_cl complex_transpose(const spg_csr *matrix)
{
    cs_cl t = {.nzmax = matrix->nnz, .m = matrix->cols, .n = matrix->rows, .nz = -1};
    t.p = soak_array(matrix->rows + 1, sizeof *t.p);
    t.i = soak_array(matrix->nnz, sizeof *t.i);
    t.x = soak_array(matrix->nnz, sizeof *t.x);
    for (int64_t i = 0; i <= matrix->rows; i++) t.p[i] = soak_offset(matrix, i);
    for (int64_t k = 0; k < matrix->nnz; k++) {
        t.i[k] = matrix->columns[k];
        t.x[k] = value_of(matrix, k);
    }
    return t;
}

/* An oracle's product: rows in no order. One of the arrays of values is NULL. */
typedef struct oracle_product {
    const int64_t *offsets, *columns;
    const double *reals;
    const double complex *values;
} oracle_product;

static bool is_row(const spg_csr *C, const oracle_product *oracle, int64_t i, int64_t *place_of, const char *what)
{
    const int64_t begin = soak_offset(C, i), end = soak_offset(C, i + 1);
    if (end - begin != oracle->offsets[i + 1] - oracle->offsets[i])
        return soak_fault("%s: row %lld has %lld entries, CXSparse %lld", what, (long long)i, (long long)(end - begin),
                          (long long)(oracle->offsets[i + 1] - oracle->offsets[i]));
    for (int64_t k = begin; k < end; k++) place_of[C->columns[k]] = k + 1;
    for (int64_t l = oracle->offsets[i]; l < oracle->offsets[i + 1]; l++) {
        const int64_t k = place_of[oracle->columns[l]] - 1;
        if (k < begin || k >= end)
            return soak_fault("%s: row %lld has no column %lld, CXSparse has", what, (long long)i,
                              (long long)oracle->columns[l]);
        const double complex expected = oracle->reals != NULL ? oracle->reals[l] : oracle->values[l];
        const double complex actual = value_of(C, k);
        if (creal(actual) != creal(expected) || cimag(actual) != cimag(expected))
            return soak_fault("%s: row %lld, column %lld is %g + %gi, by CXSparse %g + %gi", what, (long long)i,
                              (long long)oracle->columns[l], creal(actual), cimag(actual), creal(expected),
                              cimag(expected));
    }
    return true;
}

static bool are_rows(const spg_csr *C, const oracle_product *oracle, const char *what)
{
    int64_t *place_of = soak_array(C->cols, sizeof *place_of);
    bool same = true;
    for (int64_t i = 0; same && i < C->rows; i++) same = is_row(C, oracle, i, place_of, what);
    free(place_of);
    return same;
}

bool soak_is_cxsparse_product(const spg_csr *A, const spg_csr *B, const spg_csr *C, const char *what)
{
    bool same = false;
    if (!soak_is_sound(C, what)) return false;
    if (C->rows != A->rows || C->cols != B->cols || C->value_type != A->value_type)
        return soak_fault("%s: of another size or type", what);
    if (A->value_type == SPG_F32 || A->value_type == SPG_F64) {
        cs_dl left = real_transpose(B), right = real_transpose(A), *product = cs_dl_multiply(&left, &right);
        if (product == NULL) return soak_fault("CXSparse has no product");
        same = are_rows(C, &(oracle_product){product->p, product->i, product->x, NULL}, what);
        cs_dl_spfree(product);
        free(left.p), free(left.i), free(left.x);
        free(right.p), free(right.i), free(right.x);
    } else {
        cs_cl left = complex_transpose(B), right = complex_transpose(A), *product = cs_cl_multiply(&left, &right);
        if (product == NULL) return soak_fault("CXSparse has no product");
        same = are_rows(C, &(oracle_product){product->p, product->i, NULL, product->x}, what);
        cs_cl_spfree(product);
        free(left.p), free(left.i), free(left.x);
        free(right.p), free(right.i), free(right.x);
    }
    return same;
}

bool soak_is_product(const soak_case *c, const spg_csr *A, const spg_csr *B, const spg_csr *C, const char *what)
{
    enum { MOST_COLUMNS = 4000000 };
    if (c->settings.numbers == SOAK_WHOLE && B->cols <= MOST_COLUMNS) return soak_is_cxsparse_product(A, B, C, what);
    spg_csr expected;
    test_reference_product(A, B, &expected);
    const bool same = soak_is_sound(C, what) && soak_is_same(C, &expected, what);
    spg_csr_free(test_host(), &expected);
    return same;
}
