/* Windows of entries of C, as a plan keeps them (plan.cuh). Private. */
#ifndef SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH
#define SPG_KERNELS_SPGEMM_PLAN_WINDOWS_CUH

#include <stdint.h>

namespace spg
{

/* Of blocks, the rows that a thread does: one where entries of C are few. */
enum { PLAN_BLOCK_ROWS = 3 };

/* Entries of C by windows of neighbours. Inside a window they are in the order of their counts of products, the
 * greatest first, and otherwise as in C; 32 after each other are a tile, whose lanes take a product of each. A code
 * names the entry of A, from the window's first, above `shift` bits for the position in the row of B, or in all of B if
 * it is direct; all bits set: no product. Where entries of A come in runs of `deep` whose rows of B have the same
 * columns, a code names the first of a run, and stands for the products of all. The codes of a tile are words, those of
 * its 32 entries side by side: a word holds two codes of 2 bytes, or one of 4, and two words one of 8. */
enum { PLAN_WINDOW = 512, PLAN_WINDOW_TILES = PLAN_WINDOW / 32 };
enum plan_order {
    PLAN_ORDER_KEPT,   /* as in C */
    PLAN_ORDER_SORTED, /* by places, that are those below the count */
    PLAN_ORDER_HOLES   /* by places: what is between is of another class */
};
struct plan_window {
    int64_t c_begin, a_begin;
    const uint32_t *codes;
    int32_t near_count; /* entries of A to have in shared memory; 0: they are too many */
    int32_t a_length;   /* of the rows of one group of blocks, where it is the only one here; else 0 */
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

/* The same, as the plan holds them. Where rows are equal, a window has entries of their leaders only. */
struct plan_windows {
    int64_t count; /* of windows that are not empty */
    int deep;      /* entries of A whose products a code stands for */
    int at_once;   /* of rows together, those that a thread does */
    bool narrow;   /* b_begins and products of long entries are uint32_t, else int64_t */
    int near_most; /* of all near_count */
    int together;  /* rows at once, where they are equal */
    plan_window *windows;
    int64_t *order;    /* of windows: those that are not empty, by far the heaviest first; NULL: as they are */
    uint32_t *strides; /* PLAN_WINDOW a window, where together > 1: from an entry to that of the next row, in C << 16 |
                          in A; 0: this row has no equal */
    int64_t long_count;
    plan_long_entry *long_entries;
    uint32_t *tile_begins; /* in 32 words from the window's codes: PLAN_WINDOW_TILES + 1 a window */
    uint16_t *places;      /* PLAN_WINDOW a window */
    void *b_begins;        /* of A's entries: where their rows of B begin */
};

/* Room for entries of A beside a window's sums, in shared memory that needs no attribute. */
enum { PLAN_NEAR_MOST = 2048, PLAN_WINDOW_SHARED = 48 << 10, PLAN_BLOCKS_SHARED = 24 << 10 };
inline int near_room(int value_bytes, int begin_bytes, int together, int deep)
{
    if (deep > 1) return PLAN_BLOCKS_SHARED / (value_bytes + begin_bytes) / 2 * 2;
    if (together > 1) return PLAN_WINDOW_SHARED / value_bytes; /* the values alone */
    const int room = (PLAN_WINDOW_SHARED - PLAN_WINDOW * value_bytes) / (value_bytes + begin_bytes) / 2 * 2;
    return room < PLAN_NEAR_MOST ? room : PLAN_NEAR_MOST;
}

} // namespace spg

#endif
