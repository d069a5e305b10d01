/* Multigrid for several right-hand sides at once. Each entry of a matrix is read once for up to 16 of them, so they
 * take less time than one after the other. */
#ifndef SPG_AMG_MANY_H
#define SPG_AMG_MANY_H

#include "spg/amg.h"
#include "spg/operations.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Solves A x = b on level 0 for `count` right-hand sides, each as spg_amg_solve does, with conjugate gradients of its
 * own: its own scalars, its own end. B and X are the caller's: A.rows elements a vector, of A's type, at the context's
 * place, in the same layout; elements between the vectors are not touched. X holds the initial guesses, and always
 * receives the last iterates.
 *
 * options: NULL, or those of spg_amg_solve, which all right-hand sides share. A history has room for max_iterations + 1
 * residual norms of each right-hand side, one after the other: those of right-hand side j begin at j * (max_iterations
 * + 1). results: NULL, or `count` of them; `seconds` is the time of the whole call.
 *
 * Up to 16 right-hand sides are solved at once, further ones after them. The bits of a solution depend on its own
 * right-hand side and guess alone, not on the others, nor on how many there are; they are the same from run to run, and
 * on the host with any number of threads. They equal those of spg_amg_solve to rounding. The first call takes memory
 * for some ten vectors of each right-hand side that is solved at once, which the hierarchy keeps. On a device, the call
 * waits once an iteration; with a null space, also for each right-hand side.
 *
 * Each right-hand side ends for itself; `converged` tells which did. If not all did, the status is that of the first
 * that ended by an error (INDEFINITE, BREAKDOWN, INCOMPATIBLE or UNSUPPORTED, as in spg_amg_solve), else NOT_CONVERGED
 * for the first that did not converge; the message names it, from 0 on. Also UNSUPPORTED: a complex A whose
 * vectors are row-major, a hierarchy with SPG_CYCLE_K. ARGUMENT: a NULL, a negative count, a layout or a stride that
 * does not fit, B and X overlap, options out of range. PLACE: B or X elsewhere. MEMORY. After these nothing is written.
 */
SPG_API spg_status spg_amg_solve_many(spg_context *context, spg_amg *amg, int64_t count, spg_layout layout,
                                      const void *B, int64_t b_stride, void *X, int64_t x_stride,
                                      const spg_amg_solve_options *options, spg_amg_solve_result *results);

/* X = one V-cycle on A x = b from zero for each of `count` vectors, as spg_amg_apply: a preconditioner. X need not be
 * initialised. B and X as in spg_amg_solve_many, also their bits, memory and errors. On a device it is queued on the
 * stream, and waits only in the first call for a number of vectors. */
SPG_API spg_status spg_amg_apply_many(spg_context *context, spg_amg *amg, int64_t count, spg_layout layout,
                                      const void *B, int64_t b_stride, void *X, int64_t x_stride);

#ifdef __cplusplus
}
#endif

#endif
