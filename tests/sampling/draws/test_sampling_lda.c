/* The z-step: each topic lies where its number says, by every method, the same bits on every place. */
#include "matrices_for_tests.h"
#include "sampling_support.h"
#include "statistics.h"

#include "philox.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENTS = 70, VOCABULARY = 50, WORDS = 2000, METHODS = 4 };

/* theta and phi on the host. lead: bytes before them, where they lie at a context's place. */
typedef struct corpus {
    spg_lda host;
    size_t theta_bytes, phi_bytes, lead;
} corpus;

static void *random_values(spg_type type, int64_t count, uint64_t *state)
{
    void *values = malloc((size_t)count * spg_type_size(type));
    assert_non_null(values);
    for (int64_t k = 0; k < count; ++k) {
        double value = (double)(test_random(state) >> 11) * 0x1p-53;
        if (test_random(state) % 5 == 0) value = 0;
        if (k % 7 == 3) value = 0.5; /* no word without a topic */
        if (type == SPG_F32)
            ((float *)values)[k] = (float)value;
        else
            ((double *)values)[k] = value;
    }
    return values;
}

static void open_corpus(int32_t topics, spg_type type, corpus *c)
{
    uint64_t state = (uint64_t)topics;
    int64_t *offsets = calloc(DOCUMENTS + 1, sizeof *offsets);
    int32_t *words = calloc(WORDS, sizeof *words);
    assert_true(offsets != NULL && words != NULL);
    for (int m = 0; m <= DOCUMENTS; ++m) /* some documents without a word */
        offsets[m] = m == DOCUMENTS ? WORDS : m < 3 ? 0 : (int64_t)WORDS * (m - m % 4) / DOCUMENTS;
    for (int w = 0; w < WORDS; ++w) words[w] = (int32_t)(test_random(&state) % VOCABULARY);
    c->host = (spg_lda){DOCUMENTS,
                        VOCABULARY,
                        WORDS,
                        topics,
                        type,
                        random_values(type, (int64_t)DOCUMENTS * topics, &state),
                        random_values(type, (int64_t)VOCABULARY * topics, &state),
                        offsets,
                        words};
    /* Topic 0 is open to all, so that no product is zero throughout. */
    for (int64_t k = 0; k < DOCUMENTS; ++k)
        memcpy((char *)(uintptr_t)c->host.theta + (size_t)(k * topics) * spg_type_size(type),
               type == SPG_F32 ? (const void *)&(float){0.25F} : (const void *)&(double){0.25}, spg_type_size(type));
    for (int64_t k = 0; k < VOCABULARY; ++k)
        memcpy((char *)(uintptr_t)c->host.phi + (size_t)(k * topics) * spg_type_size(type),
               type == SPG_F32 ? (const void *)&(float){0.25F} : (const void *)&(double){0.25}, spg_type_size(type));
    c->theta_bytes = (size_t)(DOCUMENTS * topics) * spg_type_size(type);
    c->phi_bytes = (size_t)(VOCABULARY * topics) * spg_type_size(type);
    c->lead = 0;
}

static void free_corpus(corpus *c)
{
    const void *arrays[] = {c->host.theta, c->host.phi, c->host.word_offsets, c->host.words};
    for (int k = 0; k < 4; ++k) free((void *)(uintptr_t)arrays[k]);
}

/* A copy at the place, with so many bytes before it. */
static char *take_behind(spg_context *context, size_t lead, const void *values, size_t bytes)
{
    char *led = calloc(1, lead + bytes);
    assert_non_null(led);
    memcpy(led + lead, values, bytes);
    char *here = test_take(context, led, lead + bytes);
    free(led);
    return here;
}

static void draw(spg_context *context, corpus *c, int method, spg_random random, int32_t *topics)
{
    const size_t offsets_bytes = (size_t)(c->host.documents + 1) * sizeof(int64_t);
    const size_t words_bytes = (size_t)c->host.words_total * sizeof(int32_t);
    void *arrays[] = {take_behind(context, c->lead, c->host.theta, c->theta_bytes),
                      take_behind(context, c->lead, c->host.phi, c->phi_bytes),
                      test_take(context, c->host.word_offsets, offsets_bytes),
                      test_take(context, c->host.words, words_bytes)};
    const size_t bytes[] = {c->lead + c->theta_bytes, c->lead + c->phi_bytes, offsets_bytes, words_bytes};
    int32_t *here = test_take(context, topics, words_bytes);
    spg_lda lda = c->host;
    lda.theta = (char *)arrays[0] + c->lead;
    lda.phi = (char *)arrays[1] + c->lead;
    lda.word_offsets = arrays[2];
    lda.words = arrays[3];
    if (spg_lda_draw(context, &lda, (spg_butterfly_method)method, &random, here) != SPG_OK)
        fail_msg("%s", spg_context_message(context));
    test_bring(context, here, words_bytes, topics);
    for (int k = 0; k < 4; ++k) {
        void *spare = malloc(bytes[k]);
        test_bring(context, arrays[k], bytes[k], spare);
        free(spare);
    }
}

static double value_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* Where topic k stands in the order in which the automatic method cumulates a word's products: pieces of 1024, in which
 * lane follows lane (src/sampling/sums.h). */
static int64_t place_of(int32_t k, int32_t topics, spg_type type)
{
    int32_t size = (int32_t)spg_type_size(type), items = 16 / size, within = k % 1024;
    int32_t lanes = topics * size <= 1024 ? 8 : topics * size <= 2048 ? 16 : 32;
    int64_t lane = within / items % lanes;
    return (k - within) * (int64_t)lanes + lane * 1024 + within;
}

/* Word w of document m: its topic's product is above zero and its interval holds u, but for rounding. */
static void assert_topic(const spg_lda *lda, int64_t m, int64_t w, double u, int32_t topic, int method)
{
    long double sum = 0, before = 0, own = 0, slack = lda->type == SPG_F32 ? 1e-4L : 1e-12L;
    if (lda->type == SPG_F32 && method == SPG_BUTTERFLY_AUTO) slack = 2e-6L;
    assert_true(topic >= 0 && topic < lda->topics);
    for (int32_t k = 0; k < lda->topics; ++k) {
        long double product = value_at(lda->theta, lda->type, m * lda->topics + k);
        product *= value_at(lda->phi, lda->type, (int64_t)lda->words[w] * lda->topics + k);
        bool earlier = method == SPG_BUTTERFLY_AUTO
                           ? place_of(k, lda->topics, lda->type) < place_of(topic, lda->topics, lda->type)
                           : k < topic;
        sum += product;
        if (earlier) before += product;
        if (k == topic) own = product;
    }
    assert_true(own > 0);
    if (u * sum < before - slack * sum || u * sum > before + own + slack * sum)
        fail_msg("word %lld of document %lld, u = %g: topic %d", (long long)w, (long long)m, u, (int)topic);
}

static void every_topic_lies_where_its_number_says_on_every_place(void **state)
{
    static const int32_t topics[] = {1,   2,   3,   4,   7,   31,  32,  33,   64,   100, 129,
                                     256, 300, 480, 513, 640, 768, 772, 1024, 1500, 4100};
    static int32_t first[WORDS], other[WORDS];
    (void)state;
    for (size_t t = 0; t < sizeof topics / sizeof *topics; ++t)
        for (int what = 0; what < 2 * METHODS; ++what) {
            if (test_is_short() && (t + (size_t)what) % 2 == 0) continue;
            corpus c;
            spg_type type = what % 2 == 0 ? SPG_F32 : SPG_F64;
            const spg_random random = {7, 8, 9};
            open_corpus(topics[t], type, &c);
            for (int k = 0; k < TEST_CONTEXTS; ++k) {
                spg_context *context = test_context_number(k);
                draw(context, &c, what / 2, random, k == 0 ? first : other);
                if (k > 0) assert_memory_equal(first, other, sizeof first);
                spg_context_destroy(context);
            }
            for (int64_t m = 0; m < DOCUMENTS; ++m)
                for (int64_t w = c.host.word_offsets[m]; w < c.host.word_offsets[m + 1]; ++w)
                    assert_topic(&c.host, m, w, spg_uniform_f64(spg_random_number(7, 8, 9 + (uint64_t)w)), first[w],
                                 what / 2);
            free_corpus(&c);
        }
}

/* Draws on every place; topics are those of the first. */
static void draw_by_method_on_every_place(corpus *c, int method, int32_t *topics)
{
    static int32_t other[WORDS];
    for (int k = 0; k < TEST_CONTEXTS; ++k) {
        spg_context *context = test_context_number(k);
        draw(context, c, method, (spg_random){3, 4, 5}, k == 0 ? topics : other);
        if (k > 0) assert_memory_equal(topics, other, sizeof other);
        spg_context_destroy(context);
    }
}

static void draw_on_every_place(corpus *c, int32_t *topics)
{
    draw_by_method_on_every_place(c, SPG_BUTTERFLY_AUTO, topics);
}

static void put_value(const void *values, spg_type type, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)(uintptr_t)values)[k] = (float)value;
    else
        ((double *)(uintptr_t)values)[k] = value;
}

/* More than 32 pieces, so that a lane keeps the sum before several. */
static void topics_of_many_pieces_lie_where_their_numbers_say(void **state)
{
    enum { TOPICS = 34000, EVERY = 37 };
    static int32_t topics[WORDS];
    (void)state;
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
        corpus c;
        open_corpus(TOPICS, type, &c);
        draw_on_every_place(&c, topics);
        for (int64_t m = 0; m < DOCUMENTS; ++m)
            for (int64_t w = c.host.word_offsets[m]; w < c.host.word_offsets[m + 1]; w += EVERY)
                assert_topic(&c.host, m, w, spg_uniform_f64(spg_random_number(3, 4, 5 + (uint64_t)w)), topics[w],
                             SPG_BUTTERFLY_AUTO);
        free_corpus(&c);
    }
}

/* Rows that fill the lanes that share them, and about those; theta and phi at multiples of 16 bytes and elsewhere. */
static void topics_that_fill_lanes_lie_where_their_numbers_say_wherever_arrays_begin(void **state)
{
    static const int32_t counts[] = {64, 128, 256, 512, 513, 700, 768, 769, 1024};
    static int32_t topics[WORDS], elsewhere[WORDS];
    (void)state;
    for (size_t t = 0; t < 2 * sizeof counts / sizeof *counts; ++t) {
        corpus c;
        spg_type type = t % 2 == 0 ? SPG_F32 : SPG_F64;
        open_corpus(counts[t / 2], type, &c);
        draw_on_every_place(&c, topics);
        for (int64_t m = 0; m < DOCUMENTS; ++m)
            for (int64_t w = c.host.word_offsets[m]; w < c.host.word_offsets[m + 1]; ++w)
                assert_topic(&c.host, m, w, spg_uniform_f64(spg_random_number(3, 4, 5 + (uint64_t)w)), topics[w],
                             SPG_BUTTERFLY_AUTO);
        c.lead = spg_type_size(type);
        draw_on_every_place(&c, elsewhere);
        assert_memory_equal(topics, elsewhere, sizeof topics);
        free_corpus(&c);
    }
}

/* Products near both ends of the type's range, most of them 0: of a word, each is 0 or one value. */
static void a_product_of_zero_is_not_drawn_whatever_the_others_are(void **state)
{
    static const int32_t counts[] = {5, 64, 250, 256, 1024, 3000};
    static const double scales[2][4] = {{3e-45, 1e-39, 1, 1e34}, {1e-323, 1e-309, 1, 1e303}};
    static int32_t topics[WORDS];
    (void)state;
    for (size_t t = 0; t < 2 * sizeof counts / sizeof *counts; ++t) {
        corpus c;
        uint64_t random = t;
        spg_type type = t % 2 == 0 ? SPG_F32 : SPG_F64;
        int32_t count = counts[t / 2];
        open_corpus(count, type, &c);
        for (int64_t k = 0; k < DOCUMENTS * (int64_t)count; ++k) put_value(c.host.theta, type, k, 1);
        for (int64_t k = 0; k < VOCABULARY * (int64_t)count; ++k) {
            bool zero = test_random(&random) % 40 != 0 && k % count != (k / count * 7) % count;
            put_value(c.host.phi, type, k, zero ? 0 : scales[type == SPG_F64][k / count % 4]);
        }
        for (int method = 0; method < METHODS; ++method) {
            draw_by_method_on_every_place(&c, method, topics);
            for (int64_t w = 0; w < WORDS; ++w) {
                assert_true(topics[w] >= 0 && topics[w] < count);
                assert_true(value_at(c.host.phi, type, (int64_t)c.host.words[w] * count + topics[w]) > 0);
            }
        }
        free_corpus(&c);
    }
}

static void algorithms_1_and_4_agree(void **state)
{
    static int32_t plain[WORDS], transposed[WORDS];
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type) {
        corpus c;
        open_corpus(77, type, &c);
        draw(context, &c, SPG_BUTTERFLY_PLAIN, (spg_random){1, 2, 3}, plain);
        draw(context, &c, SPG_BUTTERFLY_TRANSPOSED, (spg_random){1, 2, 3}, transposed);
        assert_memory_equal(plain, transposed, sizeof plain);
        free_corpus(&c);
    }
    spg_context_destroy(context);
}

/* Draws for a document of one word over and over. */
static void topics_follow_the_products(void **state)
{
    enum { TOPICS = 40, CALLS = 100, DOCUMENT = 43, WORD = 5 };
    static int32_t topics[WORDS], all[CALLS * WORDS];
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int method = 0; method < METHODS; ++method) {
        corpus c;
        double products[TOPICS];
        int64_t count = 0;
        open_corpus(TOPICS, SPG_F64, &c);
        int64_t begin = c.host.word_offsets[DOCUMENT], end = c.host.word_offsets[DOCUMENT + 1];
        for (int64_t w = begin; w < end; ++w) ((int32_t *)(uintptr_t)c.host.words)[w] = WORD;
        for (int call = 0; call < CALLS; ++call) {
            draw(context, &c, method, (spg_random){11, 12, (uint64_t)call * WORDS}, topics);
            memcpy(all + count, topics + begin, (size_t)(end - begin) * sizeof *all);
            count += end - begin;
        }
        for (int k = 0; k < TOPICS; ++k)
            products[k] = value_at(c.host.theta, SPG_F64, DOCUMENT * TOPICS + k) *
                          value_at(c.host.phi, SPG_F64, WORD * TOPICS + k);
        test_assert_draws(TOPICS, products, count, all);
        free_corpus(&c);
    }
    spg_context_destroy(context);
}

/* Very many of them between two others, among the words of a warp. */
static void documents_without_words_change_no_topic(void **state)
{
    enum { TOPICS = 2, GAP = 20000 };
    static int32_t topics[WORDS], apart[WORDS];
    (void)state;
    spg_context *context = test_context_at_place(2);
    corpus c;
    open_corpus(TOPICS, SPG_F64, &c);
    corpus wide = c;
    wide.host.documents = (int64_t)DOCUMENTS * GAP;
    wide.theta_bytes = c.theta_bytes * GAP;
    char *theta = calloc(1, wide.theta_bytes);
    int64_t *offsets = calloc((size_t)wide.host.documents + 1, sizeof *offsets);
    assert_true(theta != NULL && offsets != NULL);
    for (int64_t m = 0; m < wide.host.documents; ++m) offsets[m + 1] = c.host.word_offsets[m / GAP + 1];
    for (size_t m = 0, bytes = TOPICS * sizeof(double); m < DOCUMENTS; ++m)
        memcpy(theta + m * GAP * bytes, (const char *)c.host.theta + m * bytes, bytes);
    wide.host.theta = theta;
    wide.host.word_offsets = offsets;
    for (int method = 0; method < METHODS; ++method) {
        draw(context, &c, method, (spg_random){1, 2, 3}, topics);
        draw(context, &wide, method, (spg_random){1, 2, 3}, apart);
        assert_memory_equal(topics, apart, sizeof topics);
    }
    free(theta);
    free(offsets);
    free_corpus(&c);
    spg_context_destroy(context);
}

/* theta of whole numbers 0 to 6 times the least denormal, and the same times what makes them normal; phi of 0 and 1. */
static void denormal_products_are_drawn_from_as_in_any_other_scale(void **state)
{
    static const int32_t counts[] = {5, 33, 64, 200, 3000};
    static int32_t expected[WORDS], topics[WORDS];
    const spg_random random = {5, 1, 4};
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (spg_type type = SPG_F32; type <= SPG_F64; ++type)
        for (int t = 0; t < 5; ++t)
            for (int method = 0; method < METHODS; ++method) {
                for (int small = 0; small < 2; ++small) {
                    const double unit = small == 0 ? 1 : type == SPG_F32 ? 0x1p-149 : 0x1p-1074;
                    uint64_t numbers = 3;
                    corpus c;
                    open_corpus(counts[t], type, &c);
                    for (int64_t k = 0; k < (DOCUMENTS + VOCABULARY) * (int64_t)counts[t]; ++k) {
                        const bool is_theta = k < DOCUMENTS * (int64_t)counts[t], is_first = k % counts[t] == 0;
                        const int64_t at = is_theta ? k : k - DOCUMENTS * (int64_t)counts[t];
                        const double number = (double)(is_first ? 1 : test_random(&numbers) % (is_theta ? 7 : 2));
                        void *values = (void *)(uintptr_t)(is_theta ? c.host.theta : c.host.phi);
                        if (type == SPG_F32)
                            ((float *)values)[at] = (float)(number * (is_theta ? unit : 1));
                        else
                            ((double *)values)[at] = number * (is_theta ? unit : 1);
                    }
                    draw(context, &c, method, random, small == 0 ? expected : topics);
                    free_corpus(&c);
                }
                assert_memory_equal(topics, expected, sizeof topics);
            }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_topic_lies_where_its_number_says_on_every_place),
        cmocka_unit_test(topics_of_many_pieces_lie_where_their_numbers_say),
        cmocka_unit_test(topics_that_fill_lanes_lie_where_their_numbers_say_wherever_arrays_begin),
        cmocka_unit_test(a_product_of_zero_is_not_drawn_whatever_the_others_are),
        cmocka_unit_test(algorithms_1_and_4_agree),
        cmocka_unit_test(topics_follow_the_products),
        cmocka_unit_test(denormal_products_are_drawn_from_as_in_any_other_scale),
        cmocka_unit_test(documents_without_words_change_no_topic),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_lda", tests);
}
