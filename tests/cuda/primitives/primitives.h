/* The primitives of kernels/, called from C: each on arrays of a device. */
#ifndef SPG_TESTS_CUDA_PRIMITIVES_H
#define SPG_TESTS_CUDA_PRIMITIVES_H

#include "spg/spg.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays for rows by class; begins and counts, of a word a class, may both be NULL. */
typedef struct binned_arrays {
    int32_t *rows;
    uint32_t *begins, *counts;
} binned_arrays;

/* rows NULL: 0, 1, ..., count - 1; device_count NULL: count. class_of[row]: its class; a negative one: left out. */
spg_status bin_on_device(spg_context *context, const int32_t *rows, int32_t count, const uint32_t *device_count,
                         const int8_t *class_of, int classes, binned_arrays to);

/* What every lane of a warp gets, in groups of `width` lanes: value i is lane i % 32 of warp i / 32. */
typedef struct lane_results {
    int32_t sum, most;             /* of the group */
    int32_t through, most_through; /* of the group's lanes up to this one */
    int32_t before, all;           /* of those before it; and of the group by the same call */
} lane_results;

/* n is a multiple of 32. */
spg_status scan_on_device(spg_context *context, int width, const int32_t *values, int64_t n, lane_results *results);

#ifdef __cplusplus
}
#endif

#endif
