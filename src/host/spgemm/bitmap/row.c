/* Rows of any size: sums in a dense window of columns, which are marked when touched and read in order. A row whose
 * columns span more than the window is split: the window moves on to the next column of the row, so that memory is
 * bounded for rows of any length. Where many windows would hold few products each, wider ones gather their products,
 * which are sorted (sort/row.c). */
#include "host/spgemm/rows.h"
#include "host/spgemm/sort/radix.h"
#include "host/work.h"

#include <string.h>

/* The entries of a row of A. Those of a row after the chunk are described piece by piece, again for each window. */
typedef struct row_entries {
    int64_t first, count;
    bool is_long;
} row_entries;

/* Each window searches every row of B that the row names, or reads all its products where rows do not ascend. Where the
 * products are so few for the columns they span that this takes longest, they are sorted, some at a time. Chosen with
 * python/bench/apart.py on one thread: 20 shapes of 1 to 500 rows; of 1/4 to 8, 4 and 8 are the fastest. */
enum { SORTED_PRODUCTS_A_SEARCH = 4 };
static bool sorting_pays(const spg_worker *worker, column_range range, int64_t entries, int64_t products)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    const int64_t span = (range.last - range.first) / sizes->window_columns;
    const int64_t windows = span < products ? span : products, parts = 2 * products / sizes->sort_products;
    const int64_t searches = worker->shared->b.sorted ? entries : products;
    return SORTED_PRODUCTS_A_SEARCH * (double)(windows - parts) * (double)searches > (double)products;
}

static column_window open_window(const spg_worker *worker, column_range range, int64_t entries, int64_t products)
{
    const worker_sizes *sizes = &worker->shared->sizes;
    column_window window = {.columns = sizes->window_columns, .sorted = worker->shared->b.sorted};
    window.whole_row = range.last - (range.first & ~(int64_t)63) < window.columns;
    if (window.whole_row || !sorting_pays(worker, range, entries, products)) return window;
    window.width =
        1 + (int64_t)((double)(range.last - range.first) / 2 / (double)products * (double)sizes->sort_products);
    return window;
}

/* Opens the window from column `next` on. All windows end where a block of 64 columns does, since one that does not
 * gather begins with the block of its first column. */
static void move_window(const spg_worker *worker, column_window *window, int64_t next)
{
    const int64_t columns = worker->shared->sizes.window_columns;
    window->gathers = window->width > columns;
    window->gathered = 0;
    window->first = window->gathers ? next : next & ~(int64_t)63;
    window->columns = window->gathers ? ((next + window->width) & ~(int64_t)63) - next : columns;
}

/* Whether the window's products were too many to gather. Windows are then narrower, and wider again after few products
 * or a dense window. */
static bool was_too_wide(const spg_worker *worker, column_window *window)
{
    const int64_t most = worker->shared->sizes.sort_products;
    if (window->gathered > most) window->width /= 2;
    if (window->gathered < most / 4 && window->width < INT32_MAX) window->width *= 2;
    return window->gathered > most;
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

/* The entries of the row after the chunk, and their products; *products is -1 if an operand is malformed. */
static row_entries long_row(const spg_worker *worker, int64_t *products)
{
    const multiplication *shared = worker->shared;
    const spg_csr *A = shared->product->A;
    const row_chunk *chunk = &worker->chunk;
    const int64_t first = chunk->first_entry + chunk->bounds[chunk->rows], piece = shared->sizes.chunk_entries;
    const row_entries row = {first, spg_offset_at(A, chunk->first_row + chunk->rows + 1) - first, true};
    *products = 0;
    for (int64_t k = 0; k < row.count; k += piece) {
        const int64_t count = row.count - k < piece ? row.count - k : piece;
        if (!spg_describe_entries(A, shared->product->B, first + k, count, chunk->starts, chunk->lengths)) {
            *products = -1;
            break;
        }
        for (int64_t i = 0; i < count; i++) *products += chunk->lengths[i];
    }
    return row;
}

#define TEMPLATE "host/spgemm/bitmap/row.inc.h"
#define WITH_PATTERN
#include "host/for_each_value_type.h"
