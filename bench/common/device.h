/* What the bench asks of a GPU beside spg and the peers: bench/cuda/device.c, or no_device.c in a build without CUDA.
 * All of it is about the current device and its default stream. */
#ifndef SPG_BENCH_DEVICE_H
#define SPG_BENCH_DEVICE_H

#include "spg/spg.h"

/* Call once, before anything else uses the device: the host is to wait for it without going to sleep. */
void device_start(void);

/* Waits until nothing is queued. */
spg_status device_wait(spg_context *errors);

spg_status device_copy_to_host(spg_context *errors, void *to, const void *from, int64_t bytes);

/* Bytes read and written a second by the best of several copies within the device's memory; 0 if there is none. */
double device_copy_bandwidth(void);

#endif
