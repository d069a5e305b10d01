/* The numeric phase of a plan, row by row: what is stored of the symbolic phase, and how sums are formed from it.
 * Private. */
#ifndef SPG_SRC_HOST_SPGEMM_PLAN_ROWS_H
#define SPG_SRC_HOST_SPGEMM_PLAN_ROWS_H

#include "host/spgemm/list/list.h"
#include "host/spgemm/worker.h"
#include "host/value_types.h"
#include "host/work.h"

/* How the products of a row find their entries of C. */
typedef enum row_code {
    CODE_NONE,   /* no products */
    CODE_MASK_8, /* for each entry of A, a mask of the (at most 8) entries of C that it adds to */
    CODE_MASK_16,
    CODE_POSITION_8, /* for each product, the position of its entry in the row of C, in one byte */
    CODE_POSITION_16,
    CODE_RANK /* nothing stored: positions are looked up in the row of C again */
} row_code;

/* A row of a plan: its code, and the number of masks or positions stored. */
typedef struct planned_row {
    uint32_t code : 3, count : 29;
} planned_row;

/* One chunk of rows of a plan: A's rows from chunk.first_row on. */
typedef struct plan_rows {
    spg_worker *worker;
    const spg_csr *A, *B, *C;   /* C: the plan's pattern */
    const planned_row *planned; /* for each row of the matrix */
    const uint8_t *code;        /* the codes, from this chunk's first row on */
    void *values;               /* all values of the result */
} plan_rows;

/* The code for a row with n entries of C, from `products` products of `entries` entries of A. It never takes more
 * memory than C itself. */
planned_row spg_plan_row(int64_t n, int64_t entries, int64_t products, bool masks);
int64_t spg_code_bytes(planned_row row);

/* Looks up positions of columns, valid until the next call: by a table if the row's columns do not collide in it, else
 * by bisection. */
typedef struct rank_lookup {
    const uint32_t *table; /* NULL: bisect */
    uint32_t mask;
    const int32_t *columns;
    int64_t n;
} rank_lookup;

rank_lookup spg_prepare_ranks(spg_worker *worker, const int32_t *columns, int64_t n);

/* In a row that is not empty, by the table or by bisection. A column that is not there gives some position within the
 * row. */
static inline uint32_t rank_by_table(rank_lookup ranks, int32_t column)
{
    const uint32_t rank = ranks.table[(uint32_t)column & ranks.mask], last = (uint32_t)ranks.n - 1;
    return rank < last ? rank : last;
}
static inline uint32_t rank_by_bisection(rank_lookup ranks, int32_t column)
{
    return (uint32_t)spg_host_lower_bound(ranks.columns, 0, ranks.n - 1, column);
}
static inline uint32_t rank_of(rank_lookup ranks, int32_t column)
{
    return ranks.table != NULL ? rank_by_table(ranks, column) : rank_by_bisection(ranks, column);
}

/* Computes the values of all rows of the chunk that the worker has loaded and described, whatever it contains. False if
 * it is found not to be the planned one; the values then mean nothing. */
bool spg_plan_rows_f32(const plan_rows *rows);
bool spg_plan_rows_f64(const plan_rows *rows);
bool spg_plan_rows_c32(const plan_rows *rows);
bool spg_plan_rows_c64(const plan_rows *rows);

/* plan_masks.c: whether the mask codes can be used here, for this value type. */
bool spg_masks_are_available(spg_type value_type);
/* values[0 .. n) = the sums of one row. */
void spg_mask_row_avx512_f64(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                             int64_t entries, int64_t n, double *values);
void spg_mask_row_avx512_f32(const plan_rows *rows, row_code code, const uint8_t *masks, int64_t first_entry,
                             int64_t entries, int64_t n, float *values);

#endif
