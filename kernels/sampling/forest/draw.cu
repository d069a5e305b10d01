/* Draws by monotone inversion: a guide table, then binary search or a tree. A thread makes several draws together, so
 * that their reads overlap. */
#include "draw.cuh"

namespace spg
{
namespace forest
{

namespace
{

enum { THREADS = 256, FIRST_ROW = 0, FIRST_UNIFORM = 1 }; /* faulty draws, in spg_report.first */

/* A call; outputs that are not wanted are NULL. */
struct draw_job {
    forest_view forest;
    int64_t count, row_count, row; /* row: used if rows is NULL */
    bool empty_rows;
    const int32_t *rows;
    spg_random random;
    spg_strata strata; /* width 0: numbers of `random` are independent */
    const double *uniforms;
    int32_t *draws, *loads;
    double *probabilities, *remapped;
    unsigned long long *first_row, *first_uniform;
};

/* The draws of a thread. index: `count` for a draw that does not exist, or that is faulty. A faulty one is not written,
 * because the row or uniform that the message names may lie where outputs go. */
template <bool TREES, bool MANY_ROWS> struct draw_batch {
    enum { SIZE = MANY_ROWS ? 2 : 4, PAIRS = SIZE / 2 };
    int64_t index[SIZE];
    uint64_t v[SIZE];
    seeker<TREES> seek[SIZE];
    int loads[SIZE];
    bool is_none[SIZE]; /* MANY_ROWS: the row is SPG_NO_ITEM */

    /* The caller's uniforms from `first` on, at a stride of THREADS. */
    __device__ void take_uniforms(const draw_job &job, int64_t first)
    {
        double u[SIZE];
#pragma unroll
        for (int b = 0; b < SIZE; ++b) {
            index[b] = min(first + b * THREADS, job.count);
            u[b] = index[b] < job.count ? __ldcs(job.uniforms + index[b]) : 0;
        }
#pragma unroll
        for (int b = 0; b < SIZE; ++b) {
            bool fits = u[b] >= 0 && u[b] < 1;
            if (!fits) {
                report_first(job.first_uniform, index[b]);
                if (MANY_ROWS) row_of(job, b); /* whose fault comes first */
                index[b] = job.count;
            }
            v[b] = spg_forest_uniform(fits ? u[b] : 0);
        }
    }
    /* Numbers of `random`, from the generator's blocks from `first` on, at a stride of THREADS. */
    __device__ void take_numbers(const draw_job &job, int64_t first)
    {
        int64_t odd = (int64_t)(job.random.first & 1);
#pragma unroll
        for (int p = 0; p < PAIRS; ++p) {
            int64_t pair = first + p * THREADS;
            uint64_t number = (job.random.first / 2 + (uint64_t)pair) & (UINT64_MAX >> 1);
            spg_philox_block block = spg_philox(job.random.seed, number, job.random.stream);
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                int64_t i = 2 * pair - odd + half;
                uint64_t bits = spg_philox_half(&block, half);
                bool fits = i >= 0 && i < job.count;
                index[2 * p + half] = fits ? i : job.count;
                v[2 * p + half] = job.strata.width == 0 ? bits >> 1
                                  : fits                ? spg_stratified(&job.strata, (uint64_t)i, bits)
                                                        : 0;
            }
        }
    }
    /* The row of draw b; row 0 replaces a row out of range, and none. */
    __device__ row_view row_of(const draw_job &job, int b)
    {
        is_none[b] = false;
        if (index[b] == job.count) return row_view(job.forest, 0);
        int64_t row = job.rows[index[b]];
        if (!is_row_number(row, job.row_count, job.empty_rows)) {
            report_first(job.first_row, index[b]);
            index[b] = job.count;
        }
        is_none[b] = row == SPG_NO_ITEM;
        return row_view(job.forest, row >= 0 && row < job.row_count ? row : 0);
    }
    /* Does all searches, step by step together. */
    __device__ void search_all(const row_view *rows)
    {
        bool done = true;
#pragma unroll
        for (int b = 0; b < SIZE; ++b) {
            seek[b].begin(rows[MANY_ROWS ? b : 0], v[b]);
            loads[b] = 0;
        }
#pragma unroll
        for (int b = 0; b < SIZE; ++b) done &= seek[b].is_done();
        while (!done) {
            done = true;
#pragma unroll
            for (int b = 0; b < SIZE; ++b) {
                if (seek[b].is_done()) continue;
                seek[b].step(rows[MANY_ROWS ? b : 0], v[b]);
                ++loads[b];
            }
#pragma unroll
            for (int b = 0; b < SIZE; ++b) done &= seek[b].is_done();
        }
    }
    __device__ void write(const draw_job &job, const row_view &row, int b) const
    {
        int64_t i = index[b];
        bool none = MANY_ROWS && is_none[b];
        int32_t item = none ? SPG_FOREST_NOTHING : seek[b].item();
        if (i == job.count) return;
        if (job.loads != nullptr) job.loads[i] = none ? 0 : loads[b];
        if (job.draws != nullptr) __stcs(job.draws + i, row.name(item));
        if (job.probabilities == nullptr && job.remapped == nullptr) return;
        uint64_t bound = row.bound(item), next = row.bound((int64_t)item + 1);
        if (job.probabilities != nullptr) job.probabilities[i] = spg_forest_share(bound, next);
        if (job.remapped != nullptr) job.remapped[i] = spg_forest_remap(bound, next, v[b]);
    }
};

/* The uniforms or generator blocks that a call processes. */
__host__ __device__ inline int64_t pieces_of(const draw_job &job)
{
    return job.uniforms != nullptr ? job.count : ((int64_t)(job.random.first & 1) + job.count + 1) / 2;
}

template <bool TREES, bool MANY_ROWS>
__global__ void __launch_bounds__(THREADS) draw_kernel(const __grid_constant__ draw_job job)
{
    using batch = draw_batch<TREES, MANY_ROWS>;
    int64_t at_once = (int64_t)THREADS * (job.uniforms != nullptr ? (int)batch::SIZE : (int)batch::PAIRS);
    int64_t first = (int64_t)blockIdx.x * at_once + threadIdx.x, pieces = pieces_of(job);
    row_view one(job.forest, MANY_ROWS ? 0 : job.row);
    for (; first < pieces; first += (int64_t)gridDim.x * at_once) {
        batch draws;
        if (job.uniforms != nullptr)
            draws.take_uniforms(job, first);
        else
            draws.take_numbers(job, first);
        if constexpr (MANY_ROWS) {
            const row_view rows[] = {draws.row_of(job, 0), draws.row_of(job, 1)};
            draws.search_all(rows);
            draws.write(job, rows[0], 0);
            draws.write(job, rows[1], 1);
        } else {
            draws.search_all(&one);
#pragma unroll
            for (int b = 0; b < batch::SIZE; ++b) draws.write(job, one, b);
        }
    }
}

void launch(spg_context *context, const draw_job &job)
{
    bool trees = job.forest.bounds.nodes != nullptr;
    auto kernel = job.rows != nullptr ? (trees ? draw_kernel<true, true> : draw_kernel<false, true>)
                                      : (trees ? draw_kernel<true, false> : draw_kernel<false, false>);
    unsigned int blocks = loop_blocks(context, (pieces_of(job) + THREADS - 1) / THREADS);
    kernel<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job);
}

template <typename Element> spg_status fetch(spg_context *context, const Element *from, Element *to)
{
    return spg_cuda_copy_bytes(context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, sizeof *to);
}

/* Reports the first draw whose row is out of range. */
spg_status fail_row(spg_context *context, const draw_job &job, int64_t i)
{
    int32_t row;
    spg_status status = fetch(context, job.rows + i, &row);
    return status != SPG_OK ? status : spg_fail_row_number(context, i, row, job.row_count);
}

/* Waits if rows or uniforms are the caller's, because they may be faulty. */
spg_status draw(spg_context *context, draw_job job)
{
    if (job.row_count == 0) return fail_row(context, job, 0); /* without rows, none of the caller's rows is valid */
    spg_cuda *cuda = spg_cuda_of(context);
    bool can_fail = (job.rows != nullptr || job.uniforms != nullptr) && !trusts(context);
    job.first_row = &cuda->report->first[FIRST_ROW];
    job.first_uniform = &cuda->report->first[FIRST_UNIFORM];
    spg_status status = can_fail ? clear_report(context) : SPG_OK;
    if (status != SPG_OK) return status;
    launch(context, job);
    status = spg_cuda_check_launch(context, "drawing by inversion");
    spg_report report;
    if (status == SPG_OK && can_fail) status = read_report(context, &report);
    if (status != SPG_OK || !can_fail) return status;
    if (report.first[FIRST_ROW] != NONE_FIRST) return fail_row(context, job, (int64_t)report.first[FIRST_ROW]);
    if (report.first[FIRST_UNIFORM] == NONE_FIRST) return SPG_OK;
    int64_t bad_uniform = (int64_t)report.first[FIRST_UNIFORM];
    double uniform;
    status = fetch(context, job.uniforms + bad_uniform, &uniform);
    return status != SPG_OK ? status : spg_fail_uniform(context, bad_uniform, uniform);
}

/* The fields common to all calls. */
draw_job job_of(const spg_forest &forest, int64_t count)
{
    draw_job job = {};
    job.forest = view_of(forest);
    job.count = count;
    job.row_count = forest.rows;
    job.empty_rows = forest.empty_rows;
    return job;
}

} // namespace

} // namespace forest
} // namespace spg

spg_status spg_cuda_forest_draws(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const spg_random *random, const double *uniforms, int32_t *draws,
                                 spg_forest_details details)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::forest::draw_job job = spg::forest::job_of(*forest, count);
    job.rows = rows;
    job.uniforms = uniforms;
    if (uniforms == nullptr) job.random = *random;
    job.draws = draws;
    job.probabilities = details.probabilities;
    job.remapped = details.remapped;
    status = spg::forest::draw(context, job);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_forest_strata(spg_context *context, const spg_forest *forest, int64_t row, int64_t count,
                                  const spg_random *random, int32_t *draws, spg_forest_details details)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::forest::draw_job job = spg::forest::job_of(*forest, count);
    job.row = row;
    job.random = *random;
    job.strata = spg_strata_of((uint64_t)count);
    job.draws = draws;
    job.probabilities = details.probabilities;
    job.remapped = details.remapped;
    bool items_alone = details.probabilities == nullptr && details.remapped == nullptr;
    status = items_alone ? spg::forest::draw_strata(context, job.forest, row, count, *random, draws)
                         : spg::forest::draw(context, job);
    spg_cuda_leave(context);
    return status;
}

spg_status spg_cuda_forest_loads(spg_context *context, const spg_forest *forest, int64_t count, const int32_t *rows,
                                 const double *uniforms, int32_t *loads)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    spg::forest::draw_job job = spg::forest::job_of(*forest, count);
    job.rows = rows;
    job.uniforms = uniforms;
    job.loads = loads;
    status = spg::forest::draw(context, job);
    spg_cuda_leave(context);
    return status;
}
