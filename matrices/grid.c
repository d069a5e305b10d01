/* See grid.h. */
#include "grid.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_in_shape(stencil_shape shape, int x, int y, int z)
{
    switch (shape) {
    case STENCIL_FACES: return abs(x) + abs(y) + abs(z) <= 1;
    case STENCIL_KUHN: return (x >= 0 && y >= 0 && z >= 0) || (x <= 0 && y <= 0 && z <= 0);
    default: return true;
    }
}

stencil make_stencil(stencil_shape shape, int dimensions)
{
    stencil made = {0};
    int depth = dimensions == 3 ? 1 : 0;
    for (int z = -depth; z <= depth; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                if (!is_in_shape(shape, x, y, z)) continue;
                made.steps[made.count].x = (int8_t)x;
                made.steps[made.count].y = (int8_t)y;
                made.steps[made.count].z = (int8_t)z;
                made.count++;
            }
    return made;
}

int64_t grid_points(const grid *points)
{
    if (points->nx == 0 || points->ny == 0 || points->nz == 0) return 0;
    if (points->nx > INT32_MAX || points->ny > INT32_MAX || points->nz > INT32_MAX) return INT64_MAX;
    int64_t plane = points->nx * points->ny;
    if (plane > INT32_MAX || plane * points->nz > INT32_MAX) return INT64_MAX;
    return plane * points->nz;
}

/* Along an axis of n points, n - 1 have a neighbour one step away. */
static int64_t axis_pairs(int64_t n, int step) { return step == 0 || n == 0 ? n : n - 1; }

int64_t stencil_entries(const stencil *shape, const grid *points)
{
    int64_t entries = 0;
    for (int s = 0; s < shape->count; s++)
        entries += axis_pairs(points->nx, shape->steps[s].x) * axis_pairs(points->ny, shape->steps[s].y) *
                   axis_pairs(points->nz, shape->steps[s].z);
    return entries;
}
