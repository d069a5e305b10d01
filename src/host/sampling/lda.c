/* The z-step of latent Dirichlet allocation (src/sampling_sums.h has the definitions): parts of equally many words. Of
 * the paper's three algorithms the first two sum in the same order, so that they share their code here. */
#include "../work.h"
#include "host_sampling.h"
#include "memory.h"
#include "sampling_faults.h"
#include "sums.h"

#include <float.h>
#include <string.h>

static const float most_f32 = FLT_MAX;
static const double most_f64 = DBL_MAX;

/* The largest number below one above 0. */
static double before_f64(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    --bits;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

static float before_f32(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    --bits;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

typedef struct lda_call {
    const spg_lda *lda;
    spg_butterfly_method method;
    const spg_random *random;
} lda_call;

static int64_t lda_pieces(int32_t topics) { return ((int64_t)topics + SPG_LANE_PIECE - 1) / SPG_LANE_PIECE; }

static int32_t lda_piece_items(int32_t topics, int64_t piece)
{
    int64_t rest = topics - piece * SPG_LANE_PIECE;
    return rest < SPG_LANE_PIECE ? (int32_t)rest : SPG_LANE_PIECE;
}

#define TEMPLATE "host/sampling/lda.inc.h"
#include "host/sampling/for_each_real.h"

/* The document that word w lies in. */
static int64_t document_of(const spg_lda *lda, int64_t w)
{
    int64_t low = 0, high = lda->documents - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lda->word_offsets[middle + 1] > w)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static spg_status check_offsets(spg_context *context, const spg_lda *lda)
{
    const int64_t *offsets = lda->word_offsets;
    int64_t first = lda->documents;
    if (offsets[0] != 0) return spg_fail_lda_start(context, offsets[0]);
#pragma omp parallel for num_threads(spg_host_threads(context, lda->documents)) reduction(min : first)
    for (int64_t m = 0; m < lda->documents; ++m)
        if (offsets[m + 1] < offsets[m] && m < first) first = m;
    if (first < lda->documents) return spg_fail_lda_offsets(context, first, offsets[first], offsets[first + 1]);
    int64_t end = offsets[lda->documents];
    return end == lda->words_total ? SPG_OK : spg_fail_lda_end(context, end, lda->words_total);
}

static spg_status check_words(spg_context *context, const spg_lda *lda)
{
    int64_t w = spg_host_first_outside(context, lda->words, lda->words_total, lda->vocabulary);
    if (w == lda->words_total) return SPG_OK;
    int64_t m = document_of(lda, w);
    return spg_fail_lda_word(context, m, w - lda->word_offsets[m], lda->words[w], lda->vocabulary);
}

static spg_status fail_word(spg_context *context, const spg_lda *lda, int64_t w)
{
    int64_t m = document_of(lda, w);
    int32_t topic = -1;
    spg_weight_fault fault =
        lda->type == SPG_F32 ? word_fault_f32(lda, m, w, &topic) : word_fault_f64(lda, m, w, &topic);
    return spg_fail_lda_products(context, m, w - lda->word_offsets[m], fault, topic);
}

/* Draws for words [from, to); returns the first that gives none, or to. */
static int64_t draw_words(const lda_call *call, int64_t from, int64_t to, double *scratch, int32_t *topics)
{
    const spg_lda *lda = call->lda;
    double *products = scratch + lda_pieces(lda->topics);
    int64_t m = from < to ? document_of(lda, from) : 0;
    for (int64_t w = from; w < to; ++w) {
        while (lda->word_offsets[m + 1] <= w) ++m;
        topics[w] = lda->type == SPG_F32 ? draw_word_f32(call, m, w, products, scratch)
                                         : draw_word_f64(call, m, w, products, scratch);
        if (topics[w] < 0) return w;
    }
    return to;
}

spg_status spg_host_lda_draws(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                              const spg_random *random, int32_t *topics)
{
    const lda_call call = {lda, method, random};
    spg_status status = check_offsets(context, lda);
    if (status == SPG_OK) status = check_words(context, lda);
    if (status != SPG_OK || lda->words_total == 0) return status;
    int threads = spg_host_threads(context, lda->words_total * lda->topics);
    int64_t parts = spg_host_parts(threads), first_bad = lda->words_total;
    int64_t scratch = lda_pieces(lda->topics) + lda->topics;
    int64_t bytes = spg_array_bytes(scratch * threads, sizeof(double));
    void *all = NULL;
    status = spg_allocate_workspace(context, 0, bytes, "products of topics", &all);
    if (status != SPG_OK) return status;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(min : first_bad)
    for (int64_t p = 0; p < parts; ++p) {
        int64_t from = spg_host_cut(lda->words_total, p, parts), to = spg_host_cut(lda->words_total, p + 1, parts);
        int64_t bad = draw_words(&call, from, to, (double *)all + scratch * spg_host_thread(), topics);
        if (bad < to && bad < first_bad) first_bad = bad;
    }
    spg_release(context, all, bytes);
    return first_bad < lda->words_total ? fail_word(context, lda, first_bad) : SPG_OK;
}
