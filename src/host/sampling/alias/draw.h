/* Shared by the samplers. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_ALIAS_DRAW_H
#define SPG_SRC_HOST_SAMPLING_ALIAS_DRAW_H

#include "sampling/alias.h"
#include "sampling/sampling_backend.h"

/* Replaces items of a row by their names. */
static inline void spg_host_name_items(const spg_alias *alias, int64_t begin, int64_t count, int32_t *draws)
{
    if (alias->columns == NULL) return;
    const int32_t *columns = alias->columns + begin;
    for (int64_t k = 0; k < count; ++k)
        if (draws[k] >= 0) draws[k] = columns[draws[k]];
}

spg_status spg_host_grouped_draws(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                                  const spg_random *random, int32_t *draws);

#endif
