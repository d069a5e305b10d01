/* The row methods: for each, a kernel that counts the entries of its rows of C and one that fills them. Private.
 *
 * Counting (symbolic) writes c_offsets[i] = length of row i. It checks what it reads of A and B (checked_a_row,
 * checked_b_row; columns of B in range), and adds nnz, products, the longest row and faults to the counters. Filling
 * (numeric) reads the scanned c_offsets and writes columns, ascending, and values. Each value is the sum from +0 of its
 * products in storage order. With numbers<none> a filling kernel writes columns only. All kernels loop over a row_set
 * with a stride of the grid and launch on the context's stream; none waits.
 *
 * The paper's classes (thread, warp, cta, global) take any operands. The others need rows of B that ascend strictly;
 * their counting kernels check it (SPG_FAULT_B_UNSORTED). A row that a counting kernel cannot hold is an overflow row:
 * the kernel sets its length to 0 (leave_row) and lists it for a kernel that can. The counters say how many rows were
 * counted, by any kernel. If a row was not counted, the product ends with INTERNAL. */
#ifndef SPG_KERNELS_SPGEMM_ROWS_CUH
#define SPG_KERNELS_SPGEMM_ROWS_CUH

#include "product.cuh"
#include "route/tuned.cuh"

namespace spg
{

/* Partial sums that a counting kernel may leave for the scan, in workspace: `count` sums, each of `rows_each`
 * consecutive lengths. */
struct length_sums {
    long long *memory; /* NULL: none */
    int64_t bytes, rows_each;
    int count;
};
/* assemble/assemble.cu. Takes memory for `count` sums. */
spg_status take_sums(cuda_product &product, int64_t rows_each, int count, length_sums *sums);

/* merge/count.cu. A thread, half a warp or a warp a row merges the rows of B that it names, up to MERGE_MOST of them.
 * All rows, in natural order. Its last block posts the counters. */
spg_status count_rows_merge(cuda_product &product, unsigned int post, length_sums *sums);

/* merge/fill.cu. A thread a row merges: rows of A up to FILL_MERGE_MOST_A entries (`longest_a`: the maximum), rows of C
 * of any length, but a warp takes as long as its longest row. All rows, in natural order. `scattered` as for lists. */
spg_status fill_rows_merge(cuda_product &product, int longest_a, bool scattered);

/* sort/thread_fill.cu. A thread a row sorts its products, at most SORTED_MOST. All rows, in natural order.
 * may_sort_rows checks the conditions: common types, columns of B below SORTED_COLUMNS, and arrays of B
 * aligned so that pairs of entries can be loaded. */
bool may_sort_rows(const cuda_product &product, unsigned int most_products);
spg_status fill_rows_sorted(cuda_product &product);

/* merge/list_fill.cu. A thread a row keeps an unsorted list of columns and sums in registers and sorts it by a network
 * at the end: rows of C up to LIST_MOST entries, of A up to LIST_MOST_A. All rows, in natural order; skips longer ones.
 * `longest` bounds the rows of C to fill (at most LIST_MOST). `scattered`: neighbouring rows name rows of B far from
 * each other. */
spg_status fill_rows_list(cuda_product &product, int longest, bool scattered);
template <typename Offset> __device__ inline bool fits_list(Offset c_length, Offset a_length)
{
    return c_length <= LIST_MOST && a_length <= LIST_MOST_A;
}

/* hash_group/passes.cu. A group of lanes a row contracts into an open-addressing hash table in shared memory
 * while it expands, then sorts the columns. `slots` is a power of two from TABLE_LEAST to TABLE_MOST. Rows up to
 * table_holds(slots) entries fit; counting makes others overflow rows, filling skips them. */
spg_status count_rows_hash_group(cuda_product &product, const row_set &rows, int slots);
spg_status fill_rows_hash_group(cuda_product &product, const row_set &rows, int slots);

/* hash_thread/passes.cu. Packs the rows of B (hash_thread/packed_rows.cuh) if offsets have 32 bits, there are
 * fewer than PACKED_COLUMNS columns, and the workspace limit leaves room; else product.packed stays empty. */
spg_status pack_rows(cuda_product &product);
/* Counts all rows, in natural order, a thread each by a hash table of its own; needs packed rows of B. Rows of more
 * than HASH_THREAD_MOST entries, or HASH_THREAD_MOST_A entries of A, become overflow rows. Posts the counters. */
spg_status count_rows_hash_thread(cuda_product &product, unsigned int post, length_sums *sums);

/* bitmap/passes.cu. A group of lanes a row marks its columns in a window of columns in shared memory. `span` is
 * the width of the window: that of the widest row, if known (at most BITMAP_MOST_SPAN). A wider row takes several
 * windows, so there are no overflow rows. `longest` bounds the rows of C to fill (at most BITMAP_MOST); longer ones are
 * skipped. `together` = 1, 2 or 3: neighbouring rows (3k, 3k+1, 3k+2) are done as one if their rows of A have the same
 * columns (natural order only). */
spg_status count_rows_bitmap(cuda_product &product, const row_set &rows, int span, int together);
spg_status fill_rows_bitmap(cuda_product &product, const row_set &rows, int span, int longest, int together);

/* Declared elsewhere: hash_group/kept_rows.cuh (one pass, rows kept), shifted/runs.cuh (runs of shifted rows),
 * symmetric_half/half_rows.cuh (symmetric half of a product). */

/* bitmap/passes.cu. Takes workspace for the product's notes on equal rows, if the limit leaves room, and notes
 * which rows of B have the columns of the row before. */
spg_status note_equal_rows(cuda_product &product, int together);

/* long_rows/long_rows.cuh: rows of any length; long rows are split over blocks. */

/* The paper's classes (section 3.3); *_MOST is the most products a row. sort/thread.cu: a sorting network in one
 * thread's registers. sort/warp.cu: a warp sorts across its registers. sort/cta.cu: a block, CUB's radix sort. filling:
 * fills the rows, else counts them. */
spg_status do_rows_thread(cuda_product &product, const row_set &rows, bool filling);
spg_status do_rows_warp(cuda_product &product, const row_set &rows, bool filling);
spg_status do_rows_cta(cuda_product &product, const row_set &rows, bool filling);

/* product_rows.cu. Takes memory to list overflow rows, if available. Without it, or with more overflow rows than fit,
 * all rows are counted another way. */
void take_overflow_list(cuda_product &product);
void give_overflow_list(cuda_product &product);

/* sort_global/slices.cu: slices of rows are expanded to global memory and sorted by CUB (the paper's Algorithm 1, its
 * reference). rows.device_count must be NULL: the host plans the slices from row_products (device, one a row of A, by
 * row number), which takes a wait. A row larger than a slice is done in parts. */
enum { GLOBAL_LEAST = 1 << 18 }; /* bytes: the least workspace that it works with */
spg_status do_rows_global(cuda_product &product, const row_set &rows, const int64_t *row_products, bool filling);

/* analysis/row_products.cu: products of every row, in workspace; totals, class counts and faults to the counters. */
struct products_of_rows {
    int64_t *memory; /* NULL: none */
    int64_t bytes;
};
spg_status analyse_rows(cuda_product &product, const spg_row_limits &limits, products_of_rows *products);
/* Zeroes the counter of products, because counting kernels add them again. */
inline spg_status forget_products(const cuda_product &product)
{
    return spg_cuda_zero_bytes(product.context, &product.cuda->product_counters->products, sizeof(unsigned long long));
}

} // namespace spg

#endif
