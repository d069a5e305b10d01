/* Factors of a part of the dense operator, by LAPACK, and solves with them: Cholesky if it is symmetric and positive
 * definite, else LU with row pivots or, if LU finds it singular, a pseudo-inverse. */
#include "dense.h"

#include "memory.h"

#include <math.h>
#include <string.h>

/* Fortran functions, with the names and the hidden string lengths of today's compilers. */
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t uplo_length);
void dpotrs_(const char *uplo, const int *n, const int *nrhs, const double *a, const int *lda, double *b,
             const int *ldb, int *info, size_t uplo_length);
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info, size_t trans_length);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t jobz_length);
void dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *a, const int *lda,
            const double *x, const int *incx, const double *beta, double *y, const int *incy, size_t trans_length);
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
            const int *ldc, size_t transa_length, size_t transb_length);

static double dot_in_order(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
    return sum;
}

static double *matrix_of(const spg_amg_dense *dense, const spg_dense_part *part) { return dense->matrix + part->at; }

/* ---- Cholesky and LU, of A + N N^T ---- */

static void add_null_space(const spg_amg_dense *dense, const spg_dense_part *part)
{
    const int64_t n = part->rows;
    double *const matrix = matrix_of(dense, part);
    for (int c = 0; c < part->nullity; ++c) {
        const double *const null = dense->null + c * dense->rows + part->first;
        for (int64_t j = 0; j < n; ++j)
            for (int64_t i = 0; i < n; ++i) matrix[j * n + i] += null[i] * null[j];
    }
}

static bool is_symmetric(const double *matrix, int64_t n)
{
    for (int64_t j = 0; j < n; ++j)
        for (int64_t i = j + 1; i < n; ++i)
            if (matrix[j * n + i] != matrix[i * n + j]) return false;
    return true;
}

/* are_roots: the pivots are the squares of the factor's diagonal. */
static bool has_small_pivot(const spg_amg_dense *dense, const spg_dense_part *part, bool are_roots)
{
    const double *const matrix = matrix_of(dense, part);
    double most = dense->least, least = INFINITY;
    for (int64_t k = 0; k < part->rows; ++k) {
        const double of = fabs(matrix[k * part->rows + k]), pivot = are_roots ? of * of : of;
        if (pivot > most) most = pivot;
        if (!(pivot >= least)) least = pivot;
    }
    return !(least > spg_dense_least_share(dense, part->rows) * most);
}

/* In the lower triangle. The upper triangle stays, for LU in its place. */
static bool factor_definite(const spg_amg_dense *dense, const spg_dense_part *part)
{
    const int n = part->rows;
    int info = 0;
    double *const matrix = matrix_of(dense, part), *const diagonal = dense->vector + part->first;
    for (int64_t k = 0; k < n; ++k) diagonal[k] = matrix[k * n + k];
    dpotrf_("L", &n, matrix, &n, &info, 1);
    if (info == 0) return true;
    for (int64_t j = 0; j < n; ++j) {
        matrix[j * n + j] = diagonal[j];
        for (int64_t i = j + 1; i < n; ++i) matrix[j * n + i] = matrix[i * n + j];
    }
    return false;
}

void spg_dense_factor(spg_amg_dense *dense, spg_dense_part *part, bool *is_singular)
{
    const int n = part->rows;
    int info = 0;
    double *const matrix = matrix_of(dense, part);
    add_null_space(dense, part);
    part->way = is_symmetric(matrix, n) && factor_definite(dense, part) ? SPG_DENSE_CHOLESKY : SPG_DENSE_LU;
    if (part->way == SPG_DENSE_LU) dgetrf_(&n, &n, matrix, &n, dense->pivots + part->first, &info);
    *is_singular = info != 0 || has_small_pivot(dense, part, part->way == SPG_DENSE_CHOLESKY);
}

/* ---- The pseudo-inverse ---- */

/* The workspace of singular values besides the matrix, in one block. */
typedef struct workspace {
    double *block, *values, *U, *VT, *work;
    int *integers;
    int work_count;
    int64_t bytes;
} workspace;

static spg_status take_workspace(spg_context *context, int n, workspace *space)
{
    const int query = -1;
    int info = 0;
    double size = 0;
    dgesdd_("A", &n, &n, NULL, &n, NULL, NULL, &n, NULL, &n, &size, &query, NULL, &info, 1);
    if (info != 0)
        return spg_context_fail(context, SPG_ERROR_INTERNAL, "LAPACK's dgesdd refuses its argument %d", -info);
    const int64_t square = (int64_t)n * n;
    space->work_count = (int)size;
    space->bytes = (2 * square + n + space->work_count) * (int64_t)sizeof(double) + 8 * n * (int64_t)sizeof(int);
    const spg_status status =
        spg_allocate_on_host(context, space->bytes, "the dense coarse operator", (void **)&space->block);
    if (status != SPG_OK) return status;
    space->U = space->block;
    space->VT = space->U + square;
    space->values = space->VT + square;
    space->work = space->values + n;
    space->integers = (int *)(space->work + space->work_count);
    return SPG_OK;
}

/* matrix = VT^T diag(1/values) U^T, without the values that count as zero. */
static void invert(const spg_amg_dense *dense, const workspace *space, int n, double *matrix)
{
    const double one = 1, zero = 0, least = spg_dense_least_share(dense, n) * fmax(space->values[0], dense->least);
    for (int64_t k = 0; k < n; ++k) {
        const double factor = space->values[k] > least ? 1 / space->values[k] : 0;
        for (int64_t i = 0; i < n; ++i) space->U[k * n + i] *= factor;
    }
    dgemm_("T", "T", &n, &n, &n, &one, space->VT, &n, space->U, &n, &zero, matrix, &n, 1, 1);
}

spg_status spg_dense_decompose(spg_context *context, spg_amg_dense *dense, spg_dense_part *part)
{
    const int n = part->rows;
    int info = 0;
    double *const matrix = matrix_of(dense, part);
    workspace space = {0};
    spg_status status = take_workspace(context, n, &space);
    if (status != SPG_OK) return status;
    dgesdd_("A", &n, &n, matrix, &n, space.values, space.U, &n, space.VT, &n, space.work, &space.work_count,
            space.integers, &info, 1);
    if (info == 0)
        invert(dense, &space, n, matrix);
    else
        status =
            spg_context_fail(context, SPG_ERROR_BREAKDOWN, "the coarsest operator: LAPACK's dgesdd gave info %d", info);
    spg_release_on_host(context, space.block, space.bytes);
    part->way = SPG_DENSE_PSEUDO;
    return status;
}

/* ---- Solves ---- */

/* The part of the vector = matrix times that part. */
static void multiply(spg_amg_dense *dense, const spg_dense_part *part)
{
    const int one = 1, n = part->rows;
    const double factor = 1, nothing = 0;
    double *const vector = dense->vector + part->first, *const product = dense->vector + dense->rows;
    dgemv_("N", &n, &n, &factor, matrix_of(dense, part), &n, vector, &one, &nothing, product, &one, 1);
    memcpy(vector, product, (size_t)n * sizeof *vector);
}

/* Subtracts N N^T b, which A + N N^T adds to the solution of A: N spans all of its null space in the candidates'
 * span. */
static void subtract_null_space(const spg_amg_dense *dense, const spg_dense_part *part, const double *shares)
{
    double *const vector = dense->vector + part->first;
    for (int c = 0; c < part->nullity; ++c) {
        const double *const null = dense->null + c * dense->rows + part->first;
        for (int i = 0; i < part->rows; ++i) vector[i] -= shares[c] * null[i];
    }
}

void spg_dense_solve_part(spg_amg_dense *dense, const spg_dense_part *part)
{
    const int one = 1, n = part->rows;
    int info = 0;
    double *const vector = dense->vector + part->first;
    double shares[SPG_DENSE_MOST_CANDIDATES]; /* coefficients of the right-hand side in N */
    for (int c = 0; c < part->nullity; ++c)
        shares[c] = dot_in_order(dense->null + c * dense->rows + part->first, vector, n);
    if (part->way == SPG_DENSE_CHOLESKY)
        dpotrs_("L", &n, &one, matrix_of(dense, part), &n, vector, &n, &info, 1);
    else if (part->way == SPG_DENSE_LU)
        dgetrs_("N", &n, &one, matrix_of(dense, part), &n, dense->pivots + part->first, vector, &n, &info, 1);
    else
        multiply(dense, part);
    if (part->way != SPG_DENSE_PSEUDO) subtract_null_space(dense, part, shares);
}
