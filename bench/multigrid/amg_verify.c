#include "amg_verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What stands for an entry: its value, its magnitude, or 1, which counts products. */
typedef enum meaning { VALUES, MAGNITUDES, ONES } meaning;
enum { MEANINGS = 3 };

static double entry(const spg_csr *matrix, int64_t k, meaning as)
{
    if (as == ONES) return 1.0;
    const double value = matrix->value_type == SPG_F32 ? (double)((const float *)matrix->values)[k]
                                                       : ((const double *)matrix->values)[k];
    return as == MAGNITUDES ? fabs(value) : value;
}

static double *zeros(int64_t n) { return calloc((size_t)(n > 0 ? n : 1), sizeof(double)); }

static void multiply(const spg_csr *matrix, meaning as, const double *x, double *y)
{
    for (int64_t i = 0; i < matrix->rows; i++) {
        y[i] = 0.0;
        for (int64_t k = row_offset(matrix, i); k < row_offset(matrix, i + 1); k++)
            y[i] += entry(matrix, k, as) * x[matrix->columns[k]];
    }
}

static void multiply_transpose(const spg_csr *matrix, meaning as, const double *x, double *y)
{
    for (int64_t j = 0; j < matrix->cols; j++) y[j] = 0.0;
    for (int64_t i = 0; i < matrix->rows; i++)
        for (int64_t k = row_offset(matrix, i); k < row_offset(matrix, i + 1); k++)
            y[matrix->columns[k]] += entry(matrix, k, as) * x[i];
}

/* From -1 to 1, by Knuth's linear congruential generator. */
static void fill_random(double *x, int64_t n)
{
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        x[i] = (double)(state >> 11) * 0x1p-52 - 1.0;
    }
}

static void refuse(amg_verdict *verdict, const char *what, int level, int64_t row)
{
    verdict->right = false;
    snprintf(verdict->fault, sizeof verdict->fault, "level %d: %s, row %lld", level, what, (long long)row);
}

/* Compares row by row; allowed is 4*k*eps times the magnitudes. */
static void compare(const char *what, int level, spg_type type, int64_t rows, const double *actual,
                    double *const expected[MEANINGS], amg_verdict *verdict)
{
    const double eps = type == SPG_F32 ? FLT_EPSILON : DBL_EPSILON;
    for (int64_t i = 0; i < rows && verdict->right; i++) {
        const double allowed = 4.0 * eps * (expected[ONES][i] + 1.0) * expected[MAGNITUDES][i] + DBL_MIN;
        const double error = fabs(actual[i] - expected[VALUES][i]) / allowed;
        if (!(error <= 1.0)) refuse(verdict, what, level, i);
        if (error > verdict->max_error) verdict->max_error = error;
    }
}

/* Vectors of one level: fine ones and coarse ones, by meaning. */
typedef struct vectors {
    double *fine[MEANINGS], *more[MEANINGS], *coarse[MEANINGS], *t[MEANINGS], *actual;
} vectors;

static void vectors_free(vectors *held)
{
    for (int m = 0; m < MEANINGS; m++) {
        free(held->fine[m]);
        free(held->more[m]);
        free(held->coarse[m]);
        free(held->t[m]);
    }
    free(held->actual);
}

static bool vectors_create(int64_t fine, int64_t coarse, vectors *held)
{
    bool made = (held->actual = zeros(coarse)) != NULL;
    for (int m = 0; m < MEANINGS; m++) {
        held->fine[m] = zeros(fine);
        held->more[m] = zeros(fine);
        held->coarse[m] = zeros(coarse);
        held->t[m] = zeros(coarse);
        made = made && held->fine[m] != NULL && held->more[m] != NULL && held->coarse[m] != NULL && held->t[m] != NULL;
    }
    return made;
}

static void check_transpose(const spg_csr *P, const spg_csr *R, int level, vectors *with, amg_verdict *verdict)
{
    for (int m = 0; m < MEANINGS; m++) multiply_transpose(P, (meaning)m, with->fine[m], with->coarse[m]);
    multiply(R, VALUES, with->fine[VALUES], with->actual);
    compare("R is not P transposed", level, P->value_type, P->cols, with->actual, with->coarse, verdict);
}

static void check_level(const spg_csr *A, const spg_csr *P, const spg_csr *R, const spg_csr *coarse, int level,
                        vectors *with, amg_verdict *verdict)
{
    fill_random(with->t[VALUES], coarse->rows);
    for (int64_t i = 0; i < coarse->rows; i++) {
        with->t[MAGNITUDES][i] = fabs(with->t[VALUES][i]);
        with->t[ONES][i] = 1.0;
    }
    for (int m = 0; m < MEANINGS; m++) {
        multiply(P, (meaning)m, with->t[m], with->fine[m]);
        multiply(A, (meaning)m, with->fine[m], with->more[m]);
        multiply(R, (meaning)m, with->more[m], with->coarse[m]);
    }
    multiply(coarse, VALUES, with->t[VALUES], with->actual);
    compare("the next operator is not R*(A*P)", level, A->value_type, coarse->rows, with->actual, with->coarse,
            verdict);
}

/* Level `level` with its coarse operator, as copies on the host. transposes: R is P transposed. */
static spg_status verify_level(const amg_system *system, const spg_amg *amg, int level, bool transposes,
                               amg_verdict *verdict)
{
    spg_amg_level_view view, next;
    spg_csr copies[4] = {{0}};
    vectors held = {0};
    spg_status status = forward_status(system->host, system->context, spg_amg_level(amg, level, &view));
    if (status == SPG_OK) status = forward_status(system->host, system->context, spg_amg_level(amg, level + 1, &next));
    if (status != SPG_OK) return status;
    const spg_csr *const sources[] = {&view.A, &view.P, &view.R, &next.A};
    for (int k = 0; status == SPG_OK && k < 4; k++) status = spg_csr_copy(system->host, sources[k], &copies[k]);
    if (status == SPG_OK && !vectors_create(view.A.rows, next.A.rows, &held))
        status = spg_context_fail(system->host, SPG_ERROR_MEMORY, "verification: no memory");
    if (status == SPG_OK) check_level(&copies[0], &copies[1], &copies[2], &copies[3], level, &held, verdict);
    if (status == SPG_OK && transposes) check_transpose(&copies[1], &copies[2], level, &held, verdict);
    vectors_free(&held);
    for (int k = 0; k < 4; k++) spg_csr_free(system->host, &copies[k]);
    return status;
}

spg_status verify_hierarchy(const amg_system *system, const spg_amg *amg, spg_restriction restriction,
                            amg_verdict *verdict)
{
    spg_amg_summary summary;
    *verdict = (amg_verdict){.right = true};
    spg_status status = forward_status(system->host, system->context, spg_amg_summarise(amg, &summary));
    if (status != SPG_OK) return status;
    const bool transposes = restriction == SPG_RESTRICTION_TRANSPOSE || !summary.unsymmetric;
    for (int l = 0; status == SPG_OK && verdict->right && l + 1 < spg_amg_levels(amg); l++)
        status = verify_level(system, amg, l, transposes, verdict);
    return status;
}

void verify_residual(const spg_csr *A, const double *b, const double *x, double residual, amg_verdict *verdict)
{
    const double eps = A->value_type == SPG_F32 ? FLT_EPSILON : DBL_EPSILON;
    double square = 0.0, rounding = 0.0;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = b[i], size = fabs(b[i]);
        for (int64_t k = row_offset(A, i); k < row_offset(A, i + 1); k++) {
            const double product = entry(A, k, VALUES) * x[A->columns[k]];
            sum -= product;
            size += fabs(product);
        }
        square += sum * sum;
        rounding += size * size;
    }
    const double allowed = 0.01 * residual + 16.0 * eps * sqrt(rounding);
    if (fabs(sqrt(square) - residual) <= allowed) return;
    verdict->right = false;
    snprintf(verdict->fault, sizeof verdict->fault, "the solution's residual is %.3g, not %.3g as reported",
             sqrt(square), residual);
}

spg_status verify_solution(const amg_system *system, const place_vector *x, const spg_amg_solve_result *solved,
                           amg_verdict *verdict)
{
    double *values = NULL, *b = NULL;
    spg_csr real_form = {0};
    spg_status status = vector_fetch(system->host, x, &values);
    if (status == SPG_OK) status = vector_fetch(system->host, &system->b, &b);
    if (status == SPG_OK && is_complex_type(system->A.value_type))
        status = spg_csr_real_form(system->host, &system->A, &real_form);
    const spg_csr *const A = is_complex_type(system->A.value_type) ? &real_form : &system->A;
    if (status == SPG_OK) verify_residual(A, b, values, solved->residual, verdict);
    spg_csr_free(system->host, &real_form);
    free(values);
    free(b);
    return status;
}
