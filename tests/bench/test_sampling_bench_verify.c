/* What judges draws in sampling_bench passes right ones and refuses each kind of wrong one: from one distribution, from
 * many, stratified, and of topics. */
#include "matrices_for_tests.h"
#include "sampling_arrays.h"
#include "sampling_problem.h"
#include "sampling_verify.h"
#include "test_support.h"
#include "weights.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 20000, ITEMS = 40, DRAWS = 100000, TOPICS = 12, WORDS = 30000 };

static spg_context *context;
static sampling_options chosen;
static sampling_problem task;

static int create(void **state)
{
    (void)state;
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    return spg_context_create(&config, &context) == SPG_OK ? 0 : 1;
}

static int destroy(void **state)
{
    (void)state;
    spg_context_destroy(context);
    return 0;
}

static int32_t draw_from(int64_t row, double u)
{
    const int64_t begin = row_begin(&task.host, row), end = row_begin(&task.host, row + 1);
    double total = 0.0, passed = 0.0;
    int32_t last = 0;
    for (int64_t k = begin; k < end; k++) total += weight_at(&task.host, k);
    for (int64_t k = begin; k < end; k++) {
        if (!(weight_at(&task.host, k) > 0.0)) continue;
        last = (int32_t)(k - begin);
        passed += weight_at(&task.host, k);
        if (passed > u * total) break;
    }
    return last;
}

/* Weights, an item of zero in each row, and right draws. */
static void make(int64_t rows, bool stratified)
{
    chosen = (sampling_options){.weights = "powerlaw:1",
                                .items = ITEMS,
                                .rows = rows,
                                .draws = DRAWS,
                                .place = SPG_PLACE_HOST,
                                .type = SPG_F64,
                                .stratified = stratified,
                                .given = stratified,
                                .seed = 5};
    assert_int_equal(problem_make(context, context, &chosen, &task), SPG_OK);
    for (int64_t i = 0; i < rows; i++) ((double *)task.host.values)[i * ITEMS + 7] = 0.0;
    for (int64_t k = 0; k < task.count; k++) {
        const double u = stratified ? task.uniforms[k] : 1.0 - random_share(99, (uint64_t)k);
        task.draws[k] = draw_from(rows > 1 ? k : 0, u);
    }
}

static bool is_right(void)
{
    sampling_verdict verdict;
    assert_int_equal(verify_draws(&task, &verdict), SPG_OK);
    assert_int_equal(verdict.right, verdict.fault[0] == '\0');
    return verdict.right;
}

static void expect_faults_seen(void)
{
    assert_true(is_right());
    const int32_t kept = task.draws[11];
    const int32_t wrong[] = {7, -1, ITEMS, INT32_MIN};
    for (int k = 0; k < 4; k++) {
        task.draws[11] = wrong[k];
        assert_false(is_right());
    }
    task.draws[11] = kept;
    assert_true(is_right());
    for (int64_t k = 0; k < task.count / 10; k++) task.draws[k] = 3; /* has weight in every row */
    assert_false(is_right());
}

static void draws_from_one_distribution(void **state)
{
    (void)state;
    make(1, false);
    expect_faults_seen();
    problem_drop(context, &task);
}

static void draws_from_many_distributions(void **state)
{
    (void)state;
    make(ROWS, false);
    expect_faults_seen();
    problem_drop(context, &task);
}

static void stratified_draws(void **state)
{
    (void)state;
    make(1, true);
    assert_true(is_right());
    for (int64_t k = 0; k < task.count; k++) task.draws[k] = draw_from(0, 1.0 - random_share(98, (uint64_t)k));
    assert_false(is_right()); /* right, but not stratified */
    problem_drop(context, &task);
}

/* Every item as often as its weight says, to the draw. */
static void draws_that_are_too_even(void **state)
{
    (void)state;
    make(1, true);
    sampling_problem unaware = task;
    sampling_verdict verdict;
    unaware.stratified = false;
    assert_int_equal(verify_draws(&unaware, &verdict), SPG_OK);
    assert_false(verdict.right);
    assert_true(verdict.test.z < -5.0);
    problem_drop(context, &task);
}

static void topics_of_words(void **state)
{
    (void)state;
    static double theta[2 * TOPICS], phi[3 * TOPICS];
    static int32_t words[WORDS], topics[WORDS];
    const int64_t offsets[] = {0, WORDS / 3, WORDS};
    for (int k = 0; k < 2 * TOPICS; k++) theta[k] = random_share(1, (uint64_t)k);
    for (int k = 0; k < 3 * TOPICS; k++) phi[k] = random_share(2, (uint64_t)k);
    for (int w = 0; w < WORDS; w++) {
        double passed = 0.0, total = 0.0;
        const double *own = &theta[w < WORDS / 3 ? 0 : TOPICS];
        words[w] = w % 3;
        for (int k = 0; k < TOPICS; k++) total += own[k] * phi[words[w] * TOPICS + k];
        const double target = total * (1.0 - random_share(3, (uint64_t)w));
        for (topics[w] = 0; topics[w] < TOPICS - 1; topics[w]++) {
            passed += own[topics[w]] * phi[words[w] * TOPICS + topics[w]];
            if (passed > target) break;
        }
    }
    const spg_lda lda = {2, 3, WORDS, TOPICS, SPG_F64, theta, phi, offsets, words};
    for (int64_t stride = 1; stride <= 3; stride += 2) {
        sampling_verdict verdict;
        assert_int_equal(verify_topics(context, &lda, topics, stride, 1, &verdict), SPG_OK);
        assert_true(verdict.right);
        topics[3] = TOPICS;
        assert_int_equal(verify_topics(context, &lda, topics, stride, 1, &verdict), SPG_OK);
        assert_false(verdict.right);
        topics[3] = 0;
    }
    for (int w = 0; w < WORDS; w++) topics[w] = (topics[w] + (w % 7 == 0)) % TOPICS;
    sampling_verdict verdict;
    assert_int_equal(verify_topics(context, &lda, topics, 1, 1, &verdict), SPG_OK);
    assert_false(verdict.right);
}

static double weight_of_test(int k) { return k == 500 ? 0.0 : 1.0; }
static double seen_of_test(int k) { return k == 500 ? 1.0 : 7.0 + k % 7; }

/* Of the items of the parts, one part after the other. */
static chi_square test_in_parts(double draws, int parts, const int *sizes)
{
    chi_square all;
    chi_square_begin(&all, draws, 999.0);
    for (int part = 0, k = 0; part < parts; part++) {
        chi_square test;
        chi_square_begin(&test, draws, 999.0);
        for (int end = k + sizes[part]; k < end; k++) chi_square_add(&test, weight_of_test(k), seen_of_test(k));
        chi_square_append(&all, &test);
    }
    chi_square_end(&all);
    return all;
}

static void parts_of_a_test_add_up(void **state)
{
    static const int whole[] = {1000}, some[] = {300, 1, 0, 199, 500};
    int fives[200];
    (void)state;
    for (int k = 0; k < 200; k++) fives[k] = 5;
    const chi_square one = test_in_parts(9990.0, 1, whole), more = test_in_parts(9990.0, 5, some);
    assert_int_equal(one.impossible, 1);
    assert_int_equal(more.impossible, 1);
    assert_int_equal(one.pools, 999);
    assert_int_equal(more.pools, 999);
    assert_true(fabs(more.statistic - one.statistic) < 1e-9 * one.statistic && fabs(more.z - one.z) < 1e-9);
    /* Five items expect five draws, so that two parts make a pool: all of the draws are in pools. */
    const chi_square light = test_in_parts(999.0, 200, fives);
    assert_true(light.pools == 99 || light.pools == 100);
    assert_int_equal(light.degrees, light.pools - 1);
}

static void arrays_of_more_bytes_than_a_number_holds_are_refused(void **state)
{
    (void)state;
    void *array = &array;
    assert_int_equal(array_allocate(context, INT64_C(1) << 61, 8, &array), SPG_ERROR_MEMORY);
    assert_null(array);
    test_assert_message(context, "2305843009213693952 elements of 8 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_from_one_distribution),
                                       cmocka_unit_test(draws_from_many_distributions),
                                       cmocka_unit_test(stratified_draws),
                                       cmocka_unit_test(draws_that_are_too_even),
                                       cmocka_unit_test(topics_of_words),
                                       cmocka_unit_test(parts_of_a_test_add_up),
                                       cmocka_unit_test(arrays_of_more_bytes_than_a_number_holds_are_refused)};
    return cmocka_run_group_tests(tests, create, destroy);
}
