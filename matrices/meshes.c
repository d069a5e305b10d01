/* Unstructured meshes: the edges of a triangulated square and of a cube cut into tetrahedra. The vertices are
 * renumbered at random within blocks of 4096, which gives the partial locality of mesh generators.
 *
 * Values are a graph Laplacian of random edge weights in [0.5, 1.5), symmetric. Inner rows sum to zero, those of
 * boundary vertices to 1. Needs 8 bytes per vertex besides the matrix. */
#include "families.h"
#include "grid.h"
#include "random_bits.h"

#include <stdlib.h>

enum { RENUMBERED_BLOCK = 4096 };
enum { STREAM_NUMBERING = 1, STREAM_WEIGHTS, STREAM_DIAGONALS };

typedef struct mesh {
    grid points;
    stencil steps;
    bool is_triangulation;   /* the diagonals of its cells are random; steps is not used */
    uint64_t diagonals;      /* key */
    uint64_t weights;        /* key */
    int32_t *natural_number; /* for each vertex: its number in the grid */
    int32_t *mesh_number;    /* the inverse */
} mesh;

/* Fisher-Yates shuffle of each block. */
static void renumber(mesh *m, int64_t n, uint64_t key)
{
    for (int64_t first = 0; first < n; first += RENUMBERED_BLOCK) {
        int64_t count = n - first < RENUMBERED_BLOCK ? n - first : RENUMBERED_BLOCK;
        int32_t *block = m->natural_number + first;
        for (int64_t i = 0; i < count; i++) block[i] = (int32_t)(first + i);
        for (int64_t i = count - 1; i > 0; i--) {
            int64_t j = random_below(random_bits(key, (uint64_t)(first + i)), i + 1);
            int32_t swapped = block[i];
            block[i] = block[j];
            block[j] = swapped;
        }
    }
    for (int64_t i = 0; i < n; i++) m->mesh_number[m->natural_number[i]] = (int32_t)i;
}

/* Whether the cell with lowest corner (x, y) is split from that corner to the opposite one. */
static bool is_split_upwards(const mesh *m, int64_t x, int64_t y)
{
    return random_bits(m->diagonals, (uint64_t)(y * m->points.nx + x)) >> 63 != 0;
}

/* As stencil_neighbours: the four along the axes, and those along the diagonals of the cells around (x, y). */
static int triangulation_neighbours(const mesh *m, int64_t x, int64_t y, int32_t *neighbours)
{
    int count = 0;
    for (int64_t j = y - 1; j <= y + 1; j++)
        for (int64_t i = x - 1; i <= x + 1; i++) {
            if (i < 0 || i >= m->points.nx || j < 0 || j >= m->points.ny) continue;
            if (i != x && j != y) {
                bool upwards = (i < x) == (j < y);
                if (is_split_upwards(m, i < x ? i : x, j < y ? j : y) != upwards) continue;
            }
            neighbours[count++] = (int32_t)(j * m->points.nx + i);
        }
    return count;
}

static bool is_on_boundary(const grid *points, int64_t x, int64_t y, int64_t z)
{
    return x == 0 || x == points->nx - 1 || y == 0 || y == points->ny - 1 ||
           (points->nz > 1 && (z == 0 || z == points->nz - 1));
}

/* Writes a row from entry k on and returns the entry after it. */
static int64_t put_vertex(const mesh *m, const spg_csr *matrix, int64_t row, int64_t k)
{
    int64_t vertex = m->natural_number[row];
    int64_t x = vertex % m->points.nx, y = vertex / m->points.nx % m->points.ny;
    int64_t z = vertex / m->points.nx / m->points.ny;
    int32_t columns[STENCIL_MOST];
    double weights[STENCIL_MOST];
    int count = m->is_triangulation ? triangulation_neighbours(m, x, y, columns)
                                    : stencil_neighbours(&m->steps, &m->points, x, y, z, columns);
    for (int j = 0; j < count; j++) columns[j] = m->mesh_number[columns[j]];
    sort_short_row(columns, count);
    double diagonal = is_on_boundary(&m->points, x, y, z) ? 1.0 : 0.0;
    for (int j = 0; j < count; j++) {
        int64_t other = m->natural_number[columns[j]];
        if (other == vertex) continue;
        weights[j] = random_weight(m->weights, other < vertex ? other : vertex, other < vertex ? vertex : other);
        diagonal += weights[j];
    }
    for (int j = 0; j < count; j++)
        put_entry(matrix, k + j, row, columns[j], columns[j] == row ? diagonal : -weights[j]);
    return k + count;
}

/* entries: those of the whole matrix. */
static spg_status generate_mesh(const generator_request *request, mesh *m, int64_t entries, spg_csr *matrix)
{
    int64_t n = grid_points(&m->points);
    void *natural_number = NULL, *mesh_number = NULL;
    spg_status status = allocate_scratch(request->context, n, sizeof(int32_t), &natural_number);
    if (status == SPG_OK) status = allocate_scratch(request->context, n, sizeof(int32_t), &mesh_number);
    if (status == SPG_OK) status = allocate_square(request, n, entries, matrix);
    if (status == SPG_OK) {
        m->natural_number = natural_number;
        m->mesh_number = mesh_number;
        m->weights = random_key(request->seed, STREAM_WEIGHTS);
        m->diagonals = random_key(request->seed, STREAM_DIAGONALS);
        renumber(m, n, random_key(request->seed, STREAM_NUMBERING));
        int64_t k = 0;
        for (int64_t row = 0; row < n; row++) {
            k = put_vertex(m, matrix, row, k);
            set_offset(matrix, row + 1, k);
        }
    }
    free(mesh_number);
    free(natural_number);
    return status;
}

spg_status generate_tri2d(const generator_request *request, spg_csr *matrix)
{
    int64_t side = request->size;
    mesh m = {.points = {side, side, 1}, .is_triangulation = true};
    spg_status status = check_order(request, grid_points(&m.points));
    if (status != SPG_OK) return status;
    int64_t along_axes = 2 * side * (side - 1), across = side > 0 ? (side - 1) * (side - 1) : 0;
    return generate_mesh(request, &m, side * side + 2 * (along_axes + across), matrix);
}

spg_status generate_tet3d(const generator_request *request, spg_csr *matrix)
{
    int64_t side = request->size;
    mesh m = {.points = {side, side, side}, .steps = make_stencil(STENCIL_KUHN, 3)};
    spg_status status = check_order(request, grid_points(&m.points));
    if (status != SPG_OK) return status;
    return generate_mesh(request, &m, stencil_entries(&m.steps, &m.points), matrix);
}
