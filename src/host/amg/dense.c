/* The dense solver of the coarsest level, by LAPACK: LU with pivots of the operator scaled to S A S, or where LU finds
 * that singular, its pseudo-inverse by singular values, which gives its solution of least norm. Unknowns whose row and
 * column are zero, as dependent candidates leave them, are zero in that solution and stay out. All in doubles: of
 * floats' rounding, only that of the entries is left. */
#include "host/work.h"
#include "host_amg.h"

#include "amg_units.h"
#include "memory.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Fortran's, by the names and with the hidden lengths of strings that the compilers of today give them. */
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivots,
             double *b, const int *ldb, int *info, size_t trans_length);
void dgesdd_(const char *jobz, const int *m, const int *n, double *a, const int *lda, double *s, double *u,
             const int *ldu, double *vt, const int *ldvt, double *work, const int *lwork, int *iwork, int *info,
             size_t jobz_length);

struct spg_amg_dense {
    int64_t rows; /* of A; what follows has room for as many */
    spg_type type;
    double least;    /* of which the largest pivot or singular value counts, for what is zero beside it */
    int64_t bytes;   /* of all below and the struct */
    double *scaling; /* of each row and column: S */
    int n;           /* unknowns whose row or column is not zero */
    int *unknowns;   /* those, ascending */
    int *place;      /* of each row: which of them it is, or -1 */
    double *matrix;  /* n x n, column-major: S A S, then its factors L and U */
    int *pivots;
    double *vector;    /* right-hand side and solution */
    double *singular;  /* NULL with LU, else the values, and after `rows` of them the reciprocals of those kept */
    double *U, *VT;    /* n x n each, column-major */
    double *work;      /* of dgesdd */
    int *integer_work; /* 8 times as many */
    int work_count;
};

/* Unless an earlier attempt has taken it. */
static spg_status take(spg_context *context, spg_amg_dense *dense, int64_t count, size_t size, void **memory)
{
    if (*memory != NULL) return SPG_OK;
    const int64_t bytes = spg_array_bytes(count, size);
    const spg_status status = spg_allocate_on_host(context, bytes, "the dense coarse operator", memory);
    if (status == SPG_OK) dense->bytes += bytes;
    return status;
}

void spg_host_dense_destroy(spg_context *context, spg_amg_dense *dense)
{
    if (dense == NULL) return;
    const int64_t n = dense->rows, square = n * n * (int64_t)sizeof(double);
    spg_release_on_host(context, dense->scaling, n * (int64_t)sizeof(double));
    spg_release_on_host(context, dense->unknowns, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->place, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->matrix, square);
    spg_release_on_host(context, dense->pivots, n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense->vector, n * (int64_t)sizeof(double));
    spg_release_on_host(context, dense->singular, 2 * n * (int64_t)sizeof(double));
    spg_release_on_host(context, dense->U, square);
    spg_release_on_host(context, dense->VT, square);
    spg_release_on_host(context, dense->work, dense->work_count * (int64_t)sizeof(double));
    spg_release_on_host(context, dense->integer_work, 8 * n * (int64_t)sizeof(int));
    spg_release_on_host(context, dense, sizeof *dense);
}

static double real_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

static double value_at(const spg_csr *A, int64_t k) { return real_at(A->values, A->value_type, k); }

/* What a pivot or a singular value must pass, over the largest, to count as not zero. A few dozen roundings are
 * granted to the smallest matrices as well, since their entries are sums of many products. */
static double least_share(const spg_amg_dense *dense)
{
    const double eps = dense->type == SPG_F32 ? FLT_EPSILON : DBL_EPSILON;
    return (dense->n > 64 ? dense->n : 64) * eps;
}

static double magnitude_of(const spg_amg_dense_source *source, int64_t row)
{
    const spg_csr *A = source->A, *R = source->R;
    double sum = 0, diagonal = 0, largest = 0;
    for (int64_t k = R != NULL ? spg_offset_at(R, row) : 0; R != NULL && k < spg_offset_at(R, row + 1); ++k) {
        const double inverse = fabs(real_at(source->inverse, A->value_type, R->columns[k])), part = value_at(R, k);
        if (inverse > 0) sum += part * part / inverse;
    }
    for (int64_t k = spg_offset_at(A, row); k < spg_offset_at(A, row + 1); ++k) {
        if (A->columns[k] == row) diagonal += value_at(A, k);
        largest = fmax(largest, fabs(value_at(A, k)));
    }
    const double most = fmax(sum, fabs(diagonal));
    return most > 0 ? most : largest;
}

/* Entry k of A, in this row, as it stands in S A S. */
static double scaled_at(const spg_amg_dense *dense, const spg_csr *A, int64_t row, int64_t k)
{
    return value_at(A, k) * (dense->scaling[row] * dense->scaling[A->columns[k]]);
}

/* Finds the unknowns. BREAKDOWN if a value is not finite. */
static spg_status find_unknowns(spg_context *context, spg_amg_dense *dense, const spg_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i) dense->place[i] = -1;
    for (int64_t i = 0; i < A->rows; ++i) {
        for (int64_t k = spg_offset_at(A, i); k < spg_offset_at(A, i + 1); ++k) {
            const double value = scaled_at(dense, A, i, k);
            if (!isfinite(value))
                return spg_context_fail(context, SPG_ERROR_BREAKDOWN,
                                        "the coarsest operator has a value that is not finite in row %lld",
                                        (long long)i);
            if (value != 0) dense->place[i] = dense->place[A->columns[k]] = 0;
        }
    }
    dense->n = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        if (dense->place[i] < 0) continue;
        dense->unknowns[dense->n] = (int)i;
        dense->place[i] = dense->n++;
    }
    return SPG_OK;
}

static void spread(spg_amg_dense *dense, const spg_csr *A)
{
    const int64_t n = dense->n;
    if (n > 0) memset(dense->matrix, 0, (size_t)(n * n) * sizeof(double));
    for (int64_t i = 0; i < n; ++i) {
        const int64_t row = dense->unknowns[i];
        for (int64_t k = spg_offset_at(A, row); k < spg_offset_at(A, row + 1); ++k) {
            const double value = scaled_at(dense, A, row, k);
            if (value != 0) dense->matrix[dense->place[A->columns[k]] * n + i] += value;
        }
    }
}

static bool is_singular(const spg_amg_dense *dense)
{
    double most = dense->least, least = INFINITY;
    for (int64_t k = 0; k < dense->n; ++k) {
        const double pivot = fabs(dense->matrix[k * dense->n + k]);
        if (pivot > most) most = pivot;
        if (pivot < least) least = pivot;
    }
    return !(least > least_share(dense) * most);
}

/* info 0: factored. Above 0: a pivot is zero, or so small that it counts as such. */
static int factor(spg_amg_dense *dense)
{
    int info = 0;
    if (dense->n == 0) return 0;
    dgetrf_(&dense->n, &dense->n, dense->matrix, &dense->n, dense->pivots, &info);
    return info == 0 && is_singular(dense) ? dense->n : info;
}

static spg_status allocate_singular(spg_context *context, spg_amg_dense *dense)
{
    const int64_t rows = dense->rows;
    const int query = -1, most = (int)rows;
    int info = 0;
    double size = 0;
    dgesdd_("A", &most, &most, NULL, &most, NULL, NULL, &most, NULL, &most, &size, &query, NULL, &info, 1);
    if (info != 0)
        return spg_context_fail(context, SPG_ERROR_INTERNAL, "LAPACK's dgesdd refuses its argument %d", -info);
    spg_status status = take(context, dense, rows * rows, sizeof(double), (void **)&dense->U);
    if (status == SPG_OK) status = take(context, dense, rows * rows, sizeof(double), (void **)&dense->VT);
    if (status == SPG_OK) status = take(context, dense, (int64_t)size, sizeof(double), (void **)&dense->work);
    if (status == SPG_OK) dense->work_count = (int)size;
    if (status == SPG_OK) status = take(context, dense, 8 * rows, sizeof(int), (void **)&dense->integer_work);
    if (status == SPG_OK) status = take(context, dense, 2 * rows, sizeof(double), (void **)&dense->singular);
    return status;
}

static spg_status decompose(spg_context *context, spg_amg_dense *dense)
{
    int info = 0;
    double *values = dense->singular, *reciprocals = values + dense->rows;
    if (dense->n == 0) return SPG_OK;
    dgesdd_("A", &dense->n, &dense->n, dense->matrix, &dense->n, values, dense->U, &dense->n, dense->VT, &dense->n,
            dense->work, &dense->work_count, dense->integer_work, &info, 1);
    if (info != 0)
        return spg_context_fail(context, SPG_ERROR_BREAKDOWN, "the coarsest operator: LAPACK's dgesdd gave info %d",
                                info);
    const double least = least_share(dense) * fmax(values[0], dense->least);
    for (int k = 0; k < dense->n; ++k) reciprocals[k] = values[k] > least ? 1 / values[k] : 0;
    return SPG_OK;
}

spg_status spg_host_dense_update(spg_context *context, spg_amg_dense *dense, const spg_amg_dense_source *source)
{
    const spg_csr *A = source->A;
    for (int64_t i = 0; i < A->rows; ++i) dense->scaling[i] = spg_scaling_of(magnitude_of(source, i));
    spg_status status = find_unknowns(context, dense, A);
    if (status != SPG_OK) return status;
    spread(dense, A);
    if (dense->singular == NULL) {
        if (factor(dense) == 0) return SPG_OK;
        spread(dense, A);
        status = allocate_singular(context, dense);
        if (status != SPG_OK) return status;
    }
    return decompose(context, dense);
}

spg_status spg_host_dense_create(spg_context *context, const spg_amg_dense_source *source, spg_amg_dense **dense,
                                 int64_t *bytes)
{
    spg_amg_dense *created = NULL;
    *dense = NULL;
    *bytes = 0;
    spg_status status = spg_allocate_on_host(context, sizeof *created, "a dense solver", (void **)&created);
    if (status != SPG_OK) return status;
    const int64_t rows = source->A->rows;
    *created = (spg_amg_dense){.rows = rows, .type = source->A->value_type, .bytes = sizeof *created};
    created->least = source->R != NULL ? 1 : 0;
    status = take(context, created, rows, sizeof(double), (void **)&created->scaling);
    if (status == SPG_OK) status = take(context, created, rows, sizeof(int), (void **)&created->unknowns);
    if (status == SPG_OK) status = take(context, created, rows, sizeof(int), (void **)&created->place);
    if (status == SPG_OK) status = take(context, created, rows * rows, sizeof(double), (void **)&created->matrix);
    if (status == SPG_OK) status = take(context, created, rows, sizeof(int), (void **)&created->pivots);
    if (status == SPG_OK) status = take(context, created, rows, sizeof(double), (void **)&created->vector);
    if (status == SPG_OK) status = spg_host_dense_update(context, created, source);
    if (status != SPG_OK) {
        spg_host_dense_destroy(context, created);
        return status;
    }
    *dense = created;
    *bytes = created->bytes;
    return SPG_OK;
}

static double dot_in_order(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += x[k] * y[k];
    return sum;
}

typedef struct transpose_job {
    int64_t n;
    const double *matrix, *from, *scale;
    double *to;
} transpose_job;

static void apply_columns(const void *data, spg_range columns)
{
    const transpose_job *job = data;
    for (int64_t k = columns.begin; k < columns.end; ++k) {
        const double sum = dot_in_order(job->matrix + k * job->n, job->from, job->n);
        job->to[k] = job->scale != NULL ? job->scale[k] * sum : sum;
    }
}

/* to[k] = column k of the matrix . from, times scale[k] where there is one. */
static void apply_transpose(const spg_context *context, int64_t n, const double *matrix, const double *from,
                            const double *scale, double *to)
{
    spg_parallel(spg_host_threads(context, n * n), n, 0, apply_columns, &(transpose_job){n, matrix, from, scale, to});
}

static void solve(const spg_context *context, spg_amg_dense *dense)
{
    const int one = 1;
    int info = 0;
    if (dense->n == 0) return;
    if (dense->singular == NULL) {
        dgetrs_("N", &dense->n, &one, dense->matrix, &dense->n, dense->pivots, dense->vector, &dense->n, &info, 1);
    } else {
        /* The matrix is destroyed by then: its first column holds what lies between. */
        apply_transpose(context, dense->n, dense->U, dense->vector, dense->singular + dense->rows, dense->matrix);
        apply_transpose(context, dense->n, dense->VT, dense->matrix, NULL, dense->vector);
    }
}

spg_status spg_host_dense_solve(spg_context *context, spg_amg_dense *dense, const void *b, void *x)
{
    const bool is_single = dense->type == SPG_F32;
    for (int k = 0; k < dense->n; ++k) {
        const int row = dense->unknowns[k];
        dense->vector[k] = dense->scaling[row] * real_at(b, dense->type, row);
    }
    solve(context, dense);
    for (int64_t i = 0; i < dense->rows; ++i) {
        const double value = dense->place[i] >= 0 ? dense->scaling[i] * dense->vector[dense->place[i]] : 0;
        if (is_single)
            ((float *)x)[i] = (float)value;
        else
            ((double *)x)[i] = value;
    }
    return SPG_OK;
}

bool spg_host_dense_is_singular(const spg_amg_dense *dense) { return dense->singular != NULL; }
