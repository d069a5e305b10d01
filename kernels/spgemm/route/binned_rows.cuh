/* Rows of very different work: binned, for counting by their products, for filling by their length in C, each bin to a
 * table of its size or to windows. Private. */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_BINNED_ROWS_CUH

#include "../rows.cuh"

namespace spg
{

struct mixed_rows {
    void *row_products;
    int64_t row_products_bytes;
};

/* As the counting kernels of rows.cuh. All rows: those without products, whose lengths it zeroes, are not in the
 * tally's rows, but in its class_rows. */
spg_status count_rows_mixed(cuda_product &product, mixed_rows *rows);
/* The listed misfits of another kernel, so many, each of which is in the tally's rows. */
spg_status count_misfits_mixed(cuda_product &product, unsigned int misfits, mixed_rows *rows);

/* As the filling kernels: the rows longer than `longer_than` entries, or those that fits_list or fits_private refuses.
 * Where most rows of C span few columns (span > 0; longest: entries of the longest), class direct takes those too long
 * for tables; class narrow may where all rows are filled (products: of all). */
enum { longer_than_list = -1, longer_than_private = -2 };
struct narrow_rows {
    int span, longest;
    int64_t products;
};
spg_status fill_rows_mixed(cuda_product &product, int longer_than, const narrow_rows &narrow, mixed_rows *rows);

/* route/few_rows.cu. As count_misfits_mixed and fill_rows_mixed(longer_than_list), for few rows: `most` is how many
 * there are, or more. */
enum { FEW_ROWS = 128 }; /* that a block each does sooner than they are binned */
spg_status count_few_misfits(cuda_product &product, unsigned int misfits);
spg_status fill_few_rows(cuda_product &product, unsigned int most);

void release_mixed(cuda_product &product, mixed_rows *rows);

} // namespace spg

#endif
