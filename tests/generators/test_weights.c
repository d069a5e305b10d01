/* The weights that the sampling bench generates are those that their names say. */
#include "test_support.h"
#include "weights.h"

#include <math.h>
#include <stdlib.h>

enum { ITEMS = 1000 };

static weights_rule named(const char *name)
{
    weights_rule rule;
    assert_true(weights_named(name, 1, &rule));
    return rule;
}

static void only_names_of_families_are_taken(void **state)
{
    (void)state;
    weights_rule rule;
    const char *const wrong[] = {
        "",       "unifor",  "uniform2", "powerlaw:", "powerlaw:x", "powerlaw:-1", "powerlaw:1x",
        "heavy:", "heavy:2", "heavy",    "i21",       "file.mtx"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) assert_false(weights_named(wrong[k], 1, &rule));
    assert_true(named("powerlaw").exponent == 1.0);
    assert_true(named("powerlaw:0.5").exponent == 0.5);
}

static void a_permutation_reaches_every_number_once(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 100, 1000, 65537};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int64_t n = sizes[s];
        char *met = calloc((size_t)n, 1);
        int64_t fixed = 0;
        assert_non_null(met);
        for (int64_t i = 0; i < n; i++) {
            const int64_t to = permuted(9, i, n);
            assert_in_range(to, 0, n - 1);
            assert_int_equal(met[to]++, 0);
            fixed += to == i;
        }
        if (n > 100) assert_true(fixed < 10);
        free(met);
    }
}

/* Those of as many numbers as their bits tell, none of which is passed over. */
static void permutations_stay_what_they_are(void **state)
{
    (void)state;
    static const int64_t of_4[] = {3, 2, 1, 0}, of_16[] = {5, 13, 9, 6, 1, 11, 8, 2, 12, 0, 7, 15, 10, 4, 3, 14};
    for (int64_t i = 0; i < 4; i++) assert_int_equal(permuted(9, i, 4), of_4[i]);
    for (int64_t i = 0; i < 16; i++) assert_int_equal(permuted(9, i, 16), of_16[i]);
}

static int descending(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a < b) - (a > b);
}

static void power_laws_are_shuffled_powers_of_ranks(void **state)
{
    (void)state;
    const char *const names[] = {"powerlaw:0.5", "powerlaw:1", "powerlaw:2", "powerlaw:1.3"};
    const double exponents[] = {0.5, 1.0, 2.0, 1.3};
    for (int s = 0; s < 4; s++) {
        const weights_rule rule = named(names[s]);
        double weights[ITEMS];
        int64_t rising = 0;
        for (int64_t k = 0; k < ITEMS; k++) weights[k] = weight_of(&rule, 3, k, ITEMS);
        for (int64_t k = 1; k < ITEMS; k++) rising += weights[k] > weights[k - 1];
        assert_in_range(rising, 400, 600);
        qsort(weights, ITEMS, sizeof *weights, descending);
        for (int64_t k = 0; k < ITEMS; k++) {
            const double expected = pow((double)(k + 1), -exponents[s]);
            assert_true(fabs(weights[k] - expected) <= 1e-14 * expected);
        }
    }
}

static void the_papers_distributions_are_as_written(void **state)
{
    (void)state;
    const weights_rule i20 = named("i20"), mod32 = named("mod32"), mod64 = named("mod64"), spikes = named("spikes");
    double sum = 0.0;
    int large = 0;
    for (int64_t k = 0; k < 100; k++) {
        const double ratios[] = {weight_of(&i20, 0, k, 100) / pow((double)(k + 1) / 100.0, 20.0),
                                 weight_of(&mod32, 0, k, 100) / pow((double)(k % 32 + 1) / 32.0, 25.0),
                                 weight_of(&mod64, 0, k, 100) / pow((double)(k % 64 + 1) / 64.0, 35.0)};
        for (int r = 0; r < 3; r++) assert_true(fabs(ratios[r] - 1.0) < 1e-13);
        sum += weight_of(&spikes, 0, k, 100);
        const bool is_large = weight_of(&spikes, 0, k, 100) > 0.1;
        assert_true(is_large == (k == 12 || k == 37 || k == 62 || k == 87)); /* 1, 3, 5 and 7 eighths */
        large += is_large;
    }
    assert_int_equal(large, 4);
    assert_true(fabs(sum - 1.0) < 1e-12);
}

static void random_families_differ_by_row_and_seed(void **state)
{
    (void)state;
    weights_rule rule = named("uniform"), other = named("uniform");
    const weights_rule heavy = named("heavy:0.3");
    double mean = 0.0;
    int twos = 0;
    other.seed = 2;
    for (int64_t k = 0; k < ITEMS; k++) {
        const double weight = weight_of(&rule, 0, k, ITEMS);
        assert_true(weight > 0.0 && weight <= 1.0);
        assert_true(weight != weight_of(&rule, 1, k, ITEMS) && weight != weight_of(&other, 0, k, ITEMS));
        assert_true(weight == weight_of(&rule, 0, k, 2 * ITEMS));
        mean += weight / ITEMS;
        const double one_or_two = weight_of(&heavy, 0, k, ITEMS);
        assert_true(one_or_two == 1.0 || one_or_two == 2.0);
        twos += one_or_two == 2.0;
    }
    assert_true(fabs(mean - 0.5) < 0.03);
    assert_in_range(twos, 255, 345);
}

static void ragged_lengths_follow_their_power_law(void **state)
{
    (void)state;
    enum { ROWS = 100000, LONGEST = 4096 };
    int64_t short_rows = 0, long_rows = 0;
    for (int64_t row = 0; row < ROWS; row++) {
        const int64_t length = ragged_length(1, row, LONGEST);
        assert_in_range(length, 1, LONGEST);
        assert_int_equal(ragged_length(1, row, 1), 1);
        short_rows += length <= 3; /* a share of (1 - 4^-1/2) / (1 - 4097^-1/2) = 0.508 */
        long_rows += length >= 1024;
    }
    assert_in_range(short_rows, 50100, 51500);
    assert_in_range(long_rows, 1450, 1750); /* (1024^-1/2 - 4097^-1/2) / 0.984 = 0.0159 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_names_of_families_are_taken),
                                       cmocka_unit_test(a_permutation_reaches_every_number_once),
                                       cmocka_unit_test(permutations_stay_what_they_are),
                                       cmocka_unit_test(power_laws_are_shuffled_powers_of_ranks),
                                       cmocka_unit_test(the_papers_distributions_are_as_written),
                                       cmocka_unit_test(random_families_differ_by_row_and_seed),
                                       cmocka_unit_test(ragged_lengths_follow_their_power_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
