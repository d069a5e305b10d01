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

/* A table's rows: short and middle ones by one thread each, those of more than SPG_TEAM_ITEMS one after the other by
 * `team` threads. build: false for a row that can't be drawn from. room: thread_room bytes for each of `threads`, and
 * then what the longest row needs. Returns the first row at fault, or rows. */
enum { SPG_TEAM_ITEMS = 1 << 17 };
typedef bool spg_build_row(const spg_csr *weights, const void *table, int64_t row, spg_threads threads, void *room);
int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, spg_threads threads,
                            spg_threads team, int64_t thread_room, void *room);

/* Allocates and fills what tables keep of a matrix; *columns stays NULL where it has none. On failure the caller frees
 * what is there. */
spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns);

#endif
