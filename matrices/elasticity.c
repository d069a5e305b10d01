/* A matrix with the pattern of trilinear elements for linear elasticity: N x N x N-1 nodes, each coupled to the 27
 * nodes around it (itself included), 3 unknowns per node, and a dense 3x3 block for every coupling. The blocks are -1
 * on their diagonals and -1/4 off them; a node's own block has a diagonal that makes inner rows sum to zero. */
#include "families.h"
#include "grid.h"

enum { UNKNOWNS = 3 };

/* Writes the rows of one node from entry k on. */
static void put_node(const spg_csr *matrix, int64_t node, const int32_t *neighbours, int count, int64_t k)
{
    const double like = -1.0, cross = -0.25;
    const double diagonal = -((STENCIL_MOST - 1) * like + (UNKNOWNS - 1) * STENCIL_MOST * cross);
    for (int c = 0; c < UNKNOWNS; c++) {
        int64_t row = UNKNOWNS * node + c;
        for (int j = 0; j < count; j++)
            for (int d = 0; d < UNKNOWNS; d++, k++) {
                int64_t column = UNKNOWNS * (int64_t)neighbours[j] + d;
                put_entry(matrix, k, row, column, column == row ? diagonal : c == d ? like : cross);
            }
        set_offset(matrix, row + 1, k);
    }
}

spg_status generate_elast3d(const generator_request *request, spg_csr *matrix)
{
    int64_t side = request->size;
    grid nodes = {side, side, side > 0 ? side - 1 : 0};
    stencil box = make_stencil(STENCIL_BOX, 3);
    int64_t count = grid_points(&nodes);
    int64_t n = count <= INT32_MAX ? UNKNOWNS * count : INT64_MAX;
    spg_status status = check_order(request, n);
    if (status == SPG_OK)
        status = allocate_square(request, n, UNKNOWNS * UNKNOWNS * stencil_entries(&box, &nodes), matrix);
    if (status != SPG_OK) return status;
    int64_t node = 0, k = 0;
    int32_t neighbours[STENCIL_MOST];
    for (int64_t z = 0; z < nodes.nz; z++)
        for (int64_t y = 0; y < nodes.ny; y++)
            for (int64_t x = 0; x < nodes.nx; x++) {
                int near = stencil_neighbours(&box, &nodes, x, y, z, neighbours);
                put_node(matrix, node++, neighbours, near, k);
                k += UNKNOWNS * UNKNOWNS * near;
            }
    return SPG_OK;
}
