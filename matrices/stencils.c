/* Discrete Laplacians on N x N and N x N x N points with Dirichlet boundaries: the classes 1a, 1b, 2a and 2b of Dalton,
 * Bell, Olson. Off-diagonal values are -1; the diagonal is the number of neighbours of an inner point, so inner rows
 * sum to zero. */
#include "families.h"
#include "grid.h"

static spg_status generate_laplacian(const generator_request *request, stencil_shape shape, int dimensions,
                                     spg_csr *matrix)
{
    grid points = {request->size, request->size, dimensions == 3 ? request->size : 1};
    stencil steps = make_stencil(shape, dimensions);
    int64_t n = grid_points(&points);
    spg_status status = check_order(request, n);
    if (status == SPG_OK) status = allocate_square(request, n, stencil_entries(&steps, &points), matrix);
    if (status != SPG_OK) return status;
    double diagonal = steps.count - 1;
    int64_t row = 0, k = 0;
    int32_t neighbours[STENCIL_MOST];
    for (int64_t z = 0; z < points.nz; z++)
        for (int64_t y = 0; y < points.ny; y++)
            for (int64_t x = 0; x < points.nx; x++) {
                int count = stencil_neighbours(&steps, &points, x, y, z, neighbours);
                for (int j = 0; j < count; j++)
                    put_entry(matrix, k + j, row, neighbours[j], neighbours[j] == row ? diagonal : -1.0);
                k += count;
                set_offset(matrix, ++row, k);
            }
    return SPG_OK;
}

spg_status generate_fd2d5(const generator_request *request, spg_csr *matrix)
{
    return generate_laplacian(request, STENCIL_FACES, 2, matrix);
}

spg_status generate_fe2d9(const generator_request *request, spg_csr *matrix)
{
    return generate_laplacian(request, STENCIL_BOX, 2, matrix);
}

spg_status generate_fd3d7(const generator_request *request, spg_csr *matrix)
{
    return generate_laplacian(request, STENCIL_FACES, 3, matrix);
}

spg_status generate_fe3d27(const generator_request *request, spg_csr *matrix)
{
    return generate_laplacian(request, STENCIL_BOX, 3, matrix);
}
