/* Rows of very different work: binned, for counting by their products, for filling by their length in C, each bin to a
 * table of its size or to windows. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

struct products_of_rows {
    void *row_products;
    int64_t row_products_bytes;
};

/* As the counting kernels of rows.cuh. All rows: those without products, whose lengths it zeroes, are not in the
 * counters's rows, but in its class_rows. */
spg_status count_rows_binned(cuda_product &product, products_of_rows *rows);
/* The listed overflow rows of another kernel, so many, each of which is in the counters' rows. */
spg_status count_overflow_rows_binned(cuda_product &product, unsigned int overflow, products_of_rows *rows);

/* As the filling kernels: the rows longer than `longer_than` entries, or those that fits_list or fits_hash_thread
 * refuses. Where most rows of C span few columns (span > 0; longest: entries of the longest), class bitmap takes those
 * too long for tables; class few columns may where all rows are filled (products: of all). */
enum { longer_than_list = -1, longer_than_hash_thread = -2 };
struct span_of_rows {
    int span, longest;
    int64_t products;
};
spg_status fill_rows_binned(cuda_product &product, int longer_than, const span_of_rows &narrow, products_of_rows *rows);

/* route/few_rows.cu. As count_overflow_rows_binned and fill_rows_binned(longer_than_list), for few rows: `most` is how
 * many there are, or more. */
enum { FEW_ROWS = 128 }; /* that a block each does sooner than they are binned */
spg_status count_few_overflow_rows(cuda_product &product, unsigned int overflow);
spg_status fill_few_rows(cuda_product &product, unsigned int most);

void release_binned(cuda_product &product, products_of_rows *rows);

} // namespace spg

#endif
