/* Topics of a corpus: see sampling.h. */
#include "sampling.h"

#include "chance.h"
#include "host_matrix.h"

#include <stdlib.h>
#include <string.h>

typedef struct corpus {
    spg_lda lda; /* arrays on the host, by malloc */
    size_t theta_bytes, phi_bytes, offsets_bytes, words_bytes;
} corpus;

/* Topic 0 is open to all, so that no word is without one. */
static void *draw_shares(uint64_t *state, spg_type type, int64_t rows, int64_t topics)
{
    void *shares = soak_array(rows * topics, spg_type_size(type));
    for (int64_t k = 0; k < rows * topics; k++) {
        const double share = k % topics == 0 ? 0.25 : chance_of(state, 20) ? 0 : chance_unit(state);
        if (type == SPG_F32)
            ((float *)shares)[k] = (float)share;
        else
            ((double *)shares)[k] = share;
    }
    return shares;
}

static corpus draw_corpus(uint64_t *state)
{
    const spg_type type = chance_of(state, 50) ? SPG_F32 : SPG_F64;
    const int64_t documents = chance_log(state, 1, 60), vocabulary = chance_log(state, 1, 60),
                  topics = chance_log(state, 1, 400), words = chance_log(state, 1, 3000);
    int64_t *offsets = soak_array(documents + 1, sizeof *offsets);
    int32_t *named = soak_array(words, sizeof *named);
    for (int64_t m = 1; m <= documents; m++) { /* some documents without a word */
        const int64_t left = words - offsets[m - 1];
        offsets[m] = m == documents ? words : offsets[m - 1] + chance_below(state, left / 2 + 1);
    }
    for (int64_t w = 0; w < words; w++) named[w] = (int32_t)chance_below(state, vocabulary);
    corpus c = {{.documents = documents,
                 .vocabulary = vocabulary,
                 .words_total = words,
                 .topics = (int32_t)topics,
                 .type = type,
                 .theta = draw_shares(state, type, documents, topics),
                 .phi = draw_shares(state, type, vocabulary, topics),
                 .word_offsets = offsets,
                 .words = named},
                (size_t)(documents * topics) * spg_type_size(type),
                (size_t)(vocabulary * topics) * spg_type_size(type),
                (size_t)(documents + 1) * sizeof *offsets,
                (size_t)words * sizeof *named};
    return c;
}

static double share_of(const void *shares, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)shares)[k] : ((const double *)shares)[k];
}

static bool are_topics(const soak_sampler *s, const corpus *c, const int32_t *topics)
{
    for (int64_t m = 0; m < c->lda.documents; m++)
        for (int64_t w = c->lda.word_offsets[m]; w < c->lda.word_offsets[m + 1]; w++)
            if (topics[w] < 0 || topics[w] >= c->lda.topics ||
                !(share_of(c->lda.theta, c->lda.type, m * c->lda.topics + topics[w]) > 0) ||
                !(share_of(c->lda.phi, c->lda.type, c->lda.words[w] * c->lda.topics + topics[w]) > 0))
                return soak_fault("%s: spg_lda_draw: word %lld of document %lld is of topic %d, which it cannot be",
                                  s->p.name, (long long)w, (long long)m, (int)topics[w]);
    return true;
}

static soak_outcome draw_topics(soak_sampler *s, const corpus *c, int method, int32_t *topics)
{
    spg_lda here = c->lda;
    void *theta = soak_lend_bytes(&s->p, c->lda.theta, c->theta_bytes),
         *phi = soak_lend_bytes(&s->p, c->lda.phi, c->phi_bytes),
         *offsets = soak_lend_bytes(&s->p, c->lda.word_offsets, c->offsets_bytes),
         *words = soak_lend_bytes(&s->p, c->lda.words, c->words_bytes);
    int32_t *there = soak_room(s, c->lda.words_total);
    here.theta = theta, here.phi = phi, here.word_offsets = offsets, here.words = words;
    soak_before(&s->p);
    const spg_status status = spg_lda_draw(s->p.context, &here, (spg_butterfly_method)method, &s->random, there);
    const soak_outcome outcome = soak_after(&s->p, "spg_lda_draw", status, NULL, 0);
    soak_bring(s, there, c->lda.words_total, topics);
    soak_give_back_bytes(&s->p, theta, c->theta_bytes);
    soak_give_back_bytes(&s->p, phi, c->phi_bytes);
    soak_give_back_bytes(&s->p, offsets, c->offsets_bytes);
    soak_give_back_bytes(&s->p, words, c->words_bytes);
    return outcome;
}

bool soak_sample_topics(soak_sampler *s)
{
    corpus c = draw_corpus(&s->state);
    const int method = (int)chance_below(&s->state, 4);
    int32_t *topics = soak_array(c.lda.words_total, sizeof *topics);
    const soak_outcome outcome = draw_topics(s, &c, method, topics);
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE) {
        right = are_topics(s, &c, topics);
        soak_tell(s->told, "spg_lda_draw", topics, c.words_bytes);
    } else {
        soak_tell_nothing(s->told, "spg_lda_draw");
    }
    free(topics);
    free((void *)(uintptr_t)c.lda.theta);
    free((void *)(uintptr_t)c.lda.phi);
    free((void *)(uintptr_t)c.lda.word_offsets);
    free((void *)(uintptr_t)c.lda.words);
    return right;
}
