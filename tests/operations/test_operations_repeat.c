/* Every operation gives, at any place and any number of threads, the bits of one thread of the host. */
#include "containers.h"

#include <stdlib.h>
#include <string.h>

/* Vectors at the place of a context: of the host, or lent. */
static void *lend_to(const spg_context *context, const void *host, size_t bytes)
{
    if (context != test_host()) return test_lend(host, bytes);
    void *copy = test_array((int64_t)bytes, 1);
    memcpy(copy, host, bytes);
    return copy;
}

static void take_back(const spg_context *context, void *here, size_t bytes, void *host)
{
    if (host != NULL && context != test_host()) test_fetch(here, bytes, host);
    if (host != NULL && context == test_host()) memcpy(host, here, bytes);
    if (context != test_host())
        test_give_back(here, bytes);
    else
        free(here);
}

enum { MADE = 4 };

typedef struct results {
    spg_csr made[MADE]; /* at the context's place */
    void *diagonal;
    spg_difference difference;
} results;

/* Factors of rows, then of columns; `order` numbers the columns backwards. */
typedef struct vectors {
    void *factors;
    int32_t *order;
    size_t row_bytes, column_bytes, order_bytes, diagonal_bytes;
} vectors;

static void run(spg_context *context, const spg_csr *matrix, const vectors *of, results *to)
{
    const void *alpha = of->factors, *beta = (const char *)of->factors + spg_type_size(matrix->value_type);
    void *rows = lend_to(context, of->factors, of->row_bytes);
    void *columns = lend_to(context, (const char *)of->factors + of->row_bytes, of->column_bytes);
    void *diagonal = lend_to(context, of->factors, of->diagonal_bytes);
    int32_t *order = lend_to(context, of->order, of->order_bytes);
    const spg_drop_rule rule = {0.2, 0.4, 1};
    spg_csr here;
    assert_int_equal(spg_csr_copy(context, matrix, &here), SPG_OK);
    assert_int_equal(spg_csr_copy(context, matrix, &to->made[0]), SPG_OK);
    assert_int_equal(spg_csr_scale(context, rows, columns, &to->made[0]), SPG_OK);
    assert_int_equal(spg_csr_add(context, alpha, &here, beta, &to->made[0], &to->made[1]), SPG_OK);
    assert_int_equal(spg_csr_permute(context, &here, NULL, order, &to->made[2]), SPG_OK);
    assert_int_equal(spg_csr_drop(context, &here, &rule, &to->made[3]), SPG_OK);
    assert_int_equal(spg_csr_diagonal(context, &here, diagonal), SPG_OK);
    assert_int_equal(spg_csr_compare(context, &here, &to->made[1], &to->difference), SPG_OK);
    spg_csr_free(context, &here);
    take_back(context, rows, of->row_bytes, NULL);
    take_back(context, columns, of->column_bytes, NULL);
    take_back(context, order, of->order_bytes, NULL);
    to->diagonal = test_array((int64_t)of->diagonal_bytes, 1);
    take_back(context, diagonal, of->diagonal_bytes, to->diagonal);
}

static void release(spg_context *context, results *of)
{
    for (int k = 0; k < MADE; ++k) spg_csr_free(context, &of->made[k]);
    free(of->diagonal);
}

static void check(spg_context *context, const spg_csr *matrix)
{
    const size_t size = spg_type_size(matrix->value_type);
    const int64_t least = matrix->rows < matrix->cols ? matrix->rows : matrix->cols;
    vectors of = {.row_bytes = (size_t)matrix->rows * size,
                  .column_bytes = (size_t)matrix->cols * size,
                  .order_bytes = (size_t)matrix->cols * sizeof(int32_t),
                  .diagonal_bytes = (size_t)least * size};
    of.factors = test_array(matrix->rows + matrix->cols + 2, size);
    of.order = test_array(matrix->cols, sizeof *of.order);
    test_random_values(9, 0, matrix->value_type, matrix->rows + matrix->cols + 2, of.factors);
    for (int64_t j = 0; j < matrix->cols; ++j) of.order[j] = (int32_t)(matrix->cols - 1 - j);
    results expected, here;
    run(test_host(), matrix, &of, &expected);
    run(context, matrix, &of, &here);
    for (int k = 0; k < MADE; ++k) test_assert_fetched_csr(&here.made[k], &expected.made[k]);
    assert_memory_equal(here.diagonal, expected.diagonal, of.diagonal_bytes);
    assert_memory_equal(&here.difference.absolute, &expected.difference.absolute, 2 * sizeof(double));
    assert_int_equal(here.difference.row, expected.difference.row);
    assert_int_equal(here.difference.column, expected.difference.column);
    assert_int_equal(here.difference.same_values, expected.difference.same_values);
    assert_int_equal(here.difference.same_pattern, 1);
    assert_int_equal(expected.difference.same_pattern, 1);
    release(context, &here);
    release(test_host(), &expected);
    free(of.factors);
    free(of.order);
}

static void every_place_gives_the_bits_of_one_thread(void **state)
{
    (void)state;
    test_for_each_csr(check);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place_gives_the_bits_of_one_thread),
    };
    return TEST_RUN_HERE(argc, argv, "operations: repeat", tests);
}
