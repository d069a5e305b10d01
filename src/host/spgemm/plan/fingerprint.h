/* Fingerprints of patterns, to refuse a plan's run on another pattern. Private.
 *
 * Each plan draws its own keys from unpredictable bytes and never reveals them. Two different sequences of indices of
 * the same length then have the same fingerprint with a probability of at most (blocks + 2) / 2^61, where a block is
 * FINGERPRINT_BLOCK indices. The same holds for two patterns that differ in at least one part. */
#ifndef SPG_SRC_HOST_SPGEMM_PLAN_FINGERPRINT_H
#define SPG_SRC_HOST_SPGEMM_PLAN_FINGERPRINT_H

#include "spg/spg.h"
#include "threads/pool.h"

#include <stdbool.h>

enum { FINGERPRINT_BLOCK = 512 };

typedef struct fingerprint_keys {
    uint32_t of_places[FINGERPRINT_BLOCK + 2]; /* within a block */
    uint64_t of_words[4], of_blocks;           /* below SPG_HASH_PRIME */
} fingerprint_keys;

void spg_draw_fingerprint_keys(fingerprint_keys *keys);

uint64_t spg_fingerprint(const fingerprint_keys *keys, const int32_t *indices, int64_t count);

/* The fingerprints of a pattern, one per part: its offsets and its columns are cut into parts of equal length. */
int64_t spg_count_pattern_parts(const spg_csr *matrix);
void spg_pattern_fingerprints(const fingerprint_keys *keys, const spg_csr *matrix, spg_threads threads,
                              uint64_t *of_parts);
bool spg_has_pattern(const fingerprint_keys *keys, const spg_csr *matrix, spg_threads threads,
                     const uint64_t *of_parts);

#endif
