/* The z-step of latent Dirichlet allocation (src/sampling/sums.h has the definitions), in parts of equal numbers of
 * words. The first two of the paper's three algorithms sum in the same order, so they share their code here. */
#include "../work.h"
#include "host_sampling.h"
#include "memory.h"
#include "sampling/faults.h"
#include "sums.h"

#include <float.h>
#include <string.h>

static const float most_f32 = FLT_MAX;
static const double most_f64 = DBL_MAX;

/* The largest number below a positive one. */
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
    int32_t *topics;
    double *scratch; /* scratch_size for each thread */
    int64_t scratch_size;
    atomic_llong *first_bad; /* the first word that gives no topic */
} lda_call;

static int64_t lda_pieces(int32_t topics) { return ((int64_t)topics + SPG_LANE_PIECE - 1) / SPG_LANE_PIECE; }

static int32_t lda_piece_items(int32_t topics, int64_t piece)
{
    int64_t rest = topics - piece * SPG_LANE_PIECE;
    return rest < SPG_LANE_PIECE ? (int32_t)rest : SPG_LANE_PIECE;
}

typedef int32_t lane_bits_f32;
typedef int64_t lane_bits_f64;

enum { AHEAD = 2 }; /* words ahead of which phi is prefetched (sampling_bench --lda 32 --rows 500) */

/* Zeros that may follow the products, in doubles: less than a round of all lanes. */
enum { LDA_PADDING = SPG_MOST_LANES * SPG_LANE_BYTES / sizeof(double) };

#define FOR_LANES static inline __attribute__((always_inline)) /* so that the number of lanes is a constant */
#define TEMPLATE "host/sampling/lda.inc.h"
#include "host/sampling/for_each_real.h"

/* The document that contains word w. */
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

typedef struct offsets_job {
    const int64_t *offsets;
    atomic_llong *first;
} offsets_job;

static void find_fall(const void *data, spg_range documents)
{
    const offsets_job *job = data;
    for (int64_t m = documents.begin; m < documents.end; ++m) {
        if (job->offsets[m + 1] >= job->offsets[m]) continue;
        spg_lower(job->first, m);
        return;
    }
}

static spg_status check_offsets(spg_context *context, const spg_lda *lda)
{
    const int64_t *offsets = lda->word_offsets;
    atomic_llong found = lda->documents;
    if (offsets[0] != 0) return spg_fail_lda_start(context, offsets[0]);
    spg_parallel(spg_host_threads(context, lda->documents), lda->documents, 0, find_fall,
                 &(offsets_job){offsets, &found});
    const int64_t first = found;
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

static void draw_words(const void *data, spg_range words)
{
    const lda_call *call = data;
    const spg_lda *lda = call->lda;
    double *scratch = call->scratch + call->scratch_size * words.thread, *products = scratch + lda_pieces(lda->topics);
    int64_t m = document_of(lda, words.begin);
    for (int64_t w = words.begin; w < words.end; ++w) {
        while (lda->word_offsets[m + 1] <= w) ++m;
        call->topics[w] = lda->type == SPG_F32 ? draw_word_f32(call, m, w, products, scratch)
                                               : draw_word_f64(call, m, w, products, scratch);
        if (call->topics[w] >= 0) continue;
        spg_lower(call->first_bad, w);
        return;
    }
}

spg_status spg_host_lda_draws(spg_context *context, const spg_lda *lda, spg_butterfly_method method,
                              const spg_random *random, int32_t *topics)
{
    const bool trusted = context->draw_options.trusted != 0;
    spg_status status = trusted ? SPG_OK : check_offsets(context, lda);
    if (status == SPG_OK && !trusted) status = check_words(context, lda);
    if (status != SPG_OK || lda->words_total == 0) return status;
    const spg_threads threads = spg_host_threads(context, lda->words_total * lda->topics);
    const int64_t scratch = lda_pieces(lda->topics) + lda->topics + LDA_PADDING;
    const int64_t bytes = spg_array_bytes(scratch * threads.count, sizeof(double));
    atomic_llong first_bad = lda->words_total;
    void *all = NULL;
    status = spg_allocate_workspace(context, 0, bytes, "products of topics", &all);
    if (status != SPG_OK) return status;
    spg_parallel(threads, lda->words_total, 0, draw_words,
                 &(lda_call){lda, method, random, topics, all, scratch, &first_bad});
    spg_release(context, all, bytes);
    return first_bad < lda->words_total ? fail_word(context, lda, first_bad) : SPG_OK;
}
