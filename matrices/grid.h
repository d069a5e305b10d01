/* Box-shaped grids of points and the stencils on them. Points are numbered x first, z last. Private to matrices/. */
#ifndef SPG_MATRICES_GRID_H
#define SPG_MATRICES_GRID_H

#include "spg/types.h"

typedef struct grid {
    int64_t nx, ny, nz; /* nz is 1 in two dimensions */
} grid;

enum { STENCIL_MOST = 27 };

typedef enum stencil_shape {
    STENCIL_FACES, /* the point and its neighbours along the axes: 5 or 7 points */
    STENCIL_BOX,   /* all that differ by at most 1 in each coordinate: 9 or 27 points */
    STENCIL_KUHN   /* the vertices that share a simplex if each cell is cut into Kuhn's: 7 or 15 points */
} stencil_shape;

typedef struct stencil {
    int count;
    struct {
        int8_t x, y, z;
    } steps[STENCIL_MOST]; /* in ascending order of the points reached */
} stencil;

/* dimensions: 2 or 3. */
stencil make_stencil(stencil_shape shape, int dimensions);

/* nx*ny*nz, or INT64_MAX if that exceeds 2^31 - 1. */
int64_t grid_points(const grid *points);

/* The number of pairs (point, neighbour) in the whole grid; each point is a neighbour of itself. */
int64_t stencil_entries(const stencil *shape, const grid *points);

/* The six rigid-body modes for nodes with three unknowns, one after another; f32 or f64. */
void put_rigid_body_modes(const grid *nodes, spg_type type, void *values);

/* neighbours[0..] = the neighbours of (x, y, z) inside the grid, including itself, ascending. Returns their number. */
static inline int stencil_neighbours(const stencil *shape, const grid *points, int64_t x, int64_t y, int64_t z,
                                     int32_t *neighbours)
{
    int count = 0;
    for (int s = 0; s < shape->count; s++) {
        int64_t i = x + shape->steps[s].x, j = y + shape->steps[s].y, k = z + shape->steps[s].z;
        if (i < 0 || i >= points->nx || j < 0 || j >= points->ny || k < 0 || k >= points->nz) continue;
        neighbours[count++] = (int32_t)((k * points->ny + j) * points->nx + i);
    }
    return count;
}

#endif
