/* Draws by monotone inversion: a guide table, then binary search or a tree. A thread takes a block of the generator,
 * two draws. */
#include "forest_build.cuh"

namespace spg
{
namespace forest
{

namespace
{

enum { THREADS = 256, FIRST_ROW = 0, FIRST_UNIFORM = 1 }; /* draws at fault, in spg_report.first */

/* A call; what it does not want is NULL. */
struct draw_job {
    forest_view forest;
    int64_t count, row_count;
    const int32_t *rows;
    spg_random random;
    const double *uniforms;
    int32_t *draws, *loads;
    double *probabilities, *remapped;
    unsigned long long *first_row, *first_uniform;
};

/* The item of a row, and how many bounds or nodes it took. */
template <bool TREES>
__device__ int32_t search(const forest_view &forest, int64_t row, int64_t begin, uint64_t v, int *loads)
{
    const int32_t *guide = forest.guide + forest.guide_offsets[row] + (int64_t)(v >> (63 - forest.guide_bits(row)));
    int visited = 0;
    int32_t low = guide[0];
    if constexpr (TREES) {
        const spg_forest_node *nodes = forest.bounds.nodes + begin;
        for (; low >= 0; ++visited) {
            int4 node = *reinterpret_cast<const int4 *>(nodes + low);
            uint64_t bound = (uint32_t)node.x | (uint64_t)(uint32_t)node.y << 32;
            low = v >= bound ? node.w : node.z;
        }
        low = ~low;
    } else {
        const uint64_t *bounds = forest.bounds.bounds + begin;
        for (int32_t high = guide[1]; low < high; ++visited) {
            int32_t middle = low + (int32_t)(((uint32_t)(high - low) + 1) / 2);
            if (bounds[middle] <= v)
                low = middle;
            else
                high = middle - 1;
        }
    }
    *loads = visited;
    return low;
}

template <bool TREES> __device__ void draw_one(const draw_job &job, int64_t i, uint64_t number)
{
    const forest_view &forest = job.forest;
    int64_t row = job.rows != nullptr ? job.rows[i] : 0;
    if (row < 0 || row >= job.row_count) {
        report_first(job.first_row, i);
        return;
    }
    uint64_t v = number >> 1;
    if (job.uniforms != nullptr) {
        double u = job.uniforms[i];
        if (!(u >= 0 && u < 1)) {
            report_first(job.first_uniform, i);
            return;
        }
        v = spg_forest_uniform(u);
    }
    int64_t begin = forest.offsets[row];
    int loads;
    int32_t item = search<TREES>(forest, row, begin, v, &loads);
    if (job.loads != nullptr) job.loads[i] = loads;
    if (job.draws != nullptr) job.draws[i] = name_of(forest.columns, begin, item);
    if (job.probabilities == nullptr && job.remapped == nullptr) return;
    int64_t items = forest.offsets[row + 1] - begin;
    uint64_t bound = forest.bounds[begin + item], next = forest.bound(begin, items, item + 1);
    if (job.probabilities != nullptr) job.probabilities[i] = spg_forest_share(bound, next);
    if (job.remapped != nullptr) job.remapped[i] = spg_forest_remap(bound, next, v);
}

template <bool TREES> __global__ void __launch_bounds__(THREADS) draw_kernel(const __grid_constant__ draw_job job)
{
    int64_t step = (int64_t)gridDim.x * THREADS, thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (job.uniforms != nullptr) {
        for (int64_t i = thread; i < job.count; i += step) draw_one<TREES>(job, i, 0);
        return;
    }
    int64_t odd = (int64_t)(job.random.first & 1), blocks = (odd + job.count + 1) / 2;
    for (int64_t b = thread; b < blocks; b += step) {
        uint64_t number = (job.random.first / 2 + (uint64_t)b) & (UINT64_MAX >> 1);
        spg_philox_block block = spg_philox(job.random.seed, number, job.random.stream);
        int64_t i = 2 * b - odd;
        if (i >= 0) draw_one<TREES>(job, i, spg_philox_half(&block, 0));
        if (i + 1 < job.count) draw_one<TREES>(job, i + 1, spg_philox_half(&block, 1));
    }
}

template <typename Element> spg_status fetch(spg_context *context, const Element *from, Element *to)
{
    return spg_cuda_copy_bytes(context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, sizeof *to);
}

/* Waits where rows or uniforms are the caller's, since they may be at fault. */
spg_status draw(spg_context *context, draw_job job)
{
    spg_cuda *cuda = spg_cuda_of(context);
    bool can_fail = job.rows != nullptr || job.uniforms != nullptr;
    job.first_row = &cuda->report->first[FIRST_ROW];
    job.first_uniform = &cuda->report->first[FIRST_UNIFORM];
    spg_status status = can_fail ? clear_report(context) : SPG_OK;
    if (status != SPG_OK || job.count == 0) return status;
    auto kernel = job.forest.bounds.nodes != nullptr ? draw_kernel<true> : draw_kernel<false>;
    kernel<<<loop_blocks(context, (job.count + THREADS - 1) / THREADS), THREADS, 0, cuda->stream>>>(job);
    status = spg_cuda_check_launch(context, "drawing by inversion");
    spg_report report;
    if (status == SPG_OK && can_fail) status = read_report(context, &report);
    if (status != SPG_OK || !can_fail) return status;
    int64_t bad_row = (int64_t)report.first[FIRST_ROW], bad_uniform = (int64_t)report.first[FIRST_UNIFORM];
    if (report.first[FIRST_ROW] != NONE_FIRST) {
        int32_t row;
        status = fetch(context, job.rows + bad_row, &row);
        return status != SPG_OK ? status : spg_fail_row_number(context, bad_row, row, job.row_count);
    }
    if (report.first[FIRST_UNIFORM] == NONE_FIRST) return SPG_OK;
    double uniform;
    status = fetch(context, job.uniforms + bad_uniform, &uniform);
    return status != SPG_OK ? status : spg_fail_uniform(context, bad_uniform, uniform);
}

} // namespace

} // namespace forest
} // namespace spg

spg_status spg_cuda_forest_draws(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const spg_random *random, const double *uniforms, int32_t *draws,
                                 double *probabilities, double *remapped)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg_random none = {0, 0, 0};
    status = spg::forest::draw(context, {spg::forest::view_of(*forest), count, forest->rows, rows,
                                         uniforms != nullptr ? none : *random, uniforms, draws, nullptr, probabilities,
                                         remapped, nullptr, nullptr});
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const double *uniforms, int32_t *loads)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = spg::forest::draw(context, {spg::forest::view_of(*forest),
                                         count,
                                         forest->rows,
                                         rows,
                                         {0, 0, 0},
                                         uniforms,
                                         nullptr,
                                         loads,
                                         nullptr,
                                         nullptr,
                                         nullptr,
                                         nullptr});
    spg_cuda_leave(context);
    return status;
}
