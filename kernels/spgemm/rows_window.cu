/* Long rows of C, of any length: a bitmap of columns finds their pattern (window_pattern.cu), then windows of their
 * entries are summed in shared memory (window_sums.cu). For rows too long for a table, where rows are mixed. Filling
 * takes two steps because a window is cut by the entries of C that it holds, not by its width, so that a row has few
 * windows however far its columns lie apart. */
#include "window.cuh"

namespace spg
{

spg_status count_rows_window(cuda_product &product, const row_set &rows, const int64_t *)
{
    return count_window_columns(product, rows);
}

namespace
{

spg_status fill(cuda_product &product, const row_set &rows, const int64_t *row_products, bool heavy)
{
    spg_status status = fill_window_columns(product, rows, heavy);
    return status == SPG_OK && !product.pattern_only ? fill_window_values(product, rows, row_products) : status;
}

} // namespace

spg_status fill_rows_window(cuda_product &product, const row_set &rows, const int64_t *row_products)
{
    return fill(product, rows, row_products, false);
}

spg_status fill_heavy_rows_window(cuda_product &product, const row_set &rows, const int64_t *row_products)
{
    return fill(product, rows, row_products, true);
}

} // namespace spg
