/* Rows of A, and of the rows of B that they name, whose columns are those of the row before, each one more, as of a
 * stencil on a grid: so are their rows of C (shifted/count.cu, shifted/fill.cu). Private. */
#ifndef SPG_KERNELS_SPGEMM_SHIFTED_RUNS_CUH
#define SPG_KERNELS_SPGEMM_SHIFTED_RUNS_CUH

#include "../product.cuh"

namespace spg
{

/* Rows of A that are looked at together, beyond which no run goes; rows of a run at least; of a run's rows, entries and
 * products in A, entries of C, and entries of a row of B. */
enum {
    SHIFTED_PART = 1024,
    SHIFTED_LEAST = 8,
    SHIFTED_MOST_A = 32,
    SHIFTED_MOST_PRODUCTS = 1024,
    SHIFTED_MOST = 256,
    SHIFTED_MOST_B = 255
};

/* Rows first, first + 1, ... of C, done in tiles of `tile_rows`, a lane a row. */
struct alignas(16) shifted_run {
    int32_t first, rows, tile_rows, products; /* products: of a row */
};

/* In workspace; memory = NULL: none. */
struct shifted_rows {
    void *memory;
    int64_t bytes;
    int32_t room;     /* values of A and B that a tile may take in shared memory */
    uint32_t *counts; /* of runs, of rows counted and of single rows: as the arrays below */
    shifted_run *runs;
    int32_t *counted; /* the first row of every run, and single rows */
    int32_t *single;  /* rows that are in no run */
    uint8_t *shifts;  /* of every row of B: whether it is the row before, shifted */
};

/* Whether class shifted takes such operands: of the commonest types, if there are numbers. */
bool may_go_shifted(const cuda_product &product);

/* Finds the runs, if workspace is to be had for it; else rows->memory stays NULL. */
spg_status list_shifted_rows(cuda_product &product, shifted_rows *rows);
void release_shifted_rows(cuda_product &product, shifted_rows *rows);

/* Counts all rows: in a table of so many slots one row of a run and the single rows, and overflow rows among them; then
 * the others of the runs. The counters is not posted. */
spg_status count_rows_shifted(cuda_product &product, const shifted_rows &rows, int slots);

/* The rows that are in no run. */
row_set single_rows(const cuda_product &product, const shifted_rows &rows);

/* shifted/fill.cu. The rows of runs, of up to SHIFTED_MOST entries of C. */
int32_t shifted_room(const cuda_product &product);
spg_status fill_runs(cuda_product &product, const shifted_rows &rows);

} // namespace spg

#endif
