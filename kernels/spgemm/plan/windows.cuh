/* Windows of entries of C, as a plan keeps them (plan/plan.cuh). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH
#define SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

namespace spg
{

/* For blocks, the rows that a thread does; one if C has few entries. Windows are then narrow, so that their tiles run
 * concurrently (amg_bench, H100, solid3d:40; 48 and 32 entries are slower, because each window has A's values). */
enum { PLAN_BLOCK_ROWS = 3, PLAN_BLOCK_WINDOW_FEW = 96 };

/* Entries of C in windows of neighbours. Inside a window they are ordered by their number of products, the greatest
 * first, and otherwise as in C. 32 consecutive entries are a tile; a warp takes one product of each at a time. A code
 * names the entry of A, counted from the window's first, above `shift` bits for the position in the row of B, or in all
 * of B if it is direct; all bits set: no product. The codes of a tile are interleaved words of its 32 entries: a word
 * holds two codes of 2 bytes, or one of 4, and two words one of 8.
 *
 * If entries of A come in runs of `run_length` whose rows of B have the same columns, a code names a run, counted from
 * the window's first, and stands for the products of all its entries. If the columns of B also come in pairs, 2k and 2k
 * + 1, so do those of C, and an entry of B or C here means a pair (`entry_width` is 2). */
enum {
    PLAN_WINDOW = 512,
    PLAN_WINDOW_FEW = 128 /* if C has few entries */,
    PLAN_TILE = 32,
    PLAN_WINDOW_TILES = PLAN_WINDOW / PLAN_TILE
};
enum plan_order {
    PLAN_ORDER_KEPT,   /* as in C */
    PLAN_ORDER_SORTED, /* by places, which are all below the count */
    PLAN_ORDER_HOLES   /* by places; those missing in between are of another class */
};
struct plan_window {
    int64_t c_begin, a_begin; /* a_begin: for blocks, the first run */
    const uint32_t *codes;
    int32_t staged_count; /* entries or runs of A to stage in shared memory; 0: too many */
    int16_t count;        /* of entries */
    int16_t upper;        /* entries above the diagonal, if the others are below it; else all */
    uint8_t code_bytes, shift;
    int16_t order;
    bool direct; /* codes of 4 bytes that need no positions of rows of B */
};

/* An entry with so many products that a warp sums it, because one thread would outlast all others. For each product the
 * entry of A, counted from a_begin, and that of B. Not in a window. */
enum { PLAN_LONG_ENTRY = 128 };
struct plan_long_entry {
    int64_t c_at, a_begin;
    int32_t count;
    bool below; /* the diagonal; skipped if the flag is set */
    const uint2 *products;
};

/* A run of entries of A: where it begins in the first of the equal rows, the distance to the next of these rows, and
 * the first of its rows of B, which are consecutive. */
struct alignas(16) plan_run {
    uint32_t a_begin, a_length, b_begin, b_length;
};

/* In shared memory a run's values of A are in pieces of PLAN_PIECE entries, with those of the rows that a thread does
 * side by side; for more than one row, pieces are multiples of 16 bytes and loaded as these. Runs are an odd number of
 * 16 bytes apart, so that neighbours are in different banks. */
enum { PLAN_PIECE = 3 };
__host__ __device__ constexpr int piece_values(int rows, int value_bytes)
{
    return rows == 1 ? (int)PLAN_PIECE : (PLAN_PIECE * rows * value_bytes + 15) / 16 * 16 / value_bytes;
}
inline int run_pitch(int rows, int value_bytes, int run_length)
{
    const int values = (run_length + PLAN_PIECE - 1) / PLAN_PIECE * piece_values(rows, value_bytes);
    return rows == 1 ? values | 1 : (values * value_bytes / 16 | 1) * 16 / value_bytes;
}

/* What PLAN_ENTRIES does at once. */
struct plan_shape {
    int equal_rows;      /* 1: no rows are done together */
    int run_length;      /* entries of A whose products a code stands for; above 1 for blocks */
    int entry_width;     /* entries of C, and of B, that are done as one: 2 if columns of blocks come in pairs */
    int rows_per_thread; /* of `equal_rows` rows in blocks, those that a thread does */

    /* Entries that are done as one, of so many. */
    __host__ __device__ int64_t done_as_one(int64_t entries) const { return entry_width == 2 ? entries / 2 : entries; }
};

/* All windows of a part. Only for matrices A and B whose entries 32 bits can number. If rows are equal, a window has
 * only entries of their leaders. */
struct plan_windows : plan_shape {
    int64_t count;   /* of nonempty windows */
    int pitch;       /* for blocks, from a run's values of A to the next in shared memory */
    int width;       /* entries of a window, at most PLAN_WINDOW */
    int most_staged; /* the maximum of all staged_count */
    plan_window *windows;
    int64_t *order;    /* nonempty windows, by far the heaviest first; NULL: as they are */
    uint32_t *strides; /* `width` a window, if equal_rows > 1: from an entry to that of the next row, in C << 16 | in A;
                        * 0: the row has no equal */
    int64_t long_count;
    plan_long_entry *long_entries;
    uint32_t *tile_begins; /* in words of a tile, counted from the window's codes: PLAN_WINDOW_TILES + 1 a window */
    uint16_t *places;      /* `width` a window */
    uint32_t *b_begins;    /* by entry of A: where its row of B begins */
    plan_run *runs;        /* for blocks, in the order of their first rows; includes some that no code names */
    int64_t runs_count;
};

/* Codes of 2, 4 or 8 bytes: words of a code, codes of a word, and the code for no product. */
template <typename Code> struct code_form {
    static constexpr int words = sizeof(Code) == 8 ? 2 : 1, products = sizeof(Code) == 2 ? 2 : 1;
    static constexpr Code none = (Code) ~(Code)0;
};

/* Entries of A, or runs, that fit in shared memory that needs no attribute; entries next to a window's sums. */
enum { PLAN_MOST_STAGED = 2048, PLAN_WINDOW_SHARED = 48 << 10 };
inline int runs_staged(int rows, int value_bytes, int run_length)
{
    /* Beside them the kernel has a number of its own. */
    return (PLAN_WINDOW_SHARED - 16) / (run_pitch(rows, value_bytes, run_length) * value_bytes + 8) / 2 * 2;
}
inline int entries_staged(int value_bytes, int equal_rows)
{
    if (equal_rows > 1) return PLAN_WINDOW_SHARED / value_bytes; /* only values are staged */
    const int room = (PLAN_WINDOW_SHARED - PLAN_WINDOW * value_bytes) / (value_bytes + (int)sizeof(uint32_t)) / 2 * 2;
    return room < PLAN_MOST_STAGED ? room : PLAN_MOST_STAGED;
}

} // namespace spg

#endif
