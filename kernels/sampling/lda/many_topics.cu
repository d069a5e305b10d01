/* Topics for words by lanes' sums, with more topics than a warp can hold: it sums pieces of 1024 topics one after the
 * other, lane k keeps the sum before its share of them, and the share with the target is summed again. Method AUTO. */
#include "lanes.cuh"
#include "lda.cuh"

namespace spg
{
namespace lda
{

namespace
{

enum { THREADS = 256, PIECE = SPG_LANE_PIECE, COUNT = PIECE / WARP };

template <typename Real> struct word_rows {
    const Real *theta, *phi;
    int32_t count;
    bool aligned;

    /* Running sums of a piece. Returns whether a product is below 0. */
    __device__ bool load_piece(int64_t piece, lane_items<Real, WARP, COUNT> *items) const
    {
        lane_items<Real, WARP, COUNT> factors;
        int32_t first = (int32_t)(piece * PIECE);
        factors.template load<false>(theta + first, count - first, aligned);
        items->template load<false>(phi + first, count - first, aligned);
        int signs = items->accumulate(factors);
        return signs < 0 && items->has_negative(phi + first, theta + first, count - first);
    }
};

template <typename Real> __device__ void draw_word(const lda_job<Real> &job, int64_t document, int64_t word)
{
    word_rows<Real> rows = {job.theta + document * job.count, job.row_of(job.id_of(word)), job.count, job.aligned};
    lane_items<Real, WARP, COUNT> items;
    int64_t pieces = ((int64_t)job.count + PIECE - 1) / PIECE, share = (pieces + WARP - 1) / WARP;
    double total = 0, before = 0;
    bool wrong = false;
    for (int64_t piece = 0; piece < pieces; ++piece) {
        if (piece % share == 0 && lane_in_warp() >= piece / share) before = total;
        wrong |= rows.load_piece(piece, &items);
        total = add(total, lane_sums<Real, WARP>(items.item[COUNT - 1]).total);
    }
    if (wrong || !(total > 0 && total <= LARGEST)) job.report_word(FIRST_PRODUCT, word);
    double target = lane_target<Real>(spg_uniform_f64(job.number(word)), total);
    if (!(target < total)) target = below(total);
    int shares = (int)((pieces + share - 1) / share);
    unsigned int begun = __ballot_sync(ALL_LANES, lane_in_warp() < shares && before <= target);
    int chosen = begun != 0 ? WARP - 1 - __clz((int)begun) : 0;
    before = __shfl_sync(ALL_LANES, before, chosen);
    for (int64_t piece = chosen * share; piece < pieces; ++piece) {
        rows.load_piece(piece, &items);
        const lane_sums<Real, WARP> sums(items.item[COUNT - 1]);
        double through = add(before, sums.total);
        if (target < through) {
            double rest = subtract(target, before);
            if (sums.holds(rest))
                job.topics[word] = (int32_t)(piece * PIECE) + items.place(items.count_through(sums.rest_of(rest)));
            return;
        }
        before = through;
    }
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 1) draw_many_topics_kernel(const __grid_constant__ lda_job<Real> job)
{
    int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x, step = (int64_t)gridDim.x * THREADS;
    for (int64_t m = thread; m <= job.documents; m += step)
        if (!job.is_sound(m)) *job.fault = 1;
    for (int64_t word = thread / WARP; word < job.words_total; word += step / WARP)
        draw_word(job, document_of(job.word_offsets, job.documents, word), word);
}

} // namespace

template <typename Real> spg_status draw_many_topics(spg_context *context, const lda_job<Real> &job)
{
    unsigned blocks = loop_blocks(context, (job.words_total * WARP + THREADS - 1) / THREADS);
    draw_many_topics_kernel<<<blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job);
    return spg_cuda_check_launch(context, "drawing topics");
}

template spg_status draw_many_topics(spg_context *, const lda_job<float> &);
template spg_status draw_many_topics(spg_context *, const lda_job<double> &);

} // namespace lda
} // namespace spg
