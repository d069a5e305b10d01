/* Linear elasticity: a block of trilinear bricks, clamped at its bottom, and the rigid-body modes of the nodes of any
 * matrix with three unknowns per node. */
#include "families.h"
#include "grid.h"

#include <math.h>
#include <string.h>

enum { UNKNOWNS = 3, CORNERS = 8, MODES = 6 };

/* Lame's constants. */
typedef struct lame {
    double lambda, mu;
} lame;

/* Of Young's modulus 1. */
static lame lame_of(double poisson)
{
    return (lame){poisson / ((1 + poisson) * (1 - 2 * poisson)), 1 / (2 * (1 + poisson))};
}

/* The stiffness of a brick of side 1: the block of corners a and b. Corner a is at (a & 1, a >> 1 & 1, a >> 2). */
typedef struct stiffness {
    double block[CORNERS][CORNERS][UNKNOWNS][UNKNOWNS];
} stiffness;

/* Derivatives of corner a's shape function. */
static void shape_gradient(int a, const double at[UNKNOWNS], double gradient[UNKNOWNS])
{
    double value[UNKNOWNS], slope[UNKNOWNS];
    for (int c = 0; c < UNKNOWNS; c++) {
        const bool far = (a >> c & 1) != 0;
        value[c] = far ? at[c] : 1 - at[c];
        slope[c] = far ? 1 : -1;
    }
    gradient[0] = slope[0] * value[1] * value[2];
    gradient[1] = value[0] * slope[1] * value[2];
    gradient[2] = value[0] * value[1] * slope[2];
}

/* Adds the contribution of one point of the Gauss rule with two points per direction to the rows of corner a and,
 * mirrored, to the columns: symmetric bit for bit. */
static void add_point(const lame *solid, const double at[UNKNOWNS], stiffness *brick)
{
    double gradients[CORNERS][UNKNOWNS];
    for (int a = 0; a < CORNERS; a++) shape_gradient(a, at, gradients[a]);
    for (int row = 0; row < CORNERS * UNKNOWNS; row++) {
        for (int column = row; column < CORNERS * UNKNOWNS; column++) {
            const int a = row / UNKNOWNS, i = row % UNKNOWNS, b = column / UNKNOWNS, j = column % UNKNOWNS;
            const double *A = gradients[a], *B = gradients[b];
            double sum = solid->lambda * A[i] * B[j] + solid->mu * A[j] * B[i];
            if (i == j) sum += solid->mu * (A[0] * B[0] + A[1] * B[1] + A[2] * B[2]);
            brick->block[a][b][i][j] += sum / 8;
            if (column > row) brick->block[b][a][j][i] = brick->block[a][b][i][j];
        }
    }
}

static stiffness brick_stiffness(double poisson)
{
    const lame solid = lame_of(poisson);
    stiffness brick;
    memset(&brick, 0, sizeof brick);
    for (int point = 0; point < 8; point++) {
        double at[UNKNOWNS];
        for (int c = 0; c < UNKNOWNS; c++) at[c] = 0.5 + ((point >> c & 1) != 0 ? 0.5 : -0.5) / sqrt(3.0);
        add_point(&solid, at, &brick);
    }
    return brick;
}

/* The corner of the brick at `brick` that is the node at `node`, or -1. */
static int corner_of(const int64_t node[UNKNOWNS], const int64_t brick[UNKNOWNS])
{
    int corner = 0;
    for (int c = 0; c < UNKNOWNS; c++) {
        const int64_t step = node[c] - brick[c];
        if (step < 0 || step > 1) return -1;
        corner |= (int)step << c;
    }
    return corner;
}

/* Sums the blocks of two nodes over the bricks that contain both, in ascending order from either side. The lowest
 * bricks rest on the clamped nodes below the grid's first layer. */
static void couple(const stiffness *one, const grid *nodes, const int64_t node[UNKNOWNS],
                   const int64_t neighbour[UNKNOWNS], double block[UNKNOWNS][UNKNOWNS])
{
    memset(block, 0, sizeof(double) * UNKNOWNS * UNKNOWNS);
    for (int near = 0; near < CORNERS; near++) {
        const int64_t brick[] = {node[0] - 1 + (near & 1), node[1] - 1 + (near >> 1 & 1), node[2] - 1 + (near >> 2)};
        if (brick[0] < 0 || brick[0] + 1 >= nodes->nx || brick[1] < 0 || brick[1] + 1 >= nodes->ny ||
            brick[2] + 1 >= nodes->nz)
            continue;
        const int a = corner_of(node, brick), b = corner_of(neighbour, brick);
        if (b < 0) continue;
        for (int i = 0; i < UNKNOWNS; i++)
            for (int j = 0; j < UNKNOWNS; j++) block[i][j] += one->block[a][b][i][j];
    }
}

/* Writes the rows of one node from entry k on. */
static void put_node(const spg_csr *matrix, const stiffness *one, const grid *nodes, const int64_t node[UNKNOWNS],
                     const int32_t *neighbours, int count, int64_t k)
{
    const int64_t number = (node[2] * nodes->ny + node[1]) * nodes->nx + node[0], length = UNKNOWNS * (int64_t)count;
    for (int n = 0; n < count; n++) {
        const int64_t other[] = {neighbours[n] % nodes->nx, neighbours[n] / nodes->nx % nodes->ny,
                                 neighbours[n] / (nodes->nx * nodes->ny)};
        double block[UNKNOWNS][UNKNOWNS];
        couple(one, nodes, node, other, block);
        for (int i = 0; i < UNKNOWNS; i++)
            for (int j = 0; j < UNKNOWNS; j++)
                put_entry(matrix, k + i * length + UNKNOWNS * n + j, UNKNOWNS * number + i,
                          UNKNOWNS * (int64_t)neighbours[n] + j, block[i][j]);
    }
    for (int i = 0; i < UNKNOWNS; i++) set_offset(matrix, UNKNOWNS * number + i + 1, k + (i + 1) * length);
}

static spg_status check_poisson(const generator_request *request)
{
    const double ratio = request->number[0];
    if (ratio > -1 && ratio < 0.5) return SPG_OK;
    return spg_context_fail(request->context, SPG_ERROR_ARGUMENT,
                            "%.80s: Poisson's ratio is %g, not above -1 and below 0.5", request->name, ratio);
}

spg_status generate_solid3d(const generator_request *request, spg_csr *matrix)
{
    const int64_t side = request->size;
    const grid nodes = {side, side, side};
    const stencil box = make_stencil(STENCIL_BOX, 3);
    const int64_t count = grid_points(&nodes), n = count <= INT32_MAX ? UNKNOWNS * count : INT64_MAX;
    spg_status status = check_poisson(request);
    if (status == SPG_OK) status = check_order(request, n);
    if (status == SPG_OK)
        status = allocate_square(request, n, UNKNOWNS * UNKNOWNS * stencil_entries(&box, &nodes), matrix);
    if (status != SPG_OK) return status;
    const stiffness one = brick_stiffness(request->number[0]);
    int32_t neighbours[STENCIL_MOST];
    int64_t k = 0;
    for (int64_t number = 0; number < count; number++) {
        const int64_t node[] = {number % side, number / side % side, number / (side * side)};
        const int near = stencil_neighbours(&box, &nodes, node[0], node[1], node[2], neighbours);
        put_node(matrix, &one, &nodes, node, neighbours, near, k);
        k += UNKNOWNS * UNKNOWNS * near;
    }
    return SPG_OK;
}

/* ---- Rigid-body modes ---- */

static void put_mode(spg_type type, void *values, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

/* Three translations, and rotations about the axes through the middle of the grid. */
void put_rigid_body_modes(const grid *nodes, spg_type type, void *values)
{
    const int64_t count = grid_points(nodes), rows = UNKNOWNS * count;
    for (int64_t number = 0; number < count; number++) {
        const double x = (double)(number % nodes->nx) - 0.5 * (double)(nodes->nx - 1),
                     y = (double)(number / nodes->nx % nodes->ny) - 0.5 * (double)(nodes->ny - 1),
                     z = (double)(number / (nodes->nx * nodes->ny)) - 0.5 * (double)(nodes->nz - 1);
        const double modes[MODES][UNKNOWNS] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-y, x, 0}, {0, -z, y}, {z, 0, -x}};
        for (int m = 0; m < MODES; m++)
            for (int c = 0; c < UNKNOWNS; c++) put_mode(type, values, m * rows + UNKNOWNS * number + c, modes[m][c]);
    }
}
