/* FGMRES (Saad, A Flexible Inner-Outer Preconditioned GMRES Algorithm, SIAM J. Sci. Comput. 14, 1993): one cycle of
 * `restart` iterations. Vectors are made orthogonal by two rounds of classical Gram-Schmidt, whose inner products are
 * read at once. */
#include "krylov.h"

#include <math.h>
#include <string.h>

/* What a cycle keeps on the host, in run->numbers. Column j of the triangle begins at j*(restart + 2). */
typedef struct small_system {
    double *columns, *cosines, *sines, *sides, *work;
    int stride;
} small_system;

static small_system system_of(const spg_krylov *run)
{
    const int restart = run->options.restart, stride = restart + 2;
    double *const rest = run->numbers + (int64_t)stride * (restart + 1);
    return (small_system){run->numbers, rest, rest + stride, rest + 2 * stride, rest + 3 * stride, stride};
}

static void *basis(const spg_krylov *run, int j) { return spg_krylov_vector(run, j); }
static void *preconditioned(const spg_krylov *run, int j)
{
    return spg_krylov_vector(run, run->options.restart + 1 + j);
}

/* One round: subtracts from vector j + 1 its parts along the vectors before it, and adds these parts to the column.
 * *square: of vector j + 1 before. */
static spg_status subtract_parts(const spg_krylov *run, int j, double *column, double *parts, double *square)
{
    void *const w = basis(run, j + 1);
    spg_status status = spg_krylov_products(run, j + 2, w, parts);
    *square = parts[j + 1];
    for (int k = 0; status == SPG_OK && k <= j; k++) {
        column[k] += parts[k];
        status = spg_krylov_axpby(run, -parts[k], basis(run, k), 1, w);
    }
    return status;
}

/* Column j: A M v_j in the basis, and the next vector of the basis. *is_last: there is none, for x can be exact. */
static spg_status extend(const spg_krylov *run, const small_system *small, int j, bool *is_last)
{
    double *const column = small->columns + (int64_t)j * small->stride, *const parts = small->work;
    double square = 0, before = 0, between = 0;
    void *const w = basis(run, j + 1);
    const void *const vector = w;
    memset(column, 0, (size_t)small->stride * sizeof *column);
    spg_status status = spg_krylov_precondition(run, basis(run, j), preconditioned(run, j));
    if (status == SPG_OK) status = spg_krylov_multiply(run, preconditioned(run, j), w);
    if (status == SPG_OK) status = subtract_parts(run, j, column, parts, &before);
    if (status == SPG_OK) status = subtract_parts(run, j, column, parts, &between);
    if (status == SPG_OK) status = spg_krylov_dots(run, 1, &vector, &vector, &square);
    if (status != SPG_OK) return status;
    column[j + 1] = sqrt(square);
    *is_last = !(column[j + 1] > spg_amg_epsilon(run->type == SPG_F32) * sqrt(before));
    return *is_last ? SPG_OK : spg_krylov_axpby(run, 1 / column[j + 1], w, 0, w);
}

/* Turns the column into one of a triangle by the rotations so far and a new one; the residual is the last side. */
static double rotate(const small_system *small, int j)
{
    double *const column = small->columns + (int64_t)j * small->stride;
    for (int k = 0; k < j; k++) {
        const double upper = column[k], lower = column[k + 1];
        column[k] = small->cosines[k] * upper + small->sines[k] * lower;
        column[k + 1] = small->cosines[k] * lower - small->sines[k] * upper;
    }
    const double length = hypot(column[j], column[j + 1]);
    small->cosines[j] = length > 0 ? column[j] / length : 1;
    small->sines[j] = length > 0 ? column[j + 1] / length : 0;
    column[j] = length;
    small->sides[j + 1] = -small->sines[j] * small->sides[j];
    small->sides[j] *= small->cosines[j];
    return fabs(small->sides[j + 1]);
}

/* x += the combination of `count` preconditioned vectors that makes the residual least. */
static spg_status add_correction(const spg_krylov *run, const small_system *small, int count)
{
    spg_status status = SPG_OK;
    for (int k = count - 1; k >= 0; k--) {
        double side = small->sides[k];
        for (int j = k + 1; j < count; j++) side -= small->columns[(int64_t)j * small->stride + k] * small->work[j];
        const double pivot = small->columns[(int64_t)k * small->stride + k];
        small->work[k] = pivot != 0 ? side / pivot : 0;
    }
    for (int k = 0; k < count && status == SPG_OK; k++)
        status = spg_krylov_axpby(run, small->work[k], preconditioned(run, k), 1, run->x);
    return status;
}

spg_status spg_krylov_fgmres(spg_krylov *run)
{
    const small_system small = system_of(run);
    int count = 0;
    bool is_last = false;
    small.sides[0] = run->result.residual;
    spg_status status = spg_krylov_axpby(run, 1 / run->result.residual, basis(run, 0), 0, basis(run, 0));
    while (status == SPG_OK && !is_last && count < run->options.restart && spg_krylov_goes_on(run)) {
        status = extend(run, &small, count, &is_last);
        if (status == SPG_OK) status = spg_krylov_note(run, rotate(&small, count++));
    }
    const spg_status added =
        status == SPG_OK || status == SPG_ERROR_BREAKDOWN ? add_correction(run, &small, count) : status;
    return status != SPG_OK ? status : added;
}
