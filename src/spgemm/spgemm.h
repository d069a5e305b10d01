/* The product's orchestrator, used by plans as well. Private. */
#ifndef SPG_SRC_SPGEMM_SPGEMM_H
#define SPG_SRC_SPGEMM_SPGEMM_H

#include "backend.h"

/* Checks that A and B can be multiplied in this context. O(1); the message names the argument at fault. */
spg_status spg_check_operands(spg_context *context, const spg_csr *A, const spg_csr *B);

/* C = A*B, or only its pattern (values NULL). On failure C is zeroed. */
spg_status spg_multiply(spg_context *context, const spg_csr *A, const spg_csr *B, bool pattern_only, spg_csr *C,
                        spgemm_stats *stats);

/* As spg_multiply, for a C that is workspace too: C and all else stay within what `held` bytes leave of the workspace
 * limit. What does not fit is told as `what`. */
spg_status spg_multiply_within(spg_context *context, int64_t held, const char *what, const spg_csr *A, const spg_csr *B,
                               spg_csr *C, spgemm_stats *stats);

/* C = A*B for a B that is itself a product, if C's pattern is known to be symmetric and its entries below the diagonal
 * must equal those above it. *is_mirrored: whether they already do; then half of the products may have been enough. */
spg_status spg_multiply_symmetric(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C,
                                  bool *is_mirrored, spgemm_stats *stats);

#endif
