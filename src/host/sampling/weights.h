/* What of weights is checked before they are summed, and which fault to report. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_WEIGHTS_H
#define SPG_SRC_HOST_SAMPLING_WEIGHTS_H

#include "sums.h"

/* Offsets and columns; *longest = the items of the longest row. */
spg_status spg_host_open_weights(spg_context *context, const spg_csr *weights, int64_t *longest);

/* Whether a row can be drawn from, as its sum tells. */
static inline bool spg_row_is_sound(bool weights_sound, double sum) { return weights_sound && sum > 0; }

/* The first row at fault, when a stage has met one that is at most `row`: fails with its message. */
spg_status spg_host_fail_weights(spg_context *context, const spg_csr *weights, int64_t row);

/* Allocates and fills what tables keep of a matrix; *columns stays NULL where it has none. On failure the caller frees
 * what is there. */
spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns);

#endif
