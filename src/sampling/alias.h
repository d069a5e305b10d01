/* Alias tables: the definition of their numbers, for the host and for kernels. Private.
 *
 * A row of n items (1 <= n < 2^31) has the tree sum W with `scale` (sampling/sums.h). Weights become integers q[i] in
 * units of 2^-F of the mean weight, F = spg_fraction_bits(n): see spg_unit_scale. A bucket holds 2^F units. All further
 * steps are exact in 64-bit integers, so their order does not matter. The sum of q differs from n * 2^F by at most a
 * few thousand units and the square root of n: the last heavy item absorbs this.
 *
 * SWEEP. An item is heavy if q[i] >= 2^F, else light. In index order, A[i] = the sum of the deficits 2^F - q of the
 * lights before light i, A[L] = that of all L lights; E[j] = the sum of the excesses q - 2^F of the heavies up to and
 * including heavy j of H.
 *   light i: threshold q[i]; its alias is heavy number min(count of j with E[j] <= A[i], H - 1). H = 0: full.
 *   heavy j: i = the first light with A[i] >= E[j], or L if A[L] >= E[j]. There is none: full. Else over = A[i] - E[j];
 *   over = 0 or j = H - 1: full; else threshold 2^F - over, alias heavy j + 1.
 * Full: threshold 2^F, alias the item itself.
 *
 * SPG_ALIAS_SWEEP and SPG_ALIAS_PSA are two ways to compute the sweep of the row: the table is the same.
 * SPG_ALIAS_PSA_PLUS and AUTO compute it too for rows of at most SPG_ALIAS_TILE items; longer rows are cut into tiles
 * of this many items (the last one shorter). Within a tile, with its own A and E (and D = A[L], T = E[H-1] or 0):
 *   lights with A[i] < T are finished, as above (alias: count of E[j] <= A[i], which is below H).
 *   D <= T: heavies with E[j] <= D are finished: over = A[i] - E[j] as above, and if over > 0 the alias is heavy j + 1.
 *     Left: the other heavies, the first of them with an excess of E[j] - D, the others with their own.
 *   D > T: all heavies but the last are finished in the same way. Left: the last heavy, if there is one and
 *     over = A[i] - T (i as above, or L) is > 0: as a light of deficit `over`, threshold 2^F - over; then the lights
 *     with A[i] >= T. If over is 0 the last heavy is full.
 * What the tiles leave, tile by tile in this order, is then paired by the sweep like a row: with the deficits and
 * excesses that are left, and 2^F - deficit as a light's threshold. (A tile that leaves lights puts its last heavy
 * first.)
 *
 * STORED. Compact: spg_alias_compact, threshold = spg_compact_threshold(units). Full is threshold 2^32 - 1 and alias
 * the item itself; a threshold that rounds to 2^32 is stored as full. Exact: spg_alias_exact. An item that was light
 * from the start has threshold x[i] * 2^-F, with x[i] from spg_units, not rounded to an integer; any other has
 * (double)units * 2^-F; full is 1.0 and alias the item itself; pad 0.
 *
 * NOTHING. A row that is empty or all zeros (empty_rows) has no distribution: every entry of it has threshold 0 and the
 * alias SPG_NO_ITEM, so that every draw is SPG_NO_ITEM.
 *
 * DRAW from number x (64 bits) of `random`: spg_alias_draw_compact, _exact. The result is columns[begin + item], or
 * item.
 *
 * GROUPED (any sampler): sections of SPG_SECTION buckets (the last one shorter). The counts of sections come from
 * `count` by exact binomial splitting (sampling/binomial.h); section s fills the output from offset[s] to offset[s +
 * 1]. For a draw at output position i in a section with first bucket f and m buckets: compact: y = number random->first
 * + i of the 42-bit numbers (SPG_GROUPED_RUN); v = y * m; bucket f + (v >> 42), fraction (uint32_t)(v >> 10). Exact: x
 * = number random->first + i of `random`, as in spg_alias_draw_exact with m for n, plus f. */
#ifndef SPG_SRC_SAMPLING_ALIAS_H
#define SPG_SRC_SAMPLING_ALIAS_H

#include "spg/sampling.h"
#include "sums.h"

enum { SPG_ALIAS_TILE = 2048, SPG_SECTION = 4096 };

typedef struct spg_alias_compact {
    uint32_t threshold;
    int32_t alias; /* item of the row */
} spg_alias_compact;

typedef struct spg_alias_exact {
    double threshold;
    int32_t alias, pad;
} spg_alias_exact;

/* 32 <= F, and n * 2^F <= 2^63; 2^62 up to n = 2^30. */
SPG_INLINE int spg_fraction_bits(int64_t items)
{
    int bits = 62 - spg_levels(items);
    return bits < 32 ? 32 : bits;
}

/* x = (w * first) * second is `target` (n * 2^F, as double) * w / W, without overflow for any W: first is a power of
 * two near 1 / W. W > 0 and finite is the sum of the weights times `scale`. */
typedef struct spg_unit_scale {
    double first, second;
} spg_unit_scale;

/* 2^e, for -1074 <= e <= 1023. */
SPG_INLINE double spg_power_of_two(int e)
{
    union {
        uint64_t bits;
        double value;
    } number;
    number.bits = e >= -1022 ? (uint64_t)(e + 1023) << 52 : (uint64_t)1 << (e + 1074);
    return number.value;
}

/* e with 2^e <= value < 2^(e+1), for normal numbers; -1023 for smaller ones. */
SPG_INLINE int spg_exponent(double value)
{
    union {
        double value;
        uint64_t bits;
    } number;
    number.value = value;
    return (int)(number.bits >> 52 & 0x7ff) - 1023;
}

SPG_INLINE spg_unit_scale spg_units_of_row(double sum, double scale, double target)
{
    spg_unit_scale units;
    int e = spg_exponent(sum);
    if (e < -1000) e = -1000;
    if (e > 1000) e = 1000;
    units.second = target / (sum * spg_power_of_two(-e));
    units.first = spg_power_of_two(-e - (scale < 1 ? 64 : 0));
    return units;
}

/* A weight in units, still a double. */
SPG_INLINE double spg_units(double weight, spg_unit_scale units) { return weight * units.first * units.second; }

/* q of item i: rounded up or down by a Weyl sequence in the item's number, so that the errors of equal weights cancel.
 * Zero stays zero. */
SPG_INLINE uint64_t spg_alias_units(double units, int64_t item)
{
    return (uint64_t)(units + (double)((uint32_t)item * 0x9E3779B9u) * 0x1p-32);
}

/* An entry of a row of nothing. */
SPG_INLINE spg_alias_compact spg_compact_nothing(void)
{
    spg_alias_compact row = {0, SPG_NO_ITEM};
    return row;
}
SPG_INLINE spg_alias_exact spg_exact_nothing(void)
{
    spg_alias_exact row = {0, SPG_NO_ITEM, 0};
    return row;
}

/* Converts units (at most 2^F) to 2^-32 of a bucket; 2^32 is full. */
SPG_INLINE uint64_t spg_compact_threshold(uint64_t units, int fraction_bits)
{
    int shift = fraction_bits - 32;
    return shift == 0 ? units : (units + ((uint64_t)1 << (shift - 1))) >> shift;
}

SPG_INLINE spg_alias_compact spg_compact_row(uint64_t units, int fraction_bits, int32_t item, int32_t alias)
{
    uint64_t threshold = spg_compact_threshold(units, fraction_bits);
    spg_alias_compact row;
    row.threshold = threshold >> 32 ? UINT32_MAX : (uint32_t)threshold;
    row.alias = threshold >> 32 ? item : alias;
    return row;
}

/* The upper word of a * b. */
SPG_INLINE uint64_t spg_multiply_high(uint64_t a, uint64_t b)
{
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    __extension__ typedef unsigned __int128 product;
    return (uint64_t)((product)a * b >> 64);
#endif
}

/* The lower word of the pair (`high`, `low`), shifted down; 0 < shift < 32. */
SPG_INLINE uint32_t spg_funnel(uint32_t low, uint32_t high, int shift)
{
#ifdef __CUDA_ARCH__
    return __funnelshift_r(low, high, (unsigned int)shift);
#else
    return low >> shift | high << (32 - shift);
#endif
}

/* The upper 64 bits of x * n / 2^32: bucket above, fraction below; n < 2^31. */
SPG_INLINE uint64_t spg_compact_position(uint64_t x, int64_t n)
{
    return (x >> 32) * (uint64_t)n + ((x & UINT32_MAX) * (uint64_t)n >> 32);
}

SPG_INLINE int32_t spg_compact_choice(spg_alias_compact row, int32_t bucket, uint32_t fraction)
{
    return fraction < row.threshold ? bucket : row.alias;
}

/* n = 0: a row of nothing. */
SPG_INLINE int32_t spg_alias_draw_compact(const spg_alias_compact *table, int64_t n, uint64_t x)
{
    uint64_t position = spg_compact_position(x, n);
    if (n == 0) return SPG_NO_ITEM;
    int32_t bucket = (int32_t)(position >> 32);
    return spg_compact_choice(table[bucket], bucket, (uint32_t)position);
}

/* The lower word of x * n is the fraction in units of 2^-64, rounded to double; 1.0 takes the alias. */
SPG_INLINE int32_t spg_exact_choice(const spg_alias_exact *row, int32_t bucket, uint64_t fraction)
{
    return (double)fraction * 0x1p-64 < row->threshold ? bucket : row->alias;
}

SPG_INLINE int32_t spg_alias_draw_exact(const spg_alias_exact *table, int64_t n, uint64_t x)
{
    int32_t bucket = (int32_t)spg_multiply_high(x, (uint64_t)n);
    if (n == 0) return SPG_NO_ITEM;
    return spg_exact_choice(table + bucket, bucket, x * (uint64_t)n);
}

/* What SPG_SAMPLER_AUTO uses for grouped draws from a row, by sizes only; the draws do not depend on it. With few draws
 * a section, they read less than the whole section, which SHARED reads. Exact buckets of few sections are still in the
 * nearest cache when LIMITED returns to them (sampling_bench --order grouped, H100). */
enum { SPG_FEW_DRAWS_COMPACT = 160, SPG_FEW_DRAWS_EXACT = 1024, SPG_FEW_SECTIONS = 64 };

SPG_INLINE spg_alias_sampler spg_choose_sampler(int64_t items, int64_t count, spg_alias_resolution resolution)
{
    int64_t sections = (items + SPG_SECTION - 1) / SPG_SECTION;
    int exact = resolution == SPG_ALIAS_EXACT;
    if (count / sections < (exact ? SPG_FEW_DRAWS_EXACT : SPG_FEW_DRAWS_COMPACT)) return SPG_SAMPLER_SECTIONED;
    return exact && sections <= SPG_FEW_SECTIONS ? SPG_SAMPLER_LIMITED : SPG_SAMPLER_SHARED;
}

/* Numbers of 42 bits. A block of the generator, spg_philox(seed, SPG_GROUPED_DOMAIN | b, stream), holds three: bits
 * 0-41, 42-83, 84-125 of its 128, with word 0 lowest. A run is the 32 consecutive blocks from 32 * k on. It holds
 * numbers 96 * k and on: the lowest number of each block, then the second of each, then the third. So 32 threads with a
 * block each write their draws to adjacent addresses. Numbers continue past 2^64; blocks then stay below 2^63. */
#define SPG_GROUPED_DOMAIN ((uint64_t)1 << 63)
enum { SPG_RUN_BLOCKS = 32, SPG_GROUPED_RUN = 3 * SPG_RUN_BLOCKS };

/* The position of draw i of a call. */
typedef struct spg_grouped_place {
    uint64_t block; /* the first of its run */
    int in_run;
} spg_grouped_place;

SPG_INLINE spg_grouped_place spg_find_grouped(uint64_t first, int64_t i)
{
    uint64_t number = first % SPG_GROUPED_RUN + (uint64_t)i;
    uint64_t run = first / SPG_GROUPED_RUN + number / SPG_GROUPED_RUN;
    spg_grouped_place place = {SPG_GROUPED_DOMAIN | run * SPG_RUN_BLOCKS, (int)(number % SPG_GROUPED_RUN)};
    return place;
}

SPG_INLINE uint64_t spg_grouped_bits(uint64_t low, uint64_t high, int place)
{
    uint64_t bits = place == 0 ? low : place == 1 ? low >> 42 | high << 22 : high >> 20;
    return bits & (((uint64_t)1 << 42) - 1);
}

/* For a whole section, v = y * SPG_SECTION: bucket and fraction, without the product. */
SPG_INLINE uint32_t spg_section_bucket(const uint32_t *word, int place)
{
    return (place == 0 ? word[0] >> 30 | word[1] << 2 : place == 1 ? word[2] >> 8 : word[3] >> 18) % SPG_SECTION;
}

SPG_INLINE uint32_t spg_section_fraction(const uint32_t *word, int place)
{
    return place == 0   ? word[0] << 2
           : place == 1 ? spg_funnel(word[1], word[2], 8) & ~3u
                        : spg_funnel(word[2], word[3], 18) & ~3u;
}

#endif
