/* A stable counting sort of entries into rows, used by the transpose and by COO to CSR. Private. */
#ifndef SPG_SRC_HOST_CONTAINERS_DISTRIBUTE_H
#define SPG_SRC_HOST_CONTAINERS_DISTRIBUTE_H

#include "spg/csr.h"

/* Entry k goes to row keys[k] with column partners[k] or, if partners is NULL, with the row of `rows_of` that contains
 * entry k. */
typedef struct spg_host_entries {
    const int32_t *keys, *partners;
    const spg_csr *rows_of;
    const void *values;
    int64_t *map; /* NULL, or receives k where entry k goes, in place of its value; with rows_of */
} spg_host_entries;

/* Fills `out`, allocated by spg_csr_alloc for all entries, each row in the order of the entries. Workspace: at most the
 * bytes of out's entries, less under a workspace limit, of which `held` bytes are already in use. */
spg_status spg_host_distribute(spg_context *context, const spg_host_entries *entries, int64_t held, spg_csr *out);

#endif
