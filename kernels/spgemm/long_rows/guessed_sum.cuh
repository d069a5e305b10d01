/* Many terms added to a sum by a whole block, with the bits of adding them one after the other. Private.
 *
 * While a sum stays within a binade, adding a term to it is adding a whole number of its units in the last place, and
 * this number depends on the term and, where the term lies halfway between two of them, on whether the sum is even or
 * odd. So a thread need not know the sum that its terms are added to: it guesses the binade from sums made in any
 * order, and adds its terms to an even and to an odd number near the guess. What they grew by are integers, which
 * combine in any order. They give the sum before each thread's terms, and with it each checks that its guess was right
 * and that the sum stays within the binade. Where that fails, as when the sum comes to the next binade, those terms
 * are added in turn, and those after them are checked anew. Where it fails often, as with whole numbers of either sign,
 * the terms may be multiples of one unit that no sum of them is too large for; then nothing is ever rounded. */
#ifndef SPG_KERNELS_SPGEMM_LONG_ROWS_GUESSED_SUM_CUH
#define SPG_KERNELS_SPGEMM_LONG_ROWS_GUESSED_SUM_CUH

#include "../../primitives/warp.cuh"

namespace spg
{

enum {
    SUM_THREADS = 512,
    SUM_WARPS = SUM_THREADS / WARP,
    SUM_BLOCKS = 2,  /* of a multiprocessor */
    FEW_WRONG = 2,   /* warps, up to which nobody asks whether sums are exact */
    REPAIR_LANES = 5 /* whose terms, added in turn, take as long as checking a warp anew */
};

/* Reals as integers: neighbours of one sign differ by one. The upper words of doubles, all of floats: the order of
 * numbers of one sign; below the exponent they have so many bits. */
__device__ inline uint32_t word_of(float value) { return __float_as_uint(value); }
__device__ inline uint64_t word_of(double value) { return (uint64_t)__double_as_longlong(value); }
__device__ inline float real_of(uint32_t word) { return __uint_as_float(word); }
__device__ inline double real_of(uint64_t word) { return __longlong_as_double((long long)word); }
__device__ inline float magnitude(float value) { return fabsf(value); }
__device__ inline double magnitude(double value) { return fabs(value); }
__device__ inline uint32_t upper_word(float value) { return __float_as_uint(value); }
__device__ inline uint32_t upper_word(double value) { return (uint32_t)__double2hiint(value); }
template <typename Real> using word_for = decltype(word_of(Real{}));
template <typename Real> constexpr int upper_bits = sizeof(Real) == sizeof(float) ? 23 : 20;

/* The units that terms add to an even sum, and to an odd one. */
template <typename Word> struct growth {
    Word even, odd;
    __device__ Word of(Word sum) const { return sum + (sum & 1 ? odd : even); }
};

/* Of the terms of both, one's after the other's. */
struct one_after_other {
    template <typename Word> __device__ growth<Word> operator()(growth<Word> a, growth<Word> b) const
    {
        return {a.even + (a.even & 1 ? b.odd : b.even), a.odd + (a.odd & 1 ? b.even : b.odd)};
    }
};

template <typename Word> __device__ inline growth<Word> shuffle_up(growth<Word> value, int step, int width = WARP)
{
    return {shuffle_up(value.even, step, width), shuffle_up(value.odd, step, width)};
}
template <typename Word> __device__ inline growth<Word> growth_of_lane(growth<Word> value, int lane)
{
    return {__shfl_sync(ALL_LANES, value.even, lane), __shfl_sync(ALL_LANES, value.odd, lane)};
}
/* From inclusive to exclusive. */
template <typename Word> __device__ inline growth<Word> growth_before(growth<Word> through)
{
    const growth<Word> before = shuffle_up(through, 1);
    return lane_in_warp() == 0 ? growth<Word>{0, 0} : before;
}

/* What a thread's terms do to a sum near `first`, and between which bounds an even one goes as they are added. */
template <typename Real> struct guessed_terms {
    growth<word_for<Real>> grows;
    uint32_t first, least, most; /* upper words */
    bool zeros;                  /* all are: no sum changes, for none is -0 */

    template <int EACH> __device__ guessed_terms(const Real (&terms)[EACH], Real guess)
    {
        using Word = word_for<Real>;
        const Word even = word_of(guess) & ~(Word)1, odd = even | 1;
        Real from_even = real_of(even), from_odd = real_of(odd);
        first = upper_word(from_even);
        least = UINT32_MAX;
        most = 0;
        Word any = 0;
#pragma unroll
        for (int k = 0; k < EACH; ++k) {
            from_even = add(from_even, terms[k]);
            from_odd = add(from_odd, terms[k]);
            least = min(least, upper_word(from_even));
            most = max(most, upper_word(from_even));
            any |= word_of(terms[k]);
        }
        zeros = any << 1 == 0; /* but for signs */
        grows = zeros ? growth<Word>{0, 0} : growth<Word>{word_of(from_even) - even, word_of(from_odd) - odd};
    }

    /* Whether that is so of this sum, too: both go within the binade, as does the odd one, which is never more than two
     * units off the even one. Below the power of two that begins it, units are smaller; a sum that rounds to it may
     * come from there. */
    __device__ bool hold_from(Real sum) const
    {
        constexpr uint32_t BINADE = 1u << upper_bits<Real>, MARGIN = 4;
        const uint32_t begin = first & ~(BINADE - 1), apart = upper_word(sum) - first;
        const auto within = [=](uint32_t word) { return word - begin - MARGIN < BINADE - 2 * MARGIN; };
        const bool same_binade = upper_word(sum) - begin < BINADE;
        return zeros || (same_binade && within(least) && within(most) && within(least + apart) && within(most + apart));
    }
};

/* Shared memory. */
template <typename Real> struct sum_room {
    growth<word_for<Real>> grows[SUM_WARPS];
    Real guesses[SUM_WARPS], bounds[SUM_WARPS], sum;
    bool is_wrong[SUM_WARPS];
};

/* The sum after a warp's terms, of which some lanes guessed wrong; its first is term_at(0). */
template <int EACH, typename Real, typename Terms>
__device__ inline Real add_with_repairs(Real sum, const guessed_terms<Real> &guessed, const Terms &term_at)
{
    using Word = word_for<Real>;
    const int lane = lane_in_warp();
    for (int from = 0;;) {
        const growth<Word> through =
            inclusive_scan(lane < from ? growth<Word>{0, 0} : guessed.grows, one_after_other{});
        const Real before = real_of(growth_before(through).of(word_of(sum)));
        const unsigned int wrong = __ballot_sync(ALL_LANES, lane >= from && !guessed.hold_from(before));
        if (wrong == 0) return real_of(growth_of_lane(through, WARP - 1).of(word_of(sum)));
        const int first = __ffs((int)wrong) - 1;
        sum = __shfl_sync(ALL_LANES, before, first);
        from = REPAIR_LANES * __popc(wrong) > WARP - first ? WARP : first + 1;
#pragma unroll 8
        for (int k = EACH * first; k < EACH * from; ++k) sum = add(sum, term_at(k));
        if (from == WARP) return sum;
    }
}

/* A number about the sum before a thread's terms, less the sum before the block's. All threads. */
template <int EACH, typename Real> __device__ inline Real guess_sum(const Real (&terms)[EACH], sum_room<Real> &room)
{
    const int lane = lane_in_warp(), warp = (int)threadIdx.x / WARP;
    Real own = terms[0];
#pragma unroll
    for (int k = 1; k < EACH; ++k) own = add(own, terms[k]);
    const Real through = inclusive_scan(own, plus{}), before = shuffle_up(through, 1);
    if (lane == WARP - 1) room.guesses[warp] = through;
    __syncthreads();
    const int place = lane % SUM_WARPS;
    const Real of_warps = reduce<SUM_WARPS>(place < warp ? room.guesses[place] : Real{0}, plus{});
    return lane == 0 ? of_warps : add(of_warps, before);
}

/* Whether the terms are such that no order of adding them to the sum rounds anything: all are multiples of the last
 * place of a number four times as large as the sum of their magnitudes, or more. All threads. */
template <int EACH, typename Real, typename Terms>
__device__ inline bool are_exact(Real sum, const Terms &term_at, sum_room<Real> &room)
{
    using Word = word_for<Real>;
    constexpr int DIGITS = sizeof(Real) == sizeof(float) ? 23 : 52;
    constexpr Word INFINITE = ((Word)1 << (8 * sizeof(Real) - 1 - DIGITS)) - 1;
    const int lane = lane_in_warp(), begin = EACH * (int)threadIdx.x;
    Real own = 0;
    for (int k = 0; k < EACH; ++k) own = add(own, magnitude(term_at(begin + k)));
    own = reduce(own, plus{});
    if (lane == 0) room.bounds[threadIdx.x / WARP] = own;
    __syncthreads();
    const Real bound = add(magnitude(sum), reduce<SUM_WARPS>(room.bounds[lane % SUM_WARPS], plus{}));
    const Word exponent = (word_of(bound) >> DIGITS) + 2; /* of a number above bound + each term */
    if (exponent >= INFINITE) return false;
    const Real large = real_of(exponent << DIGITS | (Word)1 << (DIGITS - 1));
    bool exact = subtract(add(large, sum), large) == sum;
    for (int k = 0; k < EACH; ++k) {
        const Real term = term_at(begin + k);
        exact = exact && subtract(add(large, term), large) == term;
    }
    return __syncthreads_and(exact) != 0;
}

/* The sum after EACH * SUM_THREADS more terms, a thread's next to each other: term_at(0), term_at(1), ..., in shared
 * memory. All threads, each with the sum; the block meets at least once before any of them returns. */
template <int EACH, typename Real, typename Terms>
__device__ inline Real add_guessed(Real sum, const Terms &term_at, sum_room<Real> &room)
{
    using Word = word_for<Real>;
    const int lane = lane_in_warp(), warp = (int)threadIdx.x / WARP, place = lane % SUM_WARPS;
    Real terms[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) terms[k] = term_at(EACH * (int)threadIdx.x + k);
    const guessed_terms<Real> guessed(terms, add(sum, guess_sum(terms, room)));
    const growth<Word> through = inclusive_scan(guessed.grows, one_after_other{}), own_before = growth_before(through);
    if (lane == WARP - 1) room.grows[warp] = through;
    __syncthreads();
    for (int from = 0; from < SUM_WARPS;) { /* the sum is that before this warp's terms */
        const growth<Word> others = place >= from ? room.grows[place] : growth<Word>{0, 0},
                           all = inclusive_scan<SUM_WARPS>(others, one_after_other{});
        const growth<Word> of_warps = growth_of_lane(all, warp > 0 ? warp - 1 : 0);
        const Word before = warp > from ? of_warps.of(word_of(sum)) : word_of(sum);
        const bool wrong = warp >= from && !guessed.hold_from(real_of(own_before.of(before)));
        const bool any_wrong = __any_sync(ALL_LANES, wrong);
        if (lane == 0) room.is_wrong[warp] = any_wrong;
        __syncthreads();
        const unsigned int wrongs = __ballot_sync(ALL_LANES, room.is_wrong[place]);
        if (wrongs == 0) return real_of(growth_of_lane(all, SUM_WARPS - 1).of(word_of(sum)));
        const int first = __ffs((int)wrongs) - 1;
        if (from == 0 && __popc(wrongs) > FEW_WRONG * (WARP / SUM_WARPS)) {
            const Real of_all = add(sum, reduce<SUM_WARPS>(room.guesses[place], plus{}));
            if (are_exact<EACH>(sum, term_at, room)) return of_all;
        }
        if (warp == first) {
            const Real repaired = add_with_repairs<EACH>(real_of(before), guessed,
                                                         [&](int k) { return term_at(EACH * WARP * first + k); });
            if (lane == 0) room.sum = repaired;
        }
        __syncthreads();
        sum = room.sum;
        from = first + 1;
    }
    return sum;
}

/* Bytes of terms of a batch that a thread adds, and how many terms it looks up together. */
enum { TERM_BYTES = 128, TERMS_FETCHED = 16 };
template <typename Value> constexpr int terms_each = TERM_BYTES / (int)sizeof(Value);
template <typename Value>
constexpr int terms_fetched = terms_each<Value> < TERMS_FETCHED ? terms_each<Value> : (int)TERMS_FETCHED;

/* Those of each thread lie one place further, so that the banks of shared memory differ. */
template <typename Value> __device__ inline int place_of_term(int term) { return term + term / terms_each<Value>; }
template <typename Value> constexpr int SUM_BYTES = SUM_THREADS *(TERM_BYTES + (int)sizeof(Value));

template <typename Real> __device__ inline Real add_batch(Real sum, const Real *terms, sum_room<Real> &room)
{
    const auto term_at = [=](int k) { return terms[place_of_term<Real>(k)]; };
    return add_guessed<terms_each<Real>>(sum, term_at, room);
}
template <typename Real>
__device__ inline complex<Real> add_batch(complex<Real> sum, const complex<Real> *terms, sum_room<Real> &room)
{
    constexpr int EACH = terms_each<complex<Real>>;
    const auto re_at = [=](int k) { return terms[place_of_term<complex<Real>>(k)].re; };
    const auto im_at = [=](int k) { return terms[place_of_term<complex<Real>>(k)].im; };
    const Real re = add_guessed<EACH>(sum.re, re_at, room);
    return {re, add_guessed<EACH>(sum.im, im_at, room)};
}

template <typename Real> Real part_of(Real);
template <typename Real> Real part_of(complex<Real>);
template <typename Value> using room_for_sum = sum_room<decltype(part_of(Value{}))>;

/* The sum from +0 of `count` terms. fetch.get(first, terms) looks up terms first, first + SUM_THREADS, ..., zeros in
 * place of those that are not there; fetch.ask(first) says beforehand which are next. memory: SUM_BYTES, shared. All
 * threads; each gets the sum. */
template <typename Value, typename Fetch>
__device__ inline Value sum_in_order(int64_t count, Fetch &fetch, Value *memory, room_for_sum<Value> &room)
{
    constexpr int TERMS = terms_each<Value> * SUM_THREADS, FETCHED = terms_fetched<Value>;
    Value sum = zero<Value>();
    fetch.ask(threadIdx.x);
    for (int64_t at = 0; at < count; at += TERMS) {
        for (int begin = (int)threadIdx.x; begin < TERMS; begin += FETCHED * SUM_THREADS) {
            Value terms[FETCHED];
            fetch.get(at + begin, terms);
#pragma unroll
            for (int e = 0; e < FETCHED; ++e) memory[place_of_term<Value>(begin + e * SUM_THREADS)] = terms[e];
            fetch.ask(at + begin + FETCHED * SUM_THREADS);
        }
        __syncthreads();
        sum = add_batch(sum, memory, room);
        __syncthreads(); /* the terms are read before others take their place */
    }
    return sum;
}

} // namespace spg

#endif
