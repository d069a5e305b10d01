/* Topics for words by lanes' sums: method AUTO. A warp takes a run of 32 words and keeps its document's row of theta in
 * registers. 8, 16 or 32 lanes draw a word, so that several words are drawn at a time. */
#include "lanes.cuh"
#include "lda.cuh"

namespace spg
{
namespace lda
{

namespace
{

enum {
    THREADS = 128,
    RUN = WARP,
    EMPTY_DOCUMENTS = 64 /* EMPTY_DOCUMENTS in a row, then a search for the next with
                          * words */
};

/* The words of a run, one a lane. */
struct word_run {
    int64_t first;
    int32_t *topics; /* of the first */
    double u;
    int32_t id;
};

/* Draws words begin ... end - 1 of a run, all of one document. */
template <bool FULL, typename Real, int LANES, int COUNT>
__device__ void draw_words(const lda_job<Real> &job, int64_t document, const word_run &run, int begin, int end)
{
    typedef lane_items<Real, LANES, COUNT> row_items;
    const Real *factors = job.theta + document * job.count;
    row_items theta, items;
    theta.template load<FULL>(factors, job.count, job.aligned);
    for (int word = begin + lane_in_warp() / LANES; begin < end; begin += WARP / LANES, word += WARP / LANES) {
        int slot = min(word, end - 1); /* a group without a word repeats one */
        const Real *row = job.row_of(__shfl_sync(ALL_LANES, run.id, slot));
        items.template load<FULL>(row, job.count, job.aligned);
        int signs = items.accumulate(theta);
        const lane_sums<Real, LANES> sums(items.item[COUNT - 1]);
        double target = lane_target<Real>(__shfl_sync(ALL_LANES, run.u, slot), sums.total);
        if (signs < 0 || sums.is_unusual()) {
            bool wrong = signs < 0 && row_items::has_negative(row, factors, job.count);
            if (wrong || !sums.is_sound()) job.report_word(FIRST_PRODUCT, run.first + slot);
            if (!(target < sums.total)) target = below(sums.total);
        }
        if (sums.holds(target) && word < end)
            run.topics[word] = row_items::place(items.count_through(sums.rest_of(target)));
    }
}

template <bool FULL, typename Real, int LANES, int COUNT, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) draw_topics_kernel(const __grid_constant__ lda_job<Real> job)
{
    int64_t thread = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    for (int64_t m = thread; m <= job.documents; m += (int64_t)gridDim.x * THREADS)
        if (!job.is_sound(m)) *job.fault = 1;
    int64_t first = thread / WARP * RUN;
    if (first >= job.words_total) return;
    int words = (int)min((int64_t)RUN, job.words_total - first);
    int64_t mine = first + min(lane_in_warp(), words - 1);
    const word_run run = {first, job.topics + first, spg_uniform_f64(job.number(mine)), job.id_of(mine)};
    int64_t document = document_of(job.word_offsets, job.documents, first);
    for (int begin = 0, empty = 0; begin < words && document < job.documents; ++document) {
        int end = (int)min(job.word_offsets[document + 1] - first, (int64_t)words);
        if (end <= begin) {
            if (++empty % EMPTY_DOCUMENTS == 0)
                document = max(document, document_of(job.word_offsets, job.documents, first + begin) - 1);
            continue;
        }
        draw_words<FULL, Real, LANES, COUNT>(job, document, run, begin, end);
        begin = end;
    }
}

/* LANES as in sampling/sums.h; COUNT items each; BLOCKS a multiprocessor, as registers allow. */
template <int LANES, int COUNT, int BLOCKS, typename Real>
spg_status launch(spg_context *context, const lda_job<Real> &job)
{
    constexpr int WORDS = THREADS / WARP * RUN;
    int64_t blocks = (job.words_total + WORDS - 1) / WORDS;
    cudaStream_t stream = spg_cuda_of(context)->stream;
    if (job.aligned && job.count == LANES * COUNT)
        draw_topics_kernel<true, Real, LANES, COUNT, BLOCKS><<<(unsigned)blocks, THREADS, 0, stream>>>(job);
    else
        draw_topics_kernel<false, Real, LANES, COUNT, BLOCKS><<<(unsigned)blocks, THREADS, 0, stream>>>(job);
    return spg_cuda_check_launch(context, "drawing topics");
}

} // namespace

template <> spg_status draw_automatically(spg_context *context, const lda_job<float> &job)
{
    if (job.count <= 64) return launch<8, 8, 10>(context, job);
    if (job.count <= 128) return launch<8, 16, 8>(context, job);
    if (job.count <= 256) return launch<8, 32, 5>(context, job);
    if (job.count <= 512) return launch<16, 32, 5>(context, job);
    if (job.count <= 768) return launch<32, 24, 6>(context, job);
    if (job.count <= SPG_LANE_PIECE) return launch<32, 32, 5>(context, job);
    return draw_many_topics(context, job);
}

template <> spg_status draw_automatically(spg_context *context, const lda_job<double> &job)
{
    if (job.count <= 64) return launch<8, 8, 7>(context, job);
    if (job.count <= 128) return launch<8, 16, 5>(context, job);
    if (job.count <= 256) return launch<16, 16, 5>(context, job);
    if (job.count <= 512) return launch<32, 16, 5>(context, job);
    if (job.count <= SPG_LANE_PIECE) return launch<32, 32, 3>(context, job);
    return draw_many_topics(context, job);
}

} // namespace lda
} // namespace spg
