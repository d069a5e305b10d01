/* The z-step of latent Dirichlet allocation: shared by its kernels. Private. */
#ifndef SPG_KERNELS_SAMPLING_LDA_LDA_CUH
#define SPG_KERNELS_SAMPLING_LDA_LDA_CUH

#include "../sampling.cuh"
#include "sampling/sums.h"

namespace spg
{
namespace lda
{

enum { FIRST_WORD = 0, FIRST_PRODUCT = 1 }; /* faulty words, in spg_report.first */
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
    device_sign fault; /* in the mailbox: a fault was found; the report has it if it was empty before */
    bool aligned;      /* rows of theta and phi can be read in 16 bytes */

    __device__ uint64_t number(int64_t word) const
    {
        return spg_random_number(random.seed, random.stream, random.first + (uint64_t)word);
    }

    __device__ bool has_bad_offsets() const { return report->figures[BAD_OFFSETS] == 0; }

    __device__ void report_word(int which, int64_t word) const
    {
        *fault = 1;
        report_first(&report->first[which], word);
    }

    /* A word's number; 0 if out of range, which fails the call. */
    __device__ int32_t id_of(int64_t word) const
    {
        int32_t id = words[word];
        if ((uint64_t)(uint32_t)id < (uint64_t)vocabulary) return id;
        report_word(FIRST_WORD, word);
        return 0;
    }
    __device__ const Real *row_of(int32_t id) const { return phi + (int64_t)id * count; }

    /* Whether the offsets of document m, up to `documents`, are valid. */
    __device__ bool is_sound(int64_t m) const
    {
        int64_t begin = word_offsets[m];
        return (m == 0 ? begin == 0 : begin >= word_offsets[m - 1]) && (m < documents || begin == words_total);
    }
};

/* Draws topics by lanes' sums; sets the mailbox's fault if there is one. */
template <typename Real> spg_status draw_automatically(spg_context *context, const lda_job<Real> &job);

/* The same for more than 1024 topics. */
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

} // namespace lda
} // namespace spg

#endif
