/* Solves with the dense coarse operator for several right-hand sides. Loops of its own, not LAPACK's, so that the bits
 * of a vector depend neither on the others nor on how many there are. */
#include "host/amg/many/host_many.h"
#include "host/amg/many/widths.h"

#include "dense.h"

#include <string.h>

/* A part, and its rows of the block; `spare` has as many more. */
typedef struct part_job {
    const spg_amg_dense *dense;
    const spg_dense_part *part;
    int width;
    double *rows, *spare;
} part_job;

#define REAL_ONLY
#define TEMPLATE "host/amg/many/packs.inc.h"
#include "host/for_each_value_type.h"

/* rows[begin, end) -= column[begin, end) times one row. */
static inline ALWAYS_INLINE void subtract_column(double *rows, const double *column, int begin, int end,
                                                 const double *row, int width)
{
    pack_f64 held[MOST_PACKS];
    for (int p = 0; p < width / PACK; ++p) held[p] = ((const pack_f64 *)row)[p];
    for (int64_t i = begin; i < end; ++i)
        for (int p = 0; p < width / PACK; ++p) ((pack_f64 *)(rows + i * width))[p] -= column[i] * held[p];
}

/* row -= the sum of rows[begin, end) times column[begin, end). */
static inline ALWAYS_INLINE void subtract_rows(const double *rows, const double *column, int begin, int end,
                                               double *row, int width)
{
    pack_f64 held[MOST_PACKS] = {0};
    for (int64_t i = begin; i < end; ++i)
        for (int p = 0; p < width / PACK; ++p) held[p] += ((const pack_f64 *)(rows + i * width))[p] * column[i];
    for (int p = 0; p < width / PACK; ++p) ((pack_f64 *)row)[p] -= held[p];
}

static inline ALWAYS_INLINE void divide(double *row, double by, int width)
{
    for (int j = 0; j < width; ++j) row[j] /= by;
}

/* L L^T: forwards by columns of L, backwards by rows of L^T. */
static inline ALWAYS_INLINE void solve_definite(const part_job *job, const double *L, int width)
{
    const int n = job->part->rows;
    double *const rows = job->rows;
    for (int k = 0; k < n; ++k) {
        const double *column = L + (int64_t)k * n;
        divide(rows + k * width, column[k], width);
        subtract_column(rows, column, k + 1, n, rows + k * width, width);
    }
    for (int k = n - 1; k >= 0; --k) {
        const double *column = L + (int64_t)k * n;
        subtract_rows(rows, column, k + 1, n, rows + k * width, width);
        divide(rows + k * width, column[k], width);
    }
}

static inline ALWAYS_INLINE void swap_rows(double *a, double *b, int width)
{
    for (int j = 0; j < width; ++j) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

/* P L U, by columns. */
static inline ALWAYS_INLINE void solve_general(const part_job *job, const double *LU, int width)
{
    const int n = job->part->rows, *pivots = job->dense->pivots + job->part->first;
    double *const rows = job->rows;
    for (int k = 0; k < n; ++k)
        if (pivots[k] - 1 != k) swap_rows(rows + k * width, rows + (pivots[k] - 1) * width, width);
    for (int k = 0; k < n; ++k) subtract_column(rows, LU + (int64_t)k * n, k + 1, n, rows + k * width, width);
    for (int k = n - 1; k >= 0; --k) {
        const double *column = LU + (int64_t)k * n;
        divide(rows + k * width, column[k], width);
        subtract_column(rows, column, 0, k, rows + k * width, width);
    }
}

/* The negative of the pseudo-inverse's product is subtracted from zeros. */
static inline ALWAYS_INLINE void multiply_pseudo(const part_job *job, const double *matrix, int width)
{
    const int n = job->part->rows;
    memset(job->spare, 0, sizeof *job->spare * (size_t)n * (size_t)width);
    for (int k = 0; k < n; ++k)
        subtract_column(job->spare, matrix + (int64_t)k * n, 0, n, job->rows + k * width, width);
    for (int i = 0; i < n * width; ++i) job->rows[i] = -job->spare[i];
}

/* As spg_dense_solve_part. */
static inline ALWAYS_INLINE void solve_at(const part_job *job, spg_range ignored, int width)
{
    const spg_dense_part *part = job->part;
    const double *matrix = job->dense->matrix + part->at, *null = job->dense->null + part->first;
    double shares[SPG_DENSE_MOST_CANDIDATES][SPG_AMG_MOST_WIDTH] = {{0}}; /* minus coefficients in N */
    (void)ignored;
    for (int c = 0; c < part->nullity; ++c)
        subtract_rows(job->rows, null + c * job->dense->rows, 0, part->rows, shares[c], width);
    switch (part->way) {
    case SPG_DENSE_CHOLESKY: solve_definite(job, matrix, width); break;
    case SPG_DENSE_LU: solve_general(job, matrix, width); break;
    default: multiply_pseudo(job, matrix, width); return;
    }
    for (int c = 0; c < part->nullity; ++c) {
        for (int j = 0; j < width; ++j) shares[c][j] = -shares[c][j];
        subtract_column(job->rows, null + c * job->dense->rows, 0, part->rows, shares[c], width);
    }
}

FOR_WIDTHS(, part_job, solve, solve_at)
FOR_WIDTHS(WIDE, part_job, solve_wide, solve_at)

int64_t spg_host_many_dense_bytes(const spg_amg_dense *dense, int width)
{
    return 2 * dense->rows * width * (int64_t)sizeof(double);
}

static void put(void *values, spg_type type, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

spg_status spg_host_many_dense_solve(spg_context *context, spg_amg_dense *dense, int width, const void *b, void *x,
                                     void *workspace)
{
    double *const rows = workspace, *const spare = rows + dense->rows * width;
    (void)context;
    if (dense->is_broken) { /* as spg_host_dense_solve */
        for (int64_t k = 0; k < dense->rows * width; ++k) put(x, dense->type, k, 0);
        return SPG_OK;
    }
    for (int64_t i = 0; i < dense->rows; ++i)
        for (int j = 0; j < width && dense->place[i] >= 0; ++j)
            rows[dense->place[i] * width + j] = dense->scaling[i] * spg_dense_real_at(b, dense->type, i * width + j);
    for (int p = 0; p < dense->parts; ++p) {
        const spg_dense_part *part = &dense->part[p];
        const part_job job = {dense, part, width, rows + (int64_t)part->first * width, spare};
        (has_wide_registers() ? solve_wide : solve)(&job, (spg_range){0});
    }
    for (int64_t i = 0; i < dense->rows; ++i)
        for (int j = 0; j < width; ++j)
            put(x, dense->type, i * width + j,
                dense->place[i] >= 0 ? dense->scaling[i] * rows[dense->place[i] * width + j] : 0);
    return SPG_OK;
}
