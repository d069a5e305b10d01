/* Rows of very different work: bins them, by products for counting and by length in C for filling, and gives each bin
 * to a table of its size or to long_rows. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

/* A counting kernel as in rows.cuh, for all rows. Zeroes the length of rows without products; these are in the
 * counters' class_rows, not in their rows. */
spg_status count_rows_binned(cuda_product &product, products_of_rows *rows);
/* Counts the `overflow` listed overflow rows of another kernel; each is added to the counters' rows. */
spg_status count_overflow_rows_binned(cuda_product &product, unsigned int overflow, products_of_rows *rows);

/* A filling kernel as in rows.cuh, for the rows longer than `longer_than` entries, or those that fits_list
 * refuses. If most rows of C span few columns (span > 0; longest: entries of the longest row), bitmap
 * takes rows too long for tables. */
enum { longer_than_list = -1 };
struct span_of_rows {
    int span, longest;
};
spg_status fill_rows_binned(cuda_product &product, int longer_than, const span_of_rows &narrow, products_of_rows *rows);

} // namespace spg

#endif
