/* See cxsparse_oracle.h. CXSparse stores columns: its C^T = B^T*A^T has our arrays of A, B and C, rows in no order. */
#include "cxsparse_oracle.h"
#include "matrices_for_tests.h"
#include "test_support.h"

#include <complex.h>
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <suitesparse/cs.h>

static void *allocate(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static double complex value_of(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (double)((const float *)matrix->values)[k];
    case SPG_F64: return ((const double *)matrix->values)[k];
    case SPG_C32: return (double complex)((const float complex *)matrix->values)[k];
    default: return ((const double complex *)matrix->values)[k];
    }
}

/* A matrix with its pattern as CXSparse has it. */
typedef struct factor {
    const spg_csr *matrix;
    int64_t *offsets, *columns;
} factor;

static factor open_factor(const spg_csr *matrix)
{
    factor f = {matrix, allocate(matrix->rows + 1, sizeof *f.offsets), allocate(matrix->nnz, sizeof *f.columns)};
    for (int64_t i = 0; i <= matrix->rows; ++i) f.offsets[i] = test_offset(matrix, i);
    for (int64_t k = 0; k < matrix->nnz; ++k) f.columns[k] = matrix->columns[k];
    return f;
}

static void close_factor(const factor *f)
{
    free(f->offsets);
    free(f->columns);
}

/* What stands for each entry. */
typedef enum numbers { REAL, MODULUS, ONE } numbers;

/* x is to be freed. */
static cs_dl real_transpose(const factor *f, numbers made_of)
{
    const spg_csr *matrix = f->matrix;
    cs_dl t = {.nzmax = matrix->nnz, .m = matrix->cols, .n = matrix->rows, .p = f->offsets, .i = f->columns, .nz = -1};
    t.x = allocate(matrix->nnz, sizeof *t.x);
    for (int64_t k = 0; k < matrix->nnz; ++k) {
        const double complex value = value_of(matrix, k);
        t.x[k] = made_of == ONE ? 1 : made_of == MODULUS ? cabs(value) : creal(value);
    }
    return t;
}

static cs_cl complex_transpose(const factor *f)
{
    const spg_csr *matrix = f->matrix;
    cs_cl t = {.nzmax = matrix->nnz, .m = matrix->cols, .n = matrix->rows, .p = f->offsets, .i = f->columns, .nz = -1};
    t.x = allocate(matrix->nnz, sizeof *t.x);
    for (int64_t k = 0; k < matrix->nnz; ++k) t.x[k] = value_of(matrix, k);
    return t;
}

static cs_dl *real_product(const factor *A, const factor *B, numbers made_of)
{
    cs_dl left = real_transpose(B, made_of), right = real_transpose(A, made_of);
    cs_dl *product = cs_dl_multiply(&left, &right);
    assert_non_null(product);
    free(left.x);
    free(right.x);
    return product;
}

static cs_cl *complex_product(const factor *A, const factor *B)
{
    cs_cl left = complex_transpose(B), right = complex_transpose(A), *product = cs_cl_multiply(&left, &right);
    assert_non_null(product);
    free(left.x);
    free(right.x);
    return product;
}

/* Products of one pattern, and so in one order. `values` for complex types, `reals`, which is faster, for the others;
 * of each entry the magnitudes' sum and the products' count where the entries may be off. */
typedef struct oracle {
    cs_dl *reals, *sums, *counts;
    cs_cl *values;
    const int64_t *offsets, *columns;
} oracle;

static oracle open_oracle(const factor *A, const factor *B, bool exact)
{
    const spg_type type = A->matrix->value_type;
    oracle by = {0};
    if (type == SPG_F32 || type == SPG_F64)
        by.reals = real_product(A, B, REAL);
    else
        by.values = complex_product(A, B);
    by.offsets = by.reals != NULL ? by.reals->p : by.values->p;
    by.columns = by.reals != NULL ? by.reals->i : by.values->i;
    if (exact) return by;
    by.sums = real_product(A, B, MODULUS);
    by.counts = real_product(A, B, ONE);
    const size_t bytes = (size_t)by.offsets[A->matrix->rows] * sizeof *by.columns;
    assert_memory_equal(by.sums->i, by.columns, bytes);
    assert_memory_equal(by.counts->i, by.columns, bytes);
    return by;
}

static void close_oracle(const oracle *by)
{
    cs_dl_spfree(by->reals);
    cs_dl_spfree(by->sums);
    cs_dl_spfree(by->counts);
    cs_cl_spfree(by->values);
}

static double bound_of(const oracle *by, spg_type type, int64_t l)
{
    const double eps = type == SPG_F32 || type == SPG_C32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return by->sums != NULL ? 4 * by->counts->x[l] * eps * by->sums->x[l] : 0;
}

/* Returns false. */
__attribute__((format(printf, 2, 3))) static bool tell(char *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault, TEST_CXSPARSE_FAULT, format, arguments);
    va_end(arguments);
    return false;
}

/* C's entry k, which is CXSparse's l. */
static bool is_entry(const oracle *by, const spg_csr *C, int64_t row, int64_t k, int64_t l, char *fault)
{
    const double complex expected = by->reals != NULL ? by->reals->x[l] : by->values->x[l], actual = value_of(C, k);
    const double error = cabs(actual - expected), allowed = bound_of(by, C->value_type, l);
    if (error <= allowed) return true;
    return tell(fault, "row %lld, column %lld is %g + %gi, by CXSparse %g + %gi: off by %g, allowed %g", (long long)row,
                (long long)by->columns[l], creal(actual), cimag(actual), creal(expected), cimag(expected), error,
                allowed);
}

/* place_of: of each column, one more than the last entry that had it. */
static bool is_row(const oracle *by, const spg_csr *C, int64_t row, int64_t *place_of, char *fault)
{
    const int64_t begin = by->offsets[row], end = by->offsets[row + 1];
    if (test_offset(C, row) != begin || test_offset(C, row + 1) != end)
        return tell(fault, "row %lld has entries %lld ... %lld, by CXSparse %lld ... %lld", (long long)row,
                    (long long)test_offset(C, row), (long long)test_offset(C, row + 1) - 1, (long long)begin,
                    (long long)end - 1);
    for (int64_t k = begin; k < end; ++k) {
        const int32_t column = C->columns[k];
        if (column < 0 || column >= C->cols || (k > begin && column <= C->columns[k - 1]))
            return tell(fault, "row %lld: column %d out of order or of range", (long long)row, (int)column);
        place_of[column] = k + 1;
    }
    for (int64_t l = begin; l < end; ++l) {
        const int64_t k = place_of[by->columns[l]] - 1;
        if (k < begin)
            return tell(fault, "row %lld has no column %lld, CXSparse has", (long long)row, (long long)by->columns[l]);
        if (!is_entry(by, C, row, k, l, fault)) return false;
    }
    return true;
}

bool test_is_cxsparse_product(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact,
                              char fault[TEST_CXSPARSE_FAULT])
{
    if (C->rows != A->rows || C->cols != B->cols || C->value_type != A->value_type)
        return tell(fault, "%lld x %lld of type %s, by CXSparse %lld x %lld of type %s", (long long)C->rows,
                    (long long)C->cols, spg_type_name(C->value_type), (long long)A->rows, (long long)B->cols,
                    spg_type_name(A->value_type));
    const factor left = open_factor(A), right = open_factor(B);
    const oracle by = open_oracle(&left, &right, exact);
    int64_t *place_of = allocate(C->cols, sizeof *place_of);
    bool same = C->nnz == by.offsets[C->rows] ||
                tell(fault, "%lld entries, by CXSparse %lld", (long long)C->nnz, (long long)by.offsets[C->rows]);
    for (int64_t row = 0; same && row < C->rows; ++row) same = is_row(&by, C, row, place_of, fault);
    free(place_of);
    close_oracle(&by);
    close_factor(&left);
    close_factor(&right);
    return same;
}

void test_assert_near_cxsparse(const spg_csr *A, const spg_csr *B, const spg_csr *C, bool exact)
{
    char fault[TEST_CXSPARSE_FAULT];
    if (!test_is_cxsparse_product(A, B, C, exact, fault)) fail_msg("%s", fault);
}
