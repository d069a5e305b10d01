/* Whether draws follow their weights. Seeds are fixed, so each of these passes always or never; a limit of 4 lets wrong
 * alarms be one in sixteen thousand when a seed is chosen. */
#ifndef SPG_TESTS_STATISTICS_H
#define SPG_TESTS_STATISTICS_H

#include "chi_square.h"

/* counts[k] = how often item k of [0, items) was drawn. Fails the running test where a draw is out of range. */
void test_count(int64_t items, int64_t count, const int32_t *draws, int64_t *counts);

/* All items, neighbours pooled where few draws of them are expected. Items are named by their place in the row. */
chi_square test_chi_square(int64_t items, const double *weights, int64_t count, const int32_t *draws);

/* The same over `blocks` blocks of as many items each: sees a bias that is spread too thin to show in single items. */
chi_square test_chi_square_of_blocks(int64_t items, const double *weights, int64_t blocks, int64_t count,
                                     const int32_t *draws);

/* Pairs of draws one after the other, by classes of items of about the same weight (`classes` of them, squared pairs),
 * against the products of their probabilities. The pairs don't overlap. */
chi_square test_chi_square_of_pairs(int64_t items, const double *weights, int64_t classes, int64_t count,
                                    const int32_t *draws);

/* Fails the running test unless draws, blocks of items and pairs of draws have |z| below 4, and no item of weight zero
 * was drawn. For a distribution with enough items and draws for each of them: at least 64 draws an item or 4096. */
void test_assert_draws(int64_t items, const double *weights, int64_t count, const int32_t *draws);

#endif
