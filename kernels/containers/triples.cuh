/* Rows from triples, for other calls that make them. Private. */
#ifndef SPG_KERNELS_CONTAINERS_TRIPLES_CUH
#define SPG_KERNELS_CONTAINERS_TRIPLES_CUH

#include "../device.h"

namespace spg
{

/* As spg_csr_from_coo, for sound triples on the device; `held` bytes of the workspace limit are in use.
 * matrix->offset_type is the type asked for. Waits. */
spg_status make_rows(spg_context *context, const spg_coo &source, int64_t held, spg_csr *matrix);

} // namespace spg

#endif
