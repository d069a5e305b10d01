/* What a plan keeps on the device, and the stages of its making (plan.cu). Private.
 *
 * A run computes numbers alone: it adds every product to its entry of C by a code that was stored when the plan was
 * made, and reads nothing of the operands but their values, by places stored likewise. So a run with another pattern of
 * the same sizes gives other sums, but stays within the arrays.
 *
 * Rows of C are served by two kernels. A thread computes a short row (plan_rows_thread.cu). All others are cut into
 * items, each for a group of lanes (plan_rows_group.cu): a row, neighbouring rows whose rows of A have the same
 * columns, or a part of a long row. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_CUH
#define SPG_KERNELS_SPGEMM_PLAN_CUH

#include "../containers/entries.cuh"
#include "../device.h"
#include "../values.cuh"

namespace spg
{

/* Classes of rows of C. The group classes hold items of up to class_sums() sums; those for equal rows hold all rows
 * of an item together. */
enum plan_class {
    PLAN_NOTHING, /* no entries, or done with the row that leads its item */
    PLAN_THREAD,
    PLAN_THREAD_WIDE, /* apart, for their sums take the room of more threads */
    PLAN_SMALL,
    PLAN_MIDDLE,
    PLAN_LARGE,
    PLAN_PARTS, /* of long rows */
    PLAN_EQUAL_SMALL,
    PLAN_EQUAL_MIDDLE,
    PLAN_EQUAL_LARGE,
    PLAN_CLASSES
};
enum { PLAN_SMALL_SUMS = 64, PLAN_MIDDLE_SUMS = 256, PLAN_LARGE_SUMS = 1024, PLAN_MOST_SUMS = 2048 };
static_assert(PLAN_MIDDLE_SUMS <= 1 << 8 && PLAN_MOST_SUMS <= 1 << 16, "codes of one and of two bytes hold them");

inline int class_sums(int row_class)
{
    switch (row_class) {
    case PLAN_SMALL:
    case PLAN_EQUAL_SMALL: return PLAN_SMALL_SUMS;
    case PLAN_MIDDLE:
    case PLAN_EQUAL_MIDDLE: return PLAN_MIDDLE_SUMS;
    case PLAN_LARGE: return PLAN_LARGE_SUMS;
    default: return PLAN_MOST_SUMS;
    }
}
inline int class_code_bytes(int row_class) { return class_sums(row_class) <= PLAN_MIDDLE_SUMS ? 1 : 2; }

/* Rows of more products than this are cut, so that one does not outlast the others: a share of all products for each
 * of so many groups a multiprocessor, but no less than the least. */
enum { PLAN_CUT_GROUPS = 32, PLAN_CUT_LEAST = 1 << 13 };

/* Rows that a thread computes: in C (those of PLAN_THREAD, and all), in A, and of products. */
enum {
    PLAN_THREAD_FEW = 16,
    PLAN_THREAD_SUMS = 32,
    PLAN_THREAD_SUM_BYTES = 256,
    PLAN_THREAD_A = 255,
    PLAN_THREAD_PRODUCTS = 512
};

/* The rows of PLAN_THREAD or PLAN_THREAD_WIDE, in natural order. A reference leads from an entry of A to its row of B.
 * The codes of a row's products are bytes, four a word, those of the 32 rows of a warp side by side: word w of row r of
 * the warp lies at codes[32 * (codes_begin[warp] + w) + r]. */
template <typename Index> struct thread_rows {
    const Index *a_begin, *c_begin;
    const uint32_t *lengths; /* in A << 8 | in C */
    const Index *references; /* start << reference_bits | length, one for each entry of A */
    const int64_t *codes_begin;
    const uint32_t *codes;
};
template <typename Index> constexpr int reference_bits() { return sizeof(Index) == 4 ? 5 : 10; }
static_assert(PLAN_THREAD_A < 1 << 24 && PLAN_THREAD_SUMS < 1 << 8, "lengths are packed");
static_assert(PLAN_THREAD_PRODUCTS < 1 << 10, "and references");

/* The same, as the plan holds them: Index is uint32_t where everything fits, else uint64_t. */
struct plan_thread_rows {
    int64_t count;
    bool narrow;
    int longest; /* row of C */
    void *a_begin, *c_begin, *references;
    uint32_t *lengths, *codes;
    int64_t *codes_begin;
};

/* Sums of one group of lanes: entries c_begin .. c_begin + n of C, and so many more for each further row that has the
 * same columns in A. */
struct plan_item {
    int64_t c_begin, a_begin;
    int64_t piece_begin, pieces, code_begin;
    int32_t n, a_length; /* a_length: from a row of A to the next */
};

/* A piece is a part of one row of B whose columns ascend, so that no two of its products meet in an entry of C, and is
 * not longer than the group has lanes. One word holds it: its length, the start in B's values and the entry of A,
 * counted from the item's first; or two, the second with the entry of A. */
enum { PIECE_LENGTH_BITS = 6, PIECE_START_BITS = 35 };
constexpr int PIECE_A_BITS = 64 - PIECE_LENGTH_BITS - PIECE_START_BITS;

struct piece {
    int length;
    int64_t start, a_entry;
};

__device__ inline uint64_t pack_piece(const piece &p, bool with_a_entry)
{
    uint64_t word = (uint64_t)p.length | (uint64_t)p.start << PIECE_LENGTH_BITS;
    if (with_a_entry) word |= (uint64_t)p.a_entry << (PIECE_LENGTH_BITS + PIECE_START_BITS);
    return word;
}
__device__ inline int piece_length(uint64_t word) { return (int)(word & ((1 << PIECE_LENGTH_BITS) - 1)); }
__device__ inline int64_t piece_start(uint64_t word)
{
    return (int64_t)(word >> PIECE_LENGTH_BITS & (((uint64_t)1 << PIECE_START_BITS) - 1));
}
__device__ inline int64_t piece_a_entry(uint64_t word)
{
    return (int64_t)(word >> (PIECE_LENGTH_BITS + PIECE_START_BITS));
}

/* One class of items. Codes are those of the items' products, piece by piece. */
struct plan_items {
    int64_t count;
    int lanes;    /* of a group: 8, 16 or 32 */
    int capacity; /* sums of the largest item */
    int code_bytes, piece_words;
    int together; /* rows an item */
    plan_item *items;
    uint64_t *pieces;
    void *codes;
};

/* By which a pattern is known again: two sums over its offsets and two over its columns. */
struct plan_fingerprint {
    long long sums[4];
};

enum { PLAN_ARRAYS = 64 };

struct cuda_plan {
    plan_thread_rows thread, thread_wide; /* the references are the same array */
    plan_items classes[PLAN_CLASSES];
    plan_fingerprint of_a, of_b;
    void *arrays[PLAN_ARRAYS]; /* all that is allocated on the device */
    int64_t array_bytes[PLAN_ARRAYS];
    int arrays_count;
    int64_t bytes; /* of them all */
};

/* The patterns of A, B and C, checked by the product that gave C's. */
struct plan_patterns {
    numbers_view a, b, c; /* row offsets */
    const int32_t *a_columns, *b_columns, *c_columns;
    int64_t rows, b_rows;
    bool b_ascends; /* every row strictly */
};

/* Of the rows of one class; of equal rows, those that lead an item. */
struct plan_totals {
    unsigned long long rows, products, a_entries;
    unsigned long long most_products, most_a, most_c; /* of a row */
};

/* What chooses the classes of rows, and what came of it. */
struct plan_facts {
    plan_totals classes[PLAN_CLASSES];
    unsigned long long products, longest_b, unsorted_b, equal_pairs, equal_triples;
};

/* The making of a plan under way. */
struct plan_maker {
    spg_context *context;
    spg_cuda *cuda;
    cuda_plan *plan;
    plan_patterns patterns;
    int64_t a_nnz, b_nnz, c_nnz;
    int64_t cut_products;    /* rows of more are cut */
    int thread_sums;         /* entries of C up to which a thread computes a row */
    int together;            /* rows an item where they are equal; 1: none are */
    int64_t held, most_held; /* scratch */
    plan_facts facts;
    int64_t *row_products; /* on the device, of each row */
    int32_t *listed_rows;  /* on the device: the rows of PLAN_THREAD, of PLAN_SMALL ..., ascending in each class */
};

/* Device memory that lasts as long as a stage of the making. */
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
    template <typename Element> spg_status allocate(int64_t count, Element **array)
    {
        bytes = spg_array_bytes(count, sizeof(Element));
        spg_status status = spg_allocate_workspace(maker.context, maker.held, bytes, "making a plan", &memory);
        *array = static_cast<Element *>(memory);
        if (memory == nullptr) return status;
        maker.held += bytes;
        if (maker.held > maker.most_held) maker.most_held = maker.held;
        return status;
    }

  private:
    plan_maker &maker;
    void *memory = nullptr;
    int64_t bytes = 0;
};

/* *array = count elements that the plan keeps. */
template <typename Element> spg_status keep_array(plan_maker &maker, int64_t count, Element **array)
{
    cuda_plan *plan = maker.plan;
    void *memory = nullptr;
    const int64_t bytes = spg_array_bytes(count, sizeof(Element));
    *array = nullptr;
    if (plan->arrays_count == PLAN_ARRAYS)
        return spg_context_fail(maker.context, SPG_ERROR_INTERNAL, "a plan of too many arrays");
    spg_status status = spg_allocate(maker.context, bytes, "a plan", &memory);
    if (status != SPG_OK) return status;
    plan->arrays[plan->arrays_count] = memory;
    plan->array_bytes[plan->arrays_count++] = bytes;
    plan->bytes += bytes;
    *array = static_cast<Element *>(memory);
    return SPG_OK;
}

/* plan_classes.cu: fills in the facts, row_products and listed_rows, which have room for every row. Waits. */
spg_status classify_rows(plan_maker &maker);

/* plan_lists.cu. values[i] = the sum of values[0 .. i) for i <= count, *total = values[count]; values[count] is not
 * read. Waits. */
spg_status scan_counts(plan_maker &maker, int64_t *values, int64_t count, int64_t *total);
/* order = the numbers 0 .. count - 1, those with the greatest keys first. */
spg_status order_descending(plan_maker &maker, const int64_t *keys, int64_t count, int64_t *order);

/* plan_thread.cu, plan_items.cu: what one class keeps. */
spg_status make_thread_rows(plan_maker &maker, int row_class, const int32_t *rows);
spg_status make_items(plan_maker &maker, int row_class, const int32_t *rows);

/* plan_rows_thread.cu, plan_rows_group.cu: values of C. */
spg_status run_thread_rows(spg_context *context, const plan_thread_rows &rows, spg_type type, const void *a_values,
                           const void *b_values, void *c_values);
spg_status run_items(spg_context *context, const plan_items &items, spg_type type, const void *a_values,
                     const void *b_values, void *c_values);

/* plan_pattern.cu. Both wait. */
spg_status find_fingerprint(spg_context *context, const spg_csr *matrix, plan_fingerprint *fingerprint);
spg_status patterns_are_equal(spg_context *context, const spg_csr *one, const spg_csr *other, bool *are_equal);

/* Blocks for `count` threads or warps at work, where a kernel strides over what is left. */
inline unsigned int plan_blocks(const spg_cuda *cuda, int64_t count, int each_block)
{
    const int64_t blocks = (count + each_block - 1) / each_block, most = 64 * (int64_t)cuda->multiprocessors;
    return (unsigned int)(blocks < most ? (blocks > 0 ? blocks : 1) : most);
}

} // namespace spg

#endif
