/* Draws stay what they are: checksums of all kinds of them, the same on every place, in every version. Weights are
 * small whole numbers, so that they do not hang on the libraries of the machine, and all their sums are exact, so that
 * methods agree. A change of a checksum is a change of the library's results, to be told in CHANGELOG.md. */
#include "sampling_support.h"

#include "matrices_for_tests.h"

#include <string.h>

enum { ROWS = 400, LONG_ROW = 70000, DRAWS = 20000 };

static const spg_random numbers = {20, 25, 1122};

/* Fowler, Noll and Vo's hash, FNV-1a. */
static uint64_t checksum(const void *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < size; ++k) hash = (hash ^ ((const unsigned char *)bytes)[k]) * 0x100000001b3u;
    return hash;
}

static void assert_pinned(const char *what, const void *bytes, size_t size, uint64_t pinned)
{
    if (checksum(bytes, size) != pinned)
        fail_msg("%s: checksum 0x%016llx, pinned is 0x%016llx", what, (unsigned long long)checksum(bytes, size),
                 (unsigned long long)pinned);
}

/* 1 to 997, but every seventh 0 where it is not a row's first; one long row, others of 1 to 100 items. */
static void open_weights(spg_type type, test_weights *weights)
{
    static int64_t lengths[ROWS];
    for (int i = 0; i < ROWS; ++i) lengths[i] = i == 0 ? LONG_ROW : 1 + i * 37 % 100;
    test_open_weights(lengths, ROWS, TEST_EQUAL, type, false, weights);
    for (int64_t i = 0; i < ROWS; ++i)
        for (int64_t begin = test_offset(&weights->host, i), k = begin; k < test_offset(&weights->host, i + 1); ++k) {
            double weight = k % 7 == 3 && k > begin ? 0 : (double)(1 + k * 7919 % 997);
            if (type == SPG_F32)
                ((float *)weights->host.values)[k] = (float)weight;
            else
                ((double *)weights->host.values)[k] = weight;
        }
    test_send(weights->host.values, (size_t)weights->host.nnz * spg_type_size(type), weights->here.values);
}

static void random_numbers(void **state)
{
    static uint64_t bits[DRAWS];
    (void)state;
    spg_context *context = test_context_at_place(2);
    uint64_t *here = test_take(context, bits, sizeof bits);
    assert_int_equal(spg_random_bits(context, &numbers, DRAWS, here), SPG_OK);
    test_bring(context, here, sizeof bits, bits);
    assert_pinned("random bits", bits, sizeof bits, 0xb649efc3f6198b8a);
    spg_context_destroy(context);
}

static void one_draw_from_each_row(void **state)
{
    static const char *const names[] = {"rows, auto", "rows, plain", "rows, transposed", "rows, table"};
    int32_t draws[ROWS];
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int wide = 0; wide < 2; ++wide) {
        test_weights weights;
        open_weights(wide ? SPG_F64 : SPG_F32, &weights);
        for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE; ++method) {
            int32_t *here = test_take(context, draws, sizeof draws);
            assert_int_equal(
                spg_butterfly_draw(context, &weights.here, (spg_butterfly_method)method, &numbers, NULL, here), SPG_OK);
            test_bring(context, here, sizeof draws, draws);
            assert_pinned(names[method], draws, sizeof draws, 0xfd658cdb8482dd2a);
        }
        test_close_weights(&weights);
    }
    spg_context_destroy(context);
}

static void topics_of_words(void **state)
{
    enum { DOCUMENTS = 30, VOCABULARY = 60, TOPICS = 45, WORDS = 3000 };
    static const char *const names[] = {"topics, auto", "topics, plain", "topics, transposed", "topics, table"};
    static double theta[DOCUMENTS * TOPICS], phi[VOCABULARY * TOPICS];
    int64_t offsets[DOCUMENTS + 1];
    int32_t words[WORDS], topics[WORDS];
    (void)state;
    for (int k = 0; k < DOCUMENTS * TOPICS; ++k) theta[k] = 1 + k * 7919 % 101;
    for (int k = 0; k < VOCABULARY * TOPICS; ++k) phi[k] = k % 5 == 1 ? 0 : k * 6101 % 103;
    for (int m = 0; m <= DOCUMENTS; ++m) offsets[m] = (int64_t)WORDS * m * m / (DOCUMENTS * DOCUMENTS);
    for (int w = 0; w < WORDS; ++w) words[w] = w * 31 % VOCABULARY;
    spg_context *context = test_context_at_place(2);
    int64_t *offsets_here = test_lend(offsets, sizeof offsets);
    int32_t *words_here = test_lend(words, sizeof words);
    double *theta_here = test_lend(theta, sizeof theta), *phi_here = test_lend(phi, sizeof phi);
    const spg_lda lda = {DOCUMENTS, VOCABULARY, WORDS, TOPICS, SPG_F64, theta_here, phi_here, offsets_here, words_here};
    for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE; ++method) {
        int32_t *here = test_take(context, topics, sizeof topics);
        assert_int_equal(spg_lda_draw(context, &lda, (spg_butterfly_method)method, &numbers, here), SPG_OK);
        test_bring(context, here, sizeof topics, topics);
        /* The automatic method takes topics in an order of its own. */
        assert_pinned(names[method], topics, sizeof topics,
                      method == SPG_BUTTERFLY_AUTO ? 0x5cb1310f3d9b4bcc : 0x911f1e758256f775);
    }
    test_give_back(offsets_here, sizeof offsets);
    test_give_back(words_here, sizeof words);
    test_give_back(theta_here, sizeof theta);
    test_give_back(phi_here, sizeof phi);
    spg_context_destroy(context);
}

static void draws_from_alias_tables(void **state)
{
    static const uint64_t pinned[2][3] = {{0x26a846456e8fc45f, 0x6c2a943f4725db0c, 0x2a55b4c71a7d3929},
                                          {0x26a846456e8fc45f, 0xc6b29ddc6cc6344e, 0x2a55b4c71a7d3929}};
    static int32_t draws[DRAWS];
    int32_t of_rows[ROWS];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    open_weights(SPG_F64, &weights);
    for (int exact = 0; exact < 2; ++exact) {
        const spg_alias_options options = {.resolution = (spg_alias_resolution)exact};
        spg_alias *alias = NULL;
        assert_int_equal(spg_alias_build(context, &weights.here, &options, &alias), SPG_OK);
        for (int grouped = 0; grouped < 2; ++grouped) {
            const spg_alias_draw_options how = {SPG_SAMPLER_AUTO, grouped};
            int32_t *here = test_take(context, draws, sizeof draws);
            assert_int_equal(spg_alias_draw(context, alias, 0, DRAWS, &numbers, &how, here), SPG_OK);
            test_bring(context, here, sizeof draws, draws);
            assert_pinned(grouped ? "alias, grouped" : "alias", draws, sizeof draws, pinned[exact][grouped]);
        }
        int32_t *here = test_take(context, of_rows, sizeof of_rows);
        assert_int_equal(spg_alias_draw_rows(context, alias, ROWS, NULL, &numbers, here), SPG_OK);
        test_bring(context, here, sizeof of_rows, of_rows);
        assert_pinned("alias, rows", of_rows, sizeof of_rows, pinned[exact][2]);
        spg_alias_destroy(alias);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

/* One checksum for both methods, which draw the same. */
static void draws_by_inversion(void **state)
{
    static const uint64_t pinned[2][3] = {{0x67b718ca18f4928b, 0x98800c68e135b50b, 0x30bca9e3c37ea4ae},
                                          {0x2f6c9914ff736836, 0x65554497f348af96, 0x672e0bde0aed7fc1}};
    static int32_t draws[DRAWS];
    static double remapped[DRAWS], probabilities[DRAWS];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    open_weights(SPG_F64, &weights);
    for (int method = SPG_FOREST_CUTPOINT; method <= SPG_FOREST_RADIX; ++method) {
        const spg_forest_options options = {(spg_forest_method)method, 0};
        spg_forest *forest = NULL;
        assert_int_equal(spg_forest_build(context, &weights.here, &options, &forest), SPG_OK);
        for (int stratified = 0; stratified < 2; ++stratified) {
            int32_t *here = test_take(context, draws, sizeof draws);
            double *shares = test_take(context, probabilities, sizeof probabilities);
            double *rest = test_take(context, remapped, sizeof remapped);
            spg_status status = stratified ? spg_forest_draw_stratified(context, forest, 0, DRAWS, &numbers, here,
                                                                        &(spg_forest_details){shares, rest})
                                           : spg_forest_draw(context, forest, DRAWS, NULL, &numbers, NULL, here,
                                                             &(spg_forest_details){shares, rest});
            assert_int_equal(status, SPG_OK);
            test_bring(context, here, sizeof draws, draws);
            test_bring(context, shares, sizeof probabilities, probabilities);
            test_bring(context, rest, sizeof remapped, remapped);
            assert_pinned("inversion", draws, sizeof draws, pinned[stratified][0]);
            assert_pinned("inversion, probabilities", probabilities, sizeof probabilities, pinned[stratified][1]);
            assert_pinned("inversion, remapped", remapped, sizeof remapped, pinned[stratified][2]);
        }
        spg_forest_destroy(forest);
    }
    test_close_weights(&weights);
    spg_context_destroy(context);
}

static void counts_of_draws(void **state)
{
    static int64_t counts[LONG_ROW + 100 * ROWS];
    test_weights weights;
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int wide = 0; wide < 2; ++wide) {
        open_weights(wide ? SPG_F64 : SPG_F32, &weights);
        const size_t bytes = (size_t)weights.host.nnz * sizeof *counts;
        int64_t *here = test_take(context, counts, bytes);
        assert_int_equal(spg_multinomial_draw(context, &weights.here, 1000000, NULL, &numbers, here), SPG_OK);
        test_bring(context, here, bytes, counts);
        assert_pinned("counts", counts, bytes, 0xc1f045719a33e181);
        test_close_weights(&weights);
    }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers),     cmocka_unit_test(one_draw_from_each_row),
        cmocka_unit_test(topics_of_words),    cmocka_unit_test(draws_from_alias_tables),
        cmocka_unit_test(draws_by_inversion), cmocka_unit_test(counts_of_draws),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_pinned", tests);
}
