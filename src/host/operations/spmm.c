/* Y = alpha*A*X + beta*Y for several vectors: a row of A is read once for a group of vectors. Each sum is in storage
 * order, so each vector gets the bits of spg_csr_spmv. */
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

/* Vectors whose sums are held at a time. */
enum { GROUP = 16 };

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
