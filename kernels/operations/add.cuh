/* Sums within other operations. Private. */
#ifndef SPG_KERNELS_OPERATIONS_ADD_CUH
#define SPG_KERNELS_OPERATIONS_ADD_CUH

#include "../device.h"

namespace spg
{

/* As spg_csr_add; C's shape and types are set, and `held` bytes of the workspace limit are in use. Waits. */
spg_status add_matrices(spg_context *context, const void *alpha, const spg_csr &A, const void *beta, const spg_csr &B,
                        int64_t held, spg_csr *C);

} // namespace spg

#endif
