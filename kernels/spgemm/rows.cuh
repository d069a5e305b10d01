/* The classes of rows: for each a kernel that counts the entries of its rows of C, and one that fills them. Private.
 *
 * Counting writes c_offsets[i] = length of row i, checks what it reads of A and B (checked_a_row, checked_b_row;
 * columns of B in range) and adds nnz, products, the longest row and faults to the counters. Filling reads c_offsets
 * scanned and writes columns, ascending, and values, each the sum from +0 of its products in storage order. A filling
 * kernel with numbers<none> writes columns alone. All loop over a row_set with a stride of the grid and launch on the
 * context's stream; none waits.
 *
 * The paper's classes (thread, warp, cta, global) take any operands. The others need rows of B that ascend strictly,
 * which their counting kernels check (SPG_FAULT_B_UNSORTED). A row that a counting kernel cannot hold is an overflow
 * row: it is left (leave_row), of length 0, and listed for a kernel that holds it. The counters says how many rows were
 * counted, by whichever kernel: a product of which a row was not ends with INTERNAL. */
#ifndef SPG_KERNELS_SPGEMM_ROWS_CUH
#define SPG_KERNELS_SPGEMM_ROWS_CUH

#include "product.cuh"

namespace spg
{

/* What a counting kernel may leave for the scan, in workspace: the sums of `rows_each` lengths that follow each other,
 * `count` sums in all. */
struct length_sums {
    long long *memory; /* NULL: it left none */
    int64_t bytes, rows_each;
    int count;
};
/* assemble/assemble.cu. Room for `count` sums. */
spg_status take_sums(cuda_product &product, int64_t rows_each, int count, length_sums *sums);

/* merge/count.cu. A thread, half a warp or a warp a row merges the rows of B that it names, up to MERGE_MOST of them.
 * Natural order, all rows; its last block posts the counters, unless that has overflow rows and is to be kept for
 * count_overflow_rows_and_post. */
enum { MERGE_MOST = 32 };
spg_status count_rows_merge(cuda_product &product, unsigned int post, bool keeps_overflow, length_sums *sums);

/* merge/fill.cu. As counting, a thread a row: rows of A of up to FILL_MERGE_MOST_A entries, of which `longest_a`
 * is the most that a row has; rows of C of any length, but a warp takes the time of its longest. Natural order, all
 * rows. `scattered` as for lists. Lists are faster for rows of C up to FILL_LIST_BEST entries, and where they hold the
 * rows of C and rows of B have more than FILL_MERGE_SHORT_B on average (spgemm_bench, H100, the filling pass: fd2d5 A*P
 * 0.076 ms by lists, 0.084 by merging, A*A 0.118 and 0.17; fe2d9 A*P 0.138 and 0.117, A*A 0.94 by tables and 0.44). */
enum { FILL_MERGE_MOST_A = 9, FILL_MERGE_SHORT_B = 4, FILL_LIST_BEST = 8 };
spg_status fill_rows_merge(cuda_product &product, int longest_a, bool scattered);

/* sort/thread_fill.cu. A thread a row sorts its products, at most SORTED_MOST: for 32-bit offsets, f32 and f64, columns
 * of B below SORTED_COLUMNS, and arrays of B that lie so that pairs of entries can be loaded, which may_sort_rows
 * tells. Natural order, all rows. */
enum { SORTED_MOST = 36, SORTED_COLUMNS = 1 << 25 };
bool may_sort_rows(const cuda_product &product, unsigned int most_products);
spg_status fill_rows_sorted(cuda_product &product);

/* merge/list_fill.cu. A thread a row keeps an unsorted list of columns and sums in registers, sorted by a network at
 * the end: rows of C up to LIST_MOST entries, of A up to LIST_MOST_A. Natural order, all rows; rows that are longer are
 * left alone. `longest` bounds the rows of C that are to be filled (at most LIST_MOST). `scattered`: neighbouring rows
 * name rows of B far from each other. */
enum { LIST_MOST = 16, LIST_MOST_A = 64 };
spg_status fill_rows_list(cuda_product &product, int longest, bool scattered);
template <typename Offset> __device__ inline bool fits_list(Offset c_length, Offset a_length)
{
    return c_length <= LIST_MOST && a_length <= LIST_MOST_A;
}

/* hash_group/count.cu, fill.cu. A group of lanes a row contracts into an open-addressing table in shared memory as it
 * expands, then sorts the columns found. `slots` is a power of two from TABLE_LEAST to TABLE_MOST; rows of up to
 * table_holds(slots) entries fit, counting leaves others as overflow rows, filling leaves them alone. */
enum { TABLE_LEAST = 32, TABLE_MOST = 1024, TABLE_MOST_LOG = 10 };
constexpr int table_holds(int slots) { return slots / 4 * 3; }
spg_status count_rows_hash_group(cuda_product &product, const row_set &rows, int slots);
spg_status fill_rows_hash_group(cuda_product &product, const row_set &rows, int slots);

/* hash_thread/packed_rows.cu. Packs the rows of B (hash_thread/packed_rows.cuh) where offsets are of 32 bits, columns
 * fewer than PACKED_COLUMNS and the workspace's limit leaves enough room; else product.packed stays empty. */
enum { PACKED_COLUMNS = 1 << 27 };
spg_status pack_rows(cuda_product &product);

/* hash_thread/count.cu, fill.cu. A thread a row contracts into a table of its own: rows of C of up to HASH_THREAD_MOST
 * entries (spgemm_bench, H100, A*P: fe3d27:80 0.50 ms, 0.64 with a group of lanes a row, tet3d:80 0.43 and 0.47).
 * Counting leaves others as overflow rows, and those of more than HASH_THREAD_MOST_A entries of A (one thread took half
 * a second over a million); filling leaves both alone. Needs packed rows of B. Natural order, all rows. Counting posts
 * the counters, unless it has overflow rows. `longest` bounds the rows of C that are to be filled; f32 and f64 alone.
 */
enum { HASH_THREAD_MOST = 28, HASH_THREAD_MOST_A = 64 };
template <typename Offset> __device__ inline bool fits_hash_thread(Offset c_length, Offset a_length)
{
    return c_length <= HASH_THREAD_MOST && a_length <= HASH_THREAD_MOST_A;
}
spg_status count_rows_hash_thread(cuda_product &product, unsigned int post, length_sums *sums);
spg_status fill_rows_hash_thread(cuda_product &product, int longest);

/* bitmap/count.cu, fill.cu. A group of lanes a row finds its columns by their place in a window of columns in shared
 * memory. `span` is how many columns the window is to have, the widest row's where that is known (at most
 * BITMAP_MOST_SPAN); a wider row is done in several windows, and there are no overflow rows. `longest` bounds the rows
 * of C that are to be filled (at most BITMAP_MOST), longer ones are left alone. `together` = 1, 2 or 3 neighbouring
 * rows (3k, 3k+1, 3k+2) are done at once where their rows of A have the same columns (natural order only). */
enum { BITMAP_MOST_SPAN = 12288, BITMAP_MOST = 2048 };
spg_status count_rows_bitmap(cuda_product &product, const row_set &rows, int span, int together);
spg_status fill_rows_bitmap(cuda_product &product, const row_set &rows, int span, int longest, int together);

/* hash_group/kept_rows.cuh: rows counted and filled in one pass. shifted/runs.cuh: runs of rows that are each the row
 * before, shifted. symmetric_half/half_rows.cuh: half of a symmetric product. */

/* bitmap/equal_rows.cu. Takes room for the product's notes on equal rows, if the workspace's limit leaves enough, and
 * notes which rows of B have the columns of the row before. */
spg_status note_equal_rows(cuda_product &product, int together);

/* Class few columns, for a C of up to FEW_COLUMNS columns, whose bits fit in shared memory. bitmap/few_columns_count.cu
 * counts, a warp a row. bitmap/few_columns_fill.cu fills rows of up to `slots` entries, a block each, with their
 * values. `ticket`: a word of device memory, zero, that stays until the kernel has ended. */
enum { FEW_COLUMNS = 1 << 16 };
spg_status count_rows_few_columns(cuda_product &product, const row_set &rows, uint32_t *ticket);
spg_status fill_rows_few_columns(cuda_product &product, const row_set &rows, int slots, uint32_t *ticket);

/* long_rows/long_rows.cuh: rows of any length, long ones split over blocks. */

/* The paper's classes, section 3.3; *_MOST products a row. sort/thread.cu: a sorting network in one thread's registers.
 * sort/warp.cu: a warp, sorted across its registers. sort/cta.cu: a block, CUB's radix sort. */
enum { THREAD_MOST = 32, WARP_MOST = 1024, CTA_MOST = 8192 };
spg_status count_rows_thread(cuda_product &product, const row_set &rows);
spg_status fill_rows_thread(cuda_product &product, const row_set &rows);
spg_status count_rows_warp(cuda_product &product, const row_set &rows);
spg_status fill_rows_warp(cuda_product &product, const row_set &rows);
spg_status count_rows_cta(cuda_product &product, const row_set &rows);
spg_status fill_rows_cta(cuda_product &product, const row_set &rows);

/* long_rows/overflow rows.cu. Room to list overflow rows, for kernels that may leave some, where it is to be had; else,
 * and where there are more than that, none are counted, and all rows are counted in another way. */
void take_overflow_list(cuda_product &product);
void give_overflow_list(cuda_product &product);

/* Counts the overflow rows of the kernel before; _and_post: and posts the counters, if that is still to be done.
 * lengths: NULL, or the kernel before has scanned what it counted; then the lengths of the overflow rows are written
 * there, in the order of the list, and C's row offsets are left as they are. */
spg_status count_overflow_rows(cuda_product &product);
spg_status count_overflow_rows_and_post(cuda_product &product, const length_sums &sums, int32_t *lengths,
                                        unsigned int post);
/* Such lengths, so many, to C's lengths. */
spg_status place_overflow_lengths(cuda_product &product, unsigned int overflow, const int32_t *lengths);

/* sort_global/slices.cu: slices of rows expanded to memory and sorted by CUB (the paper's Algorithm 1 on global memory,
 * its reference). rows.device_count must be NULL: the host plans the slices from row_products (device, one a row of A,
 * by row number), which cost it a wait. A row beyond one slice is done in windows of columns. */
enum { GLOBAL_LEAST = 1 << 18 }; /* bytes of workspace that it can do with, and refuses to begin without */
spg_status count_rows_global(cuda_product &product, const row_set &rows, const int64_t *row_products);
spg_status fill_rows_global(cuda_product &product, const row_set &rows, const int64_t *row_products);

/* analysis/row_products.cu: products[i] of every row (in row_products, unless NULL), totals and class counts in the
 * counters, faults.
 */
spg_status analyse_rows(cuda_product &product, const spg_row_limits &limits, int64_t *row_products);

} // namespace spg

#endif
