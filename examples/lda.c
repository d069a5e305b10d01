/* Latent Dirichlet allocation by Gibbs sampling, on a corpus with known topics. Each iteration draws the topic of each
 * word (the z-step, spg_lda_draw), then theta and phi given the topics. Prints how well it found the known topics.
 *
 * Build it: cc -std=c11 lda.c $(pkg-config --cflags --libs spg) -lm */
#include <spg/sampling.h>
#include <spg/spg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DOCUMENTS = 400, LENGTH = 60, WORDS = DOCUMENTS * LENGTH, VOCABULARY = 300, TOPICS = 6, ITERATIONS = 150 };

/* On failure, prints the call and the reason, and jumps to the clean-up. */
#define TRY(call)                                                                                                      \
    if ((status = (call)) != SPG_OK) {                                                                                 \
        fprintf(stderr, "%s: %s: %s\n", #call, spg_status_name(status), spg_context_message(context));                 \
        goto done;                                                                                                     \
    }

typedef struct model {
    double theta[DOCUMENTS * TOPICS],
        phi[VOCABULARY * TOPICS]; /* probability of a topic in a document, of a word in a topic */
    int64_t offsets[DOCUMENTS + 1];
    int32_t words[WORDS], topics[WORDS], planted[WORDS];
    int32_t in_document[DOCUMENTS * TOPICS], of_word[VOCABULARY * TOPICS]; /* counts of topics */
    double uniforms[3 * WORDS];
} model;

/* Makes the corpus. A document has two topics, with three words in four from the first. Topic k owns a sixth of the
 * vocabulary, and nine in ten of its words are from that sixth. */
static void plant(model *m)
{
    const double *u = m->uniforms;
    for (int d = 0; d < DOCUMENTS; d++) {
        const int first = d % TOPICS, second = (d / TOPICS + 1 + first) % TOPICS;
        m->offsets[d] = (int64_t)d * LENGTH;
        for (int w = d * LENGTH; w < (d + 1) * LENGTH; w++, u += 3) {
            const int topic = u[0] < 0.75 ? first : second, own = VOCABULARY / TOPICS;
            m->planted[w] = topic;
            m->words[w] = u[1] < 0.9 ? topic * own + (int32_t)(u[2] * own) : (int32_t)(u[2] * VOCABULARY);
        }
    }
    m->offsets[DOCUMENTS] = WORDS;
}

static void count(model *m)
{
    for (int k = 0; k < DOCUMENTS * TOPICS; k++) m->in_document[k] = 0;
    for (int k = 0; k < VOCABULARY * TOPICS; k++) m->of_word[k] = 0;
    for (int w = 0; w < WORDS; w++) {
        m->in_document[w / LENGTH * TOPICS + m->topics[w]]++;
        m->of_word[m->words[w] * TOPICS + m->topics[w]]++;
    }
}

/* Returns a number of Gamma(n + 1, 1) for whole n: the sum of n + 1 exponentials. Such numbers, scaled to a sum of 1,
 * are Dirichlet(n + 1). Moves *u past the uniforms used. */
static double gamma_number(int32_t n, const double **u)
{
    double sum = 0;
    for (int32_t k = 0; k <= n; k++) sum -= log(1 - *(*u)++);
    return sum;
}

/* Draws theta and phi given the topics. The priors are Dirichlet(1). */
static void draw_parameters(model *m, const double *u)
{
    for (int d = 0; d < DOCUMENTS; d++) {
        double *theta = &m->theta[d * TOPICS], sum = 0;
        for (int k = 0; k < TOPICS; k++) sum += theta[k] = gamma_number(m->in_document[d * TOPICS + k], &u);
        for (int k = 0; k < TOPICS; k++) theta[k] /= sum;
    }
    for (int k = 0; k < TOPICS; k++) {
        double sum = 0;
        for (int v = 0; v < VOCABULARY; v++)
            sum += m->phi[v * TOPICS + k] = gamma_number(m->of_word[v * TOPICS + k], &u);
        for (int v = 0; v < VOCABULARY; v++) m->phi[v * TOPICS + k] /= sum;
    }
}

/* Returns the share of words whose topic is the planted one. A learned topic takes the name of the planted topic that
 * it meets most often. */
static double agreement(const model *m)
{
    int32_t met[TOPICS][TOPICS] = {{0}};
    int64_t right = 0;
    for (int w = 0; w < WORDS; w++) met[m->topics[w]][m->planted[w]]++;
    for (int k = 0; k < TOPICS; k++) {
        int32_t best = 0, words = 0;
        for (int32_t p = 0; p < TOPICS; p++) {
            words += met[k][p];
            if (met[k][p] > met[k][best]) best = p;
        }
        right += met[k][best];
        printf("topic %d: planted topic %d in %d of %d words\n", k, best, met[k][best], words);
    }
    return (double)right / WORDS;
}

int main(void)
{
    /* The uniforms that draw_parameters uses: two for each word, one for each entry of theta and of phi. */
    enum { NUMBERS = 2 * WORDS + DOCUMENTS * TOPICS + VOCABULARY * TOPICS };
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    spg_context *context;
    spg_status status = spg_context_create(&config, &context);
    if (status != SPG_OK) return EXIT_FAILURE;

    double share = 0, *numbers = malloc(NUMBERS * sizeof *numbers);
    model *m = calloc(1, sizeof *m);
    if (m == NULL || numbers == NULL) goto done;
    spg_random corpus = {.seed = 7, .stream = 0}, z = {.seed = 7, .stream = 1}, parameters = {.seed = 7, .stream = 2};
    TRY(spg_random_uniforms(context, &corpus, 3 * WORDS, SPG_F64, m->uniforms));
    plant(m);
    for (int w = 0; w < WORDS; w++) m->topics[w] = (int32_t)(m->uniforms[3 * w + 2] * 1e6) % TOPICS; /* at random */

    const spg_lda lda = {.documents = DOCUMENTS,
                         .vocabulary = VOCABULARY,
                         .words_total = WORDS,
                         .topics = TOPICS,
                         .type = SPG_F64,
                         .theta = m->theta,
                         .phi = m->phi,
                         .word_offsets = m->offsets,
                         .words = m->words};
    for (int iteration = 0; iteration < ITERATIONS; iteration++) {
        count(m);
        TRY(spg_random_uniforms(context, &parameters, NUMBERS, SPG_F64, numbers));
        parameters.first += NUMBERS;
        draw_parameters(m, numbers);
        TRY(spg_lda_draw(context, &lda, SPG_BUTTERFLY_AUTO, &z, m->topics));
        z.first += WORDS;
    }
    share = agreement(m);
    printf("%d words, %d topics: %.1f %% have the topic that was planted\n", WORDS, TOPICS, 100 * share);

done:
    free(m);
    free(numbers);
    spg_context_destroy(context);
    if (fflush(stdout) != 0) status = SPG_ERROR_IO; /* a full disk, for example */
    return status == SPG_OK && share > 0.8 ? EXIT_SUCCESS : EXIT_FAILURE;
}
