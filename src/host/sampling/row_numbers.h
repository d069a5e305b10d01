/* The caller's row numbers. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_ROW_NUMBERS_H
#define SPG_SRC_HOST_SAMPLING_ROW_NUMBERS_H

#include "context.h"

/* The first i with rows[i] outside [0, limit), or with empty_rows [-1, limit); count if there is none, or
 * if the context trusts. */
int64_t spg_host_first_bad_row(const spg_context *context, const int32_t *rows, int64_t count, int64_t limit,
                               bool empty_rows);

#endif
