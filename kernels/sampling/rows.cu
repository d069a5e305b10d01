/* One draw from each row, weights read once: method AUTO. A warp takes 32 neighbouring rows: those of up to 8 items go
 * to a thread each, those that a piece of eight lanes holds to eight lanes each, longer ones to the warp one after the
 * other, in pieces whose sums its lanes keep, and very long ones to blocks (rows_long.cu). All form the same tree. */
#include "rows.cuh"
#include "rows_tree.cuh"

namespace spg
{
namespace rows
{

namespace
{

enum { GROUP = 8 };

/* Where rows are long, few a warp keep all multiprocessors busy to the end (sampling_bench, H100). */
enum { LONG_MEAN = 256, WARP_BYTES = 8192 };

/* One row of the 32 of a warp, of up to LONGEST items. */
struct row_view {
    int64_t begin;
    double u;
    int items;
};

/* The draws below leave out rows that turn out not to be plain, and tell so. */
template <typename Real> __device__ bool draw_by_thread(const row_job<Real> &job, int64_t row, const row_view &mine)
{
    tree::item_tree<SPG_SHORT_ROW> sums;
    Real items[SPG_SHORT_ROW];
    int signs = 0;
#pragma unroll
    for (int k = 0; k < SPG_SHORT_ROW; ++k) items[k] = k < mine.items ? job.weights[mine.begin + k] : 0;
#pragma unroll
    for (int k = 0; k < SPG_SHORT_ROW; ++k) signs |= sign_word(items[k]);
    sums.sum(items);
    if (signs < 0 || !is_sound_sum(sums.root())) return false;
    job.write(row, mine.begin, sums.find(multiply(mine.u, sums.root()), 0));
    return true;
}

/* A row by eight lanes: of one chunk, else of one piece. A group without a row has no items. */
template <bool ONE_CHUNK, typename Real>
__device__ bool draw_by_group(const row_job<Real> &job, int64_t row, const row_view &mine)
{
    typedef piece_sums<GROUP, true, Real> sums;
    const row_pieces<Real> pieces(job, mine.begin, mine.items);
    const row_piece<Real> piece = pieces[0];
    bool odd = false;
    node_items<Real> node = {};
    double sum;
    if constexpr (ONE_CHUNK) {
        node = sums::load_node(piece, sums::lane() * ITEMS<Real>, 1, &odd);
        odd = node.signs() < 0;
        sum = node.sum();
    } else {
        sum = sums::sum(piece, 1, &odd);
    }
    const lane_tree<GROUP> tree(sum);
    double target = multiply(mine.u, tree.root()), base = 0;
    int position;
    if constexpr (ONE_CHUNK)
        position = sums::find_in_nodes(node, tree, 0, target, base);
    else
        position = sums::find_in_chunk(piece, tree.find(target, &base), 1, target, base);
    if (!is_sound_sum(tree.root())) return false;
    if (position >= 0) job.write(row, mine.begin, pieces.item(0, position));
    return !odd;
}

/* The rows of `rest`, four at a time. Returns those left out. */
template <bool ONE_CHUNK, typename Real>
__device__ unsigned int draw_by_groups(const row_job<Real> &job, int64_t first, const row_view *views,
                                       unsigned int rest)
{
    unsigned int odd = 0;
    while (rest != 0) {
        unsigned int others = rest;
        for (int g = 0; g < lane_in_warp() / GROUP; ++g) others &= others - 1;
        int source = others != 0 ? __ffs((int)others) - 1 : 0;
        row_view row = views[source];
        if (others == 0) row.begin = row.items = 0;
        bool drawn = draw_by_group<ONE_CHUNK>(job, first + source, row);
        odd |= __reduce_or_sync(ALL_LANES, !drawn && others != 0 ? 1u << source : 0);
        for (int g = 0; g < WARP / GROUP; ++g) rest &= rest - 1;
    }
    return odd;
}

/* The rows of `rest`, one after the other. */
template <typename Real>
__device__ unsigned int draw_by_whole_warp(const row_job<Real> &job, int64_t first, const row_view *views,
                                           unsigned int rest)
{
    unsigned int odd = 0;
    for (; rest != 0; rest &= rest - 1) {
        int source = __ffs((int)rest) - 1;
        row_view row = views[source];
        outcome came = draw_by_warp<true>(job, first + source, row_pieces<Real>(job, row.begin, row.items), row.u, 1);
        if (came != DRAWN) odd |= 1u << source;
    }
    return odd;
}

template <int THREADS, int BLOCKS, typename Real>
__global__ void __launch_bounds__(THREADS, BLOCKS) draw_rows_kernel(const __grid_constant__ row_job<Real> job)
{
    __shared__ row_view views_of_block[THREADS];
    int lane = lane_in_warp();
    const row_view *views = views_of_block + threadIdx.x / WARP * WARP;
    int64_t first = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP * job.rows_a_warp;
    row_view mine = {0, 0, 0};
    if (lane < job.rows_a_warp && first + lane < job.rows) {
        int64_t begin = job.offsets[first + lane], end = job.offsets[first + lane + 1];
        if (!job.is_sound(first + lane, begin, end))
            job.report_row(first + lane);
        else if (end - begin > LONGEST)
            *job.has_long = 1;
        else
            mine = {begin, job.uniform(first + lane), (int)(end - begin)};
    }
    views_of_block[threadIdx.x] = mine;
    bool is_short = mine.items <= SPG_SHORT_ROW, left_out = !is_short && !job.is_plain(mine.begin, mine.items);
    if (mine.items > 0 && is_short) left_out = !draw_by_thread(job, first + lane, mine);
    __syncwarp();
    int positions = mine.items + spg_row_lead(mine.begin, mine.items, sizeof(Real));
    bool in_chunk = positions <= GROUP * ITEMS<Real>, in_piece = positions <= PIECE<GROUP, Real>;
    unsigned int odd = __ballot_sync(ALL_LANES, left_out), todo = __ballot_sync(ALL_LANES, !is_short) & ~odd;
    unsigned int chunks = __ballot_sync(ALL_LANES, in_chunk), all_pieces = __ballot_sync(ALL_LANES, in_piece);
    odd |= draw_by_groups<true>(job, first, views, todo & chunks);
    odd |= draw_by_groups<false>(job, first, views, todo & all_pieces & ~chunks);
    odd |= draw_by_whole_warp(job, first, views, todo & ~all_pieces);
    for (; odd != 0; odd &= odd - 1) {
        int source = __ffs((int)odd) - 1;
        row_view row = views[source];
        draw_odd_by_warp(job, first + source, row_pieces<Real>(job, row.begin, row.items), row.u);
    }
}

int rows_for_warp(const spg_csr &weights, size_t size)
{
    int64_t mean = weights.nnz / weights.rows, rows = mean > 0 ? WARP_BYTES / (mean * (int64_t)size) : WARP;
    return mean < LONG_MEAN || rows > WARP ? WARP : rows > 1 ? (int)rows : 1;
}

template <int THREADS, int BLOCKS, typename Real> void queue_draws_by(cudaStream_t stream, const row_job<Real> &job)
{
    int64_t block_rows = (int64_t)job.rows_a_warp * (THREADS / WARP), blocks = (job.rows + block_rows - 1) / block_rows;
    draw_rows_kernel<THREADS, BLOCKS><<<(unsigned)blocks, THREADS, 0, stream>>>(job);
}

/* Rows of mixed lengths want many warps, and small blocks, which end sooner (sampling_bench, H100). */
void queue_draws(cudaStream_t stream, const row_job<float> &job)
{
    if (job.rows_a_warp == WARP)
        queue_draws_by<64, 14>(stream, job);
    else
        queue_draws_by<128, 5>(stream, job);
}

void queue_draws(cudaStream_t stream, const row_job<double> &job) { queue_draws_by<128, 6>(stream, job); }

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

enum { FIRST_FAULT = 0, FIRST_UNIFORM = 1 }; /* in spg_report.first */

/* The kernels of AUTO say whether there was a fault by a sign, which costs nothing where there was none; if there was,
 * they are run once more, to report the first. */
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
                         rows_for_warp(weights, sizeof(Real)),
                         (uintptr_t)weights.values % SPG_LANE_BYTES == 0,
                         &shared->first[FIRST_FAULT],
                         &shared->first[FIRST_UNIFORM],
                         sign_of(context, SIGN_FAULT),
                         sign_of(context, SIGN_LONG)};
    if (uniforms == nullptr) job.random = *random;
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
