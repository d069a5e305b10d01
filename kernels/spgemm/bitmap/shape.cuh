/* The shape of groups that count and fill rows by bitmap windows: lanes, rows done as one, and shared memory. Private.
 */
#ifndef SPG_KERNELS_SPGEMM_BITMAP_SHAPE_CUH
#define SPG_KERNELS_SPGEMM_BITMAP_SHAPE_CUH

#include "../driver/groups.cuh"

namespace spg
{

/* repeats[j]: row j of B has the columns of row j - 1; NULL: not known. */
struct bitmap_shape : group_shape {
    int width;   /* columns of the window, a multiple of 128 */
    int most;    /* entries of C's longest row to fill */
    int batch;   /* entries of A that a group looks at together */
    int factors; /* filling: where A's values are in a group's memory */
    const uint8_t *repeats;
    uint2 *row_groups; /* from counting: first and last column of a unit of equal rows; first = NONE: none */
};

/* The width of a window that holds columns by their remainders, for rows of this span. */
inline int wrapped_width(int span)
{
    int width = 128;
    while (width < span) width *= 2;
    return width;
}

/* Bytes of a group; the groups of a warp begin at different banks. */
inline int bitmap_bytes(int words_bytes, int rest_bytes) { return (words_bytes + rest_bytes + 127) / 128 * 128 + 32; }

/* Lanes of a group: few for short rows of B, many for large windows. */
inline bitmap_shape bitmap_shape_of(const cuda_product &product, const row_set &rows, int span, int together)
{
    const double b_row = mean_b_row(product);
    const int width = ((span < 1 ? 1 : span < BITMAP_MOST_SPAN ? span : BITMAP_MOST_SPAN) + 31 + 127) / 128 * 128;
    const int least = width <= 1024 ? 8 : width <= 4096 ? 16 : 32, wanted = b_row <= 8 ? 8 : b_row <= 16 ? 16 : 32;
    const int lanes = wanted > least ? wanted : least;
    const int bundled = rows.rows == nullptr ? together : 1;
    bitmap_shape shape{};
    shape.lanes = lanes, shape.together = bundled, shape.tile_steps = 1;
    shape.pieces = lanes == 32 && b_row > 32;
    shape.width = width, shape.batch = lanes - lanes % bundled;
    shape.repeats = product.notes.repeats, shape.row_groups = product.notes.row_groups;
    return shape;
}

} // namespace spg

#endif
