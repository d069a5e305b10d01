/* The part of the candidates' span that a part of the dense operator maps to zero. Pivots cannot show this: the pivot
 * of a singular operator is a sum of rounding errors, and can be as large as that of a regular one. But on a coarse
 * operator the image of a candidate is a sum of known size, and counts as zero if it is no more than its rounding
 * error.
 *
 * The candidates, made orthonormal in the part, are rotated by one-sided Jacobi rotations (Hestenes 1958) until their
 * images, each row divided by its possible rounding error, are orthogonal. Those whose rows are then all at most 1 are
 * N. */
#include "dense.h"

#include "amg/numerics.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 30 };

static double dot_in_order(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) sum += x[k] * y[k];
    return sum;
}

static double largest_of(const double *x, int n)
{
    double most = 0;
    for (int k = 0; k < n; ++k) most = fabs(x[k]) <= most ? most : fabs(x[k]);
    return most;
}

/* Makes the column orthogonal to the columns before it, `stride` apart, and of norm 1; false if it is linearly
 * dependent on them. */
static bool add_orthonormal(double *columns, int64_t stride, int before, int n, double least)
{
    double *const column = columns + before * stride;
    const double largest = largest_of(column, n);
    if (!(largest > 0) || isinf(largest)) return false;
    for (int i = 0; i < n; ++i) column[i] /= largest;
    const double whole = sqrt(dot_in_order(column, column, n));
    for (int twice = 0; twice < 2; ++twice)
        for (int c = 0; c < before; ++c) {
            const double *const other = columns + c * stride, share = dot_in_order(other, column, n);
            for (int i = 0; i < n; ++i) column[i] -= share * other[i];
        }
    const double norm = sqrt(dot_in_order(column, column, n));
    if (!(norm > least * whole)) return false;
    for (int i = 0; i < n; ++i) column[i] /= norm;
    return true;
}

/* The candidates in the part's rows, in the unknowns of S A S; returns their number. */
static int take_candidates(const spg_amg_dense *dense, const spg_dense_part *part)
{
    const double least = spg_amg_least_rest(dense->type == SPG_F32);
    const int *const row = dense->unknowns + part->first;
    double *const columns = dense->null + part->first;
    int taken = 0;
    for (int c = 0; c < dense->candidates; ++c) {
        const double *const from = dense->candidate + c * dense->rows;
        double *const to = columns + taken * dense->rows;
        for (int i = 0; i < part->rows; ++i) to[i] = from[row[i]] / dense->scaling[row[i]];
        if (add_orthonormal(columns, dense->rows, taken, part->rows, least)) ++taken;
    }
    return taken;
}

/* Row i of each column's image, divided by its possible rounding error. */
static void weigh_row(const spg_amg_dense *dense, const spg_dense_part *part, int taken, int i, double *images)
{
    const int64_t n = part->rows;
    const double eps = spg_amg_epsilon(dense->type == SPG_F32);
    const double *const columns = dense->null + part->first, *const largest = dense->vector + part->first;
    const double *const row = dense->matrix + part->at + i;
    double size = dense->least / 4 * largest[i], entries = 0;
    double of_row = 0;
    for (int64_t j = 0; j < n; ++j) {
        of_row += fabs(row[j * n]) * largest[j];
        entries += row[j * n] != 0;
    }
    size = eps * (dense->roundings + entries) * fmax(of_row, size);
    for (int c = 0; c < taken; ++c) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) sum += row[j * n] * columns[c * dense->rows + j];
        images[c * dense->rows + i] = size > 0 ? sum / size : 0;
    }
}

static void turn(double *x, double *y, int n, double cosine, double sine)
{
    for (int i = 0; i < n; ++i) {
        const double a = x[i], b = y[i];
        x[i] = cosine * a - sine * b;
        y[i] = sine * a + cosine * b;
    }
}

/* Rotates a pair of images, and their columns with them, unless they are already orthogonal. */
static bool turn_pair(double *x, double *y, double *of_x, double *of_y, int n)
{
    const double xx = dot_in_order(x, x, n), yy = dot_in_order(y, y, n), xy = dot_in_order(x, y, n);
    const spg_amg_rotation by = spg_amg_rotation_of(xx, yy, xy);
    if (!by.turns) return false;
    turn(x, y, n, by.cosine, by.sine);
    turn(of_x, of_y, n, by.cosine, by.sine);
    return true;
}

static void turn_all(double *images, double *columns, int64_t stride, int taken, int n)
{
    bool turned = taken > 1;
    for (int sweep = 0; turned && sweep < MOST_SWEEPS; ++sweep) {
        turned = false;
        for (int p = 0; p + 1 < taken; ++p)
            for (int q = p + 1; q < taken; ++q)
                if (turn_pair(images + p * stride, images + q * stride, columns + p * stride, columns + q * stride, n))
                    turned = true;
    }
}

/* The columns of N in A's own unknowns. */
static void put_null_of_A(const spg_amg_dense *dense, const spg_dense_part *part)
{
    double *const columns = dense->null_of_A + part->first;
    for (int c = 0; c < part->nullity; ++c) {
        const double *const from = dense->null + c * dense->rows + part->first;
        for (int i = 0; i < part->rows; ++i)
            columns[c * dense->rows + i] = from[i] * dense->scaling[dense->unknowns[part->first + i]];
        add_orthonormal(columns, dense->rows, c, part->rows, 0);
    }
}

void spg_dense_find_null_space(const spg_amg_dense *dense, spg_dense_part *part)
{
    const int taken = take_candidates(dense, part), n = part->rows;
    double *const columns = dense->null + part->first, *const images = dense->null_of_A + part->first;
    double *const largest = dense->vector + part->first;
    part->nullity = 0;
    if (taken == 0) return;
    for (int i = 0; i < n; ++i) {
        largest[i] = 0;
        for (int c = 0; c < taken; ++c) largest[i] = fmax(largest[i], fabs(columns[c * dense->rows + i]));
    }
    for (int i = 0; i < n; ++i) weigh_row(dense, part, taken, i, images);
    turn_all(images, columns, dense->rows, taken, n);
    for (int c = 0; c < taken; ++c) {
        if (!(largest_of(images + c * dense->rows, n) <= 1)) continue;
        if (c != part->nullity)
            memcpy(columns + part->nullity * dense->rows, columns + c * dense->rows, (size_t)n * sizeof *columns);
        part->nullity++;
    }
    put_null_of_A(dense, part);
}
