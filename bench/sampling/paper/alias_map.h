/* Walker's alias method driven by the caller's own numbers, as Binder and Keller compare with: the library draws from
 * its tables by random numbers of its own, since this mapping is what spoils the caller's. On the host. */
#ifndef SPG_BENCH_ALIAS_MAP_H
#define SPG_BENCH_ALIAS_MAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct alias_cell {
    double threshold; /* of the cell's own item */
    int32_t alias;
} alias_cell;

/* cells: of `items`, by Vose's algorithm, in the order of the items. False: no memory. */
bool alias_map_build(int32_t items, const double *weights, alias_cell *cells);

/* The item that u in [0, 1) maps to. *remapped (unless NULL): where u lies in the part of the cell that it fell in. */
int32_t alias_map(int32_t items, const alias_cell *cells, double u, double *remapped);

#endif
