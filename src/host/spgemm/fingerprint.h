/* Fingerprints of patterns, to refuse a plan's run on another pattern. Private. */
#ifndef SPG_SRC_HOST_SPGEMM_FINGERPRINT_H
#define SPG_SRC_HOST_SPGEMM_FINGERPRINT_H

#include "spg/spg.h"
#include "pool.h"

#include <stdbool.h>

/* Of `count` indices that begin at place `first` of their array. Fingerprints of the parts of an array add up to that
 * of the whole, however it is cut at even places. */
uint64_t spg_fingerprint(const int32_t *indices, int64_t first, int64_t count);

/* Of a matrix's offsets and columns. */
uint64_t spg_pattern_fingerprint(const spg_csr *matrix, spg_threads threads);

#endif
