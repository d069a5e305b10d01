/* The oracle: A*B by CXSparse, in double precision, and what a right result may differ from it. */
#ifndef SPG_BENCH_VERIFY_H
#define SPG_BENCH_VERIFY_H

#include "peer.h"

/* C's pattern, its values and the error allowed to each: 4*k*eps*sum|a||b| for an entry of k products, eps of A's
 * value type, plus k times that type's smallest positive number. An entry whose k*sum|a||b| passes that type's largest
 * number may also be infinite or NaN. */
typedef struct oracle oracle;

typedef struct verdict {
    bool right;
    double max_error; /* max |C - oracle| / allowed, over the entries compared: right is at most 1 */
    char fault[160];  /* "" if right: the first row at fault, and how */
} verdict;

/* The rows are computed in slices of bounded products. Needs 20 bytes an entry of C (28 if complex), and as much again
 * for the slices under way. */
spg_status oracle_create(spg_context *errors, const spg_csr *A, const spg_csr *B, int threads, oracle **result);

/* Likewise R*(A*P), with sums over the products r*a*p: an entry's k are the products a*p in it, and the error allowed
 * is 4*k*eps*sum|r||a||p|. */
spg_status oracle_create_galerkin(spg_context *errors, const spg_csr *R, const spg_csr *A, const spg_csr *P,
                                  int threads, oracle **result);
void oracle_destroy(oracle *truth);

/* Of both products together where there are two. */
int64_t oracle_products(const oracle *truth);
int64_t oracle_nnz(const oracle *truth);

/* The pattern must be the oracle's exactly, without duplicates, in ascending order if `sorted`; every value within its
 * allowed error. Fails only for want of memory. */
spg_status oracle_check(spg_context *errors, const oracle *truth, const csr_view *C, bool sorted, verdict *result);

/* The same types, offsets, columns and values, bit for bit. */
bool same_bits(const csr_view *left, const csr_view *right);

#endif
