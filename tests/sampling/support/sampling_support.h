/* Weights for the tests of sampling, at the place under test, and what several of them do with draws. */
#ifndef SPG_TESTS_SAMPLING_SUPPORT_H
#define SPG_TESTS_SAMPLING_SUPPORT_H

#include "place.h"

#include "spg/sampling.h"

enum {
    TEST_EVEN,   /* uniform in [0.1, 1) */
    TEST_EQUAL,  /* the same */
    TEST_POWER,  /* 1 / uniform */
    TEST_WIDE,   /* 10^-150 ... 10^150; float: 10^-20 ... 10^20 */
    TEST_ZEROS,  /* zeros at both ends and in runs, uniform between them */
    TEST_SINGLE, /* all but one zero */
    TEST_KINDS
};

/* A row each of these lengths. */
enum { TEST_LENGTHS = 19 };
extern const int64_t test_lengths[TEST_LENGTHS];

/* Rows of weights in test_host(), and a copy at the place. Columns of a row of n items are 7 + 2 * (n - 1 - item), so
 * that they differ from the items, or NULL. */
typedef struct test_weights {
    spg_csr host, here;
    int32_t *held_columns; /* of here, where its columns are NULL */
} test_weights;

void test_open_weights(const int64_t *lengths, int64_t rows, int kind, spg_type type, bool columns,
                       test_weights *weights);
void test_close_weights(test_weights *weights);

/* Weight k of all. */
double test_weight(const spg_csr *host, int64_t k);

/* The item that a draw from the row names. */
int64_t test_item(const spg_csr *host, int64_t row, int32_t draw);

/* Fails the running test unless u times the row's sum lies in the item's interval, but for rounding, and the item's
 * weight is not zero. */
void test_assert_interval(const spg_csr *host, int64_t row, int64_t item, double u);

/* Contexts of which all must give the same: the place under test with 1, 2 and 3 threads, and the host. */
enum { TEST_CONTEXTS = 4 };
spg_context *test_context_number(int k);

/* Whether this context is on the host; where weights lie for it. */
bool test_is_on_host(const spg_context *context);
const spg_csr *test_weights_for(const spg_context *context, const test_weights *weights);

/* Of rows at the context's place; cells: an item's, 0 for the default. */
spg_forest *test_open_forest(spg_context *context, const spg_csr *rows, spg_forest_method method, double cells);

/* Draws of all rows, on the host: by their uniforms, an array on the host of the weights' type, or where that is NULL
 * random. */
enum { TEST_ROW_METHODS = 4 };
void test_draw_rows(spg_context *context, const test_weights *weights, int method, const spg_random *random,
                    const void *uniforms, int32_t *draws);

/* numbers[i] of an array of type SPG_F32 or SPG_F64. */
void test_put_number(spg_type type, void *numbers, int64_t i, double number);

/* Arrays at the context's place: of `bytes`, and back to the host. */
void *test_take(spg_context *context, const void *host, size_t bytes);
void test_bring(spg_context *context, void *here, size_t bytes, void *host); /* and gives `here` back */

#endif
