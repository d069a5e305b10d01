/* Whether two patterns are the same, by fingerprints or by comparison (containers/fingerprint.cuh). Indices in the
 * pattern are never followed, so it may be anything.
 *
 * A fingerprint covers the 32-bit words of all offsets, then of all columns. 64 words, each times a key, add up to a
 * coefficient of a polynomial (universal_hash.h); neighbouring lanes read neighbouring words, which belong to
 * neighbouring coefficients. Everything is done twice, with other keys. So two patterns of the same sizes have the same
 * fingerprint with a probability of at most (words / 64 + 3)^2 / 2^122. */
#include "fingerprint.cuh"

#include "entries.cuh"

#include "random_bytes.h"
#include "spgemm/universal_hash.h"

#include <algorithm>

namespace spg
{

namespace
{

enum { THREADS = 256, TILE = WARP * FINGERPRINT_WORDS /* words of a warp at a time */ };

__host__ __device__ inline uint64_t hash_product(uint64_t a, uint64_t b) { return spg_hash_remainder((spg_wide)a * b); }

__host__ __device__ inline uint64_t hash_power(uint64_t base, uint64_t exponent)
{
    uint64_t power = 1;
    for (; exponent > 0; exponent >>= 1, base = hash_product(base, base))
        if (exponent & 1) power = hash_product(power, base);
    return power;
}

/* The powers between a thread's consecutive coefficients. */
struct hash_steps {
    uint64_t powers[FINGERPRINT_HASHES];
};

/* Adds these words' part of the polynomials, whose first coefficient has index `first`, to sums, in two halves each. */
__global__ void __launch_bounds__(THREADS)
    add_words_kernel(const uint32_t *words, int64_t count, int64_t first, fingerprint_keys keys, hash_steps steps,
                     unsigned long long *sums)
{
    const int64_t warps = (int64_t)gridDim.x * (THREADS / WARP);
    int64_t tile = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP;
    uint64_t powers[FINGERPRINT_HASHES], parts[FINGERPRINT_HASHES] = {};
    for (int h = 0; h < FINGERPRINT_HASHES; h++)
        powers[h] = hash_power(keys.of_places[h], (uint64_t)(first + tile * WARP + lane_in_warp()));
    for (; tile * TILE < count; tile += warps) {
        spg_wide coefficients[FINGERPRINT_HASHES] = {};
#pragma unroll 8
        for (int j = 0; j < FINGERPRINT_WORDS; j++) {
            const int64_t k = tile * TILE + j * WARP + lane_in_warp();
            const uint32_t word = k < count ? words[k] : 0;
#pragma unroll
            for (int h = 0; h < FINGERPRINT_HASHES; h++) coefficients[h] += (spg_wide)keys.of_words[h][j] * word;
        }
        for (int h = 0; h < FINGERPRINT_HASHES; h++) {
            const uint64_t coefficient = spg_hash_remainder(coefficients[h]);
            parts[h] = spg_hash_remainder((spg_wide)coefficient * powers[h] + parts[h]);
            powers[h] = hash_product(powers[h], steps.powers[h]);
        }
    }
    for (int h = 0; h < FINGERPRINT_HASHES; h++) {
        const unsigned long long low = reduce((unsigned long long)(uint32_t)parts[h], plus()),
                                 high = reduce((unsigned long long)(parts[h] >> 32), plus());
        if (lane_in_warp() != 0) continue;
        atomicAdd(sums + 2 * h, low);
        atomicAdd(sums + 2 * h + 1, high);
    }
}

int64_t tiles_of(int64_t words) { return (words + TILE - 1) / TILE; }

spg_status add_words(spg_context *context, const void *words, int64_t count, int64_t first,
                     const fingerprint_keys &keys)
{
    if (count == 0) return SPG_OK;
    const spg_cuda *cuda = spg_cuda_of(context);
    const int64_t most = 64 * (int64_t)cuda->multiprocessors;
    const unsigned int blocks = (unsigned int)std::min((tiles_of(count) * WARP + THREADS - 1) / THREADS, most);
    hash_steps steps;
    for (int h = 0; h < FINGERPRINT_HASHES; h++)
        steps.powers[h] = hash_power(keys.of_places[h], (uint64_t)blocks * THREADS);
    add_words_kernel<<<blocks, THREADS, 0, cuda->stream>>>(
        static_cast<const uint32_t *>(words), count, first, keys, steps,
        reinterpret_cast<unsigned long long *>(cuda->report->figures));
    return spg_cuda_check_launch(context, "a fingerprint");
}

/* Reports the first place where two lists differ. */
spg_status compare(spg_context *context, numbers_view one, numbers_view other, int64_t count)
{
    spg_report *report = spg_cuda_of(context)->report;
    return for_each(context, count, "comparing patterns", [=] __device__(int64_t k) {
        if (one[k] != other[k]) report_first(&report->first[0], k);
    });
}

} // namespace

void draw_keys(fingerprint_keys *keys)
{
    spg_random_bytes(keys, sizeof *keys);
    for (int h = 0; h < FINGERPRINT_HASHES; h++) {
        for (uint64_t &key : keys->of_words[h]) key = spg_hash_key(key);
        keys->of_places[h] = spg_hash_key(keys->of_places[h]);
    }
}

spg_status find_fingerprint(spg_context *context, const spg_csr *matrix, const fingerprint_keys &keys,
                            pattern_fingerprint *fingerprint)
{
    const int64_t offset_words = (matrix->rows + 1) * (matrix->offset_type == SPG_I64 ? 2 : 1);
    spg_report found;
    spg_status status = clear_report(context); /* sets the figures to -1 */
    if (status == SPG_OK) status = add_words(context, matrix->row_offsets, offset_words, 0, keys);
    if (status == SPG_OK)
        status = add_words(context, matrix->columns, matrix->nnz, tiles_of(offset_words) * WARP, keys);
    if (status == SPG_OK) status = read_report(context, &found);
    if (status != SPG_OK) return status;
    for (int h = 0; h < FINGERPRINT_HASHES; h++) {
        const uint64_t low = (uint64_t)found.figures[2 * h] + 1, high = (uint64_t)found.figures[2 * h + 1] + 1;
        fingerprint->hashes[h] = spg_hash_remainder(((spg_wide)high << 32) + low);
    }
    return SPG_OK;
}

spg_status patterns_are_equal(spg_context *context, const spg_csr *one, const spg_csr *other, bool *are_equal)
{
    spg_report found;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = compare(context, offsets_of(*one), offsets_of(*other), one->rows + 1);
    if (status == SPG_OK) status = compare(context, {one->columns, false}, {other->columns, false}, one->nnz);
    if (status == SPG_OK) status = read_report(context, &found);
    if (status == SPG_OK) *are_equal = found.first[0] == NONE_FIRST;
    return status;
}

} // namespace spg
