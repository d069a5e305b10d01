/* One draw from each row, reading weights once: method AUTO. A row of up to 8 items gets a thread. Others get warps,
 * several rows at a time or one by one, depending on their lengths (slots.cuh); very long ones get blocks
 * (long_rows.cu). If rows are long on average, each warp takes a few of them in turn. All use the same tree. */
#include "row_tree.cuh"
#include "rows.cuh"
#include "slots.cuh"

namespace spg
{
namespace rows
{

namespace
{

/* With long rows, few rows a warp keep all multiprocessors busy to the end (sampling_bench, H100). */
enum { LONG_MEAN = 256, WARP_BYTES = 8192 };

/* The draws below return whether a row is not plain; its draw is then invalid. */
template <typename Real>
__device__ bool draw_by_thread(const row_job<Real> &job, int64_t row, int64_t begin, double u,
                               const Real (&items)[SPG_SHORT_ROW])
{
    tree::item_tree<SPG_SHORT_ROW> sums;
    int signs = 0;
#pragma unroll
    for (int k = 0; k < SPG_SHORT_ROW; ++k) signs |= sign_word(items[k]);
    sums.sum(items);
    if (signs < 0 || !is_sound_sum(sums.root())) return false;
    double base = 0;
    job.write(row, begin, sums.find(spg_target_f64(u, sums.root()), &base));
    return true;
}

/* Draws from a row that has been skipped, or was drawn wrongly. Not inlined, because such rows are rare. */
template <typename Real> __device__ __noinline__ void draw_odd_row(const row_job<Real> &job, int64_t row)
{
    int64_t begin = job.offsets[row];
    const row_pieces<Real, int> pieces(job, begin, (int)(job.offsets[row + 1] - begin));
    __syncwarp();
    draw_odd_by_warp(job, row, pieces, job.uniform(row));
}

template <typename Real> __device__ void draw_odd_rows(const row_job<Real> &job, int64_t first, unsigned int odd)
{
    for (; odd != 0; odd &= odd - 1) draw_odd_row(job, first + __ffs((int)odd) - 1);
}

/* Rows that a block's warps share: for each warp, the mask of lanes with a row. */
template <int WARPS> struct shared_rows {
    unsigned int lanes[WARPS];
    int taken;

    /* The thread that owns the next row, or -1. */
    __device__ int take()
    {
        int next = 0, warp = 0;
        if (lane_in_warp() == 0) next = atomicAdd(&taken, 1);
        next = __shfl_sync(ALL_LANES, next, 0);
#pragma unroll
        for (int w = 0; w < WARPS - 1; ++w) {
            int count = __popc(lanes[w]);
            if (warp < w || next < count) continue;
            next -= count;
            ++warp;
        }
        unsigned int of_warp = lanes[warp];
        bool is_it = (of_warp >> lane_in_warp() & 1) != 0 && __popc(of_warp & lanes_below()) == next;
        unsigned int it = __ballot_sync(ALL_LANES, is_it);
        return it != 0 ? warp * WARP + __ffs((int)it) - 1 : -1;
    }
};

/* The row of a thread; without items if there is none, or none to be drawn from here. */
template <typename Real> __device__ row_view view_row(const row_job<Real> &job, int64_t row)
{
    row_view view = {};
    if (row >= job.rows) return view;
    const row_offsets offsets(job.offsets, row);
    view.u = job.uniform(row); /* computed while offsets are loaded */
    int64_t begin = offsets.begin(), end = offsets.end();
    if (!job.is_for_warp(row, begin, end)) return view;
    view.begin = begin;
    view.lead = spg_row_lead(begin, end - begin, sizeof(Real));
    view.positions = (int)(end - begin) + view.lead;
    return view;
}

template <int THREADS, int BLOCKS, typename Real>
__global__ void __launch_bounds__(THREADS, BLOCKS) draw_rows_kernel(const __grid_constant__ row_job<Real> job)
{
    __shared__ task_room rooms[THREADS / WARP];
    __shared__ shared_rows<THREADS / WARP> long_rows;
    int lane = lane_in_warp(), warp = (int)threadIdx.x / WARP;
    task_room &room = rooms[warp];
    int64_t first = (int64_t)blockIdx.x * THREADS, row = first + threadIdx.x;
    row_view mine = view_row(job, row);
    int items = mine.positions - mine.lead;
    bool is_short = items <= SPG_SHORT_ROW, is_plain = !is_short && job.is_plain(mine.begin, items);
    Real short_row[SPG_SHORT_ROW]; /* loaded while the rest is prepared */
#pragma unroll
    for (int k = 0; k < SPG_SHORT_ROW; ++k) short_row[k] = is_short && k < items ? job.weights[mine.begin + k] : 0;
    const slot_rows<Real> rows(is_plain, &mine);
    unsigned int long_lanes = __ballot_sync(ALL_LANES, is_plain && !rows.has_slots());
    if (lane == 0) long_rows.lanes[warp] = long_lanes;
    if (threadIdx.x == 0) long_rows.taken = 0;
    room.rows[lane] = mine;
    task_slot<Real> slot;
    if (rows.tasks > 0) slot.open(job, rows, 0, room);
    bool left_out = !is_short && !is_plain;
    if (is_short && items > 0) left_out = !draw_by_thread(job, row, mine.begin, mine.u, short_row);
    unsigned int odd = __ballot_sync(ALL_LANES, left_out);
    __syncthreads(); /* long_rows */
    for (int task = 0; task < rows.tasks;) {
        odd |= draw_task(job, first + warp * WARP, rows, slot, room);
        if (++task < rows.tasks) slot.open(job, rows, task, room);
    }
    draw_odd_rows(job, first + warp * WARP, odd);
    for (int k = long_rows.take(); k >= 0; k = long_rows.take())
        if (!draw_pieces(job, first + k, rooms[k / WARP].rows[k % WARP], room)) draw_odd_row(job, first + k);
}

/* All rows by warps, each of which takes a few. */
template <int THREADS, int BLOCKS, int BATCH, typename Real>
__global__ void __launch_bounds__(THREADS, BLOCKS) draw_by_warps_kernel(const __grid_constant__ row_job<Real> job)
{
    int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP * job.rows_a_warp;
    int count = (int)min((int64_t)job.rows_a_warp, job.rows - first);
    unsigned int odd = 0;
    double u = lane_in_warp() < count ? job.uniform(first + lane_in_warp()) : 0;
    for (int k = 0; k < count; ++k) {
        int64_t row = first + k, begin = job.offsets[row], end = job.offsets[row + 1];
        double row_u = __shfl_sync(ALL_LANES, u, k);
        if (!job.is_for_warp(row, begin, end)) continue;
        const row_pieces<Real, int> pieces(job, begin, (int)(end - begin));
        bool is_plain = pieces.items > SPG_SHORT_ROW && job.is_plain(begin, pieces.items);
        if (!is_plain || draw_by_warp<BATCH, true>(job, row, pieces, row_u, 1) != DRAWN) odd |= 1u << k;
    }
    draw_odd_rows(job, first, odd);
}

int rows_for_warp(const spg_csr &weights, size_t size)
{
    int64_t mean = weights.nnz / weights.rows, rows = mean > 0 ? WARP_BYTES / (mean * (int64_t)size) : WARP;
    return mean < LONG_MEAN || rows >= WARP ? WARP : rows > 1 ? (int)rows : 1;
}

template <int THREADS, int BLOCKS, int LONG_THREADS, int LONG_BLOCKS, int LONG_BATCH, typename Real>
void queue_draws_by(cudaStream_t stream, const row_job<Real> &job)
{
    bool is_long = job.rows_a_warp < WARP;
    auto kernel = is_long ? draw_by_warps_kernel<LONG_THREADS, LONG_BLOCKS, LONG_BATCH, Real>
                          : draw_rows_kernel<THREADS, BLOCKS, Real>;
    int threads = is_long ? LONG_THREADS : THREADS;
    int64_t block_rows = (int64_t)job.rows_a_warp * (threads / WARP), blocks = (job.rows + block_rows - 1) / block_rows;
    kernel<<<(unsigned)blocks, threads, 0, stream>>>(job);
}

/* Blocks of four warps share long rows well. If all rows are long, loads of eight chunks a warp keep the memory busy
 * (sampling_bench, H100). */
void queue_draws(cudaStream_t stream, const row_job<float> &job) { queue_draws_by<128, 7, 128, 5, 8>(stream, job); }
void queue_draws(cudaStream_t stream, const row_job<double> &job) { queue_draws_by<128, 7, 128, 6, 8>(stream, job); }

template <typename Real>
spg_status draw_automatically(workspace &work, const spg_csr &weights, const row_job<Real> &job)
{
    spg_context *context = work.context;
    clear_signs(context);
    spg_status status = queue_column_check(context, weights, job.first_fault, job.fault);
    if (status != SPG_OK) return status;
    queue_draws(spg_cuda_of(context)->stream, job);
    status = spg_cuda_check_launch(context, "drawing from rows");
    if (status == SPG_OK) status = spg_cuda_wait(context);
    if (status != SPG_OK || !has_sign(context, SIGN_LONG)) return status;
    status = draw_long_rows(work, job);
    return status == SPG_OK ? spg_cuda_wait(context) : status;
}

/* Without a look at what was found: no waits, and no workspace for AUTO. */
template <typename Real>
spg_status draw_trusting(workspace &work, const row_job<Real> &job, spg_butterfly_method method)
{
    if (method != SPG_BUTTERFLY_AUTO) return draw_rows_as_paper(work, job, method);
    queue_draws(spg_cuda_of(work.context)->stream, job);
    spg_status status = spg_cuda_check_launch(work.context, "drawing from rows");
    bool may_be_long = job.nnz > LONGEST<Real>;
    return status == SPG_OK && may_be_long ? draw_any_long_rows(work.context, job) : status;
}

enum { FIRST_FAULT = 0, FIRST_UNIFORM = 1 }; /* in spg_report.first */

/* The kernels of AUTO report a fault through a sign, which costs nothing without one. After a fault they run once more,
 * to report the first. */
template <typename Real>
spg_status draw(spg_context *context, const spg_csr &weights, spg_butterfly_method method, const spg_random *random,
                const void *uniforms, int32_t *draws)
{
    workspace work(context);
    spg_report *shared = spg_cuda_of(context)->report, report;
    bool is_aligned = (uintptr_t)weights.values % SPG_LANE_BYTES == 0;
    row_job<Real> job = {offsets_of(weights),
                         weights.rows,
                         weights.nnz,
                         weights.columns,
                         static_cast<const Real *>(weights.values),
                         static_cast<const Real *>(uniforms),
                         {0, 0, 0},
                         draws,
                         rows_for_warp(weights, sizeof(Real)),
                         is_aligned ? weights.nnz - weights.nnz % (int64_t)(SPG_LANE_BYTES / sizeof(Real)) : 0,
                         &shared->first[FIRST_FAULT],
                         &shared->first[FIRST_UNIFORM],
                         sign_of(context, SIGN_FAULT),
                         sign_of(context, SIGN_LONG),
                         allows_empty_rows(context)};
    if (uniforms == nullptr) job.random = *random;
    if (trusts(context)) return draw_trusting(work, job, method);
    bool automatic = method == SPG_BUTTERFLY_AUTO;
    spg_status status = automatic ? draw_automatically(work, weights, job) : SPG_OK;
    if (status != SPG_OK || (automatic && !has_sign(context, SIGN_FAULT))) return status;
    status = clear_report(context);
    if (status == SPG_OK && automatic) status = draw_automatically(work, weights, job);
    if (status == SPG_OK && !automatic) status = queue_column_check(context, weights, job.first_fault, job.fault);
    if (status == SPG_OK && !automatic) status = draw_rows_as_paper(work, job, method);
    if (status == SPG_OK) status = read_report(context, &report);
    if (status != SPG_OK) return status;
    if (report.first[FIRST_FAULT] != NONE_FIRST) return fail_by_report(context, weights, report);
    if (report.first[FIRST_UNIFORM] == NONE_FIRST) return SPG_OK;
    int64_t row = (int64_t)report.first[FIRST_UNIFORM];
    Real uniform;
    status =
        spg_cuda_copy_bytes(context, &uniform, SPG_PLACE_HOST, job.uniforms + row, SPG_PLACE_DEVICE, sizeof uniform);
    return status != SPG_OK ? status : spg_fail_uniform(context, row, (double)uniform);
}

} // namespace

} // namespace rows

} // namespace spg

spg_status spg_cuda_row_draws(spg_context *context, const spg_csr *weights, spg_butterfly_method method,
                              const spg_random *random, const void *uniforms, int32_t *draws)
{
    if (weights->rows == 0) return SPG_OK;
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = weights->value_type == SPG_F32
                 ? spg::rows::draw<float>(context, *weights, method, random, uniforms, draws)
                 : spg::rows::draw<double>(context, *weights, method, random, uniforms, draws);
    spg_cuda_leave(context);
    return status;
}
