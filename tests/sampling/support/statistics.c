#include "statistics.h"

#include "test_support.h"

#include <math.h>
#include <stdlib.h>

static const double limit = 4.0;

static double sum(int64_t items, const double *weights)
{
    double total = 0.0, lost = 0.0; /* Kahan */
    for (int64_t k = 0; k < items; k++) {
        const double part = weights[k] - lost, next = total + part;
        lost = (next - total) - part;
        total = next;
    }
    return total;
}

static void *zeroed(int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    assert_non_null(memory);
    return memory;
}

void test_count(int64_t items, int64_t count, const int32_t *draws, int64_t *counts)
{
    for (int64_t k = 0; k < items; k++) counts[k] = 0;
    for (int64_t k = 0; k < count; k++) {
        if (draws[k] < 0 || draws[k] >= items)
            fail_msg("draw %lld is %d, of %lld items", (long long)k, (int)draws[k], (long long)items);
        counts[draws[k]]++;
    }
}

/* Items class by class: item k is of class class_of[k], or of its own where class_of is NULL. */
static chi_square test_classes(int64_t items, const double *weights, const int64_t *class_of, int64_t classes,
                               int64_t count, const int32_t *draws)
{
    int64_t *counts = zeroed(items, sizeof *counts);
    double *seen = zeroed(classes, sizeof *seen), *expected = zeroed(classes, sizeof *expected);
    int64_t impossible = 0;
    test_count(items, count, draws, counts);
    for (int64_t k = 0; k < items; k++) {
        const int64_t class = class_of != NULL ? class_of[k] : k;
        seen[class] += (double)counts[k];
        expected[class] += weights[k];
        if (!(weights[k] > 0.0)) impossible += counts[k];
    }
    chi_square test;
    chi_square_begin(&test, (double)count, sum(items, weights));
    for (int64_t k = 0; k < classes; k++) chi_square_add(&test, expected[k], seen[k]);
    chi_square_end(&test);
    test.impossible = impossible;
    free(expected);
    free(seen);
    free(counts);
    return test;
}

chi_square test_chi_square(int64_t items, const double *weights, int64_t count, const int32_t *draws)
{
    return test_classes(items, weights, NULL, items, count, draws);
}

chi_square test_chi_square_of_blocks(int64_t items, const double *weights, int64_t blocks, int64_t count,
                                     const int32_t *draws)
{
    int64_t *class_of = zeroed(items, sizeof *class_of);
    for (int64_t k = 0; k < items; k++) class_of[k] = k * blocks / items;
    const chi_square test = test_classes(items, weights, class_of, blocks, count, draws);
    free(class_of);
    return test;
}

chi_square test_chi_square_of_pairs(int64_t items, const double *weights, int64_t classes, int64_t count,
                                    const int32_t *draws)
{
    int64_t *class_of = zeroed(items, sizeof *class_of);
    double *mass = zeroed(classes, sizeof *mass), *seen = zeroed(classes * classes, sizeof *seen);
    const double total = sum(items, weights);
    double before = 0.0;
    for (int64_t k = 0; k < items; k++) {
        const int64_t class = (int64_t)((before + 0.5 * weights[k]) / total * (double)classes);
        class_of[k] = class < classes ? class : classes - 1;
        mass[class_of[k]] += weights[k] / total;
        before += weights[k];
    }
    for (int64_t k = 0; k + 1 < count; k += 2) {
        assert_in_range(draws[k], 0, items - 1);
        assert_in_range(draws[k + 1], 0, items - 1);
        seen[class_of[draws[k]] * classes + class_of[draws[k + 1]]] += 1.0;
    }
    chi_square test;
    chi_square_begin(&test, floor((double)count / 2.0), 1.0);
    for (int64_t a = 0; a < classes; a++)
        for (int64_t b = 0; b < classes; b++) chi_square_add(&test, mass[a] * mass[b], seen[a * classes + b]);
    chi_square_end(&test);
    free(seen);
    free(mass);
    free(class_of);
    return test;
}

static void assert_holds(const char *what, const chi_square *test)
{
    if (chi_square_holds(test, limit)) return;
    fail_msg("%s: z %.2f (chi-square %.1f of %lld degrees), %lld draws of weight zero", what, test->z, test->statistic,
             (long long)test->degrees, (long long)test->impossible);
}

void test_assert_draws(int64_t items, const double *weights, int64_t count, const int32_t *draws)
{
    const chi_square single = test_chi_square(items, weights, count, draws);
    const chi_square blocks = test_chi_square_of_blocks(items, weights, items < 16 ? items : 16, count, draws);
    const chi_square pairs = test_chi_square_of_pairs(items, weights, items < 8 ? items : 8, count, draws);
    assert_holds("items", &single);
    if (blocks.degrees > 0) assert_holds("blocks of items", &blocks);
    if (pairs.degrees > 0) assert_holds("pairs of draws", &pairs);
}
