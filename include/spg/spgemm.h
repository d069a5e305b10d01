/* C = A*B by expansion, sorting and contraction (Dalton, Bell, Olson: Optimizing Sparse Matrix-Matrix Multiplication
 * for the GPU). */
#ifndef SPG_SPGEMM_H
#define SPG_SPGEMM_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = A*B. A is m x k, B is k x n, of the same value type, at the context's place. C is m x n, owned by the caller
 * (spg_csr_free).
 *
 * C's rows are sorted by column and hold no duplicates. Its pattern depends only on the patterns of A and B: entries
 * that cancel stay as explicit zeros. Each entry is the sum, from zero, of its products a*b in the order in which A's
 * row and then B's row store them, with each product and each sum rounded (no fused multiply-add). So the bits are the
 * same at any number of threads, on any place, for any row class. C's offsets are 64 bits wide if A's or B's are, else
 * 32. On a device C's arrays may have room for up to an eighth and 1024 more entries, unless the caller gave an
 * allocator.
 *
 * SHAPE: A.cols != B.rows. ARGUMENT: different value types. FORMAT: offsets or columns out of range; the message names
 * the row. PLACE: arrays elsewhere than the context. UNSUPPORTED: on a device 2^31 - 1 or more rows of A or B, or more
 * than 2^31 - 1025 entries with 32-bit offsets; on the host 2^31 or more entries in a row of B. OVERFLOW: nnz(C)
 * exceeds 2^31 - 1 with 32-bit offsets; the message has the true count. MEMORY: an allocation failed, or
 * workspace_limit is too small for one slice.
 *
 * On a device work is queued on the context's stream. The call waits for that stream at most three times, to learn
 * sizes, and not for its own end; spgemm_plan_run avoids these waits. There is one more wait for each slice of rows of
 * class global (more than 8192 products), which exist only if rows of B do not ascend or limits are set. Before another
 * stream uses C, make it wait for the context's stream; before C is freed, make the context's stream wait for the other
 * one (spg_csr_free). */
SPG_API spg_status spgemm_csr(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C);

/* The stored analysis and symbolic phase of one product. */
typedef struct spgemm_plan spgemm_plan;

/* Finds C's pattern and the position of each product. The plan keeps its own copies: A and B may be freed afterwards.
 * Their values are not read. A plan belongs to its context: destroy it before the context. Errors as for spgemm_csr;
 * UNSUPPORTED on a device also: B's entries times those of a row of A exceed 2^56. */
SPG_API spg_status spgemm_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan **plan);

/* C = A*B for matrices of the plan's patterns and value type. Only values are computed, with the same bits as
 * spgemm_csr. C is either zeroed, and is then allocated, or a result of this plan, and is then overwritten without any
 * allocation. SHAPE: A, B or C does not have the plan's pattern. The product is then not computed; if only A's columns
 * differ, a C that was passed in has zero values afterwards. ARGUMENT: C's values overlap an array of an operand.
 * Patterns are compared by hashes with random keys, new for each plan, so that nobody can construct a matrix that
 * passes for another. Reads and writes stay within the arrays even if operands change during a run.
 *
 * The pattern of C is compared only if C is not that of the run before, or if the context has freed its offsets or
 * columns since. Freeing anything else makes no difference. What another context frees, or what is written into these
 * two arrays, is not noticed: after that pass a zeroed C.
 *
 * On a device a run is queued on the context's stream and does not wait; a run into the C of the run before can be
 * captured in a CUDA graph. To avoid a wait, it compares only sizes and types of A and B, not patterns: for other
 * patterns of the same sizes it stays within the arrays, but C's values mean nothing. See spgemm_plan_check. A run that
 * compares C's pattern waits. */
SPG_API spg_status spgemm_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C);

/* OK if A and B have the plan's patterns and types, so that a run on them is right; SHAPE if not. Their values are not
 * read. May wait for the device. */
SPG_API spg_status spgemm_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B);

/* Frees the plan, not its results. NULL is allowed. */
SPG_API void spgemm_plan_destroy(spgemm_plan *plan);

/* Classes of rows by the number of products they need (section 3.1 of the paper). */
typedef enum spg_row_class {
    SPG_ROW_EMPTY = 0,  /* no products */
    SPG_ROW_THREAD = 1, /* at most spg_row_limits.thread products */
    SPG_ROW_WARP = 2,   /* more, and at most spg_row_limits.warp */
    SPG_ROW_CTA = 3,    /* more, and at most spg_row_limits.cta */
    SPG_ROW_GLOBAL = 4, /* more */
    SPG_ROW_CLASSES = 5 /* the number of classes */
} spg_row_class;

/* Statistics of a product or a plan's run. Times are wall-clock milliseconds. On the host, where threads overlap the
 * phases, each phase has its share of the wall-clock time, and expand_sort_ms includes contraction. On a device without
 * spg_config.timing, total_ms is the time until the last work was queued, and the phases are 0. With it, total_ms is
 * the time to the end, and the phases are measured; rows are expanded and sorted twice, so expand_sort_ms is the pass
 * that counts C's rows and contract_ms the pass that fills them. On a device class_rows counts the rows by kind of
 * kernel (a thread, a group of lanes up to a warp, or a block for each row), or by class if limits are set. */
typedef struct spgemm_stats {
    int64_t products;                    /* nnz of the expanded matrix */
    int64_t nnz;                         /* nnz(C) */
    double expansion, contraction;       /* products/nnz(A), products/nnz(C); 0 where the denominator is 0 */
    int64_t class_rows[SPG_ROW_CLASSES]; /* rows of each class */
    int64_t result_bytes;                /* C's three arrays */
    int64_t workspace_bytes;             /* peak bytes besides C and, for a plan, besides the plan */
    int64_t plan_bytes;                  /* what the plan keeps; 0 for a one-shot product */
    double analysis_ms, expand_sort_ms, contract_ms, assemble_ms; /* the phases, see above */
    double total_ms;                                              /* the call */
} spgemm_stats;

/* Statistics of the plan's creation; after a run, the times are those of the last run. */
SPG_API spg_status spgemm_plan_stats(const spgemm_plan *plan, spgemm_stats *stats);

/* Statistics of the last spgemm_csr that succeeded on this context; ARGUMENT if there was none. */
SPG_API spg_status spgemm_last_stats(const spg_context *context, spgemm_stats *stats);

/* A factor, over the rows for which it is defined. */
typedef struct spg_factor {
    double min, max;     /* the least and the largest */
    double mean, stddev; /* unweighted mean and standard deviation */
    int64_t rows;        /* rows for which the factor is defined */
} spg_factor;

/* How a product will behave (the paper's Table 9, Figures 5 and 12). */
typedef struct spgemm_analysis {
    int64_t products, longest_row;           /* of all rows, and of the row that needs most */
    spg_factor row_products;                 /* products of each row */
    spg_factor expansion;                    /* products / nnz(A), of each row of A with entries */
    spg_factor contraction;                  /* products / nnz(C), of each row with products; zeroed without C */
    int64_t class_rows[SPG_ROW_CLASSES];     /* rows of each class */
    int64_t class_products[SPG_ROW_CLASSES]; /* products of these rows */
} spgemm_analysis;

/* Analyses A*B without computing it. C may be NULL or the product (only its offsets are read). limits may be NULL for
 * the context's. row_products may be NULL, or point to A.rows counts at the context's place. On a device the call waits
 * for its end.
 *
 * SHAPE: A.cols != B.rows; C has another size, or a row whose number of entries A*B cannot have (the message names it).
 * ARGUMENT: different value types, or limits below -1. FORMAT: offsets or columns of A, or offsets of B or C, out of
 * range; the message names the row. PLACE: arrays elsewhere than the context. MEMORY: an allocation failed, or
 * workspace_limit is below what the call needs, which is never more than half a megabyte. After an error *analysis is
 * zeroed. */
SPG_API spg_status spgemm_analyse(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                  const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis);

#ifdef __cplusplus
}
#endif

#endif
