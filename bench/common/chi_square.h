/* Pearson's chi-square test of how often items were drawn, given one item at a time. */
#ifndef SPG_BENCH_CHI_SQUARE_H
#define SPG_BENCH_CHI_SQUARE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct chi_square {
    double draws, total;             /* of all items: their number and the sum of weights */
    double pool_expected, pool_seen; /* neighbouring items, until they expect enough draws */
    double last_expected, last_seen; /* the pool before, which takes what is left at the end */
    double statistic;
    int64_t pools;
    int64_t impossible; /* draws of items of weight zero */
    int64_t degrees;    /* of freedom */
    /* Standard normal where draws are right (Wilson and Hilferty's cube root). Far below zero is as wrong as far above:
     * too even is not random. 0 without a degree of freedom. */
    double z;
} chi_square;

/* draws: how many there are; total: the sum of the weights. */
void chi_square_begin(chi_square *test, double draws, double total);

/* The next item: its weight and how often it was drawn. */
void chi_square_add(chi_square *test, double weight, double seen);

/* The items of another test of the same draws, begun alike and not ended, after those of this one. */
void chi_square_append(chi_square *test, const chi_square *more);

/* Sets degrees and z. */
void chi_square_end(chi_square *test);

/* No impossible draw, at least one degree of freedom and |z| below `limit`. */
bool chi_square_holds(const chi_square *test, double limit);

#endif
