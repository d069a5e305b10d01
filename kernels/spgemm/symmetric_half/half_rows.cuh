/* Symmetric half: for a product known to have a symmetric pattern, and whose entries below the diagonal are to be those
 * above it, only the upper entries are computed, in one pass, and kept until C is allocated (symmetric_half/).
 * Private. */
#ifndef SPG_KERNELS_SPGEMM_SYMMETRIC_HALF_HALF_ROWS_CUH
#define SPG_KERNELS_SPGEMM_SYMMETRIC_HALF_HALF_ROWS_CUH

#include "../product.cuh"
#include "../rows.cuh"

namespace spg
{

/* The shape of the computation. lanes: 4, 8 or 32, of the group that takes a row; fewer lanes idle less with short rows
 * of B. stride: entries of a row kept from the diagonal on, and below it; a long row has up to twice as many. slots: of
 * a row's table, a power of two, at least HALF_LEAST; it holds up to half_holds(slots) entries. */
struct half_shape {
    int lanes, stride, slots;
};

/* A list node for images below the diagonal beyond a row's first `stride`; next: 1 + the number of the next node, 0 for
 * none. */
struct image_node {
    uint32_t code, next;
};

/* In workspace. Kept row i has `stride` entries: row i of C from the diagonal on, sorted; the rest of a long row is in
 * kept row second[i]. Row j has lower_counts[j] entries below the diagonal. lower[j * stride + n], and for a long row
 * the list from first_node[j] on, hold the codes of their mirror images, in any order: entry x of row i has the code i
 * << bits | x. Long rows are listed: long_rows[n] owns kept row rows + n. */
struct half_arrays {
    int32_t *columns;
    uint32_t *lower;
    image_node *nodes;
    int32_t *lower_counts, *second, *long_rows;
    uint32_t *first_node, *nodes_taken;
    uint32_t most_nodes;
    int32_t rows, most_long;
    int stride, bits;

    __device__ int64_t place_of(int32_t i, int x) const
    {
        return x < stride ? (int64_t)i * stride + x : (int64_t)second[i] * stride + x - stride;
    }
    /* Records image number n of row j; returns whether there is room. */
    __device__ bool note_image(int32_t j, int n, uint32_t code) const
    {
        if (n < stride) {
            lower[(int64_t)j * stride + n] = code;
            return true;
        }
        const uint32_t node = n < 2 * stride ? atomicAdd(nodes_taken, 1u) : most_nodes;
        if (node < most_nodes) nodes[node] = {code, atomicExch(first_node + j, node + 1)};
        return node < most_nodes;
    }
};

template <typename Value> struct half_view : half_arrays {
    Value *values;
};

/* memory = NULL: none. */
struct half_rows {
    void *memory;
    int64_t bytes;
    half_shape shape;
    half_view<void> view;
};

template <typename Value> half_view<Value> view_of(const half_rows &kept)
{
    return {kept.view, static_cast<Value *>(kept.view.values)};
}

/* route/route.cu. Sets *shape and returns true if, by its sizes, the product gains from the symmetric half. */
bool choose_half(const cuda_product &product, half_shape *shape);

/* symmetric_half/place.cu. Takes the workspace. If it is unavailable, or codes would overflow, kept->memory stays
 * NULL. */
spg_status take_half_rows(cuda_product &product, const half_shape &shape, half_rows *kept);

/* symmetric_half/one_pass.cu. Natural order, all rows. c_offsets[i] = the length of row i of C, both halves. Rows of B
 * are assumed to ascend, as those of a product do. Posts the counters; with overflow rows, the other results are
 * invalid. */
spg_status count_rows_half(cuda_product &product, const half_rows &kept, unsigned int post, length_sums *sums);

/* symmetric_half/place.cu. Copies the kept rows and their images to C. */
spg_status place_half_rows(cuda_product &product, const half_rows &kept);

/* symmetric_half/place.cu. Adds the entries below the diagonal to the lengths of rows, and computes the partial sums
 * for the scan. */
spg_status add_lower_lengths(cuda_product &product, const half_rows &kept, length_sums *sums);

} // namespace spg

#endif
