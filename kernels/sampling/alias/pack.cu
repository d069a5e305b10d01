/* Split and pack: pairs the lists of an alias table's lights and heavies by merging them. A block's part of the merge
 * is TILE steps; a search finds where it begins among lights and heavies.
 *
 * PSA uses partial p-ary search (Lehmann 2020, section 3.2) in a separate kernel: a block narrows the range of all its
 * splits together, with as many probes as it has threads, and each thread finishes its own by binary search. PSA+ has
 * few parts: two warps of a block find its own ends, with 32 probes a round.
 *
 * Pack: a block copies its part of both lists to shared memory, splits it among its threads, and writes the table rows
 * of its items. Chunked, it takes several parts in turn, the first of which is split in advance: the next begins at
 * most TILE lights after it, where a warp finds it in three rounds. */
#include "build.cuh"

namespace spg
{
namespace alias
{

namespace
{

/* light_splits[b]: the number of lights before step b * part of the merge. binary: skips the common narrowing. */
__global__ void __launch_bounds__(THREADS)
    split_kernel(left_lists lists, int64_t part, bool binary, int64_t splits, int64_t *light_splits)
{
    __shared__ long long low, high;
    if (!lists.are_usable()) return;
    int64_t lights = lists.all->items.lights, heavies = lists.all->items.heavies, steps = lights + heavies;
    int64_t first = (int64_t)blockIdx.x * THREADS, last = min(first + THREADS, splits) - 1;
    int64_t first_step = min(first * part, steps), last_step = min(last * part, steps);
    int64_t begin = max(first_step - heavies, (int64_t)0), end = min(last_step, lights);
    /* Splits ascend, so the block's lie between its first and its last. A probe at p is below the first if light p
     * comes before that step, and not below the last if light p does not come before that step. */
    for (int64_t before = INT64_MAX; !binary && end - begin > THREADS && end - begin < before;) {
        before = end - begin;
        if (threadIdx.x == 0) low = begin, high = end;
        __syncthreads();
        int64_t probe = begin + (before * ((int64_t)threadIdx.x + 1)) / (THREADS + 1);
        int64_t first_other = first_step - probe - 1, last_other = last_step - probe - 1;
        bool below_first = first_other >= 0 && (first_other >= heavies || lists.lacks(probe) < lists.over(first_other));
        bool below_last = last_other >= 0 && (last_other >= heavies || lists.lacks(probe) < lists.over(last_other));
        if (below_first) atomicMax(&low, (long long)probe + 1);
        if (!below_last) atomicMin(&high, (long long)probe);
        __syncthreads();
        begin = low;
        end = high;
        __syncthreads();
    }
    int64_t split = first + threadIdx.x, step = min(split * part, steps);
    if (split >= splits) return;
    int64_t from = max(begin, step - heavies), to = min(end, min(step, lights));
    light_splits[split] =
        first_that(from, max(from, to), [=](int64_t i) { return !(lists.lacks(i) < lists.over(step - i - 1)); });
}

/* The same for one step, by a warp; the result lies in [low, high]. */
__device__ int64_t find_split(const left_lists &lists, const left_items &all, int64_t step, int64_t low, int64_t high)
{
    low = max(step - (int64_t)all.heavies, low);
    high = min(min(step, high), (int64_t)all.lights);
    while (low < high) {
        int64_t span = high - low, begin = low;
        auto probe = [=](int n) { return begin + (span <= WARP ? n : span * (n + 1) / (WARP + 1)); };
        int64_t mine = probe(lane_in_warp());
        bool below = mine < high && lists.lacks(mine) < lists.over(step - mine - 1);
        int count = __popc(__ballot_sync(ALL_LANES, below));
        if (span <= WARP) return low + count;
        if (count < WARP) high = probe(count);
        if (count > 0) low = probe(count - 1) + 1;
    }
    return low;
}

/* A block's part of the lists, and one more element of each: what lights lack before the light after the part, and the
 * heavy that lends next (-1: none). Lights are stored from 0 upwards, heavies from BACK downwards. */
struct pack_space {
    static constexpr int BACK = TILE + 1;
    uint64_t sums[sum_slot(BACK) + 1]; /* at the end, for a compact table: rows */
    int32_t items[BACK + 1];
    int64_t splits[2];

    __device__ uint64_t &sum(int place) { return sums[sum_slot((unsigned)place)]; }
};

struct pack_part {
    int lights, heavies;
    int32_t last_heavy; /* of all */
};

__device__ pack_part load_part(pack_space &space, const left_lists &lists, int64_t begin, int64_t end)
{
    left_items all = lists.all->items;
    int64_t first_light = space.splits[0], first_heavy = begin - first_light;
    int lights = (int)(space.splits[1] - first_light), heavies = (int)(end - begin) - lights;
    bool lights_end = first_light + lights == all.lights, heavies_end = first_heavy + heavies == all.heavies;
    for (int k = (int)threadIdx.x; k < lights + 1; k += THREADS) {
        bool there = k < lights || !lights_end;
        space.sum(k) = there ? lists.lacks(first_light + k) : all.lacks;
        space.items[k] = there ? lists.light_item(first_light + k) : 0;
    }
    for (int k = (int)threadIdx.x; k < heavies + 1; k += THREADS) {
        bool there = k < heavies || !heavies_end;
        space.sum(space.BACK - k) = there ? lists.over(first_heavy + k) : UINT64_MAX;
        space.items[space.BACK - k] = there ? lists.heavy_item(first_heavy + k) : -1;
    }
    __syncthreads();
    return {lights, heavies, all.heavies > 0 ? lists.heavy_item(all.heavies - 1) : -1};
}

/* A thread's steps. rows[k]: the row of step k, for a compact table; places[k]: its item. */
template <bool EXACT>
__device__ void pack_steps(pack_space &space, const pack_part &part, const table_job &job, spg_unit_scale scale,
                           uint64_t (&rows)[ITEMS], int (&places)[ITEMS])
{
    uint64_t full = job.full();
    int count = part.lights + part.heavies, step = min((int)threadIdx.x * ITEMS, count);
    int i = lights_before(
        step, part.lights, part.heavies, [&](int k) { return space.sum(k); },
        [&](int k) { return space.sum(space.BACK - k); });
    int heavy_place = space.BACK - (step - i);
    uint64_t lacks = space.sum(i), over = space.sum(heavy_place);
    int32_t light = space.items[i], heavy = space.items[heavy_place];
#pragma unroll
    for (int k = 0; k < ITEMS; ++k) {
        places[k] = -1;
        if (step + k >= count) continue;
        bool is_light = i < part.lights && lacks < over;
        places[k] = is_light ? i : heavy_place;
        int place = is_light ? ++i : --heavy_place;
        uint64_t next = space.sum(place), units = full;
        int32_t next_item = space.items[place], item = is_light ? light : heavy;
        int32_t alias = is_light ? (heavy >= 0 ? heavy : part.last_heavy) : next_item;
        if (alias >= 0 && (is_light || lacks > over)) units += (is_light ? lacks : over) - (is_light ? next : lacks);
        if (units == full) alias = item;
        if constexpr (EXACT)
            store_row<EXACT>(job, scale, item, units, alias);
        else
            rows[k] = compact_bits(units, job.fraction_bits, item, alias);
        (is_light ? lacks : over) = next;
        (is_light ? light : heavy) = next_item;
    }
}

/* Writes the rows of the items of a part whose splits are known. For a compact table they are written in the order of
 * the lists, which is the order of items, so that a warp's rows are in few sectors. */
template <bool EXACT>
__device__ void pack_part_of(pack_space &space, const table_job &job, const left_lists &lists, spg_unit_scale scale,
                             int64_t begin, int64_t end)
{
    pack_part part = load_part(space, lists, begin, end);
    uint64_t made[ITEMS];
    int places[ITEMS];
    pack_steps<EXACT>(space, part, job, scale, made, places);
    if constexpr (EXACT) return;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; ++k)
        if (places[k] >= 0) space.sum(places[k]) = made[k];
    __syncthreads();
    uint64_t *table = static_cast<uint64_t *>(job.table);
    for (int k = (int)threadIdx.x; k < part.lights + part.heavies; k += THREADS) {
        int place = k < part.lights ? k : space.BACK - (k - part.lights);
        table[space.items[place]] = space.sum(place);
    }
}

template <bool EXACT, typename Rows>
__global__ void __launch_bounds__(THREADS, 5)
    pack_kernel(const __grid_constant__ Rows rows, const __grid_constant__ left_lists all_lists,
                const int64_t *light_splits)
{
    __shared__ pack_space space;
    const row_tile at = rows.part(blockIdx.x);
    const table_job &job = at.job;
    const left_lists lists = rows.lists_of(all_lists, at.notes);
    if (!lists.are_usable()) return;
    left_items all = lists.all->items;
    int64_t steps = (int64_t)all.lights + all.heavies, begin = at.tile * TILE;
    int64_t end = min(begin + TILE, steps);
    if (begin >= steps) return;
    int warp = (int)threadIdx.x / WARP;
    if (warp < 2) {
        int64_t split = light_splits != nullptr
                            ? light_splits[blockIdx.x + warp]
                            : find_split(lists, all, warp == 0 ? begin : end, 0, (int64_t)all.lights);
        if (lane_in_warp() == 0) space.splits[warp] = split;
    }
    __syncthreads();
    pack_part_of<EXACT>(space, job, lists, at.notes.sum->units, begin, end);
}

template <bool EXACT>
__global__ void __launch_bounds__(THREADS, 5)
    pack_chunks_kernel(const __grid_constant__ one_row row, const __grid_constant__ left_lists lists,
                       const int64_t *light_splits, int chunks)
{
    __shared__ pack_space space;
    if (!lists.are_usable()) return;
    left_items all = lists.all->items;
    int64_t steps = (int64_t)all.lights + all.heavies, begin = (int64_t)blockIdx.x * chunks * TILE;
    int64_t last = min(begin + (int64_t)chunks * TILE, steps), light = light_splits[blockIdx.x];
    for (; begin < last; begin += TILE) {
        int64_t end = min(begin + TILE, last);
        if (threadIdx.x < WARP) {
            int64_t next = end < last ? find_split(lists, all, end, light, light + TILE) : light_splits[blockIdx.x + 1];
            if (lane_in_warp() == 0) space.splits[0] = light, space.splits[1] = next;
        }
        __syncthreads();
        light = space.splits[1];
        pack_part_of<EXACT>(space, row.job, lists, row.notes.sum->units, begin, end);
        __syncthreads();
    }
}

template <typename Rows>
spg_status queue_pack(spg_context *context, const Rows &rows, bool exact, int64_t parts, const left_lists &lists,
                      const int64_t *light_splits)
{
    auto kernel = exact ? pack_kernel<true, Rows> : pack_kernel<false, Rows>;
    kernel<<<(unsigned)parts, THREADS, 0, spg_cuda_of(context)->stream>>>(rows, lists, light_splits);
    return spg_cuda_check_launch(context, "packing an alias table");
}

spg_status queue_chunks(spg_context *context, const one_row &row, bool exact, int64_t blocks, const left_lists &lists,
                        const int64_t *light_splits, int chunks)
{
    auto kernel = exact ? pack_chunks_kernel<true> : pack_chunks_kernel<false>;
    kernel<<<(unsigned)blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(row, lists, light_splits, chunks);
    return spg_cuda_check_launch(context, "packing an alias table in chunks");
}

} // namespace

spg_status pack_lists(workspace &work, const one_row &row, bool exact, const packing &how, int64_t most,
                      const left_lists &lists)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t parts = (tiles_of(most) + how.chunks - 1) / how.chunks, splits = parts + 1, *light_splits = nullptr;
    if (most == 0) return SPG_OK;
    spg_status status = SPG_OK;
    if (how.splits_ahead) {
        status = work.take(splits, "the splits of an alias table", &light_splits);
        if (status != SPG_OK) return status;
        split_kernel<<<(unsigned)((splits + THREADS - 1) / THREADS), THREADS, 0, stream>>>(
            lists, (int64_t)how.chunks * TILE, how.binary, splits, light_splits);
        status = spg_cuda_check_launch(context, "splitting the lists of an alias table");
        if (status != SPG_OK) return status;
        *how.splits = splits;
    }
    how.clock->stamp(build_clock::SPLIT);
    status = how.chunks > 1 ? queue_chunks(context, row, exact, parts, lists, light_splits, how.chunks)
                            : queue_pack(context, row, exact, parts, lists, light_splits);
    how.clock->stamp(build_clock::PACK);
    return status;
}

spg_status pack_lists(spg_context *context, const many_rows &rows, bool exact, int64_t parts, const left_lists &lists)
{
    return parts > 0 ? queue_pack(context, rows, exact, parts, lists, nullptr) : SPG_OK;
}

} // namespace alias
} // namespace spg
