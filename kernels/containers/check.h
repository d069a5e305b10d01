/* Checks of contents for other parts of the backend. Private. */
#ifndef SPG_KERNELS_CONTAINERS_CHECK_H
#define SPG_KERNELS_CONTAINERS_CHECK_H

#include "../device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As spg_csr_check, for a matrix on the device, with its name before the message: for kernels that found a fault but
 * not where it is. Waits. */
spg_status spg_cuda_check_contents(spg_context *context, const spg_csr *matrix, const char *name);

#ifdef __cplusplus
}
#endif

#endif
