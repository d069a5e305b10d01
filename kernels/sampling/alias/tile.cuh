/* Building alias tables within a tile of items: lists of its lights and its heavies in shared memory, with their sums,
 * and their pairing, as src/sampling/alias.h defines it. Private.
 *
 * The sweep over both lists is a merge. Light i comes before heavy j iff A[i] < E[j], and takes its alias there. A
 * heavy that comes before light i has lent A[i] - E[j] too much, and takes that from the next heavy
 * (Huebschle-Schneider, Sanders 2019). So threads may begin anywhere in the merge. The sums are integers, so the order
 * of addition does not matter.
 *
 * A block of THREADS takes THREADS * 8 items; thread t owns items from t * 8 on, so that sums run in the order of
 * items. Shared memory traffic bounds these kernels: a thread keeps the heads of both lists in registers, and lists are
 * stored with gaps (ncu, H100). */
#ifndef SPG_KERNELS_SAMPLING_ALIAS_TILE_CUH
#define SPG_KERNELS_SAMPLING_ALIAS_TILE_CUH

#include "../../primitives/search.cuh"
#include "../weight_sum.cuh"

namespace spg
{
namespace alias
{

enum { ITEMS = 8 };

/* Marks an item that is not yet paired: this bit and its units are stored in place of its row of the table. */
constexpr uint64_t LEFT = (uint64_t)1 << 63;

/* A row of weights and its table. */
struct table_job {
    weights_view weights; /* from the row's first item on */
    int64_t items;
    void *table; /* likewise; spg_alias_compact or spg_alias_exact */
    int fraction_bits;

    __device__ uint64_t full() const { return (uint64_t)1 << fraction_bits; }
    __device__ uint64_t units_of(int64_t item, spg_unit_scale scale) const
    {
        return spg_alias_units(spg_units(weights[item], scale), item);
    }
};

/* Loads a thread's weights at places `threadIdx.x`, `threadIdx.x` + THREADS, ... below count (WHOLE: all), before any
 * is used, so that the loads overlap. */
template <bool WHOLE, int THREADS, typename Real>
__device__ inline void load_weights(const Real *weights, int count, double (&to)[ITEMS])
{
    Real read[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int place = k * THREADS + (int)threadIdx.x;
        read[k] = WHOLE || place < count ? weights[place] : 0;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) to[k] = (double)read[k];
}
template <bool WHOLE, int THREADS>
__device__ inline void load_weights(weights_view weights, int count, double (&to)[ITEMS])
{
    if (weights.wide)
        load_weights<WHOLE, THREADS>(static_cast<const double *>(weights.memory), count, to);
    else
        load_weights<WHOLE, THREADS>(static_cast<const float *>(weights.memory), count, to);
}

/* A row of a compact table as one number. */
__device__ inline uint64_t compact_bits(uint64_t units, int fraction_bits, int32_t item, int32_t alias)
{
    spg_alias_compact row = spg_compact_row(units, fraction_bits, item, alias);
    return (uint64_t)(uint32_t)row.alias << 32 | row.threshold;
}

/* Writes the row of an item. A full item has units 2^F and itself as alias. */
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
        static_cast<uint64_t *>(job.table)[item] = compact_bits(units, job.fraction_bits, (int32_t)item, alias);
    }
}

/* Writes what is left of an item, or reads it back: 0 for a finished row. */
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

/* The number of lights among the first `steps` of the merge. */
template <typename Index, typename Lacks, typename Over>
__device__ inline Index lights_before(Index steps, Index lights, Index heavies, Lacks lacks, Over over)
{
    Index low = steps > heavies ? steps - heavies : 0, high = steps < lights ? steps : lights;
    return first_that(low, high, [=](Index i) { return !(lacks(i) < over(steps - i - 1)); });
}

/* Gaps in shared memory: for threads that process 8 items each, and for threads that process neighbouring parts of a
 * list. */
__device__ __host__ constexpr unsigned slot_of(unsigned place) { return place + place / ITEMS; }
__device__ __host__ constexpr unsigned sum_slot(unsigned place) { return place + place / 16; }

/* The data of each warp of a block, for sums over the block. */
template <int THREADS> struct warp_sums {
    uint64_t lacks[THREADS / WARP], over[THREADS / WARP];
    int counts[THREADS / WARP];
};

template <int THREADS, bool EXACT> struct tile_space {
    static constexpr int TILE = THREADS * ITEMS;
    /* Lights are stored from place 0 upwards, heavies from BACK downwards. Each list ends with a guard: what all lights
     * lack, and 0. */
    static constexpr int BACK = TILE + 1;
    uint64_t rows[slot_of(TILE)];       /* by item: units; later rows of a compact table, or thresholds; or LEFT */
    uint64_t sums[sum_slot(BACK) + 1];  /* A for lights, E for heavies */
    uint16_t items[BACK + 2];           /* the items of the list; the last is read, and not used, without heavies */
    uint16_t aliases[EXACT ? TILE : 1]; /* by item */
    warp_sums<THREADS> warps;

    __device__ uint64_t &sum(int place) { return sums[sum_slot((unsigned)place)]; }
    __device__ uint64_t &row(int item) { return rows[slot_of((unsigned)item)]; }
    /* This thread's k-th item: of its own, and of every THREADS-th. */
    __device__ uint64_t &own_row(int k) { return rows[threadIdx.x * (ITEMS + 1) + k]; }
    __device__ uint64_t &strided_row(int k) { return rows[slot_of(threadIdx.x) + k * slot_of(THREADS)]; }
};

/* The lengths of a tile's lists. */
struct tile_lists {
    int lights, heavies;
    uint64_t lacks, over;
};

/* Exclusive sums over the threads of the block, in place. counts: lights, plus heavies times 2^16. */
template <int THREADS>
__device__ inline tile_lists sum_over_block(warp_sums<THREADS> &warps, uint64_t &lacks, uint64_t &over, int &counts)
{
    int warp = (int)threadIdx.x / WARP;
    uint64_t lacks_through = inclusive_scan(lacks, plus{}), over_through = inclusive_scan(over, plus{});
    int counts_through = inclusive_scan(counts, plus{});
    if (lane_in_warp() == WARP - 1) {
        warps.lacks[warp] = lacks_through;
        warps.over[warp] = over_through;
        warps.counts[warp] = counts_through;
    }
    __syncthreads();
    constexpr int WARPS = THREADS / WARP;
    int lane = lane_in_warp() % WARPS;
    uint64_t warp_lacks = inclusive_scan<WARPS>(warps.lacks[lane], plus{});
    uint64_t warp_over = inclusive_scan<WARPS>(warps.over[lane], plus{});
    int warp_counts = inclusive_scan<WARPS>(warps.counts[lane], plus{});
    lacks = lacks_through - lacks;
    over = over_through - over;
    counts = counts_through - counts;
    if (warp > 0) {
        lacks += __shfl_sync(ALL_LANES, warp_lacks, warp - 1);
        over += __shfl_sync(ALL_LANES, warp_over, warp - 1);
        counts += __shfl_sync(ALL_LANES, warp_counts, warp - 1);
    }
    int all_counts = __shfl_sync(ALL_LANES, warp_counts, WARPS - 1);
    return {all_counts & 0xffff, all_counts >> 16, __shfl_sync(ALL_LANES, warp_lacks, WARPS - 1),
            __shfl_sync(ALL_LANES, warp_over, WARPS - 1)};
}

/* Puts the items of the tile, whose units are in space.rows, into lists. WHOLE: there are TILE items. All threads of
 * the block call it; a __syncthreads must separate it from the writing of the units. */
template <bool WHOLE, int THREADS, bool EXACT>
__device__ inline tile_lists list_items(tile_space<THREADS, EXACT> &space, int count, uint64_t full)
{
    uint64_t units[ITEMS], lacks = 0, over = 0;
    int first = (int)threadIdx.x * ITEMS, counts = 0;
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) units[k] = space.own_row(k);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (!WHOLE && first + k >= count) break;
        bool light = units[k] < full;
        lacks += light ? full - units[k] : 0;
        over += light ? 0 : units[k] - full;
        counts += light ? 1 : 1 << 16;
    }
    tile_lists lists = sum_over_block(space.warps, lacks, over, counts);
    int light_place = counts & 0xffff, heavy_place = space.BACK - (counts >> 16);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        if (!WHOLE && first + k >= count) break;
        bool light = units[k] < full;
        over += light ? 0 : units[k] - full;
        int place = light ? light_place : heavy_place;
        space.sum(place) = light ? lacks : over;
        space.items[place] = (uint16_t)(first + k);
        lacks += light ? full - units[k] : 0;
        light_place += light;
        heavy_place -= !light;
    }
    if (threadIdx.x == 0) {
        space.sum(lists.lights) = lists.lacks;
        space.sum(space.BACK - lists.heavies) = 0;
    }
    __syncthreads();
    return lists;
}

/* What a thread leaves of a tile. */
struct left_here {
    int count, first; /* number of items, and the first of them */
    int last_heavy;   /* the tile's last heavy if left as a light; or -1 */
};

/* A thread's part of the merge of a tile's lists. FINAL: when a list ends, only rounding leaves items in the other: the
 * last heavy serves all remaining lights, and remaining heavies are full. Otherwise the remaining items are marked with
 * LEFT and their remainders. */
template <bool FINAL, int THREADS, bool EXACT> struct tile_merge {
    tile_space<THREADS, EXACT> &space;
    const tile_lists &lists;
    const table_job &job;
    int32_t first; /* of the tile */
    uint64_t full;
    int lights, heavies;  /* still to come, without the last heavy */
    uint64_t lacks, over; /* A and E of the next light and heavy, or the guards */
    int light, heavy;     /* their items; past the end: any, and the last heavy */
    left_here left;

    __device__ int light_place() const { return lists.lights - lights; }
    __device__ int heavy_place() const { return space.BACK - lists.heavies + 1 + heavies; }

    __device__ void start(int step)
    {
        auto &sums = space;
        int i = lights_before(
            step, lists.lights, lists.heavies, [&](int k) { return sums.sum(k); },
            [&](int k) { return sums.sum(sums.BACK - k); });
        lights = lists.lights - i;
        heavies = lists.heavies - 1 - (step - i);
        lacks = space.sum(light_place());
        over = space.sum(heavy_place());
        light = space.items[light_place()];
        heavy = space.items[heavy_place() + (heavies < 0)];
    }

    __device__ void put(int item, int alias, uint64_t units)
    {
        if constexpr (EXACT) {
            space.row(item) = units;
            space.aliases[item] = (uint16_t)(units == full ? item : alias);
        } else {
            space.row(item) = compact_bits(units, job.fraction_bits, first + item, first + alias);
        }
    }
    __device__ void leave(int item, uint64_t units)
    {
        space.row(item) = units | LEFT;
        ++left.count;
        left.first = min(left.first, item);
    }

    /* Steps while both lists continue; no branch on the kind, because it is unpredictable. */
    __device__ int pair(int steps)
    {
        for (; steps > 0; --steps) {
            bool is_light = lacks < over;
            if ((is_light ? lights : heavies) <= 0) break;
            int place = is_light ? light_place() + 1 : heavy_place() - 1, next_item = space.items[place];
            uint64_t next = space.sum(place);
            put(is_light ? light : heavy, is_light ? heavy : next_item,
                full + (is_light ? lacks : over) - (is_light ? next : lacks));
            (is_light ? lacks : over) = next;
            (is_light ? light : heavy) = next_item;
            lights -= is_light;
            heavies -= !is_light;
        }
        return steps;
    }

    /* The steps when no lights are left, or only the last heavy: heavies, then lights. */
    __device__ void end(int steps)
    {
        uint64_t before = steps > 0 && heavy_place() < space.BACK && heavies >= 0 ? space.sum(heavy_place() + 1) : 0;
        for (; steps > 0 && heavies >= 0; --steps, --heavies) {
            if (FINAL || over == lacks) {
                put(heavy, heavy, full);
            } else if (over > lacks) {
                leave(heavy, full + min(over - before, over - lacks));
            } else {
                leave(heavy, full + over - lacks);
                left.last_heavy = heavy;
            }
            before = over;
            over = space.sum(heavy_place() - 1);
            if (heavies > 0) heavy = space.items[heavy_place() - 1];
        }
        for (; steps > 0; --steps, --lights) {
            uint64_t next = space.sum(light_place() + 1), units = full + lacks - next;
            if (FINAL)
                put(light, heavy, lists.heavies > 0 ? units : full);
            else
                leave(light, units);
            lacks = next;
            light = space.items[light_place() + 1];
        }
    }
};

/* Pairs the items of the lists; the tile's first item is `tile_first`. */
template <bool FINAL, int THREADS, bool EXACT>
__device__ inline left_here pair_items(tile_space<THREADS, EXACT> &space, const tile_lists &lists, int count,
                                       const table_job &job, int64_t tile_first)
{
    tile_merge<FINAL, THREADS, EXACT> merge = {space, lists, job, (int32_t)tile_first, job.full()};
    int step = min((int)threadIdx.x * ITEMS, count);
    merge.left = {0, count, -1};
    merge.start(step);
    merge.end(merge.pair(min((int)ITEMS, count - step)));
    return merge.left;
}

/* Writes the tile's rows; its first item is `first`. Call after a __syncthreads. */
template <bool WHOLE, int THREADS, bool EXACT>
__device__ inline void store_tile(tile_space<THREADS, EXACT> &space, const table_job &job, spg_unit_scale scale,
                                  int64_t first, int count)
{
    uint64_t rows[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) rows[k] = space.strided_row(k);
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        int place = k * THREADS + (int)threadIdx.x;
        if (!WHOLE && place >= count) break;
        if (!EXACT || (rows[k] & LEFT) != 0)
            store_left<EXACT>(job, first + place, rows[k]); /* of a compact table: stored unchanged */
        else
            store_row<EXACT>(job, scale, first + place, rows[k], (int32_t)(first + space.aliases[place]));
    }
}

} // namespace alias
} // namespace spg

#endif
