/* C = A*B by expansion, sorting and contraction (Dalton, Bell, Olson: Optimizing Sparse Matrix-Matrix Multiplication
 * for the GPU). */
#ifndef SPG_SPGEMM_H
#define SPG_SPGEMM_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* C = A*B. A is m x k, B k x n, of one value type, at the context's place; C comes back m x n, owned (spg_csr_free).
 *
 * C's rows are sorted by column and hold no duplicates. Its pattern depends on the patterns of A and B alone: entries
 * that cancel stay as explicit zeros. Each entry is the sum, from zero, of its products a*b in the order in which A's
 * row and then B's row store them, each product and each sum rounded (no fused multiply-add): the same bits at any
 * number of threads, on any place, for any row class. C's offsets are 64 bits wide if A's or B's are, else 32. On a
 * device C's arrays may have room for up to an eighth and 1024 more entries, unless the allocator is the caller's.
 *
 * SHAPE: A.cols != B.rows. ARGUMENT: different value types. FORMAT: offsets or columns out of range, naming the row.
 * PLACE: arrays elsewhere than the context. UNSUPPORTED: on a device 2^31 - 1 or more rows of A or B, or more than
 * 2^31 - 1025 entries with 32-bit offsets; on the host 2^31 or more entries in a row of B. OVERFLOW: nnz(C) passes
 * 2^31 - 1 with 32-bit offsets; the message has the true count. MEMORY: an allocation failed, or workspace_limit is
 * below what one slice needs.
 *
 * On a device work is queued on the context's stream: the call waits for it once or twice to learn sizes, not for its
 * end. Where rows of B do not ascend it waits once more if B has 2^31 entries or workspace_limit leaves less than half
 * a megabyte and 24 bytes for each row of A, or if A's rows are short (on average 11 entries and 96 products, at most)
 * and only some of more than 32 entries or 1024 products name such rows of B; or where more rows are unlike most than
 * memory, workspace_limit or 2^21 numbers of rows allow to list. Rows of class global are waited for slice by slice:
 * those of more than 8192 products where B does not ascend or limits are set. Before another stream uses C, make that
 * one wait for the context's; before C is freed, make the context's wait for that one (spg_csr_free). */
SPG_API spg_status spgemm_csr(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C);

/* The kept analysis and symbolic phase of one product. */
typedef struct spgemm_plan spgemm_plan;

/* Finds C's pattern and where each product goes. The plan keeps its own copies: A and B may be freed afterwards. Their
 * values are not read. A plan belongs to its context and must be destroyed before it. Errors as of spgemm_csr;
 * UNSUPPORTED on a device also: 2^35 or more entries of B. */
SPG_API spg_status spgemm_plan_create(spg_context *context, const spg_csr *A, const spg_csr *B, spgemm_plan **plan);

/* C = A*B for matrices of the plan's patterns and value type; only numbers are computed, with the same bits as
 * spgemm_csr. C is either zeroed, and is then allocated, or what this plan returned before, and is then overwritten
 * with nothing allocated. SHAPE: A, B or C is not of the plan's pattern; the product is not computed, and where
 * this shows in A's columns only, a C given has zero values afterwards. ARGUMENT: C's values lie where an array of an
 * operand does. Patterns are known again by hashes with random keys of each plan's own, so that none can be made that
 * passes for another; and what is read and written stays within the arrays even if operands are changed during a run.
 *
 * On a device a run is queued on the context's stream and not waited for, and one into a C of the run before can be
 * captured in a graph. Of A and B it compares sizes and types, not patterns, for that would be a wait: with others of
 * the same sizes it stays within the arrays, and C's values mean nothing. See spgemm_plan_check. A C of another run
 * than the one before is compared, and waited for, and so is one whose offsets or columns the context has freed since;
 * what else is freed makes no difference. */
SPG_API spg_status spgemm_plan_run(spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C);

/* OK if A and B have the plan's patterns and types: then a run on them is right. SHAPE if not. Their values are not
 * read. May wait for the device. */
SPG_API spg_status spgemm_plan_check(spgemm_plan *plan, const spg_csr *A, const spg_csr *B);

SPG_API void spgemm_plan_destroy(spgemm_plan *plan);

/* Classes of rows by the products they need (section 3.1 of the paper). */
typedef enum spg_row_class {
    SPG_ROW_EMPTY = 0, /* no products */
    SPG_ROW_THREAD = 1,
    SPG_ROW_WARP = 2,
    SPG_ROW_CTA = 3,
    SPG_ROW_GLOBAL = 4,
    SPG_ROW_CLASSES = 5
} spg_row_class;

/* What a product or a plan run was like. Times are wall-clock milliseconds. On the host, where threads overlap the
 * phases, they are each phase's share of the wall-clock time, and contraction, which runs with expansion there, is
 * counted with it. On a device total_ms is until the last work was queued, and the phases are 0, but where
 * spg_config.timing asks for times: then total_ms is until the end, and the phases are timed. Rows are expanded and
 * sorted twice there, expand_sort_ms is the pass that counts the rows of C and contract_ms the one that fills them;
 * class_rows are the kinds of kernel that took the rows (a thread, a group of lanes up to a warp, a block each), or the
 * classes where limits were set. */
typedef struct spgemm_stats {
    int64_t products;              /* nnz of the expanded matrix */
    int64_t nnz;                   /* nnz(C) */
    double expansion, contraction; /* products/nnz(A), products/nnz(C); 0 where the denominator is 0 */
    int64_t class_rows[SPG_ROW_CLASSES];
    int64_t result_bytes;    /* C's three arrays */
    int64_t workspace_bytes; /* the most that was held beside C and, for a plan, beside the plan */
    int64_t plan_bytes;      /* what the plan keeps; 0 for a one-shot product */
    double analysis_ms, expand_sort_ms, contract_ms, assemble_ms, total_ms;
} spgemm_stats;

/* Of the plan's creation and, once it has run, of its last run (the times). */
SPG_API spg_status spgemm_plan_stats(const spgemm_plan *plan, spgemm_stats *stats);

/* Of the last spgemm_csr that succeeded on this context; ARGUMENT if there was none. */
SPG_API spg_status spgemm_last_stats(const spg_context *context, spgemm_stats *stats);

/* A factor over the rows that have one. */
typedef struct spg_factor {
    double min, max, mean, stddev;
    int64_t rows; /* how many rows have one */
} spg_factor;

/* How a product will behave (the paper's Table 9, Figures 5 and 12). */
typedef struct spgemm_analysis {
    int64_t products, longest_row; /* in all, and of the row that needs most */
    spg_factor row_products;       /* products of each row */
    spg_factor expansion;          /* products / nnz(A), of each row with entries */
    spg_factor contraction;        /* products / nnz(C), of each row with products; zeroed without C */
    int64_t class_rows[SPG_ROW_CLASSES];
    int64_t class_products[SPG_ROW_CLASSES];
} spgemm_analysis;

/* Analyses A*B without computing it. C may be NULL, or be the product (only its offsets are read). limits may be NULL
 * for the context's. row_products may be NULL, or take A.rows counts, at the context's place. On a device it waits for
 * the end.
 *
 * SHAPE: A.cols != B.rows, C of another size, or with a row whose count of entries A*B cannot have, naming it.
 * ARGUMENT: different value types, or limits below -1. FORMAT: offsets or columns of A, or offsets of B or C, out of
 * range, naming the row. PLACE: arrays elsewhere than the context. MEMORY: an allocation failed, or workspace_limit is
 * below what this takes, never more than half a megabyte. After an error *analysis is zeroed. */
SPG_API spg_status spgemm_analyse(spg_context *context, const spg_csr *A, const spg_csr *B, const spg_csr *C,
                                  const spg_row_limits *limits, int64_t *row_products, spgemm_analysis *analysis);

#ifdef __cplusplus
}
#endif

#endif
