/* The row kernels. Each computes one row of C, sorted, at the end of the staging buffer, and returns its number of
 * entries. Private. `row` counts within the loaded chunk. All add the products of an entry in storage order, from zero,
 * so they give the same bits, and any of them may be chosen. */
#ifndef SPG_SRC_HOST_SPGEMM_ROWS_H
#define SPG_SRC_HOST_SPGEMM_ROWS_H

#include "host/value_types.h"
#include "worker.h"

/* Repeated, list and network compute rows from `row` to before `end` and return how many; 0 if they cannot take the
 * first. Sort returns -1 if it cannot take the row (too many entries, columns too far apart), before it writes
 * anything. The window takes any row; long_row is its form for the row after the chunk's rows, and also counts the
 * products. */
#define DECLARE_ROW_KERNELS(suffix)                                                                                    \
    int64_t spg_rows_repeated_##suffix(spg_worker *worker, int64_t row, int64_t end);                                  \
    int64_t spg_rows_list_##suffix(spg_worker *worker, int64_t row, int64_t end);                                      \
    int64_t spg_rows_network_##suffix(spg_worker *worker, int64_t row, int64_t end);                                   \
    int64_t spg_row_sort_##suffix(spg_worker *worker, int64_t row);                                                    \
    int64_t spg_row_window_##suffix(spg_worker *worker, int64_t row);                                                  \
    int64_t spg_long_row_window_##suffix(spg_worker *worker, int64_t *products);

/* Some columns of a row of C, whose products are added in a dense accumulator or, if there are few for many columns,
 * gathered to be sorted. */
typedef struct column_window {
    int64_t first, columns;
    bool whole_row;   /* all products of the row are in the window */
    bool sorted;      /* B's rows ascend */
    int64_t width;    /* of windows that gather; 0: none does */
    bool gathers;     /* as this one does */
    int64_t gathered; /* products; more than sort_products: the window is too wide */
} column_window;

/* Gathers the products of `count` entries whose columns are in the window. Returns the first column beyond the window,
 * or INT64_MAX. spg_sort_gathered sorts and contracts them, where the caller has made room, and returns the entries of
 * C. */
#define DECLARE_GATHER(suffix, VALUE)                                                                                  \
    int64_t spg_gather_##suffix(spg_worker *worker, column_window *window, const VALUE *a_values,                      \
                                const int64_t *starts, const int32_t *lengths, int64_t count);                         \
    int64_t spg_sort_gathered_##suffix(spg_worker *worker, int64_t gathered);

DECLARE_GATHER(none, value_none)
DECLARE_GATHER(f32, value_f32)
DECLARE_GATHER(f64, value_f64)
DECLARE_GATHER(c32, value_c32)
DECLARE_GATHER(c64, value_c64)

/* Rows with equal columns in A, at least two, by the list kernel; the caller has made room. */
#define DECLARE_EQUAL_ROWS(suffix) void spg_rows_equal_##suffix(spg_worker *worker, int64_t row, int rows);

DECLARE_EQUAL_ROWS(none)
DECLARE_EQUAL_ROWS(f32)
DECLARE_EQUAL_ROWS(f64)
DECLARE_EQUAL_ROWS(c32)
DECLARE_EQUAL_ROWS(c64)

DECLARE_ROW_KERNELS(none)
DECLARE_ROW_KERNELS(f32)
DECLARE_ROW_KERNELS(f64)
DECLARE_ROW_KERNELS(c32)
DECLARE_ROW_KERNELS(c64)

/* The kernels of one value type. */
typedef struct row_kernels {
    int64_t (*repeated_rows)(spg_worker *worker, int64_t row, int64_t end);
    int64_t (*list_rows)(spg_worker *worker, int64_t row, int64_t end);
    int64_t (*network_rows)(spg_worker *worker, int64_t row, int64_t end);
    int64_t (*sort)(spg_worker *worker, int64_t row);
    int64_t (*window)(spg_worker *worker, int64_t row);
    int64_t (*long_row)(spg_worker *worker, int64_t *products);
} row_kernels;

#endif
