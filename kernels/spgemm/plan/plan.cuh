/* What a plan keeps on the device, and the stages of making it (plan/plan.cu). Private.
 *
 * A run computes only values: it adds every product to its entry of C by a code that was stored when the plan was made.
 * Of the operands it reads only values, at stored positions. So a run with another pattern of the same sizes gives
 * other sums, but stays within the arrays.
 *
 * Three kinds of kernels compute rows of C. A thread computes a short row (plan/run/short_rows.cu), or one entry;
 * neighbouring entries make a window (plan/run/entries.cu; for block matrices plan/run/blocks.cu). Other rows are cut
 * into items, each for a group of lanes (plan/run/items.cu): a row, or a part of a long row. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_PLAN_CUH
#define SPG_KERNELS_SPGEMM_PLAN_PLAN_CUH

#include "../../containers/entries.cuh"
#include "../../containers/fingerprint.cuh"
#include "../../device.h"
#include "../../values.cuh"
#include "windows.cuh"

namespace spg
{

/* Classes of rows of C. The group classes hold items of up to class_sums() sums. */
enum plan_class {
    PLAN_NOTHING, /* no entries, or done with the equal row before it */
    PLAN_THREAD,
    PLAN_SMALL,
    PLAN_MIDDLE,
    PLAN_LARGE,   /* cut into parts if longer than that, or of very many products */
    PLAN_ENTRIES, /* in windows, a thread an entry */
    PLAN_CLASSES
};
enum { PLAN_SMALL_SUMS = 64, PLAN_MIDDLE_SUMS = 256, PLAN_LARGE_SUMS = 1024 /* more leave room for too few warps */ };
static_assert(PLAN_MIDDLE_SUMS <= 1 << 8 && PLAN_LARGE_SUMS <= 1 << 15, "codes of one and of two bytes hold them");

inline int class_sums(int row_class)
{
    return row_class == PLAN_SMALL ? PLAN_SMALL_SUMS : row_class == PLAN_MIDDLE ? PLAN_MIDDLE_SUMS : PLAN_LARGE_SUMS;
}
inline int class_code_bytes(int row_class) { return class_sums(row_class) <= PLAN_MIDDLE_SUMS ? 1 : 2; }

/* Without a workspace limit: products of a slice of rows, for windows. With a limit: bytes of workspace for an entry of
 * C, and for all slices. */
enum { PLAN_SLICE = 1 << 27, PLAN_SLICE_BYTES = 8, PLAN_SLICE_REST = 2 << 20 };

/* Bytes of workspace for a row of a part: 20 for its products and its place in the list, 36 as an item, twice that if
 * entries below the diagonal are separate, the rest for temporary data. A part has a multiple of PLAN_PART_STEP rows,
 * so that equal rows stay together. */
enum { PLAN_ROW_BYTES = 64, PLAN_HALVES_ROW_BYTES = 96, PLAN_PART_STEP = 96 };

/* Mean products of a row, and mean length of the rows of B named by entries of A, that choose the scheme (measured at
 * choose_scheme) and direct codes. NEAR_TWO: for two equal rows, if neighbouring rows name neighbours. */
enum {
    PLAN_THREAD_MEAN = 56,
    PLAN_THREAD_B_ROW = 6,
    PLAN_ENTRIES_B_ROW = 5,
    PLAN_ENTRIES_NEAR_TWO_B_ROWS = 11,
    PLAN_DIRECT_B_ROW = 3
};
/* Rows of more products than this are cut, so that none outlasts the others: the share of all products of one among
 * PLAN_CUT_GROUPS groups a multiprocessor, at least PLAN_CUT_LEAST. */
enum { PLAN_CUT_GROUPS = 32, PLAN_CUT_LEAST = 1 << 13 };
enum { PLAN_MOST_EQUAL_ROWS = 3 }; /* the most equal rows that a thread for an entry does at once, but for blocks */
/* A row with PLAN_HUB_A entries of A is always done by entries: a group of lanes would take as many steps. With
 * PLAN_FEW_HUB_A too, if C has too few entries to occupy the device, PLAN_FEW_ENTRIES a multiprocessor. */
enum { PLAN_HUB_A = 512, PLAN_FEW_HUB_A = 64, PLAN_FEW_ENTRIES = 512, PLAN_STRIDE_A = 1 << 16 };

/* Limits of rows that a thread computes: entries in C, bytes of their sums, entries in A, products, and bits for the
 * length of a row of B. */
enum {
    PLAN_THREAD_SUMS = 32,
    PLAN_THREAD_SUM_BYTES = 256,
    PLAN_THREAD_A = 255,
    PLAN_THREAD_PRODUCTS = 512,
    PLAN_LENGTH_BITS = 5
};
enum { PLAN_FAR_COLUMNS = 64 }; /* a row is far if its first column differs by more from that of the row before */
static_assert(PLAN_THREAD_A < 1 << 24 && PLAN_THREAD_SUMS < 1 << 8, "lengths are packed");

/* A hierarchy's product is looked up in each run, not planned, if it takes at most PLAN_SEARCH looks at entries of A,
 * by their mean number, and A has at most PLAN_SEARCH_A of them, so that a single long row does not take too long.
 * (amg_bench --prepare-update, H100, ms of set-up / of an update with 0, 3*10^6 and 10^7: fd2d5:100 1.76 / .27, 1.06 /
 * .28, 1.25 / .28; fe2d9 8.15 / 1.29, 6.69 / 1.37, 6.60 / 1.35; fd3d7:40 2.72 / .45, 2.57 / .45, 1.92 / .69.) */
enum { PLAN_SEARCH = 3000000, PLAN_SEARCH_A = 1 << 18 };

/* The rows of PLAN_THREAD, in natural order; only for matrices whose entries 32 bits can number. The codes of a row's
 * products are bytes, four a word, interleaved over the 32 rows of a warp: word w of row r of the warp is at codes[32 *
 * (codes_begin[warp] + w) + r]. */
struct plan_thread_rows {
    int64_t count;
    int longest; /* row of C */
    uint32_t *a_begin, *c_begin;
    uint32_t *lengths;    /* in A << 8 | in C */
    uint32_t *references; /* by entry of A, to its row of B: start << PLAN_LENGTH_BITS | length */
    uint32_t *codes;
    int64_t *codes_begin;
};

/* If C is to be made symmetric, its entries below the diagonal are done separately, after those above it; runs with the
 * flag set skip them. For equal rows, what is left of the first one's diagonal counts as below. */

/* The sums of one group of lanes: entries c_begin .. c_begin + n of C. */
struct plan_item {
    int64_t c_begin, a_begin;
    int64_t piece_begin, pieces, code_begin;
    int32_t n;
};

/* A piece is a part of one row of B with ascending columns, so that no two of its products meet in an entry of C, and
 * is at most as long as the group has lanes. Its word holds the length, the start in B's values in `start_bits` bits,
 * and the entry of A, counted from the item's first. */
enum { PIECE_LENGTH_BITS = 6 };
__device__ inline int piece_length(uint64_t word) { return (int)(word & ((1 << PIECE_LENGTH_BITS) - 1)); }
__device__ inline int64_t piece_start(uint64_t word, int start_bits)
{
    return (int64_t)(word >> PIECE_LENGTH_BITS & (((uint64_t)1 << start_bits) - 1));
}

/* One class of items. Codes are those of the items' products, piece by piece. */
struct plan_items {
    int64_t count, upper; /* upper: the number of items above the diagonal, if the others are below it; else all */
    int lanes;            /* of a group: 8, 16 or 32 */
    int capacity;         /* sums of the largest item */
    int code_bytes, start_bits;
    plan_item *items;
    uint64_t *pieces;
    void *codes;
};

/* Device memory of a plan, in a list. */
struct plan_array {
    plan_array *next;
    void *memory;
    int64_t bytes;
};

/* A range of rows: all of them, unless the workspace is limited. */
struct plan_part {
    plan_thread_rows thread;
    plan_items classes[PLAN_CLASSES];
    plan_windows windows;
};

struct cuda_plan {
    bool searches; /* a run looks its products up: nothing else is kept */
    plan_part *parts;
    int64_t parts_count;
    uint32_t *references; /* for plan_thread_rows; one array for all parts, as the next */
    uint32_t *b_begins;   /* for plan_windows */
    fingerprint_keys keys;
    pattern_fingerprint of_a, of_b;
    plan_array *arrays; /* all that is allocated on the device */
    int64_t bytes;      /* of the list */
};

/* The patterns of A, B and C, checked by the product that made C's pattern; of A and C the rows of one part. */
struct plan_patterns {
    numbers_view a, b, c; /* row offsets */
    const int32_t *a_columns, *b_columns, *c_columns;
    int64_t rows, b_rows;
    bool b_ascends;    /* every row ascends strictly */
    bool b_is_paired;  /* columns come in pairs 2k and 2k + 1 */
    int64_t first_row; /* of the part */
};

/* Totals of the rows of one class. */
struct plan_totals {
    enum { SUMS = 3 }; /* then maxima (plan/classes.cu) */
    unsigned long long rows, products, a_entries;
    unsigned long long most_products, most_a, most_c; /* of a row */
};

/* How many neighbouring rows, and entries of A, may be equal, so that a code stands for a block of products: the number
 * of unknowns or candidates a node. */
enum { PLAN_WIDTHS = 3 }; /* the first two also without blocks */
__host__ __device__ inline int plan_width(int k) { return k == 0 ? 2 : k == 1 ? 3 : 6; }

/* The statistics of rows of C that choose their classes. */
struct plan_row_facts {
    enum { SUMS = 3 + 2 * PLAN_WIDTHS };
    unsigned long long products;
    unsigned long long short_products; /* of rows that a thread can compute */
    unsigned long long far_rows;       /* compared with the row before, by their first columns */
    /* For each width: rows in groups of equal ones, and products of rows in runs. */
    unsigned long long grouped_rows[PLAN_WIDTHS], run_products[PLAN_WIDTHS];
    unsigned long long longest_a; /* the maximum */
};

/* The same, and the resulting totals. */
struct plan_facts : plan_row_facts {
    plan_totals classes[PLAN_CLASSES];
    unsigned long long a_entries, c_entries;
};

/* What the device finds: of the part, and of B. */
struct plan_found {
    plan_facts facts;
    unsigned long long unsorted_b, unpaired_b; /* flags */
};

/* How rows are done. Set by choose_scheme, except for thread_sums. */
struct plan_scheme : plan_shape {
    bool by_entries;      /* rows that no thread computes go by entries */
    bool by_threads;      /* short rows go by threads */
    int thread_sums;      /* entries of C up to which a thread computes a row */
    int hub;              /* entries of A beyond which a row goes by entries */
    int64_t most_runs;    /* of a row in blocks */
    int64_t cut_products; /* rows with more are cut */
    int64_t slice_most;   /* products of a slice of rows, for windows, and so of a row of one */
};

/* The state of a plan while it is made. */
struct plan_maker {
    spg_context *context;
    spg_cuda *cuda;
    cuda_plan *plan;
    plan_part *part; /* the part being made */
    plan_patterns patterns;
    int64_t a_nnz, b_nnz, c_nnz; /* of the whole matrices */
    int value_bytes;
    bool halves; /* entries of C below the diagonal are done separately */
    plan_scheme scheme;
    uint8_t *b_has_same_pattern; /* on the device, one a row of B: it has the columns of the row before; or NULL */
    int64_t held, most_held;     /* scratch */
    plan_found *found;           /* on the device */
    plan_facts facts;
    int64_t *row_products;   /* on the device, one a row */
    int64_t *entry_products; /* on the device, products of a row of PLAN_ENTRIES, else 0; one element more; scanned by
                              * make_windows */
    int64_t entry_product_count;
    int32_t *listed_rows; /* on the device: the rows of PLAN_THREAD, of PLAN_SMALL ..., ascending in each class */
};

/* Device memory that lives for one stage of making a plan. */
class scratch
{
  public:
    explicit scratch(plan_maker &maker) : maker(maker) {}
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    ~scratch()
    {
        if (memory == nullptr) return;
        maker.held -= bytes;
        spg_release(maker.context, memory, bytes);
    }
    spg_status allocate_bytes(int64_t count, int64_t element_bytes, void **array)
    {
        bytes = spg_array_bytes(count, element_bytes);
        const spg_status status = spg_allocate_workspace(maker.context, maker.held, bytes, "making a plan", &memory);
        *array = memory;
        if (memory == nullptr) return status;
        maker.held += bytes;
        if (maker.held > maker.most_held) maker.most_held = maker.held;
        return status;
    }
    template <typename Element> spg_status allocate(int64_t count, Element **array)
    {
        void *allocated = nullptr;
        const spg_status status = allocate_bytes(count, sizeof(Element), &allocated);
        *array = static_cast<Element *>(allocated);
        return status;
    }

  private:
    plan_maker &maker;
    void *memory = nullptr;
    int64_t bytes = 0;
};

/* The least bits with 2^bits >= n. */
__host__ __device__ inline int bits_for(int64_t n)
{
    int bits = 0;
    while (bits < 63 && (int64_t)1 << bits < n) bits++;
    return bits;
}

/* Whether `entries` entries of C are too few to occupy the device. */
inline bool are_few(const plan_maker &maker, int64_t entries)
{
    return entries < (int64_t)maker.cuda->multiprocessors * PLAN_FEW_ENTRIES;
}

/* Whether the workspace has room to order `count` elements, or to mark as many rows; both only make runs faster. */
enum { PLAN_ORDER_BYTES = 48 };
inline bool can_order(const plan_maker &maker, int64_t count)
{
    const int64_t limit = maker.context->config.workspace_limit;
    return limit == 0 || maker.held + count * PLAN_ORDER_BYTES + PLAN_SLICE_REST <= limit;
}

/* plan/plan.cu. *memory = memory that the plan keeps, of `bytes` bytes. */
spg_status keep_memory(plan_maker &maker, int64_t bytes, void **memory);
template <typename Element> spg_status keep_array(plan_maker &maker, int64_t count, Element **array)
{
    void *memory = nullptr;
    spg_status status = keep_memory(maker, spg_array_bytes(count, sizeof(Element)), &memory);
    *array = static_cast<Element *>(memory);
    return status;
}

template <typename Element> spg_status keep_zeroed_array(plan_maker &maker, int64_t count, Element **array)
{
    spg_status status = keep_array(maker, count, array);
    return status == SPG_OK ? spg_cuda_zero_bytes(maker.context, *array, spg_array_bytes(count, sizeof(Element)))
                            : status;
}

/* A row's marks: it has the columns of the row before; its rows of B are short enough for a thread; it consists of
 * runs, for each width. */
enum { IS_EQUAL = 1, B_IS_SHORT = 2, HAS_RUNS = 4 };

/* plan/facts.cu. find_b_facts begins to find b_ascends and b_is_paired, and zeroes what is found of rows.
 * find_row_facts begins to find row_products and marks, one a row. */
spg_status find_b_facts(plan_maker &maker);
spg_status find_row_facts(plan_maker &maker, uint8_t *marks);

/* plan/classes.cu. Sets b_ascends and b_is_paired, and fills the facts, row_products and listed_rows, which have room
 * for every row. Waits. */
spg_status classify_rows(plan_maker &maker);

/* plan/scheme.cu. Sets the scheme from the facts. */
void choose_scheme(plan_maker &maker);

/* plan/lists.cu. values[i] = the sum of values[0 .. i) for i <= count; values[count] is not read. */
spg_status begin_scan(plan_maker &maker, int64_t *values, int64_t count);
/* The same, and *total = values[count]. Waits. */
spg_status scan_counts(plan_maker &maker, int64_t *values, int64_t count, int64_t *total);
/* The same of two arrays, with one wait. */
spg_status scan_two_counts(plan_maker &maker, int64_t *const (&values)[2], int64_t count, int64_t (&totals)[2]);
/* order = the numbers 0 .. count - 1, those with the greatest keys first. */
spg_status order_descending(plan_maker &maker, const int64_t *keys, int64_t count, int64_t *order);

/* plan/short_rows.cu, plan/items.cu: make the data of one class. */
spg_status make_thread_rows(plan_maker &maker, const int32_t *rows);
spg_status make_items(plan_maker &maker, int row_class, const int32_t *rows);
/* plan/entries.cu: makes the windows of the rows of PLAN_ENTRIES. Waits. */
spg_status make_windows(plan_maker &maker);

/* What a run reads and writes. */
struct plan_values {
    spg_type type;
    const void *a, *b;
    void *c;
    const int32_t *symmetric; /* NULL, or on the device: if 1, entries below the diagonal are skipped */
    bool may_overlap;         /* as in launch.cuh */
};
__device__ inline bool skips_below(const int32_t *symmetric) { return symmetric != nullptr && *symmetric == 1; }

/* plan/run/short_rows.cu, plan/run/items.cu, plan/run/entries.cu, plan/run/blocks.cu: compute values of C. */
spg_status run_thread_rows(spg_context *context, cudaStream_t stream, const plan_thread_rows &rows,
                           const plan_values &values);
spg_status run_windows(spg_context *context, cudaStream_t stream, const plan_windows &windows,
                       const plan_values &values);
spg_status run_blocks(spg_context *context, cudaStream_t stream, const plan_windows &windows,
                      const plan_values &values);
spg_status run_items(spg_context *context, cudaStream_t stream, const plan_items &items, const plan_values &values);
/* plan/run/search.cu: the same of all rows, without anything that a plan keeps. */
spg_status run_search(spg_context *context, const spg_csr &A, const spg_csr &B, const spg_csr &C,
                      const plan_values &values);

/* Blocks for `count` threads or warps; the kernel strides over the rest. */
inline unsigned int plan_blocks(const spg_cuda *cuda, int64_t count, int each_block)
{
    const int64_t blocks = (count + each_block - 1) / each_block, most = 64 * (int64_t)cuda->multiprocessors;
    return (unsigned int)(blocks < most ? (blocks > 0 ? blocks : 1) : most);
}

/* The same, but few: each ends by adding to numbers that all of them add to, one block at a time. */
inline unsigned int adding_blocks(const spg_cuda *cuda, int64_t count, int each_block)
{
    const unsigned int most = 8 * (unsigned int)cuda->multiprocessors, blocks = plan_blocks(cuda, count, each_block);
    return blocks < most ? blocks : most;
}

} // namespace spg

#endif
