/* Split and pack: the lists of an alias table's lights and heavies, paired by merging them.
 *
 * Split: a block's part of the merge is TILE steps; where it begins among lights and heavies is found by partial p-ary
 * search (Lehmann 2021, section 3.2): the block narrows the range of all its splits together, by as many probes as it
 * has threads, and each thread ends its own by binary search. Pack: a block brings its part of both lists to shared
 * memory, splits it among its threads and writes the rows where their items lie. */
#include "alias_build.cuh"

namespace spg
{
namespace alias
{

namespace
{

/* light_splits[b]: how many lights come before step b * TILE of the merge. */
__global__ void __launch_bounds__(THREADS)
    split_kernel(left_lists lists, int64_t steps, int64_t splits, int64_t *light_splits)
{
    __shared__ long long low, high;
    int64_t lights = lists.all.lights, heavies = lists.all.heavies;
    int64_t first = (int64_t)blockIdx.x * THREADS, last = min(first + THREADS, splits) - 1;
    int64_t first_step = min(first * TILE, steps), last_step = min(last * TILE, steps);
    int64_t begin = max(first_step - heavies, (int64_t)0), end = min(last_step, lights);
    /* Splits ascend, so those of the block lie between its first and its last; a probe at p is below the first if light
     * p comes before that step, and not below the last if it does not come before that one. */
    for (int64_t before = INT64_MAX; end - begin > THREADS && end - begin < before;) {
        before = end - begin;
        if (threadIdx.x == 0) low = begin, high = end;
        __syncthreads();
        int64_t probe = begin + (before * ((int64_t)threadIdx.x + 1)) / (THREADS + 1);
        int64_t first_other = first_step - probe - 1, last_other = last_step - probe - 1;
        bool below_first = first_other >= 0 && (first_other >= heavies || lists.lacks[probe] < lists.over[first_other]);
        bool below_last = last_other >= 0 && (last_other >= heavies || lists.lacks[probe] < lists.over[last_other]);
        if (below_first) atomicMax(&low, (long long)probe + 1);
        if (!below_last) atomicMin(&high, (long long)probe);
        __syncthreads();
        begin = low;
        end = high;
        __syncthreads();
    }
    int64_t split = first + threadIdx.x, step = min(split * TILE, steps);
    if (split >= splits) return;
    int64_t from = max(begin, step - heavies), to = min(end, min(step, lights));
    light_splits[split] =
        first_that(from, max(from, to), [=](int64_t i) { return !(lists.lacks[i] < lists.over[step - i - 1]); });
}

struct pack_space {
    uint64_t sums[TILE + 2]; /* the part's lights, then its heavies; of each list one more */
    int32_t items[TILE + 2];
};

/* Rows of the part's items. A light's threshold is what it does not lack. */
template <bool EXACT>
__global__ void __launch_bounds__(THREADS) pack_kernel(const __grid_constant__ table_job job, const row_sum *sum,
                                                       left_lists lists, int64_t steps, const int64_t *light_splits)
{
    __shared__ pack_space space;
    int64_t begin = (int64_t)blockIdx.x * TILE, end = min(begin + TILE, steps);
    int64_t first_light = light_splits[blockIdx.x], first_heavy = begin - first_light;
    int lights = (int)(light_splits[blockIdx.x + 1] - first_light), count = (int)(end - begin);
    int heavies = count - lights;
    /* One more of each list: what the light after the part has before it, and the heavy that lends next. */
    bool lights_end = first_light + lights == lists.all.lights,
         heavies_end = first_heavy + heavies == lists.all.heavies;
    uint64_t *lacks = space.sums, *over = space.sums + lights + 1;
    int32_t *light_items = space.items, *heavy_items = space.items + lights + 1;
    for (int k = (int)threadIdx.x; k < lights + 1; k += THREADS) {
        bool there = k < lights || !lights_end;
        lacks[k] = there ? lists.lacks[first_light + k] : lists.all.lacks;
        light_items[k] = there ? lists.light_items[first_light + k] : 0;
    }
    for (int k = (int)threadIdx.x; k < heavies + 1; k += THREADS) {
        bool there = k < heavies || !heavies_end;
        over[k] = there ? lists.over[first_heavy + k] : UINT64_MAX;
        heavy_items[k] = there ? lists.heavy_items[first_heavy + k] : -1;
    }
    int32_t last_heavy = lists.all.heavies > 0 ? lists.heavy_items[lists.all.heavies - 1] : -1;
    spg_unit_scale scale = sum->units;
    uint64_t full = job.full();
    __syncthreads();
    int step = min((int)threadIdx.x * ITEMS, count);
    int i = lights_before(
        step, lights, heavies, [=](int k) { return lacks[k]; }, [=](int k) { return over[k]; });
    int j = step - i;
    for (int k = 0; k < ITEMS && i + j < count; ++k) {
        bool light = i < lights && (j == heavies || lacks[i] < over[j]);
        int32_t item = light ? light_items[i] : heavy_items[j], alias;
        uint64_t units = full;
        if (light) {
            alias = heavy_items[j] >= 0 ? heavy_items[j] : last_heavy;
            if (alias >= 0) units = full - (lacks[i + 1] - lacks[i]);
            ++i;
        } else {
            alias = lacks[i] > over[j] ? heavy_items[j + 1] : -1;
            if (alias >= 0) units = full - (lacks[i] - over[j]);
            ++j;
        }
        store_row<EXACT>(job, scale, item, units, alias >= 0 ? alias : item);
    }
}

} // namespace

spg_status pack_lists(workspace &work, const table_job &job, bool exact, const row_sum *sum, const left_lists &lists)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t steps = (int64_t)lists.all.lights + lists.all.heavies, tiles = tiles_of(steps), splits = tiles + 1;
    if (steps == 0) return SPG_OK;
    int64_t *light_splits = nullptr;
    spg_status status = work.take(splits, "the splits of an alias table", &light_splits);
    if (status != SPG_OK) return status;
    split_kernel<<<(unsigned)((splits + THREADS - 1) / THREADS), THREADS, 0, stream>>>(lists, steps, splits,
                                                                                       light_splits);
    status = spg_cuda_check_launch(context, "splitting the lists of an alias table");
    if (status != SPG_OK) return status;
    auto kernel = exact ? pack_kernel<true> : pack_kernel<false>;
    kernel<<<(unsigned)tiles, THREADS, 0, stream>>>(job, sum, lists, steps, light_splits);
    return spg_cuda_check_launch(context, "packing an alias table");
}

} // namespace alias
} // namespace spg
