/* Checks of weights before they are summed, and the fault to report. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_WEIGHTS_H
#define SPG_SRC_HOST_SAMPLING_WEIGHTS_H

#include "sums.h"

/* Checks offsets and columns; *longest = the number of items of the longest row. */
spg_status spg_host_open_weights(spg_context *context, const spg_csr *weights, int64_t *longest);

/* Whether a row can be drawn from, judged by its sum. */
static inline bool spg_row_is_sound(bool weights_sound, double sum) { return weights_sound && sum > 0; }

/* Fails with the message of the first faulty row. To be called when a stage has found a faulty row; the first one is at
 * most `row`. */
spg_status spg_host_fail_weights(spg_context *context, const spg_csr *weights, int64_t row);

/* Builds the rows of a table: short and middle rows by one thread each, those of more than SPG_TEAM_ITEMS one after
 * another by `team` threads. build: false for a row that cannot be drawn from. room: thread_room bytes for each of
 * `threads`, and then what the longest row needs. Returns the first faulty row, or rows. */
enum { SPG_TEAM_ITEMS = 1 << 17 };
typedef bool spg_build_row(const spg_csr *weights, const void *table, int64_t row, spg_threads threads, void *room);
int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, spg_threads threads,
                            spg_threads team, int64_t thread_room, void *room);

/* Allocates and fills the copies that tables keep of a matrix; *columns stays NULL if the matrix has none. On failure
 * the caller frees what is there. */
spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns);

#endif
