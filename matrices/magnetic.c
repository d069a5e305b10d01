/* Schroedinger's operator of a charge in a magnetic field along z, on N x N or N x N x N points with Dirichlet
 * boundaries: the five- or seven-point Laplacian with Peierls phases (Peierls 1933), Hermitian and positive definite.
 * `flux` quanta go through the grid. In Landau's gauge, centred, a step in y at x has the phase 2 pi flux (x -
 * (N-1)/2) / N^2; the phases around a cell sum to the flux through it. Real types get the real parts. */
#include "families.h"
#include "grid.h"

#include <math.h>

/* Writes the entries of a row; returns the number of the next. Only a step in y has a phase, as complex types turn it.
 */
static int64_t put_row(const grid *points, const stencil *steps, double flux, int64_t row, int64_t k,
                       const spg_csr *matrix)
{
    const int64_t x = row % points->nx, y = row / points->nx % points->ny, z = row / (points->nx * points->ny);
    const double side = (double)points->nx, turns = flux * ((double)x - (side - 1) / 2) / (side * side);
    double c, s;
    find_direction(360 * (turns - floor(turns)), &c, &s);
    int32_t neighbours[STENCIL_MOST];
    const int count = stencil_neighbours(steps, points, x, y, z, neighbours);
    for (int j = 0; j < count; j++, k++) {
        const int64_t away = neighbours[j] - row;
        matrix->columns[k] = neighbours[j];
        if (away == 0)
            set_value(matrix, k, points->nz > 1 ? 6 : 4, 0);
        else if (away == points->nx || away == -points->nx)
            set_value(matrix, k, -c, away > 0 ? -s : s);
        else
            set_value(matrix, k, -1, 0);
    }
    return k;
}

static spg_status generate_magnet(const generator_request *request, int dimensions, spg_csr *matrix)
{
    const grid points = {request->size, request->size, dimensions == 3 ? request->size : 1};
    const stencil steps = make_stencil(STENCIL_FACES, dimensions);
    const int64_t n = grid_points(&points);
    spg_status status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, stencil_entries(&steps, &points), matrix);
    if (status != SPG_OK) return status;
    int64_t k = 0;
    for (int64_t row = 0; row < n; row++) {
        k = put_row(&points, &steps, request->number[0], row, k, matrix);
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}

spg_status generate_magnet2d(const generator_request *request, spg_csr *matrix)
{
    return generate_magnet(request, 2, matrix);
}

spg_status generate_magnet3d(const generator_request *request, spg_csr *matrix)
{
    return generate_magnet(request, 3, matrix);
}
