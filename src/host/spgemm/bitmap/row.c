/* Rows of any size: sums in a dense window of columns, which are marked when touched and read in order. A row whose
 * columns span more than the window is split: the window moves on to the next column of the row, so that memory is
 * bounded for rows of any length. */
#include "host/spgemm/rows.h"
#include "host/spgemm/sort/radix.h"
#include "host/work.h"

#include <string.h>

typedef struct column_window {
    int64_t first, columns; /* the window holds columns first .. first + columns - 1 */
    bool whole_row;         /* all products of the row are in the window */
    bool sorted;            /* B's rows ascend */
} column_window;

static column_window open_window(const spg_worker *worker, column_range range)
{
    int64_t columns = worker->shared->sizes.window_columns;
    bool whole = range.last - (range.first & ~(int64_t)63) < columns;
    return (column_window){range.first & ~(int64_t)63, columns, whole, worker->shared->b.sorted};
}

/* The first marked block >= `block`, or `blocks`. */
static int64_t next_marked(const uint8_t *block_marks, int64_t block, int64_t blocks)
{
    uint64_t eight;
    while (block < blocks && block % 8 != 0)
        if (block_marks[block] != 0)
            return block;
        else
            block++;
    for (; block < blocks; block += 8) {
        memcpy(&eight, block_marks + block, sizeof eight);
        if (eight != 0) break;
    }
    while (block < blocks && block_marks[block] == 0) block++;
    return block;
}

/* The 64 byte marks as bits; clears the marks. */
static uint64_t take_block(uint8_t *marks)
{
    uint64_t bits = 0, eight;
    for (int i = 0; i < 8; i++) {
        memcpy(&eight, marks + 8 * i, sizeof eight);
        bits |= (eight * 0x0102040810204080u >> 56) << (8 * i); /* gathers the lowest bit of each byte */
    }
    memset(marks, 0, 64);
    return bits;
}

static int lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }

static int64_t long_row_end(const spg_worker *worker)
{
    const spg_csr *A = worker->shared->product->A;
    int64_t row = worker->chunk.first_row + worker->chunk.rows;
    return spg_offset_at(A, row + 1);
}

#define TEMPLATE "host/spgemm/bitmap/row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
