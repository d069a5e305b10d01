/* Whether a hierarchy and a solution are right, by plain loops on the host. */
#ifndef SPG_BENCH_AMG_VERIFY_H
#define SPG_BENCH_AMG_VERIFY_H

#include "amg_system.h"

typedef struct amg_verdict {
    bool right;
    double max_error; /* of coarse operators, over what is allowed; right is at most 1 */
    char fault[160];  /* "" if right */
} amg_verdict;

/* Each level's R is its P transposed, unless R is made from A^T, and each coarse operator times a vector of random
 * numbers is R (A (P t)), row by row within 4*k*eps times the sum of magnitudes of the k products in it. Fails only for
 * want of memory. */
spg_status verify_hierarchy(const amg_system *system, const spg_amg *amg, spg_restriction restriction,
                            amg_verdict *verdict);

/* The residual of x, for vectors on the host, is `residual`, within 1 percent and what rounding allows. */
void verify_residual(const spg_csr *A, const double *b, const double *x, double residual, amg_verdict *verdict);

/* The residual of x is the one that the solve reports. */
spg_status verify_solution(const amg_system *system, const place_vector *x, const spg_amg_solve_result *solved,
                           amg_verdict *verdict);

#endif
