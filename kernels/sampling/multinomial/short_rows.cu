/* Multinomial counts of rows of up to a tile: four lanes a row of up to 32 items, or a warp a row. The weights are read
 * once. */
#include "multinomial.cuh"

namespace spg
{
namespace multinomial
{

namespace
{

/* Sums the weights of a row's items, times scale. *sound: this lane has seen only valid weights. */
template <int LANES>
__device__ double fill_row(const count_job &job, const tile_tree<LANES> &tree, int64_t begin, int64_t items,
                           double scale, bool *sound)
{
    double nodes[CHUNKS];
    for (int c = 0; c < CHUNKS; ++c) {
        double weight = tree.place(c) < items ? job.weights[begin + tree.place(c)] : 0;
        *sound &= is_sound_weight(weight);
        nodes[c] = multiply(weight, scale);
    }
    return tree.fill(nodes);
}

/* Rows of more than `above` items, up to LANES * CHUNKS. */
template <int LANES>
__global__ void __launch_bounds__(THREADS) count_rows_kernel(const __grid_constant__ count_job job, int64_t above)
{
    constexpr int GROUPS = WARP / LANES;
    __shared__ uint64_t slots[THREADS / LANES][2 * tile_tree<LANES>::LEAVES];
    const int group = (int)threadIdx.x / LANES, lane = (int)threadIdx.x % LANES, in_warp = group % GROUPS;
    const unsigned int lanes = (LANES == WARP ? ALL_LANES : (1u << LANES) - 1) << (in_warp * LANES) % WARP;
    int64_t step = (int64_t)gridDim.x * (THREADS / LANES);
    for (int64_t first = (int64_t)blockIdx.x * (THREADS / LANES) + group - in_warp; first < job.rows; first += step) {
        int64_t row = first + in_warp, begin = row < job.rows ? job.offsets[row] : 0;
        int64_t items = row < job.rows ? job.offsets[row + 1] - begin : -1;
        bool mine = items > above && items <= tile_tree<LANES>::LEAVES, sound = true;
        if (!__any_sync(ALL_LANES, mine)) continue;
        if (!mine) items = 0;
        tile_tree<LANES> tree = {slots[group], lane, spg_levels(items)};
        double sum = fill_row(job, tree, begin, items, 1, &sound);
        sound = (__ballot_sync(ALL_LANES, sound) & lanes) == lanes;
        bool endless = sound && sum > LARGEST;
        if (__any_sync(ALL_LANES, endless))
            sum = fill_row(job, tree, begin, items, endless ? SPG_SCALE_DOWN : 1, &sound);
        tree.split(mine ? job.draws_of(row, sum, sound, lane) : 0, spg_multinomial_key(&job.random, row), 1);
        for (int c = 0; c < CHUNKS; ++c)
            if (tree.place(c) < items) job.counts[begin + tree.place(c)] = (int64_t)tree.leaf(c);
    }
}

template <int LANES> spg_status count_rows(spg_context *context, const count_job &job, int64_t above)
{
    unsigned int blocks = loop_blocks(context, (job.rows + THREADS / LANES - 1) / (THREADS / LANES));
    count_rows_kernel<LANES><<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job, above);
    return spg_cuda_check_launch(context, "counts of draws");
}

} // namespace

spg_status count_short_rows(spg_context *context, const count_job &job, int64_t longest)
{
    constexpr int FEW = 4;
    spg_status status = count_rows<FEW>(context, job, -1);
    if (status != SPG_OK || longest <= tile_tree<FEW>::LEAVES) return status;
    return count_rows<WARP>(context, job, tile_tree<FEW>::LEAVES);
}

} // namespace multinomial
} // namespace spg
