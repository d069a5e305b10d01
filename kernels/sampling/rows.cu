/* One draw from each row, weights read once: method AUTO. A warp takes 32 neighbouring rows: those of up to 8 items go
 * to a thread each, those of up to 64 to eight lanes each, longer ones to the warp one after the other, in pieces of
 * 1024 items whose sums its lanes keep, and very long ones to a list (rows_long.cu). All form the same tree of sums. */
#include "rows.cuh"

namespace spg
{
namespace rows
{

namespace
{

/* Where rows are long, few a warp keep all multiprocessors busy to the end. */
enum { LONG_MEAN = 256 };

enum { THREADS = 256, THREAD_ITEMS = 8, GROUP = 8, GROUP_ITEMS = GROUP * 8, SHORT_ITEMS = WARP * 8 };

/* One row of the 32, as its lane knows it; from(lane) in all lanes. */
struct row_view {
    int64_t row, begin, items;
    double u;

    __device__ row_view from(int lane) const
    {
        return {__shfl_sync(ALL_LANES, row, lane), __shfl_sync(ALL_LANES, begin, lane),
                __shfl_sync(ALL_LANES, items, lane), __shfl_sync(ALL_LANES, u, lane)};
    }
};

template <typename Real> __device__ void draw_by_thread(const row_job<Real> &job, const row_view &mine)
{
    tree::item_tree<THREAD_ITEMS> sums;
    bool bad = false;
    for (double scale = 1;; scale = SPG_SCALE_DOWN) {
        double items[THREAD_ITEMS];
#pragma unroll
        for (int k = 0; k < THREAD_ITEMS; ++k) items[k] = job.weight(mine.begin, mine.items, k, scale, &bad);
        sums.sum(items);
        if (!is_too_large<Real>(sums.root(), scale)) break;
    }
    if (bad || !is_sound_sum(sums.root())) report_first(job.first_fault, mine.row);
    job.write(mine.row, mine.begin, sums.find(multiply(mine.u, sums.root()), 0));
}

/* By a group of LANES; a group without a row has no items. */
template <int LANES, int CHUNKS, typename Real>
__device__ void draw_by_group(const row_job<Real> &job, const row_view &mine, bool has_row)
{
    tree::chunk_tree<LANES, CHUNKS> sums;
    bool bad = false;
    double scale = 1;
    sum_items(job, mine.begin, mine.items, 0, scale, &bad, &sums);
    if (__any_sync(ALL_LANES, is_too_large<Real>(sums.root(), scale))) {
        if (is_too_large<Real>(sums.root(), scale)) scale = SPG_SCALE_DOWN;
        sum_items(job, mine.begin, mine.items, 0, scale, &bad, &sums);
    }
    int64_t item;
    if (has_row && (bad || !is_sound_sum(sums.root()))) report_first(job.first_fault, mine.row);
    bool found = find_in_items(job, mine.begin, mine.items, 0, scale, sums, multiply(mine.u, sums.root()), 0.0, &item);
    if (has_row && found) job.write(mine.row, mine.begin, min(item, mine.items - 1));
}

/* By the warp, in at most as many pieces as it has lanes. */
template <typename Real> __device__ void draw_in_pieces(const row_job<Real> &job, const row_view &mine)
{
    tree::chunk_tree<WARP, WARP> sums;
    bool bad = false;
    double scale = 1, piece_sum, total;
    for (;; scale = SPG_SCALE_DOWN) {
        piece_sum = 0;
        for (int piece = 0; (int64_t)piece * PIECE < mine.items; ++piece) {
            sum_items(job, mine.begin, mine.items, (int64_t)piece * PIECE, scale, &bad, &sums);
            if (lane_in_warp() == piece) piece_sum = sums.root();
        }
        total = piece_sum;
#pragma unroll
        for (int step = 1; step < WARP; step *= 2) total = add(total, tree::exchange(total, step));
        if (!is_too_large<Real>(total, scale)) break;
    }
    if (bad || !is_sound_sum(total)) report_first(job.first_fault, mine.row);
    double target = multiply(mine.u, total), base = 0;
    bool found = tree::find_lane<WARP>(piece_sum, target, &base);
    int piece = __ffs((int)__ballot_sync(ALL_LANES, found)) - 1;
    base = __shfl_sync(ALL_LANES, base, piece);
    sum_items(job, mine.begin, mine.items, (int64_t)piece * PIECE, scale, &bad, &sums);
    int64_t item;
    if (find_in_items(job, mine.begin, mine.items, (int64_t)piece * PIECE, scale, sums, target, base, &item))
        job.write(mine.row, mine.begin, min(item, mine.items - 1));
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 2) draw_rows_kernel(const __grid_constant__ row_job<Real> job)
{
    int lane = lane_in_warp();
    int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP * job.rows_a_warp;
    row_view mine = {first + lane, 0, 0, 0};
    if (lane < job.rows_a_warp && mine.row < job.rows) {
        int64_t begin = job.offsets[mine.row], end = job.offsets[mine.row + 1];
        if (!job.is_sound(mine.row, begin, end)) {
            report_first(job.first_fault, mine.row);
        } else {
            mine.begin = begin;
            mine.items = end - begin;
            mine.u = job.uniform(mine.row);
        }
    }
    if (mine.items > 0 && mine.items <= THREAD_ITEMS) draw_by_thread(job, mine);
    if (mine.items > LONGEST) {
        unsigned int place = atomicAdd(job.long_count, 1u);
        if (place < job.long_room) job.long_rows[place] = (int32_t)mine.row;
    }
    __syncwarp();
    unsigned int rest = __ballot_sync(ALL_LANES, mine.items > THREAD_ITEMS && mine.items <= GROUP_ITEMS);
    while (rest != 0) {
        unsigned int others = rest;
        for (int g = 0; g < lane / GROUP; ++g) others &= others - 1;
        int source = others != 0 ? __ffs((int)others) - 1 : 0;
        row_view row = mine.from(source);
        if (others == 0) row.items = 0;
        draw_by_group<GROUP, GROUP_ITEMS / GROUP>(job, row, others != 0);
        for (int g = 0; g < WARP / GROUP; ++g) rest &= rest - 1;
    }
    for (rest = __ballot_sync(ALL_LANES, mine.items > GROUP_ITEMS && mine.items <= LONGEST); rest != 0;
         rest &= rest - 1) {
        row_view row = mine.from(__ffs((int)rest) - 1);
        if (row.items <= SHORT_ITEMS)
            draw_by_group<WARP, SHORT_ITEMS / WARP>(job, row, true);
        else if (row.items <= PIECE)
            draw_by_group<WARP, WARP>(job, row, true);
        else
            draw_in_pieces(job, row);
    }
}

/* Room for the numbers of all rows that may be too long for a warp. */
template <typename Real> spg_status draw_automatically(workspace &work, row_job<Real> &job)
{
    spg_context *context = work.context;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    int64_t most_long = job.nnz / LONGEST;
    spg_status status = SPG_OK;
    if (most_long > 0) {
        status = work.take(most_long + 1, "long rows", &job.long_rows);
        if (status != SPG_OK) return status;
        job.long_count = reinterpret_cast<unsigned int *>(job.long_rows + most_long);
        job.long_room = (unsigned int)most_long;
        status = spg_cuda_check(context, cudaMemsetAsync(job.long_count, 0, sizeof *job.long_count, stream), "rows");
        if (status != SPG_OK) return status;
    }
    job.rows_a_warp = job.nnz / job.rows >= LONG_MEAN ? 2 : WARP;
    int64_t block_rows = (int64_t)job.rows_a_warp * (THREADS / WARP), blocks = (job.rows + block_rows - 1) / block_rows;
    draw_rows_kernel<<<(unsigned)blocks, THREADS, 0, stream>>>(job);
    status = spg_cuda_check_launch(context, "drawing from rows");
    return status == SPG_OK && most_long > 0 ? draw_long_rows(context, job) : status;
}

enum { FIRST_FAULT = 0, FIRST_UNIFORM = 1 }; /* in spg_report.first */

template <typename Real>
spg_status draw(spg_context *context, const spg_csr &weights, spg_butterfly_method method, const spg_random *random,
                const void *uniforms, int32_t *draws)
{
    workspace work(context);
    spg_report *shared = spg_cuda_of(context)->report, report;
    row_job<Real> job = {offsets_of(weights),
                         weights.rows,
                         weights.nnz,
                         weights.columns,
                         static_cast<const Real *>(weights.values),
                         static_cast<const Real *>(uniforms),
                         {0, 0, 0},
                         draws,
                         WARP,
                         &shared->first[FIRST_FAULT],
                         &shared->first[FIRST_UNIFORM],
                         nullptr,
                         nullptr,
                         0};
    if (uniforms == nullptr) job.random = *random;
    spg_status status = clear_report(context);
    if (status == SPG_OK) status = queue_column_check(context, weights, job.first_fault);
    if (status == SPG_OK)
        status = method == SPG_BUTTERFLY_AUTO ? draw_automatically(work, job) : draw_rows_as_paper(work, job, method);
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
