/* Which matrices count as symmetric: all patterns of few rows, values that are equal but not in their bits, repeated
 * and unsorted columns. */
#include "amg/amg_backend.h"
#include "context.h"
#include "matrices_for_tests.h"
#include "place.h"

#include <math.h>
#include <string.h>

/* What the backend says of a matrix on the host. */
static int32_t ask(spg_context *context, const spg_csr *A)
{
    spg_csr here;
    int32_t found = -1, *flag = test_lend(&found, sizeof found);
    test_to_place(context, A, &here);
    assert_int_equal(context->backend->amg->find_symmetry(context, &here, flag), SPG_OK);
    test_fetch(flag, sizeof found, &found);
    test_give_back(flag, sizeof found);
    spg_csr_free(context, &here);
    return found;
}

static void all_patterns_of_three_rows(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    for (int pattern = 0; pattern < 2 * 512; pattern++) { /* once more where all values are equal */
        int32_t offsets[4] = {0}, columns[9];
        double values[9];
        bool is_symmetric = true;
        for (int place = 0, i, j; place < 9; place++) {
            i = place / 3, j = place % 3;
            if ((pattern >> (3 * j + i) & 1) != (pattern >> place & 1)) is_symmetric = false;
            if (j == 0) offsets[i + 1] = offsets[i];
            if (!(pattern >> place & 1)) continue;
            columns[offsets[i + 1]] = j;
            values[offsets[i + 1]++] = pattern < 512 ? i + j + i * j : 1;
        }
        const spg_csr A = {3, 3, offsets[3], SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
        if (ask(context, &A) != is_symmetric) fail_msg("pattern %d: not %d", pattern, is_symmetric);
    }
    spg_context_destroy(context);
}

/* A matrix of four rows of which (0, 3) and (3, 0) are given. */
static int32_t ask_of_corners(spg_context *context, double upper, double lower)
{
    int64_t offsets[] = {0, 2, 3, 4, 6};
    int32_t columns[] = {0, 3, 1, 2, 0, 3};
    double values[] = {1, upper, 2, 3, lower, 4};
    const spg_csr A = {4, 4, 6, SPG_I64, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    return ask(context, &A);
}

static void values_are_compared_by_their_bits(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    assert_int_equal(ask_of_corners(context, 0.25, 0.25), 1);
    assert_int_equal(ask_of_corners(context, 0.25, nextafter(0.25, 1)), 0);
    assert_int_equal(ask_of_corners(context, 0.0, -0.0), 0);
    assert_int_equal(ask_of_corners(context, -0.0, -0.0), 1);
    assert_int_equal(ask_of_corners(context, NAN, NAN), 1);
    assert_int_equal(ask_of_corners(context, NAN, INFINITY), 0);
    spg_context_destroy(context);
}

/* Values that stand elsewhere, or in one place with the other sign, make up for nothing. */
static void differences_do_not_cancel(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t offsets[] = {0, 1, 2, 3, 4}, columns[] = {1, 0, 3, 2};
    const struct {
        float values[8]; /* of complex entries where they are */
        int32_t is_symmetric;
    } cases[] = {{{1, 2, 3, 4, 1, 2, 3, 4}, 0}, {{1, 2, 1, 2, 3, 4, 3, 4}, 1},   {{1, 2, 3, 4, 3, 4, 1, 2}, 0},
                 {{1, 2, 2, 1, 2, 1, 1, 2}, 0}, {{1, 0, -1, 0, -1, 0, 1, 0}, 0}, {{0, 1, 0, 1, 0, 0, 0, 0}, 1},
                 {{1, 2, 1, 3, 4, 4, 4, 4}, 0}, {{2, 1, 3, 1, 4, 4, 4, 4}, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        spg_csr A = {4, 4, 4, SPG_I32, SPG_C32, SPG_PLACE_HOST, offsets, columns, (void *)cases[c].values};
        if (ask(context, &A) != cases[c].is_symmetric) fail_msg("case %d of complex numbers", (int)c);
        double wide[8];
        for (int k = 0; k < 8; k++) wide[k] = (double)cases[c].values[k];
        A.value_type = SPG_C64, A.values = wide;
        if (ask(context, &A) != cases[c].is_symmetric) fail_msg("case %d of wide complex numbers", (int)c);
    }
    double swapped[] = {1, 2, 2, 1}, turned[] = {1, -1, -1, 1}, equal[] = {1, 1, 2, 2};
    spg_csr A = {4, 4, 4, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, swapped};
    assert_int_equal(ask(context, &A), 0);
    A.values = turned;
    assert_int_equal(ask(context, &A), 0);
    A.values = equal;
    assert_int_equal(ask(context, &A), 1);
    spg_context_destroy(context);
}

static void unsorted_and_repeated_columns_are_not_symmetric(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t offsets[] = {0, 2, 4}, unsorted[] = {1, 0, 0, 1}, repeated[] = {0, 0, 1, 1};
    float values[] = {1, 1, 1, 1};
    spg_csr A = {2, 2, 4, SPG_I32, SPG_F32, SPG_PLACE_HOST, offsets, unsorted, values};
    assert_int_equal(ask(context, &A), 0);
    A.columns = repeated;
    assert_int_equal(ask(context, &A), 0);
    spg_context_destroy(context);
}

static void a_matrix_that_is_not_square_is_not_symmetric(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    int32_t offsets[] = {0, 1, 1}, columns[] = {0};
    float values[] = {1};
    const spg_csr A = {2, 3, 1, SPG_I32, SPG_F32, SPG_PLACE_HOST, offsets, columns, values};
    assert_int_equal(ask(context, &A), 0);
    spg_context_destroy(context);
}

/* An arrow of several heads: these rows are long, all others have an entry under each head and one on the diagonal. */
enum { ARROW_ROWS = 3000, HEADS = 3 };
static const int32_t heads[HEADS] = {700, 701, 2999};

static spg_csr arrow(int32_t *offsets, int32_t *columns, double *values)
{
    int32_t nnz = 0;
    for (int32_t i = 0; i < ARROW_ROWS; i++) {
        const bool is_head = i == heads[0] || i == heads[1] || i == heads[2];
        offsets[i] = nnz;
        for (int32_t j = 0; j < ARROW_ROWS; j++)
            if (is_head || j == i || j == heads[0] || j == heads[1] || j == heads[2]) {
                values[nnz] = 1 + (i < j ? i + 0.37 * j : j + 0.37 * i);
                columns[nnz++] = j;
            }
    }
    offsets[ARROW_ROWS] = nnz;
    return (spg_csr){ARROW_ROWS, ARROW_ROWS, nnz, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
}

static void swap_entries(int32_t *columns, double *values)
{
    const int32_t column = columns[0];
    const double value = values[0];
    columns[0] = columns[1], columns[1] = column;
    values[0] = values[1], values[1] = value;
}

static void rows_far_longer_than_the_others_are_searched_whole(void **state)
{
    (void)state;
    static int32_t offsets[ARROW_ROWS + 1], columns[(2 * HEADS + 1) * ARROW_ROWS];
    static double values[(2 * HEADS + 1) * ARROW_ROWS];
    spg_context *context = test_context_at_place(1);
    const spg_csr A = arrow(offsets, columns, values);
    assert_int_equal(ask(context, &A), 1);
    static const int places[] = {0, 63, 64, 65, 1500, ARROW_ROWS - 1};
    for (int h = 0; h < HEADS; h++)
        for (size_t p = 0; p < sizeof places / sizeof *places; p++) {
            const int32_t place = offsets[heads[h]] + places[p];
            if (columns[place] == heads[h]) continue;
            values[place] = nextafter(values[place], 0);
            if (ask(context, &A) != 0) fail_msg("row %d: entry %d goes unseen", heads[h], places[p]);
            values[place] = nextafter(values[place], 1e9);
            if (places[p] == 0) continue;
            swap_entries(columns + place - 1, values + place - 1);
            if (ask(context, &A) != 0)
                fail_msg("row %d: entry %d may stand before its forerunner", heads[h], places[p]);
            swap_entries(columns + place - 1, values + place - 1);
        }
    assert_int_equal(ask(context, &A), 1);
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_patterns_of_three_rows),
        cmocka_unit_test(values_are_compared_by_their_bits),
        cmocka_unit_test(differences_do_not_cancel),
        cmocka_unit_test(unsorted_and_repeated_columns_are_not_symmetric),
        cmocka_unit_test(a_matrix_that_is_not_square_is_not_symmetric),
        cmocka_unit_test(rows_far_longer_than_the_others_are_searched_whole),
    };
    return TEST_RUN_HERE(argc, argv, "symmetry", tests);
}
