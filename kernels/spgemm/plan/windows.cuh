/* Windows of entries of C, as a plan keeps them (plan/plan.cuh). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH
#define SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH

#include <stdint.h>

namespace spg
{

/* Of blocks, the rows that a thread does: one where entries of C are few. Windows are narrow then, for their tiles to
 * run beside each other (amg_bench, H100, solid3d:40; 48 and 32 entries are slower, as each window has A's values). */
enum { PLAN_BLOCK_ROWS = 3, PLAN_WINDOW_FEW = 96 };

/* Entries of C by windows of neighbours. Inside a window they are in the order of their counts of products, the
 * greatest first, and otherwise as in C; 32 after each other are a tile, of which a warp takes a product of each. A
 * code names the entry of A, from the window's first, above `shift` bits for the position in the row of B, or in all of
 * B if it is direct; all bits set: no product. The codes of a tile are words, those of its 32 entries side by side: a
 * word holds two codes of 2 bytes, or one of 4, and two words one of 8.
 *
 * Where entries of A come in runs of `deep` whose rows of B have the same columns, a code names a run, from the
 * window's first, and stands for the products of all its entries. Where besides the columns of B come in pairs, 2k and
 * 2k + 1, so do those of C, and what is said here of an entry of B or C is meant of a pair (`wide` is 2). */
enum { PLAN_WINDOW = 512, PLAN_WINDOW_TILES = PLAN_WINDOW / 16 };
enum plan_order {
    PLAN_ORDER_KEPT,   /* as in C */
    PLAN_ORDER_SORTED, /* by places, that are those below the count */
    PLAN_ORDER_HOLES   /* by places: what is between is of another class */
};
struct plan_window {
    int64_t c_begin, a_begin; /* a_begin: of blocks, the first run */
    const uint32_t *codes;
    int32_t near_count; /* entries or runs of A to have in shared memory; 0: they are too many */
    int16_t count;      /* of entries */
    int16_t upper;      /* of the first, where the others are below the diagonal; else all */
    uint8_t code_bytes, shift;
    int16_t order;
    bool direct; /* codes, of 4 bytes: nothing is to be known of rows of B */
};

/* An entry of so many products that a warp sums it: one thread would outlast all others. For each product the entry of
 * A, from a_begin, and that of B. Not in a window. */
enum { PLAN_LONG_ENTRY = 128 };
struct plan_long_entry {
    int64_t c_at, a_begin;
    int32_t count;
    bool below;           /* the diagonal, and left where the flag is set */
    const void *products; /* pairs */
};

/* A run of entries of A: where it begins in the first of equal rows, how far it is to the next of them, and the first
 * of its rows of B, which follow each other. */
struct alignas(16) plan_run {
    uint32_t a_begin, a_length, b_begin, b_length;
};

/* In shared memory a run's values of A lie by pieces of so many entries, those of the rows that a thread does side by
 * side; of more rows than one, pieces are multiples of 16 bytes, to be loaded so. Runs are an odd number of these
 * apart, so that neighbours lie in other banks; but not where the halves of a warp do other rows, which takes the most
 * room. */
enum { PLAN_PIECE = 3 };
__host__ __device__ constexpr int piece_values(int rows, int value_bytes)
{
    return rows == 1 ? (int)PLAN_PIECE : (PLAN_PIECE * rows * value_bytes + 15) / 16 * 16 / value_bytes;
}
inline int run_pitch(int rows, int sides, int value_bytes, int deep)
{
    const int values = (deep + PLAN_PIECE - 1) / PLAN_PIECE * sides * piece_values(rows, value_bytes);
    if (rows == 1) return values | 1;
    return sides == 1 ? (values * value_bytes / 16 | 1) * 16 / value_bytes : values;
}

/* The same, as the plan holds them. Where rows are equal, a window has entries of their leaders only. */
struct plan_windows {
    int64_t count; /* of windows that are not empty */
    int deep;      /* entries of A whose products a code stands for */
    int wide;      /* entries of C, and of B, that are done as one */
    int at_once;   /* of rows of blocks, those that a thread does */
    int pitch;     /* of blocks, from a run's values of A to the next in shared memory */
    int width;     /* entries of a window, at most PLAN_WINDOW */
    int tile;      /* entries of a tile: of blocks 16 where halves of a warp do other rows, else 32 */
    bool narrow;   /* b_begins and products of long entries are uint32_t, else int64_t */
    int near_most; /* of all near_count */
    int together;  /* rows at once, where they are equal */
    plan_window *windows;
    int64_t *order;    /* of windows: those that are not empty, by far the heaviest first; NULL: as they are */
    uint32_t *strides; /* `width` a window, where together > 1: from an entry to that of the next row, in C << 16 |
                          in A; 0: this row has no equal */
    int64_t long_count;
    plan_long_entry *long_entries;
    uint32_t *tile_begins; /* in `tile` words from the window's codes: PLAN_WINDOW_TILES + 1 a window */
    uint16_t *places;      /* `width` a window */
    void *b_begins;        /* of A's entries: where their rows of B begin */
    plan_run *runs;        /* of blocks, in the order of their first rows; with some that no code names */
    int64_t runs_count;
};

/* Codes of 2, 4 or 8 bytes: words of a product, products of a word, and what stands for none. */
template <typename Code> struct code_form {
    static constexpr int words = sizeof(Code) == 8 ? 2 : 1, products = sizeof(Code) == 2 ? 2 : 1;
    static constexpr Code none = (Code) ~(Code)0;
};

/* Room for entries of A beside a window's sums, in shared memory that needs no attribute; and bytes of a run that leave
 * room for enough of them. */
enum { PLAN_NEAR_MOST = 2048, PLAN_WINDOW_SHARED = 48 << 10, PLAN_RUN_BYTES = 200 };
inline int run_bytes(int rows, int sides, int value_bytes, int deep)
{
    return run_pitch(rows, sides, value_bytes, deep) * value_bytes + 8;
}
/* How many of a warp's halves do rows of their own, for which values of B are loaded once: two where that leaves room.
 */
inline int choose_sides(int together, int at_once, int value_bytes, int deep)
{
    return at_once > 1 && together > at_once && run_bytes(at_once, 2, value_bytes, deep) <= PLAN_RUN_BYTES ? 2 : 1;
}
inline int near_runs(int rows, int sides, int value_bytes, int deep)
{
    return PLAN_WINDOW_SHARED / run_bytes(rows, sides, value_bytes, deep) / 2 * 2;
}
inline int near_room(int value_bytes, int begin_bytes, int together)
{
    if (together > 1) return PLAN_WINDOW_SHARED / value_bytes; /* the values alone */
    const int room = (PLAN_WINDOW_SHARED - PLAN_WINDOW * value_bytes) / (value_bytes + begin_bytes) / 2 * 2;
    return room < PLAN_NEAR_MOST ? room : PLAN_NEAR_MOST;
}

} // namespace spg

#endif
