/* Unpredictable bytes, for keys; no result depends on them. Private. */
#ifndef SPG_SRC_RANDOM_BYTES_H
#define SPG_SRC_RANDOM_BYTES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From the system's source or, if that fails, derived from the clock and from addresses chosen by the system. */
void spg_random_bytes(void *bytes, size_t count);

#ifdef __cplusplus
}
#endif

#endif
