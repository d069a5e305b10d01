/* spg: sparse matrix products for algebraic multigrid, by expansion, sorting and contraction.
 *
 * Every call that can fail returns an spg_status. On failure it leaves a message in the context, frees what it
 * allocated and zeroes its outputs. No call exits, prints, or keeps global state. Counts and sums over rows are 64 bits
 * wide.
 *
 *     spg_context *context;
 *     spg_context_create(NULL, &context);
 *     spg_csr C;
 *     if (spgemm_csr(context, &A, &B, &C) != SPG_OK) puts(spg_context_message(context));
 *     ...
 *     spg_csr_free(context, &C);
 *     spg_context_destroy(context);
 *
 * Sampling has its own header, spg/sampling.h.
 */
#ifndef SPG_SPG_H
#define SPG_SPG_H

#include "spg/types.h"

#include "spg/amg.h"
#include "spg/amg_many.h"
#include "spg/context.h"
#include "spg/coo.h"
#include "spg/csr.h"
#include "spg/krylov.h"
#include "spg/operations.h"
#include "spg/spgemm.h"

#endif
