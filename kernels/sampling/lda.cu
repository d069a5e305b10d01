/* Topics for words by the tree of sums: method AUTO. A warp takes a run of 16 words; the row of theta of their document
 * lies in its registers. A word is drawn by 8, 16 or 32 lanes, as many words at a time as that leaves room for: each
 * lane multiplies what 16-byte loads bring, and keeps the products. */
#include "lda.cuh"

namespace spg
{
namespace lda
{

namespace
{

enum { THREADS = 128, RUN = 16, REREAD = 4 }; /* as many products are read again, not kept */
static_assert(RUN <= WARP, "a lane a word's uniform number");

/* One document's words [begin, end) of a run that starts at word `run`. u: of word run + lane. */
template <typename Real, int LANES, int CHUNKS>
__device__ void draw_words(const lda_job<Real> &job, int64_t document, int64_t run, int64_t begin, int64_t end,
                           double u)
{
    constexpr int GROUPS = WARP / LANES, ITEMS = quad<Real>::ITEMS;
    int lane = lane_in_warp() % LANES;
    const Real *theta_row = job.theta + document * job.count;
    quad<Real> theta[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; ++c)
        theta[c].load(theta_row, (int64_t)(c * LANES + lane) * ITEMS, job.count, job.aligned);
    for (; begin < end; begin += GROUPS) {
        int64_t word = begin + lane_in_warp() / LANES;
        bool has_word = word < end;
        if (!has_word) word = begin;
        double uniform = __shfl_sync(ALL_LANES, u, (int)(word - run));
        const Real *phi_row = job.phi_row(word);
        quad<Real> products[CHUNKS];
        Real nodes[CHUNKS];
        Real least = 0;
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c)
            products[c].load(phi_row, (int64_t)(c * LANES + lane) * ITEMS, job.count, job.aligned);
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c) {
            products[c].multiply_by(theta[c]);
            nodes[c] = products[c].sum();
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) least = products[c].item[k] < least ? products[c].item[k] : least;
        }
        tree::chunk_tree<LANES, CHUNKS> sums;
        sums.sum(nodes);
        double total = sums.root(), base = 0, target = multiply(uniform, total);
        if (least < 0 || !(total > 0 && total <= LARGEST)) report_first(&job.report->first[FIRST_PRODUCT], word);
        int chunk = sums.find_chunk(target, &base);
        quad<Real> chosen;
        if constexpr (CHUNKS >= REREAD) {
            int64_t first = (int64_t)(chunk * LANES + lane) * ITEMS;
            quad<Real> factor;
            factor.load(theta_row, first, job.count, job.aligned);
            chosen.load(phi_row, first, job.count, job.aligned);
            chosen.multiply_by(factor);
        } else {
            chosen = products[0];
#pragma unroll
            for (int c = 1; c < CHUNKS; ++c)
#pragma unroll
                for (int k = 0; k < ITEMS; ++k) chosen.item[k] = chunk == c ? products[c].item[k] : chosen.item[k];
        }
        Real node = chosen.sum();
        if (tree::find_lane<LANES>(node, target, &base) && has_word)
            job.topics[word] = min((chunk * LANES + lane) * ITEMS + chosen.find(target, base), job.count - 1);
    }
}

template <typename Real, int LANES, int CHUNKS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) draw_topics_kernel(const __grid_constant__ lda_job<Real> job)
{
    int64_t run = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP * RUN;
    if (run >= job.words_total) return;
    int64_t run_end = min(run + RUN, job.words_total);
    double u = spg_uniform_f64(job.number(run + lane_in_warp()));
    int64_t document = document_of(job.word_offsets, job.documents, run);
    for (int64_t begin = run; begin < run_end && document < job.documents; ++document) {
        int64_t end = min(job.word_offsets[document + 1], run_end);
        if (end <= begin) continue;
        draw_words<Real, LANES, CHUNKS>(job, document, run, begin, end, u);
        begin = end;
    }
}

/* LANES and CHUNKS by the number of topics, BLOCKS a multiprocessor by registers. */
template <int LANES, int CHUNKS, int BLOCKS, typename Real>
spg_status launch(spg_context *context, const lda_job<Real> &job)
{
    constexpr int WORDS = THREADS / WARP * RUN;
    int64_t blocks = (job.words_total + WORDS - 1) / WORDS;
    draw_topics_kernel<Real, LANES, CHUNKS, BLOCKS>
        <<<(unsigned)blocks, THREADS, 0, spg_cuda_of(context)->stream>>>(job);
    return spg_cuda_check_launch(context, "drawing topics");
}

} // namespace

template <> spg_status draw_automatically(spg_context *context, const lda_job<float> &job)
{
    if (job.count <= 128) return launch<8, 4, 7>(context, job);
    if (job.count <= 256) return launch<16, 4, 7>(context, job);
    if (job.count <= 512) return launch<32, 4, 7>(context, job);
    if (job.count <= 1024) return launch<32, 8, 5>(context, job);
    return draw_many_topics(context, job);
}

template <> spg_status draw_automatically(spg_context *context, const lda_job<double> &job)
{
    if (job.count <= 64) return launch<8, 4, 7>(context, job);
    if (job.count <= 128) return launch<16, 4, 7>(context, job);
    if (job.count <= 256) return launch<32, 4, 7>(context, job);
    if (job.count <= 512) return launch<32, 8, 5>(context, job);
    if (job.count <= 1024) return launch<32, 16, 3>(context, job);
    return draw_many_topics(context, job);
}

} // namespace lda
} // namespace spg
