#include "alias_map.h"

#include <stddef.h>
#include <stdlib.h>

/* Scaled weights in `left`; a light item takes what it lacks from a heavy one, which may become light by that. */
static void pair(int32_t items, double *left, int32_t *light, int32_t *heavy, alias_cell *cells)
{
    int32_t lights = 0, heavies = 0;
    for (int32_t k = items; k-- > 0;) {
        cells[k] = (alias_cell){1.0, k};
        if (left[k] < 1.0)
            light[lights++] = k;
        else
            heavy[heavies++] = k;
    }
    while (lights > 0 && heavies > 0) {
        const int32_t small = light[--lights], large = heavy[heavies - 1];
        cells[small] = (alias_cell){left[small], large};
        left[large] -= 1.0 - left[small];
        if (left[large] >= 1.0) continue;
        heavies--;
        light[lights++] = large;
    }
}

bool alias_map_build(int32_t items, const double *weights, alias_cell *cells)
{
    const size_t count = (size_t)items;
    double *left = malloc(count * sizeof *left), total = 0.0;
    int32_t *light = malloc(2 * count * sizeof *light);
    const bool ready = left != NULL && light != NULL;
    if (ready) {
        for (size_t k = 0; k < count; k++) total += weights[k];
        for (size_t k = 0; k < count; k++) left[k] = weights[k] / total * (double)items;
        pair(items, left, light, light + count, cells);
    }
    free(light);
    free(left);
    return ready;
}

int32_t alias_map(int32_t items, const alias_cell *cells, double u, double *remapped)
{
    const double scaled = u * (double)items;
    const int32_t cell = scaled < (double)items ? (int32_t)scaled : items - 1;
    const double fraction = scaled - (double)cell, threshold = cells[cell].threshold;
    const bool own = fraction < threshold;
    if (remapped != NULL) *remapped = own ? fraction / threshold : (fraction - threshold) / (1.0 - threshold);
    return own ? cell : cells[cell].alias;
}
