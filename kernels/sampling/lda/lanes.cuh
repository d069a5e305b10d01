/* The lane draw of src/sampling/sums.h: a group of LANES neighbouring lanes holds the products of a word with up to
 * LANES * COUNT topics in registers, in the order of 16-byte loads. Private. All lanes of a warp call these functions
 * together. */
#ifndef SPG_KERNELS_SAMPLING_LDA_LANES_CUH
#define SPG_KERNELS_SAMPLING_LDA_LANES_CUH

#include "../sampling.cuh"
#include "sampling/sums.h"

namespace spg
{
namespace lda
{

/* The largest number below a positive one. */
__device__ inline float below(float value) { return __int_as_float(__float_as_int(value) - 1); }
__device__ inline double below(double value) { return __longlong_as_double(__double_as_longlong(value) - 1); }

/* The target of a word's random number; sums of floats are never so small that they need special treatment. */
template <typename Real> __device__ inline double lane_target(double u, double total)
{
    return sizeof(Real) == 8 ? spg_target_f64(u, total) : multiply(u, total);
}
__device__ inline float rest_as(double rest, float) { return spg_rest_f32(rest); }
__device__ inline double rest_as(double rest, double) { return spg_rest_f64(rest); }

__device__ inline int sign_word(float value) { return __float_as_int(value); }
__device__ inline int sign_word(double value) { return __double2hiint(value); }

/* The contents of one load. */
template <typename Real> struct alignas(16) quad {
    static constexpr int ITEMS = SPG_LANE_BYTES / (int)sizeof(Real);
    Real item[ITEMS];
};

template <typename Real, int LANES, int COUNT> struct lane_items {
    static constexpr int ITEMS = quad<Real>::ITEMS, CHUNKS = COUNT / ITEMS;
    Real item[COUNT];

    static __device__ int lane() { return lane_in_warp() % LANES; }

    /* Item k of the lane is item place(k) of the row. */
    static __device__ int place(int k) { return (k / ITEMS * LANES + lane()) * ITEMS + k % ITEMS; }

    /* Loads items of a row of `count` items; 0 past its end. FULL: it has LANES * COUNT items and can be read in 16
     * bytes. */
    template <bool FULL> __device__ void load(const Real *row, int32_t count, bool aligned)
    {
        const Real *from = row + place(0);
        int32_t rest = count - place(0);
        if (FULL || aligned) {
#pragma unroll
            for (int c = 0; c < CHUNKS; ++c) {
                quad<Real> part = {};
                if (FULL || c * LANES * ITEMS < rest)
                    part = *reinterpret_cast<const quad<Real> *>(from + c * LANES * ITEMS);
#pragma unroll
                for (int k = 0; k < ITEMS; ++k) item[c * ITEMS + k] = part.item[k];
            }
        } else {
#pragma unroll
            for (int k = 0; k < COUNT; ++k) {
                const int at = k / ITEMS * LANES * ITEMS + k % ITEMS;
                item[k] = at < rest ? from[at] : (Real)0;
            }
        }
    }

    /* Turns items into running sums of products. Negative if a product has its sign bit set. */
    __device__ int accumulate(const lane_items &factors)
    {
        int signs = 0;
#pragma unroll
        for (int k = 0; k < COUNT; ++k) {
            item[k] = multiply(item[k], factors.item[k]);
            signs |= sign_word(item[k]);
            if (k > 0) item[k] = add(item[k - 1], item[k]);
        }
        return signs;
    }

    /* Whether a product of the lane is below 0 (it may be -0). */
    static __device__ bool has_negative(const Real *row, const Real *factors, int32_t count)
    {
        bool negative = false;
#pragma unroll 1
        for (int k = 0; k < COUNT; ++k) negative |= place(k) < count && multiply(row[place(k)], factors[place(k)]) < 0;
        return negative;
    }

    /* The number of running sums that are at most target, if the last one is not. Moves the sums: an index unknown to
     * the compiler would put them into local memory. */
    template <int OF = COUNT> __device__ int count_through(Real target)
    {
        if constexpr (OF > 1) {
            constexpr int HALF = OF / 2;
            bool beyond = item[HALF - 1] <= target;
#pragma unroll
            for (int k = 0; k < OF - HALF - 1; ++k) item[k] = beyond ? item[HALF + k] : item[k];
            return (beyond ? HALF : 0) + count_through<OF - HALF>(target);
        }
        return 0;
    }
};

/* The lanes' sums, scanned. */
template <typename Real, int LANES> struct lane_sums {
    Real own, through;
    double total;

    __device__ explicit lane_sums(Real sum) : own(sum), through(sum), total(0)
    {
        int lane = lane_in_warp() % LANES;
#pragma unroll
        for (int step = 1; step < LANES; step *= 2) {
            Real before = __shfl_up_sync(ALL_LANES, through, step, LANES);
            if (lane >= step) through = add(before, through);
        }
        total = (double)__shfl_sync(ALL_LANES, through, LANES - 1, LANES);
    }

    /* The group's part of a vote. */
    static __device__ unsigned int vote(bool yes)
    {
        unsigned int votes = __ballot_sync(ALL_LANES, yes);
        if constexpr (LANES == WARP) return votes;
        return votes >> (lane_in_warp() / LANES * LANES) & ((1u << LANES % WARP) - 1);
    }

    /* Whether target lies in this lane. */
    __device__ bool holds(double target) const
    {
        unsigned int above_zero = vote(own > 0), beyond = vote(target < (double)through) & above_zero;
        int lane = beyond != 0 ? __ffs((int)beyond) - 1 : WARP - 1 - __clz((int)above_zero);
        return lane_in_warp() % LANES == lane;
    }

    /* The target relative to this lane, which contains it. */
    __device__ Real rest_of(double target) const
    {
        Real rest = rest_as(subtract(target, subtract((double)through, (double)own)), Real{});
        rest = rest > 0 ? rest : (Real)0;
        return rest < own ? rest : below(own);
    }

    /* Whether sums are valid, apart from the signs in a lane. */
    __device__ bool is_sound() const { return total > 0 && total <= LARGEST; }

    /* Whether sums are so large or small that they need a closer check. */
    __device__ bool is_unusual() const
    {
        const int least = 0x00100000, most = 0x7ff00000; /* high words of the smallest normal double and of infinity */
        return (unsigned int)(__double2hiint(total) - least) >= (unsigned int)(most - least);
    }
};

} // namespace lda
} // namespace spg

#endif
