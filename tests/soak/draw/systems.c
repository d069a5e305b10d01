/* See systems.h. */
#include "systems.h"

#include "chance.h"
#include "host_matrix.h"
#include "rows.h"
#include "symmetric.h"

#include <stdlib.h>
#include <string.h>

double soak_entry(const spg_csr *A, int64_t k)
{
    return A->value_type == SPG_F32 ? (double)((const float *)A->values)[k] : ((const double *)A->values)[k];
}

static void put_entry(spg_csr *A, int64_t k, double value)
{
    if (A->value_type == SPG_F32)
        ((float *)A->values)[k] = (float)value;
    else
        ((double *)A->values)[k] = value;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------ */

typedef struct grid {
    int64_t sizes[3];
    double weights[3];
    bool neumann;
} grid;

/* The entries of point i, from `to` on; returns their end. */
static int64_t put_point(const grid *g, int64_t i, spg_csr *A, int64_t to)
{
    const int64_t strides[] = {1, g->sizes[0], g->sizes[0] * g->sizes[1]};
    double diagonal = 0, below[3] = {0};
    int64_t at_diagonal;
    for (int d = 2; d >= 0; d--) {
        const bool has = i / strides[d] % g->sizes[d] > 0;
        if (has || (!g->neumann && g->sizes[d] > 1)) diagonal += g->weights[d];
        if (has) below[d] = g->weights[d], A->columns[to] = (int32_t)(i - strides[d]), put_entry(A, to++, -below[d]);
    }
    at_diagonal = to++;
    A->columns[at_diagonal] = (int32_t)i;
    for (int d = 0; d < 3; d++) {
        const bool has = i / strides[d] % g->sizes[d] + 1 < g->sizes[d];
        if (has || (!g->neumann && g->sizes[d] > 1)) diagonal += g->weights[d];
        if (has) A->columns[to] = (int32_t)(i + strides[d]), put_entry(A, to++, -g->weights[d]);
    }
    put_entry(A, at_diagonal, diagonal > 0 ? diagonal : 1);
    return to;
}

static spg_csr draw_grid(uint64_t *state, spg_type offset_type, spg_type type)
{
    const int dimensions = (int)chance_between(state, 1, 3);
    const int64_t points =
        chance_of(state, 15) ? chance_log(state, SOAK_DENSE_ROWS, 40000) : chance_log(state, 1, SOAK_DENSE_ROWS - 50);
    grid g = {.sizes = {1, 1, 1}, .neumann = chance_of(state, 15)};
    for (int d = 0; d < dimensions; d++) {
        g.sizes[d] = 1 + (int64_t)pow((double)points, 1.0 / dimensions);
        g.weights[d] = chance_of(state, 70) ? 1 : pow(10, -3 * chance_unit(state));
    }
    const int64_t n = g.sizes[0] * g.sizes[1] * g.sizes[2];
    spg_csr A = soak_matrix(n, n, 7 * n, offset_type, type);
    A.nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        A.nnz = put_point(&g, i, &A, A.nnz);
        soak_set_offset(&A, i + 1, A.nnz);
    }
    spg_csr exact = soak_matrix_copy(&A);
    soak_matrix_free(&A);
    return exact;
}

/* ---- Graphs ----------------------------------------------------------------------------------------------------- */

/* The Laplacian of a symmetric pattern that has its diagonal, with weights between 0.1 and 1.1, and `shift` more on the
 * diagonal. */
static void make_laplacian(uint64_t *state, double shift, spg_csr *A)
{
    for (int64_t k = 0; k < A->nnz; k++) put_entry(A, k, -(0.1 + chance_unit(state)));
    soak_mirror(A);
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0;
        int64_t diagonal = -1;
        for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++) {
            if (A->columns[k] == i)
                diagonal = k;
            else
                sum -= soak_entry(A, k);
        }
        if (diagonal >= 0) put_entry(A, diagonal, sum + shift);
    }
}

/* The same with an entry on each diagonal. */
static spg_csr with_diagonal(const spg_csr *matrix)
{
    spg_csr A =
        soak_matrix(matrix->rows, matrix->cols, matrix->nnz + matrix->rows, matrix->offset_type, matrix->value_type);
    int64_t to = 0;
    for (int64_t i = 0; i < matrix->rows; i++) {
        A.columns[to++] = (int32_t)i;
        for (int64_t k = soak_offset(matrix, i); k < soak_offset(matrix, i + 1); k++)
            A.columns[to++] = matrix->columns[k];
        soak_set_offset(&A, i + 1, to);
    }
    return A;
}

static spg_csr draw_graph(uint64_t *state, const soak_settings *settings)
{
    const soak_pattern pattern = soak_draw_pattern(state, soak_draw_row_kind(state));
    const int64_t n = chance_log(state, 1, SOAK_DENSE_ROWS);
    spg_csr drawn;
    soak_draw_matrix(state, &pattern, n, n, 5000, settings, &drawn);
    spg_csr whole = with_diagonal(&drawn), A = soak_symmetric_of(&whole);
    make_laplacian(state, chance_of(state, 20) ? 0 : 0.01 + chance_unit(state), &A);
    soak_matrix_free(&whole);
    soak_matrix_free(&drawn);
    return A;
}

/* Not what multigrid is for: no symmetry, missing diagonals. */
static spg_csr draw_any(uint64_t *state, const soak_settings *settings)
{
    const soak_pattern pattern = soak_draw_pattern(state, soak_draw_row_kind(state));
    const int64_t n = chance_log(state, 1, 300) - 1;
    spg_csr A;
    soak_draw_matrix(state, &pattern, n, n, 3000, settings, &A);
    return A;
}

void soak_draw_multigrid(uint64_t *state, soak_case *c)
{
    const int64_t kind = chance_below(state, 100);
    const spg_type offset_type = chance_of(state, 60) ? SPG_I32 : SPG_I64;
    c->settings.value_type = chance_of(state, 30) ? SPG_F32 : SPG_F64;
    c->settings.numbers = SOAK_REAL;
    c->matrices[0] = kind < 50   ? draw_grid(state, offset_type, c->settings.value_type)
                     : kind < 85 ? draw_graph(state, &c->settings)
                                 : draw_any(state, &c->settings);
    c->count = 1;
    c->names[0] = "A";
    c->whole[0] = kind < 85;
    c->dimensions[0] = c->matrices[0].rows;
}

/* ---- What is said of them --------------------------------------------------------------------------------------- */

/* The diagonal entry of a row over the magnitudes of the others; less than 0 if it does not reach them. */
static double excess_of(const spg_csr *A, int64_t i)
{
    double diagonal = 0, others = 0;
    for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++)
        if (A->columns[k] == i)
            diagonal += soak_entry(A, k);
        else
            others += fabs(soak_entry(A, k));
    if (!(diagonal > 0) || diagonal < others * (1 - 1e-6)) return -1;
    return fmax(diagonal - others * (1 + 1e-4), 0);
}

/* From the rows of the list, all that values other than zero lead to; returns how many there are then. */
static int64_t spread(const spg_csr *A, int64_t *list, int64_t count, bool *is_held)
{
    for (int64_t at = 0; at < count; at++)
        for (int64_t k = soak_offset(A, list[at]); k < soak_offset(A, list[at] + 1); k++)
            if (!is_held[A->columns[k]] && soak_entry(A, k) != 0) {
                is_held[A->columns[k]] = true;
                list[count++] = A->columns[k];
            }
    return count;
}

soak_definiteness soak_find_definiteness(const spg_csr *A)
{
    int64_t *list = soak_array(A->rows, sizeof *list), held = 0;
    bool *is_held = soak_array(A->rows, sizeof *is_held), is_dominant = soak_is_symmetric(A);
    for (int64_t i = 0; i < A->rows && is_dominant; i++) {
        const double excess = excess_of(A, i);
        is_dominant = excess >= 0;
        is_held[i] = excess > 0;
        if (is_held[i]) list[held++] = i;
    }
    if (is_dominant) held = spread(A, list, held, is_held);
    free(list);
    free(is_held);
    return !is_dominant ? SOAK_ANY : held == A->rows ? SOAK_DEFINITE : SOAK_SEMIDEFINITE;
}

spg_csr soak_scaled_system(const spg_csr *A, uint64_t seed)
{
    spg_csr B = soak_matrix_copy(A);
    double *factors = soak_array(A->rows, sizeof *factors);
    for (int64_t i = 0; i < A->rows; i++) factors[i] = 1 + chance_unit(&seed);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++)
            put_entry(&B, k, soak_entry(A, k) * (factors[i] * factors[A->columns[k]]));
    free(factors);
    return B;
}

static double element(const spg_csr *A, const void *vector, int64_t i)
{
    return A->value_type == SPG_F32 ? (double)((const float *)vector)[i] : ((const double *)vector)[i];
}

static double residual_of(const spg_csr *A, const void *b, const void *x, int64_t i)
{
    double r = element(A, b, i);
    for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++)
        r -= soak_entry(A, k) * element(A, x, A->columns[k]);
    return r;
}

double soak_residual(const spg_csr *A, const void *b, const void *x)
{
    double sum = 0;
    for (int64_t i = 0; i < A->rows; i++) sum += pow(residual_of(A, b, x, i), 2);
    return sqrt(sum);
}

double soak_image_of_residual(const spg_csr *A, const void *b, const void *x)
{
    double *r = soak_array(A->rows, sizeof *r), image = 0, whole = 0;
    for (int64_t i = 0; i < A->rows; i++) r[i] = residual_of(A, b, x, i);
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0, most = 0;
        for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++) {
            sum += soak_entry(A, k) * r[A->columns[k]];
            most += fabs(soak_entry(A, k));
        }
        image += sum * sum;
        whole = fmax(whole, most);
    }
    free(r);
    return whole > 0 ? sqrt(image) / whole : 0;
}
