/* Sorting rows within another call. Private. */
#ifndef SPG_SRC_HOST_CONTAINERS_CSR_SORT_H
#define SPG_SRC_HOST_CONTAINERS_CSR_SORT_H

#include "spg/csr.h"

#include <stdbool.h>

/* As spg_csr_sort; `held` bytes of the workspace limit are already in use. */
spg_status spg_host_sort_rows(spg_context *context, spg_csr *matrix, int64_t held);

/* The same; `beside` bytes may turn out to be workspace later, so that fewer threads are used where that leaves room
 * for them. *used: the bytes taken for sorting. */
spg_status spg_host_sort_rows_beside(spg_context *context, spg_csr *matrix, int64_t held, int64_t beside,
                                     int64_t *used);

/* Whether the columns of every row ascend; they may repeat. */
bool spg_host_rows_ascend(const spg_context *context, const spg_csr *matrix);

#endif
