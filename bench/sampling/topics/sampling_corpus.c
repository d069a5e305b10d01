/* See sampling_lda.h: the corpus. */
#include "progress.h"
#include "sampling_arrays.h"
#include "sampling_lda.h"
#include "weights.h"

#include <math.h>
#include <stdlib.h>

enum { DOCUMENTS = 43556, VOCABULARY = 37286, WORDS = 3072662, LONGEST = 307 };
enum { KEY_LENGTHS = 301, KEY_WORDS, KEY_IDS, KEY_THETA, KEY_PHI };

/* Lengths of about an exponential distribution up to the longest, then evened out until they are `words` in all. */
static void fill_lengths(uint64_t seed, int64_t documents, int64_t words, int64_t *offsets)
{
    const double mean = (double)words / (double)documents;
    int64_t left = words;
    for (int64_t d = 0; d < documents; d++) {
        int64_t length = 1 + (int64_t)(-mean * log(random_share(seed + KEY_LENGTHS, (uint64_t)d)));
        if (length > LONGEST || d == 0) length = LONGEST;
        offsets[d + 1] = length;
        left -= length;
    }
    for (int64_t d = 1; left != 0 && documents > 1; d = d % (documents - 1) + 1) {
        const int64_t step = left > 0 ? 1 : -1, length = offsets[d + 1] + step;
        if (length < 1 || length > LONGEST) continue;
        offsets[d + 1] = length;
        left -= step;
    }
    offsets[0] = 0;
    for (int64_t d = 0; d < documents; d++) offsets[d + 1] += offsets[d];
}

/* Rank r with a probability of about 1/r; which word has which rank is a permutation. */
static spg_status fill_words(spg_context *errors, uint64_t seed, int64_t count, int32_t *words)
{
    double *passed = malloc(VOCABULARY * sizeof *passed), total = 0.0;
    if (passed == NULL) return spg_context_fail(errors, SPG_ERROR_MEMORY, "no memory for a corpus");
    for (int k = 0; k < VOCABULARY; k++) passed[k] = total += 1.0 / (double)(k + 1);
#pragma omp parallel for schedule(static)
    for (int64_t w = 0; w < count; w++) {
        const double target = (1.0 - random_share(seed + KEY_WORDS, (uint64_t)w)) * total;
        int low = 0, high = VOCABULARY - 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (passed[middle] > target)
                high = middle;
            else
                low = middle + 1;
        }
        words[w] = (int32_t)permuted(seed + KEY_IDS, low, VOCABULARY);
    }
    free(passed);
    return SPG_OK;
}

static void fill_parameters(uint64_t key, spg_type type, int64_t count, void *values)
{
#pragma omp parallel for schedule(static)
    for (int64_t k = 0; k < count; k++) {
        const double share = random_share(key, (uint64_t)k);
        if (type == SPG_F32)
            ((float *)values)[k] = (float)share;
        else
            ((double *)values)[k] = share;
    }
}

static spg_status allocate_all(sampling_bench *bench, spg_lda *lda, void **offsets, void **words, void **theta,
                               void **phi)
{
    const int64_t size = (int64_t)spg_type_size(lda->type);
    spg_status status = array_allocate(bench->host, lda->documents + 1, sizeof(int64_t), offsets);
    if (status == SPG_OK) status = array_allocate(bench->host, lda->words_total, sizeof(int32_t), words);
    if (status == SPG_OK) status = array_allocate(bench->host, lda->documents * lda->topics, size, theta);
    if (status == SPG_OK) status = array_allocate(bench->host, lda->vocabulary * lda->topics, size, phi);
    return status;
}

static spg_status fill_host(sampling_bench *bench, spg_lda *lda)
{
    const uint64_t seed = bench->chosen->seed << 16;
    void *offsets = NULL, *words = NULL, *theta = NULL, *phi = NULL;
    spg_status status = allocate_all(bench, lda, &offsets, &words, &theta, &phi);
    lda->word_offsets = offsets;
    lda->words = words;
    lda->theta = theta;
    lda->phi = phi;
    if (status != SPG_OK) return status;
    fill_lengths(seed, lda->documents, lda->words_total, offsets);
    fill_parameters(seed + KEY_THETA, lda->type, lda->documents * lda->topics, theta);
    fill_parameters(seed + KEY_PHI, lda->type, lda->vocabulary * lda->topics, phi);
    return fill_words(bench->host, seed, lda->words_total, words);
}

static spg_status bring(sampling_bench *bench, corpus *made)
{
    const spg_lda *host = &made->host;
    const int64_t size = (int64_t)spg_type_size(host->type);
    void *offsets = NULL, *words = NULL, *theta = NULL, *phi = NULL, *topics = NULL, *fetched = NULL;
    spg_context *context = bench->context;
    spg_status status =
        array_lend(context, host->word_offsets, (host->documents + 1) * (int64_t)sizeof(int64_t), &offsets);
    if (status == SPG_OK)
        status = array_lend(context, host->words, host->words_total * (int64_t)sizeof(int32_t), &words);
    if (status == SPG_OK) status = array_lend(context, host->theta, host->documents * host->topics * size, &theta);
    if (status == SPG_OK) status = array_lend(context, host->phi, host->vocabulary * host->topics * size, &phi);
    if (status == SPG_OK) status = array_allocate(context, host->words_total, sizeof(int32_t), &topics);
    made->here = *host;
    made->here.word_offsets = offsets;
    made->here.words = words;
    made->here.theta = theta;
    made->here.phi = phi;
    made->topics = topics;
    if (status == SPG_OK) status = array_allocate(bench->host, host->words_total, sizeof(int32_t), &fetched);
    made->fetched = fetched;
    return status;
}

spg_status corpus_make(sampling_bench *bench, int64_t documents, int32_t most_topics, spg_type type, corpus *made)
{
    const int64_t count = documents > 0 ? documents : DOCUMENTS;
    progress("making a corpus");
    *made = (corpus){.most_topics = most_topics};
    made->host = (spg_lda){.documents = count,
                           .vocabulary = VOCABULARY,
                           .words_total = (int64_t)((double)WORDS * (double)count / DOCUMENTS + 0.5),
                           .topics = most_topics,
                           .type = type};
    if (count < 8) made->host.words_total = count * LONGEST;
    spg_status status = fill_host(bench, &made->host);
    if (status != SPG_OK && bench->host != bench->context)
        spg_context_fail(bench->context, status, "%s", spg_context_message(bench->host));
    if (status == SPG_OK) status = bring(bench, made);
    return status;
}

/* The struct promises not to write through its pointers, which are the corpus's own. */
static void *own(const void *array)
{
    union {
        const void *read;
        void *write;
    } both = {array};
    return both.write;
}

void corpus_drop(sampling_bench *bench, corpus *made)
{
    const spg_lda *host = &made->host, *here = &made->here;
    array_free(bench->host, made->fetched);
    array_free(bench->context, made->topics);
    array_unlend(bench->context, own(here->word_offsets));
    array_unlend(bench->context, own(here->words));
    array_unlend(bench->context, own(here->theta));
    array_unlend(bench->context, own(here->phi));
    array_free(bench->host, own(host->word_offsets));
    array_free(bench->host, own(host->words));
    array_free(bench->host, own(host->theta));
    array_free(bench->host, own(host->phi));
    *made = (corpus){0};
}
