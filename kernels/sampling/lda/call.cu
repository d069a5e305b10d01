/* The z-step: checks, the method's kernels, and the report of the first fault that they found. */
#include "lda.cuh"

namespace spg
{
namespace lda
{

namespace
{

spg_status fetch(spg_context *context, void *to, const void *from, int64_t bytes)
{
    return spg_cuda_copy_bytes(context, to, SPG_PLACE_HOST, from, SPG_PLACE_DEVICE, bytes);
}

template <typename Real> spg_status queue_offsets_check(spg_context *context, const lda_job<Real> &job)
{
    return for_each(context, job.documents + 1, "checking word offsets", [job] __device__(int64_t m) {
        if (!job.is_sound(m)) job.report->figures[BAD_OFFSETS] = 0;
    });
}

spg_status describe_offsets(spg_context *context, const spg_lda &lda)
{
    void *memory;
    int64_t bytes = spg_array_bytes(lda.documents + 1, sizeof(int64_t));
    spg_status status = spg_allocate_on_host(context, bytes, "word offsets", &memory);
    if (status != SPG_OK) return status;
    int64_t *offsets = static_cast<int64_t *>(memory);
    status = fetch(context, offsets, lda.word_offsets, bytes);
    if (status == SPG_OK && offsets[0] != 0) status = spg_fail_lda_start(context, offsets[0]);
    for (int64_t m = 0; status == SPG_OK && m < lda.documents; ++m)
        if (offsets[m + 1] < offsets[m]) status = spg_fail_lda_offsets(context, m, offsets[m], offsets[m + 1]);
    if (status == SPG_OK) status = spg_fail_lda_end(context, offsets[lda.documents], lda.words_total);
    spg_release_on_host(context, memory, bytes);
    return status;
}

/* The place of a word: its document, where that begins, and the word's number. */
struct word_place {
    int64_t document, begin;
    int32_t id;
};

spg_status find_word(spg_context *context, const spg_lda &lda, int64_t word, word_place *place)
{
    int64_t low = 0, high = lda.documents - 1, begin = 0;
    spg_status status = SPG_OK;
    while (status == SPG_OK && low < high) { /* the last document whose words begin at `word` or before */
        int64_t middle = low + (high - low + 1) / 2;
        status = fetch(context, &begin, lda.word_offsets + middle, sizeof begin);
        if (begin <= word)
            low = middle;
        else
            high = middle - 1;
    }
    if (status == SPG_OK) status = fetch(context, &begin, lda.word_offsets + low, sizeof begin);
    if (status == SPG_OK) status = fetch(context, &place->id, lda.words + word, sizeof place->id);
    place->document = low;
    place->begin = begin;
    return status;
}

/* What is wrong with a word's products, given the factors; *topic is -1 if it is their sum. */
template <typename Real>
spg_weight_fault product_fault(const Real *theta, const Real *phi, int32_t count, int32_t *topic)
{
    bool zeros = true, infinite = false;
    for (int32_t k = 0; k < count; ++k) {
        Real product = theta[k] * phi[k];
        spg_weight_fault fault = spg_weight_kind((double)product);
        zeros = zeros && product == 0;
        *topic = k;
        if (fault == SPG_WEIGHT_NEGATIVE || fault == SPG_WEIGHT_NAN) return fault;
        infinite = infinite || fault == SPG_WEIGHT_INFINITE;
    }
    *topic = -1;
    return zeros && !infinite ? SPG_WEIGHT_ZEROS : SPG_WEIGHT_INFINITE;
}

template <typename Real> spg_status describe_products(spg_context *context, const spg_lda &lda, int64_t word)
{
    word_place place;
    void *memory;
    int64_t row_bytes = spg_array_bytes(lda.topics, sizeof(Real)), bytes = 2 * row_bytes;
    spg_status status = find_word(context, lda, word, &place);
    if (status == SPG_OK) status = spg_allocate_on_host(context, bytes, "products of a word", &memory);
    if (status != SPG_OK) return status;
    Real *theta = static_cast<Real *>(memory), *phi = theta + lda.topics;
    status = fetch(context, theta, static_cast<const Real *>(lda.theta) + place.document * lda.topics, row_bytes);
    if (status == SPG_OK)
        status = fetch(context, phi, static_cast<const Real *>(lda.phi) + (int64_t)place.id * lda.topics, row_bytes);
    if (status == SPG_OK) {
        int32_t topic;
        spg_weight_fault fault = product_fault(theta, phi, lda.topics, &topic);
        status = spg_fail_lda_products(context, place.document, word - place.begin, fault, topic);
    }
    spg_release_on_host(context, memory, bytes);
    return status;
}

template <typename Real> spg_status read_faults(spg_context *context, const spg_lda &lda)
{
    spg_report report;
    spg_status status = read_report(context, &report);
    if (status != SPG_OK) return status;
    if (report.figures[BAD_OFFSETS] == 0) return describe_offsets(context, lda);
    if (lda.vocabulary == 0 && lda.words_total > 0) report.first[FIRST_WORD] = 0;
    if (report.first[FIRST_WORD] != NONE_FIRST) {
        word_place place;
        int64_t word = (int64_t)report.first[FIRST_WORD];
        status = find_word(context, lda, word, &place);
        return status != SPG_OK
                   ? status
                   : spg_fail_lda_word(context, place.document, word - place.begin, place.id, lda.vocabulary);
    }
    if (report.first[FIRST_PRODUCT] == NONE_FIRST) return SPG_OK;
    return describe_products<Real>(context, lda, (int64_t)report.first[FIRST_PRODUCT]);
}

template <typename Real> spg_status draw_by_lanes(spg_context *context, const lda_job<Real> &job, bool *fault)
{
    clear_signs(context);
    spg_status status = draw_automatically(context, job);
    if (status == SPG_OK) status = spg_cuda_wait(context);
    *fault = has_sign(context, SIGN_FAULT);
    return status;
}

/* The kernels of AUTO report a fault through a sign, which costs nothing without one. After a fault they run once more,
 * to report the first. */
template <typename Real>
spg_status draw(spg_context *context, const spg_lda &lda, spg_butterfly_method method, const spg_random &random,
                int32_t *topics)
{
    workspace work(context);
    bool whole = (size_t)lda.topics * sizeof(Real) % SPG_LANE_BYTES == 0, fault = true;
    bool aligned = whole && (uintptr_t)lda.theta % SPG_LANE_BYTES == 0 && (uintptr_t)lda.phi % SPG_LANE_BYTES == 0;
    bool any = lda.words_total > 0 && lda.vocabulary > 0 && lda.documents > 0;
    lda_job<Real> job = {lda.documents,
                         lda.vocabulary,
                         lda.words_total,
                         lda.topics,
                         static_cast<const Real *>(lda.theta),
                         static_cast<const Real *>(lda.phi),
                         lda.word_offsets,
                         lda.words,
                         random,
                         topics,
                         spg_cuda_of(context)->report,
                         sign_of(context, SIGN_FAULT),
                         aligned};
    if (trusts(context) && !any) return SPG_OK;
    if (trusts(context) && method == SPG_BUTTERFLY_AUTO) return draw_automatically(context, job);
    if (trusts(context)) {
        const spg_status status = clear_report(context); /* a draw as in the paper reads it */
        return status == SPG_OK ? draw_as_paper(work, job, method) : status;
    }
    spg_status status = any && method == SPG_BUTTERFLY_AUTO ? draw_by_lanes(context, job, &fault) : SPG_OK;
    if (status != SPG_OK || !fault) return status;
    status = clear_report(context);
    if (status == SPG_OK) status = queue_offsets_check(context, job);
    if (status == SPG_OK && any)
        status = method == SPG_BUTTERFLY_AUTO ? draw_automatically(context, job) : draw_as_paper(work, job, method);
    return status == SPG_OK ? read_faults<Real>(context, lda) : status;
}

} // namespace

} // namespace lda
} // namespace spg

spg_status spg_cuda_lda_draws(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                              const spg_random *random, int32_t *topics)
{
    spg_status status = spg_cuda_enter(context);
    if (status != SPG_OK) return status;
    status = lda->type == SPG_F32 ? spg::lda::draw<float>(context, *lda, method, *random, topics)
                                  : spg::lda::draw<double>(context, *lda, method, *random, topics);
    spg_cuda_leave(context);
    return status;
}
