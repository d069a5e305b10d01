/* What the kernels that build alias tables do within a tile of items: lists of its lights and its heavies in shared
 * memory, with their sums, and their pairing, as src/sampling_alias.h defines it. Private.
 *
 * The sweep over both lists is a merge: light i comes before heavy j iff A[i] < E[j], and takes its alias there; a
 * heavy that comes before light i has lent A[i] - E[j] too much, and takes that from the next heavy
 * (Huebschle-Schneider, Sanders 2019). So threads may begin anywhere in it. The sums are integers: no order of adding
 * changes them.
 *
 * A block of THREADS takes THREADS * 8 items; thread t owns items t * 8 and on, so that sums run in the order of items.
 */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_TILE_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_TILE_CUH

#include "../primitives/search.cuh"
#include "weight_sum.cuh"

namespace spg
{
namespace alias
{

enum { ITEMS = 8 };

/* Of an item that is not yet paired: its units, with this bit, in the place of its row of the table. */
constexpr uint64_t LEFT = (uint64_t)1 << 63;

/* A row of weights and its table. */
struct table_job {
    weights_view weights; /* from the row's first item on */
    int64_t items;
    void *table; /* likewise: spg_alias_compact or spg_alias_exact */
    int fraction_bits;

    __device__ uint64_t full() const { return (uint64_t)1 << fraction_bits; }
    __device__ uint64_t units_of(int64_t item, spg_unit_scale scale) const
    {
        return spg_alias_units(spg_units(weights[item], scale), item);
    }
};

/* Writes the row of an item. Full: units 2^F, and the item itself as alias. */
template <bool EXACT>
__device__ inline void store_row(const table_job &job, spg_unit_scale scale, int64_t item, uint64_t units,
                                 int32_t alias)
{
    if constexpr (EXACT) {
        double unit = spg_power_of_two(-job.fraction_bits), threshold = multiply((double)units, unit);
        if (units < job.full() && job.units_of(item, scale) < job.full())
            threshold = multiply(spg_units(job.weights[item], scale), unit);
        static_cast<spg_alias_exact *>(job.table)[item] = {units == job.full() ? 1.0 : threshold, alias, 0};
    } else {
        static_cast<spg_alias_compact *>(job.table)[item] =
            spg_compact_row(units, job.fraction_bits, (int32_t)item, alias);
    }
}

/* The same for what is left, and its way back: 0 for a row that is finished. */
template <bool EXACT> __device__ inline void store_left(const table_job &job, int64_t item, uint64_t left)
{
    if constexpr (EXACT)
        static_cast<spg_alias_exact *>(job.table)[item] = {__longlong_as_double((long long)left), -1, 0};
    else
        static_cast<uint64_t *>(job.table)[item] = left;
}
template <bool EXACT> __device__ inline uint64_t load_left(const table_job &job, int64_t item)
{
    if constexpr (EXACT) {
        spg_alias_exact row = static_cast<const spg_alias_exact *>(job.table)[item];
        return row.alias < 0 ? (uint64_t)__double_as_longlong(row.threshold) : 0;
    }
    uint64_t row = static_cast<const uint64_t *>(job.table)[item];
    return (row & LEFT) != 0 ? row : 0;
}

/* How many lights come among the first `steps` of the merge. */
template <typename Index, typename Lacks, typename Over>
__device__ inline Index lights_before(Index steps, Index lights, Index heavies, Lacks lacks, Over over)
{
    Index low = steps > heavies ? steps - heavies : 0, high = steps < lights ? steps : lights;
    return first_that(low, high, [=](Index i) { return !(lacks(i) < over(steps - i - 1)); });
}

/* Units lie in shared memory with a gap after every 8, so that threads that walk their own meet in no bank. */
__device__ __host__ constexpr int slot_of(int place) { return place + place / ITEMS; }

template <int THREADS> struct tile_space {
    static constexpr int TILE = THREADS * ITEMS, WARPS = THREADS / WARP;
    uint64_t units[slot_of(TILE)]; /* of items; in the end thresholds, or what is left, with LEFT */
    uint64_t sums[TILE];           /* A of the lights from the front, E of the heavies from the back */
    uint16_t items[TILE];          /* which items they are, likewise */
    uint16_t aliases[TILE];        /* of items */
    uint64_t warp_lacks[WARPS], warp_over[WARPS];
    int warp_counts[WARPS];
};

/* What a tile's lists hold. */
struct tile_lists {
    int lights, heavies;
    uint64_t lacks, over;
};

/* Exclusive sums over the threads of the block, in place; counts: lights, and heavies times 2^16. */
template <int THREADS>
__device__ inline tile_lists sum_over_block(tile_space<THREADS> &space, uint64_t &lacks, uint64_t &over, int &counts)
{
    int warp = (int)threadIdx.x / WARP;
    uint64_t lacks_through = inclusive_scan(lacks, plus{}), over_through = inclusive_scan(over, plus{});
    int counts_through = inclusive_scan(counts, plus{});
    if (lane_in_warp() == WARP - 1) {
        space.warp_lacks[warp] = lacks_through;
        space.warp_over[warp] = over_through;
        space.warp_counts[warp] = counts_through;
    }
    __syncthreads();
    lacks = lacks_through - lacks;
    over = over_through - over;
    counts = counts_through - counts;
    tile_lists all = {0, 0, 0, 0};
    int all_counts = 0;
#pragma unroll
    for (int w = 0; w < THREADS / WARP; ++w) {
        if (w == warp) {
            lacks += all.lacks;
            over += all.over;
            counts += all_counts;
        }
        all.lacks += space.warp_lacks[w];
        all.over += space.warp_over[w];
        all_counts += space.warp_counts[w];
    }
    all.lights = all_counts & 0xffff;
    all.heavies = all_counts >> 16;
    return all;
}

/* Puts the lights and heavies among space.units[0, count) into lists. ONLY_LEFT: those alone that have the bit LEFT,
 * item `first_light` (-1: none) before all other lights. All threads of the block call; the units must have been
 * written before a __syncthreads. */
template <bool ONLY_LEFT, int THREADS>
__device__ inline tile_lists list_items(tile_space<THREADS> &space, int count, uint64_t full, int first_light)
{
    constexpr int TILE = THREADS * ITEMS;
    uint64_t lacks = 0, over = 0, lacks_first = 0;
    int first = (int)threadIdx.x * ITEMS, counts = 0;
    if (ONLY_LEFT && first_light >= 0) lacks_first = full - (space.units[slot_of(first_light)] & ~LEFT);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (first + k >= count) break;
        uint64_t units = space.units[slot_of(first + k)];
        if (ONLY_LEFT && ((units & LEFT) == 0 || first + k == first_light)) continue;
        units &= ~LEFT;
        if (units < full)
            lacks += full - units, ++counts;
        else
            over += units - full, counts += 1 << 16;
    }
    tile_lists lists = sum_over_block(space, lacks, over, counts);
    int light = counts & 0xffff, heavy = counts >> 16;
    if (ONLY_LEFT && first_light >= 0) {
        ++light, ++lists.lights;
        lacks += lacks_first;
        lists.lacks += lacks_first;
        if (threadIdx.x == 0) space.sums[0] = 0, space.items[0] = (uint16_t)first_light;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (first + k >= count) break;
        uint64_t units = space.units[slot_of(first + k)];
        if (ONLY_LEFT && ((units & LEFT) == 0 || first + k == first_light)) continue;
        units &= ~LEFT;
        if (units < full) {
            space.sums[light] = lacks;
            space.items[light++] = (uint16_t)(first + k);
            lacks += full - units;
        } else {
            over += units - full;
            space.sums[TILE - 1 - heavy] = over;
            space.items[TILE - 1 - heavy++] = (uint16_t)(first + k);
        }
    }
    __syncthreads();
    return lists;
}

/* Pairs the items of the lists. FINAL: a list that runs out leaves the rest of the other by rounding alone: the last
 * heavy serves all lights that are left, and heavies left are full. Else they are marked with LEFT, and what is left of
 * them. *last_heavy: the last heavy, where this thread left it as a light. Returns how many this thread left. */
template <bool FINAL, int THREADS>
__device__ inline int pair_items(tile_space<THREADS> &space, const tile_lists &lists, int count, uint64_t full,
                                 int *last_heavy)
{
    constexpr int TILE = THREADS * ITEMS;
    const uint64_t *lacks = space.sums, *over = space.sums + TILE - 1;
    const uint16_t *light_items = space.items, *heavy_items = space.items + TILE - 1;
    int step = min((int)threadIdx.x * ITEMS, count), left = 0;
    int i = lights_before(
        step, lists.lights, lists.heavies, [=](int k) { return lacks[k]; }, [=](int k) { return over[-k]; });
    int j = step - i;
    for (int k = 0; k < ITEMS && i + j < count; ++k) {
        bool light = i < lists.lights && (j == lists.heavies || lacks[i] < over[-j]);
        int item = light ? light_items[i] : heavy_items[-j], alias = item;
        uint64_t *units = &space.units[slot_of(item)];
        if (light) {
            int lender = min(j, lists.heavies - 1);
            if (j < lists.heavies || (FINAL && lender >= 0))
                alias = heavy_items[-lender];
            else if (FINAL)
                *units = full;
            else
                *units |= LEFT, ++left;
            space.aliases[item] = (uint16_t)alias;
            ++i;
            continue;
        }
        uint64_t lent = i < lists.lights ? lacks[i] : lists.lacks;
        if (lent < over[-j]) { /* no light is left */
            uint64_t rest = min(*units - full, over[-j] - lent);
            *units = FINAL ? full : (full + rest) | LEFT;
            left += !FINAL;
        } else if (lent == over[-j] || (FINAL && j + 1 == lists.heavies)) {
            *units = full;
        } else if (j + 1 < lists.heavies) {
            *units = full - (lent - over[-j]);
            alias = heavy_items[-j - 1];
        } else {
            *units = (full - (lent - over[-j])) | LEFT, ++left;
            *last_heavy = item;
        }
        space.aliases[item] = (uint16_t)alias;
        ++j;
    }
    return left;
}

/* Writes the tile's rows; its first item is `first`. Call after a __syncthreads. */
template <bool EXACT, int THREADS>
__device__ inline void store_tile(const tile_space<THREADS> &space, const table_job &job, spg_unit_scale scale,
                                  int64_t first, int count)
{
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int place = k * THREADS + (int)threadIdx.x;
        if (place >= count) break;
        uint64_t units = space.units[slot_of(place)];
        if ((units & LEFT) != 0)
            store_left<EXACT>(job, first + place, units);
        else
            store_row<EXACT>(job, scale, first + place, units, (int32_t)(first + space.aliases[place]));
    }
}

} // namespace alias
} // namespace spg

#endif
