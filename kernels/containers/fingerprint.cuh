/* Whether two matrices have the same pattern (containers/fingerprint.cu). Private. */
#ifndef SPG_KERNELS_CONTAINERS_FINGERPRINT_CUH
#define SPG_KERNELS_CONTAINERS_FINGERPRINT_CUH

#include "../device.h"

namespace spg
{

/* Recognises a pattern by a fingerprint, with random keys. */
enum { FINGERPRINT_HASHES = 2, FINGERPRINT_WORDS = 64 };
struct fingerprint_keys {
    uint64_t of_words[FINGERPRINT_HASHES][FINGERPRINT_WORDS], of_places[FINGERPRINT_HASHES];
};
struct pattern_fingerprint {
    uint64_t hashes[FINGERPRINT_HASHES];
};
static_assert(2 * FINGERPRINT_HASHES <= sizeof(spg_report::figures) / sizeof(long long),
              "each is reported in two halves");

void draw_keys(fingerprint_keys *keys);
/* The fingerprint of a pattern; and a comparison, for a caller who has both. Both wait. */
spg_status find_fingerprint(spg_context *context, const spg_csr *matrix, const fingerprint_keys &keys,
                            pattern_fingerprint *fingerprint);
spg_status patterns_are_equal(spg_context *context, const spg_csr *one, const spg_csr *other, bool *are_equal);

} // namespace spg

#endif
