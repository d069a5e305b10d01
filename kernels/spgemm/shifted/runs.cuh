/* Runs of shifted rows: rows of A, and the rows of B that they name, whose columns are those of the row before plus
 * one, as for a stencil on a grid; so their rows of C are shifted, too (shifted/count.cu, shifted/fill.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_SHIFTED_RUNS_CUH
#define SPG_KERNELS_SPGEMM_SHIFTED_RUNS_CUH

#include "../product.cuh"

namespace spg
{

/* PART: rows of A that a block looks at; no run crosses it. LEAST: rows of the shortest run. The others are limits for
 * a run's rows: entries and products in A, entries of C, and entries of a row of B. */
enum {
    SHIFTED_PART = 1024,
    SHIFTED_LEAST = 8,
    SHIFTED_MOST_A = 32,
    SHIFTED_MOST_PRODUCTS = 1024,
    SHIFTED_MOST = 256,
    SHIFTED_MOST_B = 255
};

/* Rows first, first + 1, ... of C, done in tiles of `tile_rows` rows, a lane a row. */
struct alignas(16) shifted_run {
    int32_t first, rows, tile_rows, products; /* products: of a row */
};

/* In workspace; memory = NULL: none. */
struct shifted_rows {
    void *memory;
    int64_t bytes;
    int32_t room;     /* values of A and B that a tile may hold in shared memory */
    uint32_t *counts; /* of runs, of counted rows and of single rows, as the arrays below */
    shifted_run *runs;
    int32_t *counted; /* the first row of every run, and single rows */
    int32_t *single;  /* rows in no run */
    uint8_t *shifts;  /* one a row of B: whether it is the row before, shifted */
};

/* Finds the runs, for has_common_types; if workspace is unavailable, rows->memory stays NULL. */
spg_status list_shifted_rows(cuda_product &product, shifted_rows *rows);

/* Counts all rows: first the single rows and one row of each run in tables of `slots` slots, with their overflow rows;
 * then copies lengths to the other rows of runs. Does not post the counters. */
spg_status count_rows_shifted(cuda_product &product, const shifted_rows &rows, int slots);

/* The rows in no run. */
row_set single_rows(const cuda_product &product, const shifted_rows &rows);

/* shifted/fill.cu. Fills the rows of runs, up to SHIFTED_MOST entries of C. */
int32_t shifted_room(const cuda_product &product);
spg_status fill_runs(cuda_product &product, const shifted_rows &rows);

} // namespace spg

#endif
