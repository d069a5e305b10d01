/* A product on the host: threads take chunks of A's rows in turn, compute them into staging of their own, which stays
 * in cache, and copy them to where the rows before them end. Private.
 *
 * Chunks hold equal work, not equal rows; C is written densely in one pass, whatever the threads do. */
#ifndef SPG_SRC_HOST_SPGEMM_WORKER_H
#define SPG_SRC_HOST_SPGEMM_WORKER_H

#include "backend.h"
#include "memory.h"

#include <stdatomic.h>

/* Sizes that set how much a worker holds; chosen to fit the workspace limit (sizes.c). */
typedef struct worker_sizes {
    int64_t chunk_entries;   /* rows and entries of A in a chunk; a chunk's last row may add twice as many */
    int64_t staging_entries; /* entries of C that a worker holds before it copies them */
    int64_t table_slots;     /* of the list kernel's table; a power of two */
    int64_t list_entries;    /* entries of C of a row that the list kernel can take; at most MAX_LIST */
    int64_t sort_products;   /* products of a row that the sorting kernel can take */
    int64_t window_columns;  /* of the window kernel's accumulator; a multiple of 64 */
} worker_sizes;

enum { POSITION_BITS = 12, MAX_LIST = 1 << POSITION_BITS, SMALLEST_STAGING = 512 };

/* What was found out about B before the product (scan.c). */
typedef struct b_facts {
    bool sorted; /* every row strictly ascending: the first and last column bound the others */
    int64_t longest_row;
} b_facts;

/* How finished rows reach C. */
typedef enum handover_mode {
    HANDOVER_APPEND, /* in one pass, each chunk where the one before it ended */
    HANDOVER_COUNT,  /* only the lengths of the rows are kept */
    HANDOVER_PLACE   /* row_offsets are known */
} handover_mode;

/* Shared by the workers of one product. */
typedef struct multiplication {
    spg_product *product;
    b_facts b;
    worker_sizes sizes;
    handover_mode mode;
    int64_t chunks;
    int64_t value_bytes; /* 0 for a pattern */
    bool automatic;      /* no class limits were asked for: each row takes the kernel that is fastest */
    bool vector;         /* the AVX-512 kernels may run */
    int32_t *c_columns;
    char *c_values;
    atomic_llong next_chunk;
    atomic_llong turn;  /* the chunk that may append next */
    int64_t appended;   /* entries of C before that chunk; owned by whoever has the turn */
    atomic_bool failed; /* stop; malformed input */
    bool counting_only; /* appended no longer fits C's offsets: go on for the true count */
} multiplication;

/* Consecutive rows of A, with where the rows of B that they name begin (the paper's analysis of a slice). */
typedef struct row_chunk {
    int64_t index, first_row, rows, first_entry;
    bool has_long_row;     /* the row after these has too many entries to be described at once */
    int64_t *bounds;       /* rows + 1: entries of each row, relative to first_entry */
    int64_t *row_products; /* rows */
    int64_t *starts;       /* of each entry: where its row of B begins */
    int32_t *lengths;      /* of each entry: how long it is */
    int64_t products;
} row_chunk;

enum { KERNEL_LIST, KERNEL_SORT, KERNEL_WINDOW, KERNELS, WORK_BUCKETS = 8 };

/* Measured cost of the kernels for rows of a bucket of products, to choose by (route.c). */
typedef struct kernel_costs {
    double nanoseconds[KERNELS][WORK_BUCKETS]; /* a product; 0: not yet measured */
    int64_t chunks[WORK_BUCKETS];
} kernel_costs;

typedef struct spg_worker {
    multiplication *shared;
    row_chunk chunk;
    kernel_costs costs;

    /* Staging. */
    int32_t *columns;
    char *values;
    int64_t staged;  /* entries held */
    int64_t flushed; /* entries of this chunk already copied to C */
    int64_t offset;  /* where this chunk's entries begin in C, once has_turn or placed */
    bool has_turn;
    int64_t *row_counts; /* entries of C of each row of the chunk */

    /* The list kernel: table[column & (slots - 1)] = generation | position in the list. */
    uint32_t *table;
    uint32_t generation;
    int32_t *list_columns;
    void *list_sums;

    /* The sorting kernel. */
    uint64_t *keys, *keys_spare;
    void *sort_products;

    /* The window kernel: sums and byte marks of window_columns columns from window_first on; all zero between rows. */
    void *window_sums;
    uint8_t *marks;       /* a column each */
    uint8_t *block_marks; /* 64 columns each */

    int64_t class_rows[SPG_ROW_CLASSES];
    int64_t products;
    double expand_sort_seconds, assemble_seconds, analysis_seconds;
} spg_worker;

/* sizes.c: the largest sizes (and, if need be, fewer threads) that fit the limit. MEMORY if none does. */
spg_status spg_choose_worker_sizes(const spg_product *product, int *threads, worker_sizes *sizes);
int64_t spg_worker_bytes(const worker_sizes *sizes, int64_t value_bytes);
void spg_lay_out_worker(spg_worker *worker, const worker_sizes *sizes, int64_t value_bytes, char *memory);

/* chunk.c: chunk `index` of A, its bounds and what its entries name. False if A names rows that B has not. */
bool spg_load_chunk(spg_worker *worker, int64_t index);
int64_t spg_count_chunks(const spg_csr *A, int64_t chunk_entries);
/* Its parts: the first row of a chunk; the bounds of given rows; what the entries of these name. */
int64_t spg_chunk_begin(const multiplication *shared, int64_t index);
void spg_load_bounds(spg_worker *worker, int64_t first_row, int64_t end_row);
bool spg_describe_chunk(spg_worker *worker);
/* Describes `count` entries of A from `first` on into starts and lengths; false as above. */
bool spg_describe_entries(const spg_csr *A, const spg_csr *B, int64_t first, int64_t count, int64_t *starts,
                          int32_t *lengths);

/* handover.c. Room for `entries` more in staging; false if the product failed meanwhile. */
bool spg_make_room(spg_worker *worker, int64_t entries);
bool spg_finish_chunk(spg_worker *worker);

/* route.c: computes the rows of the loaded chunk into staging. False if the product failed meanwhile. */
bool spg_multiply_chunk(spg_worker *worker);

#endif
