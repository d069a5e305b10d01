/* Y = alpha*A*X + beta*Y for several vectors: a block of rows of A is read from memory once for all of them. Each sum
 * is in storage order, so each vector gets the bits of spg_csr_spmv. */
#include "host/by_type.h"
#include "host/work.h"
#include "host_operations.h"

#define TEMPLATE "host/update.inc.h"
#include "host/for_each_value_type.h"

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
enum { MOST_HELD = 16, STRIDED = 4, BLOCK_ENTRIES = 1 << 12, BLOCK_ROWS = 1 << 10 };

typedef struct spmm_job {
    const spg_csr *matrix;
    const void *alpha, *beta;
    const spg_vectors *vectors;
} spmm_job;

#define TEMPLATE "host/operations/spmm.inc.h"
#include "host/for_each_value_type.h"

spg_status spg_host_spmm(spg_context *context, const void *alpha, const spg_csr *matrix, const void *beta,
                         const spg_vectors *vectors)
{
    static spg_work *const multiply[4] = BY_VALUE_TYPE(multiply);
    spg_work *work = multiply[matrix->value_type];
#ifdef WIDE
    static spg_work *const multiply_wide[4] = BY_VALUE_TYPE(multiply_wide);
    if (__builtin_cpu_supports("avx2")) work = multiply_wide[matrix->value_type];
#endif
    const spg_threads threads = spg_host_threads(context, (matrix->nnz + matrix->rows) * vectors->count);
    spg_host_parallel_rows(threads, matrix, spg_host_parts(threads), work, &(spmm_job){matrix, alpha, beta, vectors});
    return SPG_OK;
}
