/* Topics for words by the tree of sums, of more topics than a warp has room for: it goes down the tree by up to 32
 * nodes at a time, one a lane, until it stands at a piece of 1024 topics. Method AUTO. */
#include "lda.cuh"

namespace spg
{
namespace lda
{

namespace
{

enum { THREADS = 256, PIECE_LEVELS = 10, PIECE = 1 << PIECE_LEVELS, LANE_LEVELS = 5, STACK = 32 - PIECE_LEVELS };

template <typename Real> struct word_rows {
    const Real *theta, *phi;
    int32_t count;
    bool aligned;
    static constexpr int CHUNKS = PIECE / WARP / quad<Real>::ITEMS;

    /* The products of a piece, as nodes of the tree; whether one is negative. */
    __device__ bool multiply_piece(int64_t first, Real (&nodes)[CHUNKS]) const
    {
        bool negative = false;
#pragma unroll
        for (int c = 0; c < CHUNKS; ++c) {
            quad<Real> factor, product;
            int64_t at = first + (c * WARP + lane_in_warp()) * quad<Real>::ITEMS;
            factor.load(theta, at, count, aligned);
            product.load(phi, at, count, aligned);
            product.multiply_by(factor);
            negative |= product.is_negative();
            nodes[c] = product.sum();
        }
        return negative;
    }

    /* The sum of `pieces` pieces, a power of two. stack: of the nodes that wait for their right siblings. */
    __device__ double sum_pieces(int64_t first, int pieces, bool *negative) const
    {
        double stack[STACK];
        for (int piece = 0; piece < pieces; ++piece) {
            double sum = 0;
            if (first + (int64_t)piece * PIECE < count) {
                Real nodes[CHUNKS];
                tree::chunk_tree<WARP, CHUNKS> sums;
                *negative |= multiply_piece(first + (int64_t)piece * PIECE, nodes);
                sums.sum(nodes);
                sum = sums.root();
            }
            int level = 0;
            for (; piece >> level & 1; ++level) sum = add(stack[level], sum);
            stack[level] = sum;
        }
        return stack[31 - __clz(pieces)];
    }
};

template <typename Real> __device__ void draw_word(const lda_job<Real> &job, int64_t document, int64_t word)
{
    word_rows<Real> rows = {job.theta + document * job.count, job.phi_row(word), job.count, job.aligned};
    double u = spg_uniform_f64(job.number(word)), target = 0, base = 0;
    int64_t first = 0;
    bool negative = false, at_root = true;
    for (int levels = spg_levels(job.count); levels > PIECE_LEVELS;) {
        int below = max(levels - LANE_LEVELS, (int)PIECE_LEVELS);
        double mine = 0;
        for (int k = 0; k < 1 << (levels - below); ++k) {
            double sum = rows.sum_pieces(first + ((int64_t)k << below), 1 << (below - PIECE_LEVELS), &negative);
            if (lane_in_warp() == k) mine = sum;
        }
        if (at_root) {
            double total = mine;
            for (int step = 1; step < WARP; step *= 2) total = add(total, tree::exchange(total, step));
            target = multiply(u, total);
            if (negative || !(total > 0 && total <= LARGEST)) report_first(&job.report->first[FIRST_PRODUCT], word);
            at_root = false;
        }
        bool found = tree::find_lane<WARP>(mine, target, &base);
        int source = __ffs((int)__ballot_sync(ALL_LANES, found)) - 1;
        base = __shfl_sync(ALL_LANES, base, source);
        first += (int64_t)source << below;
        levels = below;
    }
    Real nodes[word_rows<Real>::CHUNKS];
    tree::chunk_tree<WARP, word_rows<Real>::CHUNKS> sums;
    rows.multiply_piece(first, nodes);
    sums.sum(nodes);
    int chunk = sums.find_chunk(target, &base);
    quad<Real> factor, chosen;
    int64_t at = first + (chunk * WARP + lane_in_warp()) * quad<Real>::ITEMS;
    factor.load(rows.theta, at, rows.count, rows.aligned);
    chosen.load(rows.phi, at, rows.count, rows.aligned);
    chosen.multiply_by(factor);
    if (tree::find_lane<WARP>(chosen.sum(), target, &base))
        job.topics[word] = (int32_t)min(at + chosen.find(target, base), (int64_t)job.count - 1);
}

template <typename Real>
__global__ void __launch_bounds__(THREADS, 2) draw_many_topics_kernel(const __grid_constant__ lda_job<Real> job)
{
    int64_t word = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / WARP, step = (int64_t)gridDim.x * (THREADS / WARP);
    for (; word < job.words_total; word += step)
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
