/* Smoothed-aggregation prolongators (Vanek, Mandel, Brezina: Algebraic Multigrid by Smoothed Aggregation, 1996): greedy
 * aggregates of distance 1, then one step of damped Jacobi, P = (I - 2/3 D^-1 A) T.
 *
 * Linear in the entries of A. Needs 4 bytes per row and 24 per aggregate besides P. */
#include "families.h"

#include <math.h>
#include <stdlib.h>

typedef struct complex_value {
    double real, imaginary;
} complex_value;

typedef struct smoother {
    const spg_csr *A;
    int32_t *aggregate; /* for each row */
    int64_t aggregates;
    int64_t *place;     /* for each aggregate: its last entry of P; an older row's if before the row's start */
    complex_value *sum; /* for each entry of P's row: the sum of A's entries in the aggregate */
} smoother;

static complex_value get_value(const spg_csr *matrix, int64_t k)
{
    switch (matrix->value_type) {
    case SPG_F32: return (complex_value){((const float *)matrix->values)[k], 0.0};
    case SPG_C32:
        return (complex_value){((const float *)matrix->values)[2 * k], ((const float *)matrix->values)[2 * k + 1]};
    case SPG_C64:
        return (complex_value){((const double *)matrix->values)[2 * k], ((const double *)matrix->values)[2 * k + 1]};
    default: return (complex_value){((const double *)matrix->values)[k], 0.0};
    }
}

static bool neighbourhood_is_free(const spg_csr *A, int64_t row, const int32_t *aggregate)
{
    for (int64_t k = get_offset(A, row); k < get_offset(A, row + 1); k++)
        if (aggregate[A->columns[k]] >= 0) return false;
    return true;
}

/* Numbers the aggregates in the order of the rows that start them. A remaining row joins the aggregate of its first
 * neighbour that was aggregated in the first pass; it is marked by -2 - number meanwhile, so that joining does not
 * spread. */
static int64_t aggregate_rows(const spg_csr *A, int32_t *aggregate)
{
    int32_t count = 0;
    for (int64_t row = 0; row < A->rows; row++) aggregate[row] = -1;
    for (int64_t row = 0; row < A->rows; row++) {
        if (aggregate[row] >= 0 || !neighbourhood_is_free(A, row, aggregate)) continue;
        aggregate[row] = count;
        for (int64_t k = get_offset(A, row); k < get_offset(A, row + 1); k++) aggregate[A->columns[k]] = count;
        count++;
    }
    for (int64_t row = 0; row < A->rows; row++)
        for (int64_t k = get_offset(A, row); aggregate[row] == -1; k++)
            if (aggregate[A->columns[k]] >= 0) aggregate[row] = -2 - aggregate[A->columns[k]];
    for (int64_t row = 0; row < A->rows; row++)
        if (aggregate[row] < 0) aggregate[row] = -2 - aggregate[row];
    return count;
}

static void forget_places(smoother *s)
{
    for (int64_t a = 0; a < s->aggregates; a++) s->place[a] = -1;
}

/* The aggregates of a row's columns and of the row itself, in order of appearance, become entries start.. of P. Returns
 * the entry after them. columns may be NULL. */
static int64_t place_row(smoother *s, int64_t row, int64_t start, int32_t *columns)
{
    int64_t next = start, end = get_offset(s->A, row + 1);
    for (int64_t k = get_offset(s->A, row); k <= end; k++) {
        int32_t aggregate = s->aggregate[k < end ? s->A->columns[k] : row];
        if (s->place[aggregate] >= start) continue;
        if (columns != NULL) columns[next] = aggregate;
        s->place[aggregate] = next++;
    }
    return next;
}

/* 2/3 / diagonal, or zero if the diagonal is zero. */
static complex_value damping(complex_value diagonal)
{
    const double omega = 2.0 / 3.0;
    if (diagonal.imaginary == 0.0) return (complex_value){diagonal.real != 0.0 ? omega / diagonal.real : 0.0, 0.0};
    double scale = fmax(fabs(diagonal.real), fabs(diagonal.imaginary));
    double real = diagonal.real / scale, imaginary = diagonal.imaginary / scale;
    double square = real * real + imaginary * imaginary;
    return (complex_value){omega * (real / square) / scale, -(omega * (imaginary / square) / scale)};
}

/* Computes the values of P's row, whose entries start..end have been placed. */
static void smooth_row(smoother *s, int64_t row, int64_t start, int64_t end, const spg_csr *P)
{
    complex_value diagonal = {0.0, 0.0};
    for (int64_t j = 0; j < end - start; j++) s->sum[j] = diagonal;
    for (int64_t k = get_offset(s->A, row); k < get_offset(s->A, row + 1); k++) {
        complex_value value = get_value(s->A, k);
        complex_value *sum = &s->sum[s->place[s->aggregate[s->A->columns[k]]] - start];
        sum->real += value.real;
        sum->imaginary += value.imaginary;
        if (s->A->columns[k] != row) continue;
        diagonal.real += value.real;
        diagonal.imaginary += value.imaginary;
    }
    complex_value factor = damping(diagonal);
    for (int64_t j = 0; j < end - start; j++) {
        double tentative = P->columns[start + j] == s->aggregate[row] ? 1.0 : 0.0;
        complex_value sum = s->sum[j];
        double real = factor.real * sum.real - factor.imaginary * sum.imaginary;
        double imaginary = factor.real * sum.imaginary + factor.imaginary * sum.real;
        set_value(P, start + j, tentative - real, 0.0 - imaginary);
    }
}

static spg_status smooth(spg_context *context, smoother *s, spg_csr *P)
{
    int64_t rows = s->A->rows, nnz = 0;
    forget_places(s);
    for (int64_t row = 0; row < rows; row++) nnz = place_row(s, row, nnz, NULL);
    spg_type offset_type = nnz <= INT32_MAX ? s->A->offset_type : SPG_I64;
    spg_status status = spg_csr_alloc(context, rows, s->aggregates, nnz, offset_type, s->A->value_type, P);
    if (status != SPG_OK) return status;
    forget_places(s);
    int64_t start = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t end = place_row(s, row, start, P->columns);
        smooth_row(s, row, start, end, P);
        set_offset(P, row + 1, end);
        start = end;
    }
    status = spg_csr_sort(context, P);
    if (status != SPG_OK) spg_csr_free(context, P);
    return status;
}

static spg_status make_prolongator(spg_context *context, const spg_csr *A, spg_csr *P)
{
    smoother s = {.A = A};
    void *aggregate = NULL, *place = NULL, *sum = NULL;
    spg_status status = allocate_scratch(context, A->rows, sizeof *s.aggregate, &aggregate);
    if (status == SPG_OK) {
        s.aggregate = aggregate;
        s.aggregates = aggregate_rows(A, s.aggregate);
        status = allocate_scratch(context, s.aggregates, sizeof *s.place, &place);
    }
    if (status == SPG_OK) status = allocate_scratch(context, s.aggregates, sizeof *s.sum, &sum);
    if (status == SPG_OK) {
        s.place = place;
        s.sum = sum;
        status = smooth(context, &s, P);
    }
    free(sum);
    free(place);
    free(aggregate);
    return status;
}

spg_status generate_prolongator(spg_context *context, const spg_csr *A, spg_csr *P)
{
    if (context == NULL || P == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "generate_prolongator: P is NULL");
    *P = (spg_csr){0};
    if (spg_context_place(context) != SPG_PLACE_HOST)
        return spg_context_fail(context, SPG_ERROR_PLACE, "prolongators are generated on the host; the context is not");
    spg_status status = spg_csr_check(context, A);
    if (status != SPG_OK) return status;
    if (A->rows != A->cols)
        return spg_context_fail(context, SPG_ERROR_SHAPE, "generate_prolongator: A is %lld x %lld, not square",
                                (long long)A->rows, (long long)A->cols);
    return make_prolongator(context, A, P);
}
