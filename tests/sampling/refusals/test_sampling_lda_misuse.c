/* Every wrong argument of the z-step, and every fault in a corpus, is a status and a message that names it. */
#include "matrices_for_tests.h"
#include "sampling_support.h"

#include <float.h>
#include <math.h>

enum { WORDS = 3 };

/* A context, and room for its draws. */
typedef struct fixture {
    spg_context *context;
    int32_t *draws;
} fixture;

static const spg_random number = {1, 2, 3};

/* By every method. */
static void assert_refused(const fixture *f, const spg_lda *lda, spg_status expected, const char *words)
{
    for (int method = SPG_BUTTERFLY_AUTO; method <= SPG_BUTTERFLY_TABLE; ++method) {
        assert_int_equal(spg_lda_draw(f->context, lda, (spg_butterfly_method)method, &number, f->draws), expected);
        test_assert_message(f->context, words);
    }
}

static void a_corpus_that_cannot_be_is_refused(void **state)
{
    (void)state;
    fixture f = {.context = test_context_at_place(2),
                 .draws = test_lend(&(int32_t[WORDS]){0}, WORDS * sizeof(int32_t))};
    int64_t offsets[] = {0, 1, WORDS};
    int32_t words[WORDS + 1] = {1, 0, 1}; /* one more, for a corpus that claims it */
    double theta[] = {1, 2, 3, 4}, phi[] = {1, 1, 1, 1};
    int64_t *offsets_here = test_lend(offsets, sizeof offsets);
    int32_t *words_here = test_lend(words, sizeof words);
    double *theta_here = test_lend(theta, sizeof theta), *phi_here = test_lend(phi, sizeof phi);
    const spg_lda sound = {2, 2, WORDS, 2, SPG_F64, theta_here, phi_here, offsets_here, words_here};
    spg_lda lda = sound;
    assert_int_equal(spg_lda_draw(f.context, &lda, SPG_BUTTERFLY_AUTO, &number, f.draws), SPG_OK);
    assert_refused(&f, NULL, SPG_ERROR_ARGUMENT, "lda is NULL");
    lda.topics = 0, assert_refused(&f, &lda, SPG_ERROR_ARGUMENT, "topics is 0"), lda = sound;
    lda.type = SPG_C64, assert_refused(&f, &lda, SPG_ERROR_ARGUMENT, "type c64"), lda = sound;
    lda.documents = -1, assert_refused(&f, &lda, SPG_ERROR_ARGUMENT, "documents is -1"), lda = sound;
    lda.documents = 0, assert_refused(&f, &lda, SPG_ERROR_ARGUMENT, "documents is 0"), lda = sound;
    lda.theta = NULL, assert_refused(&f, &lda, SPG_ERROR_ARGUMENT, "theta is NULL"), lda = sound;
    lda.words_total = 4, assert_refused(&f, &lda, SPG_ERROR_FORMAT, "end at 3, words_total is 4"), lda = sound;
    lda.vocabulary = 1, assert_refused(&f, &lda, SPG_ERROR_FORMAT, "document 0, word 0: 1 lies outside [0, 1)");
    lda = sound;
    offsets[1] = 4, test_send(offsets, sizeof offsets, offsets_here);
    assert_refused(&f, &lda, SPG_ERROR_FORMAT, "document 1: word_offsets fall from 4 to 3");
    offsets[0] = 1, test_send(offsets, sizeof offsets, offsets_here);
    assert_refused(&f, &lda, SPG_ERROR_FORMAT, "begin at 1");
    offsets[0] = 0, offsets[1] = 1, test_send(offsets, sizeof offsets, offsets_here);
    static const struct {
        double first, second;
        const char *words;
    } wrong[] = {{0, 0, "document 1, word 0: all products"},
                 {3, -1, "document 1, word 0: the product of theta and phi of topic 1 is negative"},
                 {NAN, 1, "topic 0 is NaN"},
                 {DBL_MAX, DBL_MAX, "is infinite"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        theta[2] = wrong[k].first, theta[3] = wrong[k].second;
        test_send(theta, sizeof theta, theta_here);
        assert_refused(&f, &lda, SPG_ERROR_FORMAT, wrong[k].words);
    }
    test_give_back(offsets_here, sizeof offsets);
    test_give_back(words_here, sizeof words);
    test_give_back(theta_here, sizeof theta);
    test_give_back(phi_here, sizeof phi);
    test_give_back(f.draws, WORDS * sizeof(int32_t));
    spg_context_destroy(f.context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_corpus_that_cannot_be_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_lda_misuse", tests);
}
