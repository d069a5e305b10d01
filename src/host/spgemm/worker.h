/* A product on the host: threads take chunks of A's rows one after another. They compute each chunk into a staging
 * buffer of their own, which stays in cache, and copy it to its place in C, after the rows before it. Private.
 *
 * Chunks hold equal work, not equal numbers of rows. C is written densely in one pass, for any number of threads. */
#ifndef SPG_SRC_HOST_SPGEMM_WORKER_H
#define SPG_SRC_HOST_SPGEMM_WORKER_H

#include "backend.h"
#include "host/vector.h"
#include "memory.h"
#include "threads/pool.h"

#include <stdatomic.h>

/* Sizes of a worker's buffers, chosen to fit the workspace limit (sizes.c). */
typedef struct worker_sizes {
    int64_t chunk_entries;   /* rows and entries of A in a chunk; the last row of a chunk may add twice as many */
    int64_t staging_entries; /* entries of C that a worker holds before it copies them to C */
    int64_t table_slots;     /* of the list kernel's table; a power of two */
    int64_t list_entries;    /* the most entries of C of a row in the list kernel; at most MAX_LIST */
    int64_t sort_products;   /* the most products of a row in the sorting kernel */
    int64_t window_columns;  /* of the window kernel's accumulator; a multiple of 64 */
    int64_t known_products;  /* of all rows kept to be compared with; 0: none */
} worker_sizes;

enum { POSITION_BITS = 13, MAX_LIST = 1 << POSITION_BITS, SMALLEST_STAGING = 512 };

/* What the scan before the product found out about B (scan.c). */
typedef struct b_facts {
    bool sorted; /* every row strictly ascends, so its first and last column bound the others */
    int64_t longest_row;
} b_facts;

/* How finished rows reach C. */
typedef enum handover_mode {
    HANDOVER_APPEND, /* in one pass, each chunk after the one before it */
    HANDOVER_COUNT,  /* only the lengths of the rows are stored */
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
    bool automatic;      /* no class limits are set: each row uses the fastest kernel */
    spg_vector_level vector;
    int32_t *c_columns;
    char *c_values;
    atomic_llong next_chunk;
    atomic_llong turn;  /* the chunk that may append next */
    int64_t appended;   /* entries of C before that chunk; owned by the worker whose chunk it is */
    atomic_bool failed; /* stop; malformed input */
} multiplication;

/* Consecutive rows of A, with the positions of the rows of B that they name (the paper's analysis of a slice). */
typedef struct row_chunk {
    int64_t index, first_row, rows, first_entry;
    bool has_long_row;     /* the row after these has too many entries to be described at once */
    int64_t *bounds;       /* rows + 1: entries of each row, relative to first_entry */
    int64_t *row_products; /* rows */
    int64_t *starts;       /* for each entry: where its row of B begins */
    int32_t *lengths;      /* for each entry: the length of its row of B */
    int64_t *before;       /* for each entry, and at the end: products of the chunk before it */
    int64_t products;
} row_chunk;

enum { KERNEL_LIST, KERNEL_NETWORK, KERNEL_WINDOW, AUTOMATIC_KERNELS, KERNEL_SORT = AUTOMATIC_KERNELS };
enum { WORK_BUCKETS = 8 };

/* Measured cost of the kernels for rows in a bucket of products, to choose by (route.c). */
typedef struct kernel_costs {
    double nanoseconds[AUTOMATIC_KERNELS][WORK_BUCKETS]; /* per product; 0: not yet measured */
    int64_t chunks[WORK_BUCKETS];
} kernel_costs;

/* A row kept to be compared with later ones (repeat/). */
typedef struct known_row {
    uint32_t hash;
    int32_t products, n;                /* products 0: no row */
    int32_t first_product, first_entry; /* in the arrays of known_rows */
} known_row;

/* The columns of a row's products are told apart by lengths of rows of B and some columns, relative to the first. */
typedef struct row_signature {
    uint32_t hash;
    int32_t base; /* the first column */
} row_signature;

typedef struct known_rows {
    known_row *rows;           /* KNOWN_ROWS, at hash % KNOWN_ROWS */
    int32_t *offsets;          /* of each product: its column, relative to the first of its row */
    uint16_t *places;          /* of each product: the entry of C that it is added to */
    int32_t *columns;          /* of each entry of C, relative to the same */
    int32_t products, entries; /* held */
    int compared, found;       /* rows since the last count */
    bool is_sampled, repeats;  /* whether rows were compared yet; whether nearly all were found */
    bool scattered;            /* nearly none was found */
    int64_t rest;              /* rows that will not be compared */
    row_signature last;        /* of the row compared last */
} known_rows;

enum { KNOWN_ROWS = 512 };
enum { MOST_WAITING = 64 };

/* A chunk whose entries, or the last of them, are in the staging buffer. */
typedef struct staged_chunk {
    int64_t index, first_row, rows;
    int64_t begin;   /* in the staging buffer */
    int64_t count;   /* entries of the whole chunk, after it is finished */
    int64_t flushed; /* of these, already copied to C */
    int64_t offset;  /* where its entries begin in C, after it is placed */
    bool placed;
} staged_chunk;

typedef struct spg_worker {
    multiplication *shared;
    char *memory; /* the memory block of the arrays below */
    row_chunk chunk;
    kernel_costs costs;

    /* Staging buffer: the entries of the current chunk, after those of finished chunks that wait for their turn. */
    int32_t *columns;
    char *values;
    int64_t staged;      /* entries held */
    int64_t *row_counts; /* entries of C of each row of the current chunk */
    staged_chunk current;
    staged_chunk waiting[MOST_WAITING];
    int waiting_chunks;

    /* The list kernel: table[column & (slots - 1)] = generation | position in the list. */
    uint32_t *table;
    uint32_t generation;
    int32_t *list_columns;
    void *list_sums;
    uint16_t *list_order;
    bool list_is_mixed; /* see row_is_mixed in list/row.c; of the row before */

    /* The sorting kernel. */
    uint64_t *keys, *keys_spare;
    void *sort_products;

    /* The window kernel: sums and byte marks for window_columns columns from its first column on; all zero between
     * rows. */
    void *window_sums;
    uint8_t *marks;       /* one per column */
    uint8_t *block_marks; /* one per 64 columns */

    known_rows known;

    int64_t class_rows[SPG_ROW_CLASSES];
    int64_t products;
    double analysis_seconds, multiply_seconds, assemble_seconds;
} spg_worker;

/* The workers of one product. */
typedef struct worker_team {
    spg_threads threads;
    spg_worker *workers;
    char *memory; /* the memory of all workers */
    int64_t bytes;
} worker_team;

/* sizes.c: the largest sizes and the most threads that fit the limit, besides other_bytes. MEMORY if none fit. */
spg_status spg_choose_sizes(const spg_product *product, int64_t other_bytes, spg_threads *threads, worker_sizes *sizes);
/* Sizes for the workers of a plan, which have no staging buffer and know rows of C only by the table and by lists. */
worker_sizes spg_plan_sizes(const spg_csr *B);
int64_t spg_worker_bytes(const worker_sizes *sizes, int64_t value_bytes);
void spg_lay_out_worker(spg_worker *worker);

/* team.c. As many threads as pay off for this many chunks. */
spg_threads spg_threads_for(const spg_context *context, int64_t chunks);
/* The caller sets team->threads. */
spg_status spg_allocate_team(spg_context *context, multiplication *shared, worker_team *team);
void spg_release_team(spg_context *context, worker_team *team);
/* The worker of the team's thread `thread`. */
spg_worker *spg_worker_of(const worker_team *team, int thread);
/* The sum over rows of min(products, columns), an upper bound of nnz(C). */
int64_t spg_bound_by_products(const worker_team *team);
/* One pass over all chunks; false if an operand is malformed. */
bool spg_run_team(const worker_team *team, handover_mode mode);
/* Adds the counts of the last pass, and the shares of its phases in the time elapsed. */
void spg_sum_team(const worker_team *team, double elapsed_ms, spgemm_stats *stats);

/* chunk.c: loads chunk `index` of A, its bounds and what its entries name. False if A names rows outside B, or rows
 * that lie outside B's entries. */
bool spg_load_chunk(spg_worker *worker, int64_t index);
int64_t spg_count_chunks(const spg_csr *A, int64_t chunk_entries);
/* Its steps: the first row of a chunk; the bounds of given rows; what the entries of these name. */
int64_t spg_chunk_begin(const multiplication *shared, int64_t index);
void spg_load_bounds(spg_worker *worker, int64_t first_row, int64_t end_row);
bool spg_describe_chunk(spg_worker *worker);
/* Describes `count` entries of A from `first` on by starts and lengths; false as above. */
bool spg_describe_entries(const spg_csr *A, const spg_csr *B, int64_t first, int64_t count, int64_t *starts,
                          int32_t *lengths);

/* handover.c. Call these before a chunk's rows are computed; to make room for `entries` more in the staging buffer;
 * after the rows are computed; and when no chunks are left. False if the product failed meanwhile. */
void spg_begin_chunk(spg_worker *worker);
bool spg_make_room(spg_worker *worker, int64_t entries);
bool spg_finish_chunk(spg_worker *worker);
bool spg_finish_waiting(spg_worker *worker);

/* route.c: computes the rows of the loaded chunk into the staging buffer. False if the product failed meanwhile. */
bool spg_multiply_chunk(spg_worker *worker);

#endif
