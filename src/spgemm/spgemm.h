/* The product's orchestrator, which plans run as well. Private. */
#ifndef SPG_SRC_SPGEMM_SPGEMM_H
#define SPG_SRC_SPGEMM_SPGEMM_H

#include "backend.h"

/* Are A and B operands of one product here? O(1); names the argument at fault. */
spg_status spg_check_operands(spg_context *context, const spg_csr *A, const spg_csr *B);

/* C = A*B, or its pattern alone (values NULL). On failure C is zeroed. */
spg_status spg_multiply(spg_context *context, const spg_csr *A, const spg_csr *B, bool pattern_only, spg_csr *C,
                        spgemm_stats *stats);

/* C = A*B of a B that is a product itself, where it is known that C's pattern is symmetric, and the entries below the
 * diagonal are to be those above it: *is_mirrored tells whether they are so already, for which half of the products may
 * have done. */
spg_status spg_multiply_symmetric(spg_context *context, const spg_csr *A, const spg_csr *B, spg_csr *C,
                                  bool *is_mirrored, spgemm_stats *stats);

#endif
