/* See compare.h. */
#include "compare.h"

#include "cxsparse_oracle.h"
#include "host_matrix.h"
#include "products.h"

#include <string.h>

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

bool soak_is_cxsparse_product(const spg_csr *A, const spg_csr *B, const spg_csr *C, const char *what)
{
    char fault[TEST_CXSPARSE_FAULT];
    if (!soak_is_sound(C, what)) return false;
    return test_is_cxsparse_product(A, B, C, true, fault) || soak_fault("%s: %s", what, fault);
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
