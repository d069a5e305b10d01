/* What sampling_bench does on a GPU itself: bench/cuda/sampling_arrays.c and bench/cuda/sampling_kernels.cu, or
 * sampling_no_device.c in a build without CUDA. All of it is about the current device and its default stream. */
#ifndef SPG_BENCH_SAMPLING_DEVICE_H
#define SPG_BENCH_SAMPLING_DEVICE_H

#include "spg/sampling.h"

spg_status device_allocate(spg_context *errors, int64_t bytes, void **array);
void device_free(void *array);
spg_status device_copy_from_host(spg_context *errors, void *to, const void *from, int64_t bytes);

/* counts[k] = how often item k of [0, items) is among the draws; counts[items]: of those out of range. Zeroed first. */
spg_status device_count(spg_context *errors, int64_t count, const int32_t *draws, int64_t items, uint32_t *counts);

/* uniforms[i] in [i / count, (i + 1) / count). */
spg_status device_stratified(spg_context *errors, uint64_t seed, int64_t count, double *uniforms);

/* The plain way: cumulated weights (CUB's scan, in double), in memory that is taken in the stream's order and goes back
 * to its pool by device_drop. */
spg_status device_cumulate(spg_context *errors, spg_type type, int64_t items, const void *weights, double **cumulated);
void device_drop(double *cumulated);

/* A binary search a draw (CUB's), by uniforms that cuRAND's Philox 4x32-10 makes in the same kernel. */
spg_status device_search(spg_context *errors, int64_t items, const double *cumulated, uint64_t seed, int64_t count,
                         int32_t *draws);

/* Reads what a z-step must: the sum of a word's products goes to sums[w]. All arrays on the device. */
spg_status device_read_rows(spg_context *errors, const spg_lda *lda, float *sums);

#endif
