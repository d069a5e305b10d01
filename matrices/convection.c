/* Convection and diffusion, -epsilon Laplace u + w . grad u, on the N x N inner points of the unit square with
 * Dirichlet boundaries: five points, first-order upwind differences, times h^2/epsilon. Inner rows sum to zero.
 *
 * conv2d: a constant wind w of speed 1, at 30 degrees to x. recirc2d: a flow that recirculates about the centre, with
 * w = (2b(1 - a^2), -2a(1 - b^2)) for a, b from -1 to 1 along x and y (the double glazing of Elman, Silvester, Wathen:
 * Finite Elements and Fast Iterative Solvers, section 6.1). */
#include "families.h"
#include "grid.h"

#include <math.h>

typedef struct wind {
    double x, y;
} wind;

static wind constant_wind(double x, double y)
{
    (void)x, (void)y;
    return (wind){0.86602540378443864676, 0.5};
}

static wind recirculating_wind(double x, double y)
{
    const double a = 2 * x - 1, b = 2 * y - 1;
    return (wind){2 * b * (1 - a * a), -2 * a * (1 - b * b)};
}

/* What the neighbour a step along an axis adds: the wind there times h/epsilon counts if it blows from it. */
static double coupling(double speed, int64_t step) { return 1 + (speed * (double)step < 0 ? fabs(speed) : 0); }

static spg_status generate_convection(const generator_request *request, wind (*blow)(double x, double y),
                                      spg_csr *matrix)
{
    const grid points = {request->size, request->size, 1};
    const stencil steps = make_stencil(STENCIL_FACES, 2);
    const int64_t n = grid_points(&points);
    spg_status status = check_positive(request, "the diffusion");
    if (status == SPG_OK) status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, stencil_entries(&steps, &points), matrix);
    if (status != SPG_OK) return status;
    const double h = 1 / ((double)request->size + 1), factor = h / request->number[0];
    int32_t neighbours[STENCIL_MOST];
    int64_t k = 0;
    for (int64_t row = 0; row < n; row++) {
        const int64_t x = row % points.nx, y = row / points.nx;
        const int count = stencil_neighbours(&steps, &points, x, y, 0, neighbours);
        const wind here = blow((double)(x + 1) * h, (double)(y + 1) * h);
        const double speed_x = here.x * factor, speed_y = here.y * factor;
        for (int j = 0; j < count; j++) {
            const int64_t dx = neighbours[j] % points.nx - x, dy = neighbours[j] / points.nx - y;
            const double value = dx != 0   ? -coupling(speed_x, dx)
                                 : dy != 0 ? -coupling(speed_y, dy)
                                           : 4 + fabs(speed_x) + fabs(speed_y);
            put_entry(matrix, k++, row, neighbours[j], value);
        }
        set_offset(matrix, row + 1, k);
    }
    return SPG_OK;
}

spg_status generate_conv2d(const generator_request *request, spg_csr *matrix)
{
    return generate_convection(request, constant_wind, matrix);
}

spg_status generate_recirc2d(const generator_request *request, spg_csr *matrix)
{
    return generate_convection(request, recirculating_wind, matrix);
}
