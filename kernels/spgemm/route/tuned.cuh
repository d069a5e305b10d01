/* Every number that decides how the rows of a product are done: what each row method holds, when it is chosen, and how
 * long rows are split. Each names the bench that chose it; "not measured" if none did. Private.
 *
 * The shape of a kernel's launch (threads of a block, resident blocks, loads in flight) is beside the kernel. Plans
 * have numbers of their own (plan/plan.cuh, plan/windows.cuh). */
#ifndef SPG_KERNELS_SPGEMM_ROUTE_TUNED_CUH
#define SPG_KERNELS_SPGEMM_ROUTE_TUNED_CUH

#include <cstdint>

namespace spg
{

/* ---- What the row methods hold: entries of a row of A (_A), products (_PRODUCTS), else entries of a row of C ---- */

/* merge, counting. MOST_PRODUCTS: one thread takes them one after the other (spgemm_bench, H100: the longest row of
 * ladder:100000, with 4096, took 0.6 ms). SCATTERED_FROM: columns between the first ones of neighbouring rows; of
 * SAMPLED_ROWS rows, more than SCATTERED_ROWS make B's rows scattered. LONG_B: mean entries of a row of B (not
 * measured; shape_of in merge/count.cu names what it chooses). */
enum { MERGE_MOST = 32, MERGE_MOST_PRODUCTS = 1024, MERGE_LONG_B = 6 };
enum { SCATTERED_FROM = 64, SAMPLED_ROWS = 256, SCATTERED_ROWS = 128 };

/* merge, filling. Lists are faster for rows of C up to FILL_LIST_BEST entries, and where they hold the rows of C and
 * B's mean row exceeds FILL_MERGE_SHORT_B (spgemm_bench, H100, the filling pass: fd2d5 A*P 0.076 ms by lists, 0.084 by
 * merging, A*A 0.118 and 0.17; fe2d9 A*P 0.138 and 0.117, A*A 0.94 by tables and 0.44). */
enum { FILL_MERGE_MOST_A = 9, FILL_MERGE_SHORT_B = 4, FILL_LIST_BEST = 8 };
enum { LIST_MOST = 16, LIST_MOST_A = 64 };

/* A thread that sorts its products in registers: as many as it has room for. */
enum { SORTED_MOST = 36, SORTED_COLUMNS = 1 << 25 };

/* hash_thread (spgemm_bench, H100, A*P: fe3d27:80 0.50 ms, 0.64 with a group of lanes a row, tet3d:80 0.43 and 0.47).
 * MOST_A: one thread took half a second over a million. */
enum { HASH_THREAD_MOST = 28, HASH_THREAD_MOST_A = 64, PACKED_COLUMNS = 1 << 27 };

/* hash_group: slots of a table, a power of two. */
enum { TABLE_LEAST = 32, TABLE_MOST = 1024 };
constexpr int table_holds(int slots) { return slots / 4 * 3; }

/* Hash tables of columns: the hash is the upper bits of the column times this factor; with the lower bits, columns of a
 * grid collide. Of 24 odd factors, this one takes the fewest rounds of searches, slot by slot and four columns at a
 * time, over the grids of matrices/ in several sizes (2.2, 4.5 at worst; 3.3 and 6.8 with 2^32 times the golden ratio).
 */
constexpr uint32_t COLUMN_FACTOR = 0x3037B871u;

/* A table to fill by is at most half full beyond FILL_SMALL_ROW entries, because an insert searches until it finds an
 * empty slot (spgemm_bench, H100, A*A: tet3d, 63 entries, 2.6 ms with 256 slots, 2.9 with 128; fe3d27, 125, 4.6 with
 * 512, 4.7 with 256; fe2d9, 25, 0.93 with 64, 1.00 with 128). */
enum { FILL_SMALL_ROW = 48, FILL_LEAST_SLOTS = 64 };

/* bitmap: columns of a window, and entries that are filled. Not measured: what shared memory has room for. */
enum { BITMAP_MOST_SPAN = 12288, BITMAP_MOST = 2048 };

/* The paper's classes (section 3.3), in products. */
enum { THREAD_MOST = 32, WARP_MOST = 1024, CTA_MOST = 8192 };

/* ---- Which path: route/route.cu ---- */

/* Mean entries of A's rows, and mean products, up to which a thread a row is used without a sample; mean products up to
 * which merging counts faster than tables. Not measured alone. */
enum { SHORT_A_ROW = 11, SHORT_PRODUCTS = 96, MERGE_PRODUCTS = 256 };

/* Rows of the sample; products beyond which one is not counted with it; entries of A that are looked at in one. */
enum { SAMPLE_ROWS = 1024, SAMPLE_PRODUCTS = 1024, SAMPLE_ENTRIES = 512 };

/* Blocks that read B per multiprocessor. With two blocks of a 1024-row sample these fill the shared memory, and keep 4
 * MB of loads in flight (spgemm_bench, H100, A*P: tet3d 0.633 ms, 0.635 with two, 0.645 with one, 0.624 without looking
 * at B; fe3d27 0.699, 0.702, 0.714 and 0.694). */
enum { B_BLOCKS = 4 };

/* Mean products of a row, and products per entry of C, from which rows are counted and filled in one pass and kept
 * (spgemm_bench, H100, R*A*P of a 27-point matrix of 64^3 rows that is not symmetric: 0.53 ms, 0.75 without; rows of
 * A*P of fe3d27, with 121 products, are better not kept).
 * Slots of a row's table. Kept rows may take KEPT_OF_OPERANDS times the memory of the operands, and KEPT_ANYWAY bytes
 * always: A*A of fe3d27 takes 9.3 ms and 1.9 GB with its rows kept, 7.8 ms and no memory without (spgemm_bench,
 * H100). */
enum { KEPT_PRODUCTS = 160, KEPT_CONTRACTION = 4, KEPT_LEAST = 128, KEPT_MOST = 1024 };
enum { KEPT_OF_OPERANDS = 2, KEPT_ANYWAY = 64 << 20 };

/* Mean products of a row, and the part of the sample, from which runs of shifted rows are looked for (spgemm_bench,
 * H100, A*A of fe3d27: 2.7 ms, 7.8 as uniform rows). */
enum { SHIFTED_PRODUCTS = 160 };
constexpr double SHIFTED_PART_OF_ROWS = .8;

/* The symmetric half. FEW_ROWS: rows per multiprocessor below which each gets a whole warp. SHORT_B: mean length of B's
 * rows up to which four lanes a row are used; LONG_B: up to which the half is used. LENGTH: entries of a row of C from
 * the diagonal on, as a multiple of B's mean row, that cover nearly all rows (of the grids and meshes of matrices/ and
 * their hierarchies 4.6, on coarse levels 6.0; longer rows cost more: symmetric_half/half_rows.cuh). spgemm_bench,
 * H100, RAP by halves and whole: fd2d5 0.52 ms and 0.57 (0.55 with 8 lanes a row), tri2d 0.87 and 0.94, fd3d7 0.82 and
 * 1.15, fe3d27 2.1 and 2.2, tet3d 2.4 and 2.5, elast3d, of few rows, 0.44 and 0.50. */
enum { HALF_FEW_ROWS = 64, HALF_SHORT_B = 7, HALF_LONG_B = 20, HALF_LEAST = 32 };
constexpr double HALF_LENGTH = 4.5, HALF_LENGTH_FEW = 8;
constexpr int half_holds(int slots) { return slots / 8 * 7; }

/* Room of the half for long rows, and for entries below the diagonal beyond their row's stride: a fraction of the rows
 * and of the kept rows, plus a constant (in the hierarchies of fd3d7 and fe3d27 up to 200^3, at most a tenth of a
 * level's rows). */
enum { LONG_ROWS_OF = 8, LONG_ROWS_MORE = 64, NODES_OF = 16, NODES_MORE = 4096 };

/* Reserved arrays may exceed C by 1/RESERVED_MOST_SPARE plus RESERVED_MORE_SPARE entries, as spg/spgemm.h promises. At
 * most 1/RESERVED_MOST_LEFT of the rows may be left unwritten. */
enum { RESERVED_MOST_SPARE = 8, RESERVED_MORE_SPARE = 1024, RESERVED_MOST_LEFT = 16 };

/* Mean entries of A's rows, with fewer rows than multiprocessors, above which a warp or block a row is too slow;
 * long_rows splits them. Not measured. */
enum { FEW_LONG_A = 4096 };

/* Rows (or triples and pairs done as one) per multiprocessor below which rows are few, and products of a row from which
 * one warp takes too long: such rows are split over blocks (amg_bench, H100, solid3d:40: R*A*P of the second level, 414
 * rows of 135000 products, 1.2 ms, 3.0 by a warp each). */
enum { FEW_A_MULTIPROCESSOR = 4, FEW_LONG_PRODUCTS = 1 << 15 };

/* ---- Which bin of binned rows: route/binned_rows.cu ---- */

/* Entries of A from which long_rows splits a row, and up to which a group of lanes fills one by a bitmap. Not
 * measured. */
enum { LONG_A = 1024, BITMAP_A = 256 };

/* Columns of C whose bitmaps are small, so that long_rows takes shorter rows than a table could: entries of a table in
 * that case (spgemm_bench, H100, rmat16 A*P: 1.34 ms, 1.54 with 768). */
enum { FEW_COLUMNS_C = 1 << 17, FEW_COLUMNS_TABLE_ENTRIES = 192 };

/* ---- How long rows are split: long_rows/ ---- */

/* Columns: bytes of the bitmap of a small block; entries of A in a chunk, of a small block and of a long one; entries
 * of a heavy row, which starts before others, and heavy rows per row that may be split; bytes of bitmaps of split rows,
 * and their number. Not measured alone. */
enum { SMALL_BITMAP = 16 * 1024, SPLIT_LEAST = 1024, SPLIT_LONG = 256 };
enum { HEAVY_LEAST = 256, HEAVY_ROWS = 8, SPLIT_BYTES = 4 << 20, SPLIT_ROWS = 512 };

/* Mean entries of a row of B above which it is long. Not measured alone. */
enum { SPLIT_LONG_B = 64 };

/* Values: bytes of the sums of a window (spgemm_bench, H100, rmat16), and words of its map; entries of A from which a
 * row is summed before others. Windows of a heavy row are halved, because their products are added one after the other,
 * while one has more products than the larger of WINDOW_PRODUCTS and C's entries / WINDOW_PART (spgemm_bench, H100,
 * RAP: rmat16 15 ms, 38 without); FEW_PART divides that limit if long_rows has few of the rows (econ 0.49 ms, 0.53
 * without). LEAST_WINDOW: entries of the smallest window; EXTRA_WINDOWS: the most windows that halving may add. */
enum { SUMS_BYTES = 16 * 1024, MAP_MOST = 4096, HEAVY_ROW = 256 };
enum { WINDOW_PRODUCTS = 1 << 13, WINDOW_PART = 1 << 10, FEW_PART = 1 << 2 };
enum { LEAST_WINDOW = 64, EXTRA_WINDOWS = 1 << 13 };

/* The list of overflow rows takes at most 1/PART_OF_LIMIT of what the workspace limit leaves, because the kernels that
 * take the rows need memory too. Not measured. */
enum { PART_OF_LIMIT = 4 };

} // namespace spg

#endif
