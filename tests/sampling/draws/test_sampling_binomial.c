/* Binomial numbers follow their distribution, and sections get all draws. */
#include "sampling/binomial.h"

#include "sampling_support.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 400000, MOST = 4096 };

static void numbers_follow_the_binomial_distribution(void **state)
{
    static const struct {
        int64_t count, part, whole;
    } cases[] = {{1, 1, 2},        {18, 1, 2},         {25, 1, 2},           {1000, 2048, 4097}, {3000, 4096, 14000},
                 {40000, 1, 4097}, {3000, 4096, 4200}, {100000, 4000, 4001}, {2000, 700, 1000}};
    static int32_t draws[DRAWS];
    static double weights[MOST];
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        double n = (double)cases[c].count, p = (double)cases[c].part / (double)cases[c].whole;
        int64_t low = (int64_t)(n * p) - MOST / 2; /* of the numbers counted */
        if (low < 0 || cases[c].count < MOST) low = 0;
        for (int64_t k = 0; k < MOST; ++k) {
            double at = (double)(low + k);
            weights[k] =
                at > n ? 0
                       : exp(lgamma(n + 1) - lgamma(at + 1) - lgamma(n - at + 1) + at * log(p) + (n - at) * log1p(-p));
            if (weights[k] < 1e-280) weights[k] = at > n ? 0 : 1e-280; /* not impossible, but never seen */
        }
        for (int i = 0; i < DRAWS; ++i) {
            int64_t k = spg_binomial(cases[c].count, (double)cases[c].part, (double)(cases[c].whole - cases[c].part),
                                     12345 + c, (uint64_t)i) -
                        low;
            assert_true(k >= 0 && k < MOST);
            draws[i] = (int32_t)k;
        }
        chi_square test = test_chi_square(MOST, weights, DRAWS, draws);
        if (!chi_square_holds(&test, 4)) fail_msg("case %d: z = %g", (int)c, test.z);
    }
}

/* Numbers of many trials, as distances from the mean in steps of the deviation, are normal: sixteen parts of equal
 * probability. */
static void numbers_of_very_many_trials_are_normal_and_use_all_digits(void **state)
{
    static const int64_t counts[] = {(int64_t)1 << 40, (int64_t)1 << 52, ((int64_t)1 << 53) + 1, INT64_MAX};
    static const double lefts[] = {1, 1, 3, 999, 1}, rights[] = {1, 3, 1, 1, 1e6};
    enum { PARTS = 16, BITS = 8 };
    static int32_t draws[DRAWS], lowest[DRAWS];
    double equal[1 << BITS];
    (void)state;
    for (int k = 0; k < 1 << BITS; ++k) equal[k] = 1;
    for (int c = 0; c < 4; ++c)
        for (int w = 0; w < 5; ++w) {
            const double p = lefts[w] / (lefts[w] + rights[w]), n = (double)counts[c];
            const int64_t whole = (int64_t)(counts[c] * (long double)lefts[w] / (lefts[w] + rights[w]));
            for (int i = 0; i < DRAWS; ++i) {
                const int64_t k = spg_binomial(counts[c], lefts[w], rights[w], 99 + (uint64_t)c, (uint64_t)i);
                const double z = (double)(k - whole) / sqrt(n * p * (1 - p)), at = erfc(-z / sqrt(2.0)) / 2;
                assert_true(k >= 0 && k <= counts[c]);
                draws[i] = at < 1 ? (int32_t)(at * PARTS) : PARTS - 1;
                lowest[i] = (int32_t)(k & ((1 << BITS) - 1));
            }
            chi_square test = test_chi_square(PARTS, equal, DRAWS, draws);
            if (!chi_square_holds(&test, 4)) fail_msg("2^%g trials, case %d: z = %g", log2(n), w, test.z);
            test = test_chi_square(1 << BITS, equal, DRAWS, lowest);
            if (!chi_square_holds(&test, 4)) fail_msg("2^%g trials, case %d: low bits, z = %g", log2(n), w, test.z);
        }
}

/* As seldom as .99^1000, 17 in all here. */
static void no_success_at_all_is_drawn_by_rejection_too(void **state)
{
    (void)state;
    int none = 0;
    for (int i = 0; i < DRAWS; ++i) none += spg_binomial(1000, 1, 99, 7, (uint64_t)i) == 0;
    assert_in_range(none, 5, 35);
}

static void sections_get_all_draws_whichever_way_they_are_found(void **state)
{
    static const int64_t sizes[] = {1, SPG_SECTION, SPG_SECTION + 1, 7 * SPG_SECTION + 5};
    (void)state;
    for (int s = 0; s < 4; ++s)
        for (int64_t count = 0; count < 3000000; count = 3 * count + 1) {
            int64_t next = 0, sections = spg_sections(sizes[s]);
            for (int64_t k = 0; k < sections; ++k) {
                spg_section_node node = spg_find_section(k, sizes[s], count, 99);
                assert_true(node.a == k && node.b == k + 1 && node.offset == next && node.count >= 0);
                next += node.count;
            }
            assert_true(next == count);
        }
}

static void logarithm_and_exponential_are_right_to_the_last_bits(void **state)
{
    (void)state;
    for (double x = 1e-300; x < 1e300; x *= 1.7)
        assert_true(fabs(spg_natural_log(x) - log(x)) <= 4e-16 * fabs(log(x)) + 1e-16);
    for (double y = 0; y < 100; y += 0.037) assert_true(fabs(spg_exp_of_minus(y) / exp(-y) - 1) < 1e-15);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_the_binomial_distribution),
        cmocka_unit_test(numbers_of_very_many_trials_are_normal_and_use_all_digits),
        cmocka_unit_test(no_success_at_all_is_drawn_by_rejection_too),
        cmocka_unit_test(sections_get_all_draws_whichever_way_they_are_found),
        cmocka_unit_test(logarithm_and_exponential_are_right_to_the_last_bits),
    };
    return TEST_RUN_HERE(argc, argv, "sampling_binomial", tests);
}
