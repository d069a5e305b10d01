/* Diffusion with couplings that differ by direction, on N x N or N x N x N points with Dirichlet boundaries. A coupling
 * is that of the five- or seven-point stencil; inner rows sum to zero.
 *
 * stretch2d: cells a thousand times longer in y than in x, so that couplings in y are 10^-6 of those in x.
 * layers3d: layers in z, as in a reservoir: couplings in z are a thousandth of those in x and y.
 *
 * aniso2d: bilinear elements, so nine points, for a diffusion of 1 along a direction and of `epsilon` across it. */
#include "families.h"
#include "grid.h"

#include <math.h>

static spg_status generate_couplings(const generator_request *request, int dimensions, const double coupling[3],
                                     spg_csr *matrix)
{
    const grid points = {request->size, request->size, dimensions == 3 ? request->size : 1};
    const stencil steps = make_stencil(STENCIL_FACES, dimensions);
    const int64_t n = grid_points(&points);
    spg_status status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, stencil_entries(&steps, &points), matrix);
    if (status != SPG_OK) return status;
    const double diagonal = 2 * (coupling[0] + coupling[1] + (dimensions == 3 ? coupling[2] : 0));
    int32_t neighbours[STENCIL_MOST];
    int64_t k = 0;
    for (int64_t row = 0; row < n; row++) {
        const int64_t x = row % points.nx, y = row / points.nx % points.ny, z = row / (points.nx * points.ny);
        const int count = stencil_neighbours(&steps, &points, x, y, z, neighbours);
        for (int j = 0; j < count; j++) {
            const int64_t away = neighbours[j] > row ? neighbours[j] - row : row - neighbours[j];
            const int axis = away == 1 && neighbours[j] / points.nx == row / points.nx ? 0
                             : away < points.nx * points.ny                            ? 1
                                                                                       : 2;
            put_entry(matrix, k++, row, neighbours[j], away == 0 ? diagonal : -coupling[axis]);
        }
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}

spg_status generate_stretch2d(const generator_request *request, spg_csr *matrix)
{
    return generate_couplings(request, 2, (const double[3]){1, 1e-6, 0}, matrix);
}

spg_status generate_layers3d(const generator_request *request, spg_csr *matrix)
{
    return generate_couplings(request, 3, (const double[3]){1, 1, 1e-3}, matrix);
}

void find_direction(double degrees, double *cosine, double *sine)
{
    const double angle = degrees * (3.14159265358979323846 / 180);
    double term = 1;
    *cosine = *sine = 0;
    for (int k = 0; k < 60; k++) {
        double *const sum = k % 2 == 0 ? cosine : sine;
        *sum += k % 4 < 2 ? term : -term;
        term *= angle / (k + 1);
    }
}

spg_status generate_aniso2d(const generator_request *request, spg_csr *matrix)
{
    const grid points = {request->size, request->size, 1};
    const stencil steps = make_stencil(STENCIL_BOX, 2);
    const int64_t n = grid_points(&points);
    const double epsilon = request->number[0];
    double c, s;
    spg_status status = check_positive(request, "the diffusion across the direction");
    if (status == SPG_OK && fabs(request->number[1]) > 180)
        status = spg_context_fail(request->context, SPG_ERROR_ARGUMENT,
                                  "%.80s: the direction is %g degrees; at most 180", request->name, request->number[1]);
    if (status == SPG_OK) status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, stencil_entries(&steps, &points), matrix);
    if (status != SPG_OK) return status;
    find_direction(request->number[1], &c, &s);
    const double xx = c * c + epsilon * s * s, yy = s * s + epsilon * c * c, xy = (1 - epsilon) * c * s;
    int32_t neighbours[STENCIL_MOST];
    int64_t k = 0;
    for (int64_t row = 0; row < n; row++) {
        const int64_t x = row % points.nx, y = row / points.nx;
        const int count = stencil_neighbours(&steps, &points, x, y, 0, neighbours);
        for (int j = 0; j < count; j++) {
            const int64_t dx = neighbours[j] % points.nx - x, dy = neighbours[j] / points.nx - y;
            const double value = dx == 0 && dy == 0 ? 8 * (xx + yy)
                                 : dy == 0          ? 2 * yy - 4 * xx
                                 : dx == 0          ? 2 * xx - 4 * yy
                                                    : -(xx + yy) - 3 * (double)(dx * dy) * xy;
            put_entry(matrix, k++, row, neighbours[j], value / 6);
        }
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}
