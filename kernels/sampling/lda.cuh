/* The z-step of latent Dirichlet allocation: what its kernels share. Private. */
#ifndef SPG_KERNELS_SAMPLING_LDA_CUH
#define SPG_KERNELS_SAMPLING_LDA_CUH

#include "sampling.cuh"
#include "tree.cuh"

namespace spg
{
namespace lda
{

enum { FIRST_WORD = 0, FIRST_PRODUCT = 1 }; /* words at fault, in spg_report.first */
enum { BAD_OFFSETS = 3 };                   /* in spg_report.figures: 0 if there are any */

template <typename Real> struct lda_job {
    int64_t documents, vocabulary, words_total;
    int32_t count; /* of topics */
    const Real *theta, *phi;
    const int64_t *word_offsets;
    const int32_t *words;
    spg_random random;
    int32_t *topics;
    spg_report *report;
    bool aligned; /* rows of theta and phi can be read by 16 bytes */

    __device__ uint64_t number(int64_t word) const
    {
        return spg_random_number(random.seed, random.stream, random.first + (uint64_t)word);
    }

    __device__ bool has_bad_offsets() const { return report->figures[BAD_OFFSETS] == 0; }

    /* A word's row of phi; row 0 where its number is out of range, which fails the call. */
    __device__ const Real *phi_row(int64_t word) const
    {
        int32_t id = words[word];
        if ((uint64_t)(uint32_t)id >= (uint64_t)vocabulary) {
            report_first(&report->first[FIRST_WORD], word);
            id = 0;
        }
        return phi + (int64_t)id * count;
    }
};

/* Topics by the lanes of a warp and the tree of sums. */
template <typename Real> spg_status draw_automatically(spg_context *context, const lda_job<Real> &job);

/* Likewise, of more than 1024 topics. */
template <typename Real> spg_status draw_many_topics(spg_context *context, const lda_job<Real> &job);

/* The paper's methods. */
template <typename Real>
spg_status draw_as_paper(workspace &work, const lda_job<Real> &job, spg_butterfly_method method);

/* The document of a word: a warp looks at 32 offsets at a time. */
__device__ inline int64_t document_of(const int64_t *word_offsets, int64_t documents, int64_t word)
{
    int64_t low = 0, high = documents - 1; /* the last document whose words begin at `word` or before */
    while (low < high) {
        int64_t step = (high - low + WARP - 1) / WARP, probe = low + step * (lane_in_warp() + 1);
        unsigned int begun = __ballot_sync(ALL_LANES, probe <= high && word_offsets[probe] <= word);
        int64_t found = low + step * __popc(begun);
        high = min(high, found + step - 1);
        low = found;
    }
    return low;
}

/* Neighbouring items of a row that one load brings: a node of the tree. */
template <typename Real> struct alignas(16) quad {
    static constexpr int ITEMS = 16 / (int)sizeof(Real);
    Real item[ITEMS];

    __device__ void load(const Real *row, int64_t first, int32_t count, bool aligned)
    {
        if (aligned) {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) item[k] = 0;
            if (first < count) *this = *reinterpret_cast<const quad *>(row + first);
        } else {
#pragma unroll
            for (int k = 0; k < ITEMS; ++k) item[k] = first + k < count ? row[first + k] : (Real)0;
        }
    }
    __device__ void multiply_by(const quad &other)
    {
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) item[k] = multiply(item[k], other.item[k]);
    }
    __device__ Real sum() const
    {
        if constexpr (ITEMS == 4) return add(add(item[0], item[1]), add(item[2], item[3]));
        return add(item[0], item[1]);
    }
    __device__ bool is_negative() const
    {
        bool negative = false;
#pragma unroll
        for (int k = 0; k < ITEMS; ++k) negative |= item[k] < 0;
        return negative;
    }
    /* The way down: which item. */
    __device__ int find(double target, double base) const
    {
        int first = 0;
        if constexpr (ITEMS == 4) {
            Real left = add(item[0], item[1]), right = add(item[2], item[3]);
            if (spg_goes_right(target, base, (double)left, (double)right)) {
                base = add(base, (double)left);
                first = 2;
            }
        }
        Real left = ITEMS == 4 && first == 2 ? item[ITEMS - 2] : item[0];
        Real right = ITEMS == 4 && first == 2 ? item[ITEMS - 1] : item[1];
        return first + (spg_goes_right(target, base, (double)left, (double)right) ? 1 : 0);
    }
};

} // namespace lda
} // namespace spg

#endif
