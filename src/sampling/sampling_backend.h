/* The backend interface of the sampling module: one function per stage, for each place. Private.
 *
 * Arguments are checked as far as the host can see them: types known, sizes not negative, pointers not NULL and at the
 * backend's place, options known. The stage checks contents while it reads them: weights, offsets, columns, uniforms,
 * row numbers. If it finds a fault, it looks for the first one by the rules of sampling/faults.h, which also has the
 * messages, and frees what it allocated; outputs then hold anything (draws) or zeros (tables). Rows that are empty or
 * all zeros are no fault where the context's draw_options, or the table that is built or drawn from, allow them: draws
 * from them are SPG_NO_ITEM.
 *
 * Every number is defined once for all places, so results have the same bits on every place: in sampling/sums.h (sums
 * and the search in them), sampling/alias.h (tables and draws from them), sampling/binomial.h (counts of sections),
 * sampling/walk.h (steps of walks), sampling/subset.h (keys of draws without replacement), sampling/multinomial.h
 * (counts), sampling/forest.h (bounds, guide tables, trees) and philox.h. */
#ifndef SPG_SRC_SAMPLING_BACKEND_H
#define SPG_SRC_SAMPLING_BACKEND_H

#include "context.h"

#include "spg/sampling.h"

/* Alias tables of all rows, at the context's place. */
struct spg_alias {
    spg_context *context; /* built it and frees it */
    int64_t rows, cols, nnz;
    spg_alias_builder builder; /* resolved: not AUTO */
    spg_alias_resolution resolution;
    int64_t *offsets; /* rows + 1 */
    int32_t *columns; /* nnz, or NULL: items are named by their position in the row */
    void *table;      /* nnz spg_alias_compact or spg_alias_exact (sampling/alias.h) */
    spg_alias_split split;
    int chunks;      /* at least 1 */
    bool empty_rows; /* rows may be without a distribution (sampling/alias.h) */
    bool is_broken;  /* a rebuild failed half way: nothing can be drawn */
    spg_alias_stats stats;
};

/* Bounds, guide tables and trees of all rows, at the context's place; see sampling/forest.h. */
struct spg_forest {
    spg_context *context;
    int64_t rows, nnz;
    spg_forest_method method;      /* resolved: not AUTO */
    double cells_per_item;         /* more than 0 */
    bool empty_rows;               /* rows may be without a distribution (sampling/forest.h) */
    int64_t *offsets;              /* rows + 1 */
    int32_t *columns;              /* nnz, or NULL */
    uint64_t *bounds;              /* CUTPOINT: nnz lower bounds; RADIX: NULL */
    struct spg_forest_node *nodes; /* RADIX: nnz nodes; CUTPOINT: NULL */
    int64_t *guide_offsets;        /* rows + 1: where each row's guide begins */
    int64_t guide_count;           /* guide_offsets[rows] */
    int32_t *guide;                /* guide_count entries */
};

/* Row numbers, at the context's place, or, with rows NULL, all of 0 ... count - 1. */
typedef struct spg_row_list {
    const int32_t *rows;
    int64_t count;
} spg_row_list;

struct spg_walk_call; /* sampling/walk.h */

typedef struct spg_sampling_backend {
    spg_status (*random_bits)(spg_context *context, const spg_random *random, int64_t count, uint64_t *bits);
    spg_status (*random_uniforms)(spg_context *context, const spg_random *random, int64_t count, spg_type type,
                                  void *uniforms);

    /* One draw per row, from uniforms (of the weights' type) or, if NULL, from random. */
    spg_status (*row_draws)(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                            const spg_random *random, const void *uniforms, int32_t *draws);
    spg_status (*lda_draws)(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                            const spg_random *random, int32_t *topics);

    /* context, rows, nnz and the options of *alias are set, its arrays are NULL, its stats 0. Allocates the arrays by
     * spg_allocate, with the sizes that spg_alias_free_arrays releases, and fills them. On failure they are NULL
     * again. */
    spg_status (*alias_build)(spg_context *context, const spg_csr *weights, spg_alias *alias);
    /* Whether these rows of weights can replace the table's: row numbers ascend, patterns are equal, weights are sound.
     * The sizes are equal, and the context's draw_options have the table's empty_rows. */
    spg_status (*alias_check)(spg_context *context, const spg_alias *alias, const spg_csr *weights, spg_row_list rows);
    /* Fills these rows of the table, which have been checked. */
    spg_status (*alias_fill)(spg_context *context, const spg_csr *weights, spg_row_list rows, spg_alias *alias);
    /* 0 <= row < rows. grouped: see sampling/alias.h. */
    spg_status (*alias_draws)(spg_context *context, const spg_alias *alias, int64_t row, int64_t count,
                              const spg_random *random, spg_alias_sampler sampler, bool grouped, int32_t *draws);
    /* rows may be NULL: 0, 1, ..., count - 1. */
    spg_status (*alias_row_draws)(spg_context *context, const spg_alias *alias, int64_t count, const int32_t *rows,
                                  const spg_random *random, int32_t *draws);

    /* walkers > 0; the table has columns, each less than its rows. */
    spg_status (*alias_walks)(spg_context *context, const spg_alias *alias, const struct spg_walk_call *call);

    /* k, at most INT32_MAX, draws without replacement from each row; k and rows above 0. */
    spg_status (*subset_draws)(spg_context *context, const spg_csr *weights, int64_t k, const spg_random *random,
                               int32_t *draws);

    /* Counts of n draws, or of trials[i] from row i, if trials is not NULL, of all entries. rows above 0; n, if it is
     * used, is not negative. */
    spg_status (*multinomial_draws)(spg_context *context, const spg_csr *weights, int64_t n, const int64_t *trials,
                                    const spg_random *random, int64_t *counts);

    /* In the same way: context, rows, nnz, method and cells_per_item are set. */
    spg_status (*forest_build)(spg_context *context, const spg_csr *weights, spg_forest *forest);
    /* rows NULL: always row 0; uniforms NULL: random. */
    spg_status (*forest_draws)(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                               const spg_random *random, const double *uniforms, int32_t *draws,
                               spg_forest_details details);
    /* 0 <= row < rows. */
    spg_status (*forest_strata)(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                                const spg_random *random, int32_t *draws, spg_forest_details details);
    spg_status (*forest_loads)(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                               const double *uniforms, int32_t *loads);
} spg_sampling_backend;

/* Free the arrays that are there: also for a build that failed half way. */
void spg_alias_free_arrays(spg_alias *alias);
void spg_forest_free_arrays(spg_forest *forest);

extern const spg_sampling_backend spg_host_sampling;
#ifdef SPG_WITH_CUDA
extern const spg_sampling_backend spg_cuda_sampling;
#endif

#endif
