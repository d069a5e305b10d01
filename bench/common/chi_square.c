#include "chi_square.h"

#include <math.h>

/* Draws that a pool expects at least: with fewer the statistic's distribution is too far from chi-square's. */
static const double least_expected = 8.0;

void chi_square_begin(chi_square *test, double draws, double total)
{
    *test = (chi_square){.draws = draws, .total = total};
}

static void close_last(chi_square *test)
{
    const double off = test->last_seen - test->last_expected;
    if (test->pools == 0) return;
    test->statistic += off * off / test->last_expected;
}

static void add_expected(chi_square *test, double expected, double seen)
{
    test->pool_expected += expected;
    test->pool_seen += seen;
    if (test->pool_expected < least_expected) return;
    close_last(test);
    test->last_expected = test->pool_expected;
    test->last_seen = test->pool_seen;
    test->pool_expected = test->pool_seen = 0.0;
    test->pools++;
}

void chi_square_add(chi_square *test, double weight, double seen)
{
    if (!(weight > 0.0)) test->impossible += (int64_t)seen;
    add_expected(test, weight / test->total * test->draws, seen);
}

void chi_square_append(chi_square *test, const chi_square *more)
{
    test->impossible += more->impossible;
    if (more->pools > 0) {
        close_last(test);
        test->statistic += more->statistic;
        test->last_expected = more->last_expected;
        test->last_seen = more->last_seen;
        test->pools += more->pools;
    }
    add_expected(test, more->pool_expected, more->pool_seen);
}

void chi_square_end(chi_square *test)
{
    test->last_expected += test->pool_expected;
    test->last_seen += test->pool_seen;
    close_last(test);
    test->degrees = test->pools > 0 ? test->pools - 1 : 0;
    if (test->degrees == 0) return;
    const double spread = 2.0 / (9.0 * (double)test->degrees);
    test->z = (cbrt(test->statistic / (double)test->degrees) - (1.0 - spread)) / sqrt(spread);
}

bool chi_square_holds(const chi_square *test, double limit)
{
    return test->impossible == 0 && test->degrees > 0 && fabs(test->z) < limit;
}
