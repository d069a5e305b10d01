/* The alias table of a row of at most MOST items by one thread, all in registers: MOST^2 steps. The result of the sweep
 * of src/sampling/alias.h is found without lists, as short_rows.cu explains. Private. */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_THREAD_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_THREAD_CUH

#include "build.cuh"

namespace spg
{
namespace alias
{

/* A row's weights, +0 past its end, all loaded together. */
template <int MOST, typename Real> struct row_weights {
    Real weight[MOST];

    __device__ row_weights(const void *weights, int64_t begin, int items)
    {
#pragma unroll
        for (int k = 0; k < MOST; ++k) weight[k] = k < items ? static_cast<const Real *>(weights)[begin + k] : Real(0);
    }

    __device__ bool are_sound() const
    {
        bool sound = true;
#pragma unroll
        for (int k = 0; k < MOST; ++k) sound = sound && is_sound_weight((double)weight[k]);
        return sound;
    }

    /* Their tree sum, times `scale`. */
    __device__ double sum(double scale) const
    {
        double sums[MOST];
#pragma unroll
        for (int k = 0; k < MOST; ++k) sums[k] = multiply((double)weight[k], scale);
#pragma unroll
        for (int step = 1; step < MOST; step *= 2)
#pragma unroll
            for (int k = 0; k < MOST; k += 2 * step) sums[k] = add(sums[k], sums[k + step]);
        return sums[0];
    }
};

/* For each item: its units, what the lights lack up to and including it, and what the heavies have in excess. */
template <int MOST> struct row_units {
    double exact[MOST];
    uint64_t units[MOST], lacks[MOST], over[MOST];

    template <typename Real>
    __device__ row_units(const row_weights<MOST, Real> &row, int items, spg_unit_scale scale, uint64_t full)
    {
        uint64_t all_lack = 0, all_over = 0;
#pragma unroll
        for (int k = 0; k < MOST; ++k) {
            exact[k] = spg_units((double)row.weight[k], scale);
            units[k] = spg_alias_units(exact[k], k);
            if (k < items && units[k] < full) all_lack += full - units[k];
            if (k < items && units[k] >= full) all_over += units[k] - full;
            lacks[k] = all_lack;
            over[k] = all_over;
        }
    }
};

/* The bucket of item `item`. next_heavy: the first heavy after it; last_heavy: the row's, or -1. */
template <int MOST>
__device__ inline bucket_share share_of(const row_units<MOST> &row, int item, int next_heavy, int last_heavy,
                                        uint64_t full)
{
    bool light = row.units[item] < full;
    uint64_t through = light ? row.lacks[item] - (full - row.units[item]) : row.over[item], more = 0;
    int found = -1;
#pragma unroll
    for (int k = MOST - 1; k >= 0; --k) {
        uint64_t sum = light ? row.over[k] : row.lacks[k];
        if (light ? sum <= through : sum < through) continue;
        found = k;
        more = sum;
    }
    if (last_heavy < 0) return {full, item};
    if (light) return {row.units[item], found >= 0 ? found : last_heavy};
    if (through == 0 || found < 0 || more == through || next_heavy < 0) return {full, item};
    return {full - (more - through), next_heavy};
}

/* Builds row `number`, which begins at entry `begin`. */
template <bool EXACT, int MOST, typename Real>
__device__ inline void build_by_thread(const rows_job &job, int64_t number, int64_t begin, int items)
{
    int last_heavy = -1, next_heavy = -1;
    const row_weights<MOST, Real> weights(job.weights.memory, begin, items);
    double scale = 1, sum = weights.sum(scale);
    if (sum > LARGEST) {
        scale = SPG_SCALE_DOWN;
        sum = weights.sum(scale);
    }
    if (!weights.are_sound() || !is_sound_sum(sum)) {
        report_first(job.first_fault, number);
        return;
    }
    int fraction_bits = spg_fraction_bits(items);
    uint64_t full = (uint64_t)1 << fraction_bits;
    const row_units<MOST> row(weights, items, spg_units_of_row(sum, scale, target_of(items, fraction_bits)), full);
#pragma unroll
    for (int k = 0; k < MOST; ++k)
        if (k < items && row.units[k] >= full) last_heavy = k;
#pragma unroll
    for (int k = MOST - 1; k >= 0; --k) {
        if (k >= items) continue;
        store_bucket<EXACT>(job, begin + k, fraction_bits, k, row.exact[k],
                            share_of(row, k, next_heavy, last_heavy, full));
        if (row.units[k] >= full) next_heavy = k;
    }
}

} // namespace alias
} // namespace spg

#endif
