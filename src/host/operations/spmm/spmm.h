/* What the two ways through several vectors share. Private. */
#ifndef SPG_SRC_HOST_OPERATIONS_SPMM_H
#define SPG_SRC_HOST_OPERATIONS_SPMM_H

#include "host/operations/host_operations.h"
#include "host/work.h"

/* The same code is compiled again for wide registers and chosen at run time. AVX2 alone: where FMA is allowed too,
 * gcc fuses complex products (vfmaddsub) even with -ffp-contract=off. */
#ifdef __GNUC__
#define ALWAYS_INLINE __attribute__((always_inline))
#else
#define ALWAYS_INLINE
#endif
#if defined(__x86_64__) && defined(__GNUC__)
#define WIDE __attribute__((target("avx2")))
#endif

/* Sums are held for up to MOST_HELD vectors whose elements lie side by side, and for STRIDED vectors that lie apart:
 * more of these are more streams of memory than a processor fetches ahead. A block of rows is as long as its entries
 * stay in a cache near the core while groups of vectors follow each other (products of 16 vectors with 7-point and
 * 27-point stencils). */
enum { MOST_HELD = 16, STRIDED = 4, BLOCK_ENTRIES = 1 << 13, BLOCK_ROWS = 1 << 11 };

typedef struct spmm_job {
    const spg_csr *matrix;
    const void *alpha, *beta;
    const spg_vectors *vectors;
} spmm_job;

/* For real vectors whose elements lie side by side down the rows. */
extern spg_work *const spg_host_multiply_columns[2], *const spg_host_multiply_columns_wide[2];

#endif
