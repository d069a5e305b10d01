/* Alias tables of rows of at most 32 items, many at once: a warp lays the items of as many whole rows as fit over its
 * lanes and builds their tables by segmented scans (primitives/warp.cuh), a row a segment.
 *
 * The sweep defined in src/sampling/alias.h needs no lists here. lacks[k] is what the lights of a row up to and
 * including item k lack, over[k] what its heavies have in excess: the first increases only at lights, the other only at
 * heavies. So the alias of light i is the first item k with over[k] > A[i], or the last heavy. Heavy j, E[j] > 0, has
 * lent lacks[k] - E[j] too much, where k is the first item with lacks[k] >= E[j].
 *
 * If all rows of a warp are very short, a lane builds a row by itself instead (thread.cuh). */
#include "thread.cuh"

namespace spg
{
namespace alias
{

namespace
{

static_assert((int)SHORT_ITEMS == (int)WARP, "a row has a lane for every item");

/* A lane's row of the 32 that a warp has at a time; without items if there is none. */
struct short_row {
    int64_t begin;
    int32_t row;
    int items, fraction_bits;
    int end; /* where its items end among those of the 32 */
};

__device__ short_row hold_row(const rows_job &job, const int32_t *row_list, int64_t place, int64_t count)
{
    short_row mine = {0, 0, 0, 0, 0};
    if (place < count) {
        mine.row = row_list[place];
        mine.begin = job.offsets[mine.row];
        mine.items = (int)(job.offsets[mine.row + 1] - mine.begin);
        mine.fraction_bits = spg_fraction_bits(mine.items);
    }
    mine.end = inclusive_scan(mine.items, plus{});
    return mine;
}

/* The rows that are laid over the lanes together, and this lane's item, if it has one. */
struct laid_rows {
    segments<> rows;         /* a lane without an item is a segment too */
    int next_row, next_item; /* the row, and the item of the 32 rows, after these */
    int holder;              /* which lane holds the item's row */
    int items, fraction_bits;
    bool is_item;
    int64_t entry;
    double weight;

    __device__ int place() const { return rows.from_head; }
    __device__ int head() const { return lane_in_warp() - rows.from_head; }
    /* The mask of the lanes of the item's row. */
    __device__ unsigned int lanes() const { return ALL_LANES >> (WARP - items) << head(); }
};

/* Lays out as many rows as fit over the lanes, from row `row` of the 32 on, whose first item has number `item`. */
__device__ laid_rows lay_rows(const rows_job &job, const short_row &mine, int row, int item)
{
    constexpr int BITS_AT = 8;
    int lane = lane_in_warp(), next_row = __popc(__ballot_sync(ALL_LANES, mine.end - item <= WARP));
    int next_item = __shfl_sync(ALL_LANES, mine.end, next_row - 1);
    bool is_laid = mine.items > 0 && lane >= row && lane < next_row, is_item = lane < next_item - item;
    unsigned int heads = __reduce_or_sync(ALL_LANES, is_laid ? 1u << (mine.end - mine.items - item) : 0);
    const segments<> rows(!is_item || (heads >> lane & 1) != 0);
    int holder = min(row + __popc(rows.heads & lanes_through()) - 1, WARP - 1);
    int shape = __shfl_sync(ALL_LANES, mine.items | mine.fraction_bits << BITS_AT, holder);
    int64_t entry = __shfl_sync(ALL_LANES, mine.begin, holder) + rows.from_head;
    return {rows,
            next_row,
            next_item,
            holder,
            shape & ((1 << BITS_AT) - 1),
            shape >> BITS_AT,
            is_item,
            entry,
            is_item ? job.weights[entry] : 0};
}

/* The tree sum of a row's weights times `scale`, in every lane of the row. */
__device__ double sum_row(const laid_rows &laid, double scale)
{
    double sum = multiply(laid.weight, scale);
#pragma unroll
    for (int step = 1; step < WARP; step *= 2) {
        if (step > laid.rows.longest) break;
        double right = __shfl_down_sync(ALL_LANES, sum, step);
        if (laid.place() % (2 * step) == 0 && laid.place() + step < laid.items) sum = add(sum, right);
    }
    return __shfl_sync(ALL_LANES, sum, laid.head());
}

/* The scale of the row's units. False: the row cannot be drawn from. */
__device__ bool scale_row(const laid_rows &laid, spg_unit_scale *units)
{
    double scale = 1, sum = sum_row(laid, scale);
    if (__any_sync(ALL_LANES, sum > LARGEST)) {
        if (sum > LARGEST) scale = SPG_SCALE_DOWN;
        sum = sum_row(laid, scale);
    }
    unsigned int odd = __ballot_sync(ALL_LANES, laid.is_item && !is_sound_weight(laid.weight));
    if (!laid.is_item || (odd & laid.lanes()) != 0 || !is_sound_sum(sum)) return false;
    *units = spg_units_of_row(sum, scale, target_of(laid.items, laid.fraction_bits));
    return true;
}

/* What lights lack and heavies have in excess. */
struct unit_sums {
    uint64_t lacks, over;
};
__device__ inline unit_sums operator+(unit_sums a, unit_sums b) { return {a.lacks + b.lacks, a.over + b.over}; }
__device__ inline unit_sums shuffle_up(unit_sums value, int step, int width)
{
    return {spg::shuffle_up(value.lacks, step, width), spg::shuffle_up(value.over, step, width)};
}

/* The sums of a warp's items. */
struct through_space {
    uint64_t lacks[WARP], over[WARP];
};

/* The place in its row of the first item whose sum exceeds `least`, and the excess; the row's items if there is
 * none. */
__device__ int find_more(const laid_rows &laid, const uint64_t *sums, uint64_t least, uint64_t *more)
{
    const uint64_t *row = sums + laid.head();
    int place = 0;
#pragma unroll
    for (int step = WARP; step > 0; step /= 2) {
        if (step > laid.rows.longest + 1) continue;
        int probe = place + step - 1;
        if (probe >= laid.items) continue;
        uint64_t sum = row[probe];
        if (sum > least)
            *more = sum;
        else
            place += step;
    }
    return place;
}

/* Pairs the items of each row. */
__device__ bucket_share pair_laid(const laid_rows &laid, uint64_t units, through_space &space)
{
    uint64_t full = (uint64_t)1 << laid.fraction_bits;
    bool light = units < full;
    unit_sums own = {laid.is_item && light ? full - units : 0, laid.is_item && !light ? units - full : 0};
    unit_sums through = segmented_scan(own, laid.rows, plus{});
    unsigned int heavies = __ballot_sync(ALL_LANES, !light);
    __syncwarp(); /* all reads of the old contents have ended */
    space.lacks[lane_in_warp()] = through.lacks;
    space.over[lane_in_warp()] = through.over;
    __syncwarp();
    bucket_share alone = {full, laid.place()};
    if (!laid.is_item) return alone;
    heavies &= laid.lanes();
    if (heavies == 0 || (!light && through.over == 0)) return alone;
    uint64_t least = light ? through.lacks - own.lacks : through.over - 1, more = 0;
    int found = find_more(laid, light ? space.over : space.lacks, least, &more);
    if (light) return {units, found < laid.items ? found : WARP - 1 - __clz((int)heavies) - laid.head()};
    unsigned int after = heavies & ~lanes_through();
    if (found == laid.items || more == through.over || after == 0) return alone;
    return {full - (more - through.over), __ffs((int)after) - 1 - laid.head()};
}

template <bool EXACT>
__device__ void build_laid(const rows_job &job, const short_row &mine, const laid_rows &laid, through_space &space)
{
    spg_unit_scale scale = {0, 0};
    bool sound = scale_row(laid, &scale), is_fault = laid.is_item && !sound;
    if (__any_sync(ALL_LANES, is_fault)) {
        int32_t row = __shfl_sync(ALL_LANES, mine.row, laid.holder);
        if (is_fault && laid.place() == 0) report_first(job.first_fault, row);
    }
    double units = sound ? spg_units(laid.weight, scale) : 0;
    bucket_share share = pair_laid(laid, spg_alias_units(units, laid.place()), space);
    if (sound) store_bucket<EXACT>(job, laid.entry, laid.fraction_bits, laid.place(), units, share);
}

/* Builds the 32 rows of a warp, one lot after the other; loads the weights of the next lot while it builds tables. */
template <bool EXACT> __device__ void build_by_lots(const rows_job &job, const short_row &mine, through_space &space)
{
    laid_rows next = lay_rows(job, mine, 0, 0);
    int done;
    do {
        const laid_rows laid = next;
        done = laid.next_row;
        if (done < WARP) next = lay_rows(job, mine, done, laid.next_item);
        build_laid<EXACT>(job, mine, laid, space);
    } while (done < WARP);
}

/* Rows up to this length get a lane each (sampling_bench --rows --items, H100). */
enum { FEW = 4 };

template <bool EXACT> __device__ void build_by_lane(const rows_job &job, const short_row &mine)
{
    if (mine.items == 0) return;
    if (job.weights.wide)
        build_by_thread<EXACT, FEW, double>(job, mine.row, mine.begin, mine.items);
    else
        build_by_thread<EXACT, FEW, float>(job, mine.row, mine.begin, mine.items);
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS)
    build_short_kernel(const __grid_constant__ rows_job job, const int32_t *row_list, const uint32_t *count)
{
    __shared__ through_space spaces[WARPS];
    int64_t place = (int64_t)blockIdx.x * THREADS + threadIdx.x, step = (int64_t)gridDim.x * THREADS, rows = *count;
    for (; place - lane_in_warp() < rows; place += step) {
        const short_row mine = hold_row(job, row_list, place, rows);
        if (__all_sync(ALL_LANES, mine.items <= FEW))
            build_by_lane<EXACT>(job, mine);
        else
            build_by_lots<EXACT>(job, mine, spaces[threadIdx.x / WARP]);
    }
}

} // namespace

spg_status build_short(spg_context *context, const rows_job &job, bool exact, const int32_t *row_list,
                       const uint32_t *count, int64_t most)
{
    auto kernel = exact ? build_short_kernel<true> : build_short_kernel<false>;
    kernel<<<loop_blocks(context, (most + THREADS - 1) / THREADS), THREADS, 0, spg_cuda_of(context)->stream>>>(
        job, row_list, count);
    return spg_cuda_check_launch(context, "building alias tables of short rows");
}

} // namespace alias
} // namespace spg
