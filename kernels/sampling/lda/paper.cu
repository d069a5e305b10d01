/* The z-step by the algorithms of the butterfly paper (Steele, Tristan 2017): a warp takes 32 documents, one a lane,
 * and their words in step.
 *
 * PLAIN (Algorithm 1): a lane multiplies, sums and searches for itself. TRANSPOSED (Algorithm 4): blocks of 32 topics
 * are multiplied a document at a time, with coalesced reads, and reach the document's lane through shared memory. TABLE
 * (Algorithm 7): blocks multiplied likewise become butterfly-patterned tables.
 *
 * The tables of sums are in memory, interleaved over the lanes of a warp, like the paper's local arrays; rows of theta
 * are read again for every word. The remnant of topics % 32 comes first. sampling/sums.h defines the orders of sums. */
#include "../butterfly/butterfly.cuh"
#include "lda.cuh"

#include <limits>

namespace spg
{
namespace lda
{

namespace
{

enum { THREADS = 128, WARPS = THREADS / WARP, BLOCKS_A_MULTIPROCESSOR = 4 };

__device__ inline float uniform_of(uint64_t bits, float) { return spg_uniform_f32(bits); }
__device__ inline double uniform_of(uint64_t bits, double) { return spg_uniform_f64(bits); }
__device__ inline float target_of(float u, float sum) { return spg_target_f32(u, sum); }
__device__ inline double target_of(double u, double sum) { return spg_target_f64(u, sum); }

/* A lane's document and current word. */
template <typename Real> struct lane_word {
    const Real *theta, *phi; /* rows; NULL: the lane has no word */
    int64_t word;
    Real *sums; /* entry k at k * 32 */
    bool wrong; /* a product is negative or NaN */

    __device__ Real product(int32_t k)
    {
        Real value = multiply(theta[k], phi[k]);
        wrong |= !(value >= 0);
        return value;
    }
};

template <typename Real> __device__ const Real *pointer_from(const Real *pointer, int lane)
{
    return reinterpret_cast<const Real *>(__shfl_sync(ALL_LANES, reinterpret_cast<unsigned long long>(pointer), lane));
}

/* Topics first ... first + 31 of every lane's word: values[k] is topic first + lane of lane k's word. */
template <typename Real> __device__ void multiply_transposed(lane_word<Real> &mine, int32_t first, Real (&values)[WARP])
{
    int lane = lane_in_warp();
#pragma unroll
    for (int k = 0; k < WARP; ++k) {
        const Real *theta = pointer_from(mine.theta, k), *phi = pointer_from(mine.phi, k);
        values[k] = phi != nullptr ? multiply(theta[first + lane], phi[first + lane]) : 0;
        bool wrong = __any_sync(ALL_LANES, !(values[k] >= 0));
        if (lane == k) mine.wrong |= wrong;
    }
}

/* Running sums of the remnant; returns their total. */
template <typename Real> __device__ Real sum_remnant(lane_word<Real> &mine, int32_t remnant)
{
    Real sum = 0;
    for (int32_t k = 0; mine.phi != nullptr && k < remnant; ++k) {
        sum = add(sum, mine.product(k));
        mine.sums[k * WARP] = sum;
    }
    return sum;
}

template <typename Real> __device__ bool is_sound(const lane_word<Real> &mine, Real sum)
{
    return !mine.wrong && sum > 0 && sum <= std::numeric_limits<Real>::max();
}

/* Algorithms 1 and 4: sums of all topics. */
template <typename Real, bool TRANSPOSED>
__device__ int32_t draw_in_order(lane_word<Real> &mine, int32_t count, Real u, Real (*block)[WARP + 1], bool *sound)
{
    Real sum = sum_remnant(mine, TRANSPOSED ? count % WARP : count);
    for (int32_t first = count % WARP; TRANSPOSED && first < count; first += WARP) {
        Real values[WARP];
        multiply_transposed(mine, first, values);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < WARP; ++k) block[k][lane_in_warp()] = values[k];
        __syncwarp();
        for (int k = 0; k < WARP; ++k) {
            sum = add(sum, block[lane_in_warp()][k]);
            mine.sums[(first + k) * WARP] = sum;
        }
    }
    *sound = is_sound(mine, sum);
    if (mine.phi == nullptr || !*sound) return 0;
    Real target = target_of(u, sum);
    int32_t topic = first_that((int32_t)0, count, [&](int32_t k) { return target < mine.sums[k * WARP]; });
    if (topic < count) return topic;
    for (--topic; topic > 0 && !(mine.product(topic) > 0);) --topic;
    return topic;
}

/* Algorithm 7. All lanes call it, with a word or without. */
template <typename Real> __device__ int32_t draw_by_table(lane_word<Real> &mine, int32_t count, Real u, bool *sound)
{
    int32_t remnant = count % WARP;
    Real remnant_sum = sum_remnant(mine, remnant), sum = remnant_sum, values[WARP];
    for (int32_t first = remnant; first < count; first += WARP) {
        multiply_transposed(mine, first, values);
        butterfly::make_table(values);
        sum = add(sum, values[WARP - 1]);
#pragma unroll
        for (int d = 0; d < WARP; ++d) mine.sums[(first + d) * WARP] = d == WARP - 1 ? sum : values[d];
    }
    *sound = is_sound(mine, sum);
    Real target = target_of(u, sum);
    int32_t blocks = count / WARP;
    auto through = [&](int32_t b) { return b < 0 ? remnant_sum : mine.sums[(remnant + b * WARP + WARP - 1) * WARP]; };
    int32_t b = first_that((int32_t)0, blocks, [&](int32_t k) { return target < through(k); });
    if (b == blocks)
        for (--b; b >= 0 && !(through(b) > through(b - 1));) --b;
    bool in_block = b >= 0 && !(remnant > 0 && target < remnant_sum);
    /* Every lane holds a column of the table of the block that each lane wants. */
    int32_t base = remnant + (in_block ? b : 0) * WARP;
    int found = 0;
    if (blocks > 0)
        found = butterfly::search_apart(
            [&](int d, int row) { return mine.sums[(__shfl_sync(ALL_LANES, base, row) + d) * WARP]; }, target,
            in_block ? through(b - 1) : 0, in_block ? through(b) : 0);
    if (mine.phi == nullptr || !*sound) return 0;
    int32_t topic = base + found;
    if (!in_block)
        for (topic = 0; topic < remnant - 1 && !(target < mine.sums[topic * WARP]);) ++topic;
    return (int32_t)butterfly::mend(topic, count, [&](int64_t k) { return mine.product((int32_t)k) > 0; });
}

template <typename Real, spg_butterfly_method METHOD>
__global__ void __launch_bounds__(THREADS) draw_topics_kernel(const __grid_constant__ lda_job<Real> job, Real *sums)
{
    __shared__ Real blocks[METHOD == SPG_BUTTERFLY_TRANSPOSED ? WARPS : 1][WARP][WARP + 1];
    if (job.has_bad_offsets()) return;
    int64_t warp = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP, warps = (int64_t)gridDim.x * WARPS;
    lane_word<Real> mine = {nullptr, nullptr, 0, sums + warp * WARP * job.count + lane_in_warp(), false};
    for (int64_t group = warp; group * WARP < job.documents; group += warps) {
        int64_t document = group * WARP + lane_in_warp(), begin = 0, end = 0;
        if (document < job.documents) begin = job.word_offsets[document], end = job.word_offsets[document + 1];
        mine.theta = job.theta + document * job.count;
        int64_t most = reduce(end - begin, maximum());
        for (int64_t i = 0; i < most; ++i) {
            mine.word = begin + i;
            mine.phi = mine.word < end ? job.row_of(job.id_of(mine.word)) : nullptr;
            mine.wrong = false;
            Real u = uniform_of(job.number(mine.word), Real{});
            bool sound;
            int32_t topic;
            if constexpr (METHOD == SPG_BUTTERFLY_TABLE)
                topic = draw_by_table(mine, job.count, u, &sound);
            else
                topic = draw_in_order<Real, METHOD == SPG_BUTTERFLY_TRANSPOSED>(
                    mine, job.count, u, blocks[METHOD == SPG_BUTTERFLY_TRANSPOSED ? threadIdx.x / WARP : 0], &sound);
            if (mine.phi == nullptr) continue;
            if (!sound) job.report_word(FIRST_PRODUCT, mine.word);
            job.topics[mine.word] = topic;
        }
    }
}

} // namespace

/* As many warps as groups of documents, or as are resident: each has a table of its own. */
template <typename Real>
spg_status draw_as_paper(workspace &work, const lda_job<Real> &job, spg_butterfly_method method)
{
    spg_context *context = work.context;
    spg_cuda *cuda = spg_cuda_of(context);
    int64_t blocks = (job.documents + THREADS - 1) / THREADS, room = (int64_t)THREADS * job.count;
    int64_t most = (int64_t)cuda->multiprocessors * BLOCKS_A_MULTIPROCESSOR;
    blocks = blocks < most ? blocks : most;
    int64_t within_limit = spg_pieces_within_limit(context, 0, spg_array_bytes(room, sizeof(Real)), (int)blocks);
    blocks = blocks < within_limit ? blocks : within_limit;
    Real *sums = nullptr;
    spg_status status = work.take(blocks * room, "sums of products", &sums);
    if (status != SPG_OK) return status;
    if (method == SPG_BUTTERFLY_PLAIN)
        draw_topics_kernel<Real, SPG_BUTTERFLY_PLAIN><<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(job, sums);
    else if (method == SPG_BUTTERFLY_TRANSPOSED)
        draw_topics_kernel<Real, SPG_BUTTERFLY_TRANSPOSED><<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(job, sums);
    else
        draw_topics_kernel<Real, SPG_BUTTERFLY_TABLE><<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(job, sums);
    return spg_cuda_check_launch(context, "drawing topics");
}

template spg_status draw_as_paper(workspace &, const lda_job<float> &, spg_butterfly_method);
template spg_status draw_as_paper(workspace &, const lda_job<double> &, spg_butterfly_method);

} // namespace lda
} // namespace spg
