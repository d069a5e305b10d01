/* Checks of weights before they are summed, and the fault to report. Private. */
#ifndef SPG_SRC_HOST_SAMPLING_WEIGHTS_H
#define SPG_SRC_HOST_SAMPLING_WEIGHTS_H

#include "sampling/sampling_backend.h"
#include "sums.h"

/* Checks offsets and columns, unless they are trusted, and that no row is empty if the context's options allow none;
 * *longest = the number of items of the longest row. */
spg_status spg_host_open_weights(spg_context *context, const spg_csr *weights, bool trusted, int64_t *longest);

/* What a row is, by its sum. */
typedef enum spg_row_kind { SPG_ROW_FAULTY, SPG_ROW_SOUND, SPG_ROW_OF_NOTHING } spg_row_kind;

static inline spg_row_kind spg_kind_of_row(bool weights_sound, double sum, bool empty_rows)
{
    if (weights_sound && sum > 0) return SPG_ROW_SOUND;
    return weights_sound && sum == 0 && empty_rows ? SPG_ROW_OF_NOTHING : SPG_ROW_FAULTY;
}

/* Fails with the message of the first faulty one of `rows` rows, if there is one. */
spg_status spg_host_find_weight_fault(spg_context *context, const spg_csr *weights, int64_t rows);

/* The same for one row. */
spg_status spg_host_find_row_fault(spg_context *context, const spg_csr *weights, int64_t row);

/* Fails with the message of the first faulty row. To be called when a stage has found a faulty row; the first one is at
 * most `row`. */
spg_status spg_host_fail_weights(spg_context *context, const spg_csr *weights, int64_t row);

/* Builds the rows of a table: short and middle rows by one thread each, those of more than SPG_TEAM_ITEMS one after
 * another by `team` threads. build: false for a row that cannot be drawn from. room: thread_room bytes for each of
 * `threads`, and then what the longest row needs. Returns the first faulty row, or rows. */
enum { SPG_TEAM_ITEMS = 1 << 17 };
typedef bool spg_build_row(const spg_csr *weights, const void *table, int64_t row, spg_threads threads, void *room);

/* What the rows are built with. */
typedef struct spg_build_means {
    spg_threads threads, team;
    int64_t thread_room;
    void *room;
} spg_build_means;

/* The same for listed rows: returns where in the list the first faulty one is, or the list's count. */
int64_t spg_host_build_listed_rows(const spg_csr *weights, spg_row_list rows, spg_build_row *build, const void *table,
                                   const spg_build_means *means);
int64_t spg_host_build_rows(const spg_csr *weights, spg_build_row *build, const void *table, spg_threads threads,
                            spg_threads team, int64_t thread_room, void *room);

/* Allocates and fills the copies that tables keep of a matrix; *columns stays NULL if the matrix has none. On failure
 * the caller frees what is there. */
spg_status spg_host_copy_shape(spg_context *context, const spg_csr *weights, int64_t **offsets, int32_t **columns);

#endif
