/* The Galerkin product of a symmetric operator: on and above the diagonal the bits of two products, below it those of
 * the mirror image, whichever way the backend makes it. */
#include "amg_galerkin.h"
#include "spgemm/spgemm.h"

#include <stdlib.h>
#include <string.h>

static const spg_type value_types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};

/* What an operator's pattern and its prolongator's are like. */
typedef struct problem {
    int64_t rows, coarse;
    int reach;    /* of an operator's row to either side */
    int share;    /* of the places in reach, in 256ths, that hold entries */
    int spread;   /* a prolongator's row has up to so many columns around its own */
    int scramble; /* what columns of the prolongator are multiplied by, so that neighbours are not */
    bool has_diagonal;
    int64_t hub;       /* a column that many rows of the prolongator have; -1: none */
    int64_t hub_every; /* of which rows; 0: all */
    int64_t wide_rows; /* the first rows of the operator, whose reach is another */
    int wide_reach;
} problem;

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t state = a * 0x100000001 + b;
    return test_random(&state);
}

static void set_offset(spg_csr *matrix, int64_t i, int64_t offset)
{
    if (matrix->offset_type == SPG_I64)
        ((int64_t *)matrix->row_offsets)[i] = offset;
    else
        ((int32_t *)matrix->row_offsets)[i] = (int32_t)offset;
}

static bool has_entry(const problem *shape, int64_t i, int64_t j)
{
    const int64_t low = i < j ? i : j, high = i < j ? j : i;
    if (low < 0 || high >= shape->rows) return false;
    if (high - low > (low < shape->wide_rows ? shape->wide_reach : shape->reach)) return false;
    return low == high ? shape->has_diagonal : (int)(mix((uint64_t)low, (uint64_t)high) % 256) < shape->share;
}

/* The same value at (i, j) and (j, i). */
static spg_csr operator_of(const problem *shape, spg_type offset_type, spg_type type)
{
    spg_csr A;
    const size_t size = spg_type_size(type);
    const int reach = shape->reach > shape->wide_reach ? shape->reach : shape->wide_reach;
    for (int pass = 0; pass < 2; pass++) {
        int64_t nnz = 0;
        for (int64_t i = 0; i < shape->rows; i++) {
            for (int64_t j = i - reach; j <= i + reach; j++) {
                if (!has_entry(shape, i, j)) continue;
                if (pass == 1) {
                    A.columns[nnz] = (int32_t)j;
                    test_random_values(mix((uint64_t)(i + j), (uint64_t)(i * j)), 0, type, 1,
                                       (char *)A.values + (size_t)nnz * size);
                }
                nnz++;
            }
            if (pass == 1) set_offset(&A, i + 1, nnz);
        }
        if (pass == 0)
            assert_int_equal(spg_csr_alloc(test_host(), shape->rows, shape->rows, nnz, offset_type, type, &A), SPG_OK);
    }
    return A;
}

/* Columns of row i of a prolongator, in any order; at most spread + 1. */
static int64_t columns_of(const problem *shape, int64_t i, int32_t *columns)
{
    const int64_t own = i * shape->coarse / shape->rows;
    int64_t count = 1 + (int64_t)(mix((uint64_t)i, 1) % (uint64_t)shape->spread);
    bool has_hub = shape->hub < 0 || (shape->hub_every > 0 && i % shape->hub_every != 0);
    for (int64_t k = 0; k < count; k++) {
        columns[k] = (int32_t)((own + k) * shape->scramble % shape->coarse);
        has_hub = has_hub || columns[k] == shape->hub;
    }
    if (!has_hub) columns[count++] = (int32_t)shape->hub;
    return count;
}

static spg_csr prolongator_of(const problem *shape, spg_type offset_type, spg_type type)
{
    enum { MOST = 8 };
    spg_csr P;
    int32_t columns[MOST];
    int64_t nnz = 0;
    assert_true(shape->spread < MOST);
    for (int64_t i = 0; i < shape->rows; i++) nnz += columns_of(shape, i, columns);
    assert_int_equal(spg_csr_alloc(test_host(), shape->rows, shape->coarse, nnz, offset_type, type, &P), SPG_OK);
    for (int64_t i = 0; i < shape->rows; i++) {
        const int64_t begin = test_offset(&P, i);
        set_offset(&P, i + 1, begin + columns_of(shape, i, P.columns + begin));
    }
    test_random_values(3, 0, type, nnz, P.values);
    return P;
}

/* By two products on the host; below the diagonal the mirror image. */
static spg_csr expected_of(const spg_csr *A, const spg_csr *P)
{
    spg_csr R, AP, C;
    assert_int_equal(spg_csr_transpose(test_host(), P, &R), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), A, P, &AP), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), &R, &AP, &C), SPG_OK);
    spg_csr_free(test_host(), &R);
    spg_csr_free(test_host(), &AP);
    const size_t size = spg_type_size(C.value_type);
    int64_t *next = calloc((size_t)C.rows + 1, sizeof *next); /* of the entries above the diagonal, by row */
    assert_non_null(next);
    for (int64_t i = 0; i < C.rows; i++)
        for (next[i] = test_offset(&C, i); next[i] < test_offset(&C, i + 1) && C.columns[next[i]] <= i;) next[i]++;
    for (int64_t i = 0; i < C.rows; i++)
        for (int64_t k = test_offset(&C, i); k < test_offset(&C, i + 1) && C.columns[k] < i; k++) {
            const int64_t image = next[C.columns[k]]++;
            assert_int_equal(C.columns[image], i);
            memcpy((char *)C.values + (size_t)k * size, (char *)C.values + (size_t)image * size, size);
        }
    free(next);
    return C;
}

/* As a whole, and R*(A*P) alone, of which it returns whether the backend mirrors. */
static bool check(spg_context *context, const problem *shape, spg_type offset_type, spg_type type)
{
    galerkin g;
    spg_csr A = operator_of(shape, offset_type, type), P = prolongator_of(shape, offset_type, type);
    spg_csr expected = expected_of(&A, &P), C, AP, R, host;
    begin(context, NULL, &A, &P, &g);
    if (spg_galerkin(context, NULL, &g.A, &g.P, &C) != SPG_OK) fail_msg("%s", spg_context_message(context));
    test_to_host(context, &C, &host);
    test_assert_same_csr(&host, &expected);
    spg_csr_free(context, &C);
    spg_csr_free(test_host(), &host);
    spgemm_stats whole, stats;
    bool is_mirrored = false;
    assert_int_equal(spgemm_csr(context, &g.A, &g.P, &AP), SPG_OK);
    assert_int_equal(spg_csr_transpose(context, &g.P, &R), SPG_OK);
    assert_int_equal(spgemm_csr(context, &R, &AP, &C), SPG_OK);
    assert_int_equal(spgemm_last_stats(context, &whole), SPG_OK);
    spg_csr_free(context, &C);
    assert_int_equal(spg_multiply_symmetric(context, &R, &AP, &C, &is_mirrored, &stats), SPG_OK);
    assert_int_equal(stats.products, whole.products);
    assert_int_equal(stats.nnz, whole.nnz);
    test_to_host(context, &C, &host);
    if (is_mirrored) test_assert_same_csr(&host, &expected);
    spg_csr *here[] = {&C, &AP, &R}, *there[] = {&A, &P, &expected, &host};
    for (int k = 0; k < 3; k++) spg_csr_free(context, here[k]);
    for (int k = 0; k < 4; k++) spg_csr_free(test_host(), there[k]);
    end(&g);
    return is_mirrored;
}

static bool on_device(void) { return test_place() == SPG_PLACE_DEVICE; }

/* Few rows, many, and many with more entries: a class of its own each. */
static const problem fitting[] = {{3000, 701, 5, 100, 3, 17, true, -1, 0, 0, 0},
                                  {38000, 19001, 3, 140, 2, 17, true, -1, 0, 0, 0},
                                  {28000, 9511, 10, 200, 3, 17, true, -1, 0, 0, 0}};

static void every_type_is_mirrored(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 3; s++)
        for (int t = 0; t < 4; t++)
            for (int wide = 0; wide < 2; wide++)
                assert_int_equal(check(context, &fitting[s], wide ? SPG_I64 : SPG_I32, value_types[t]), on_device());
    spg_context_destroy(context);
}

/* Of an operator without a diagonal, and a prolongator of single entries. */
static void rows_may_have_no_diagonal_and_nothing_on_a_side_of_it(void **state)
{
    (void)state;
    const problem shapes[] = {
        {500, 499, 1, 128, 1, 1, false, -1, 0, 0, 0},    {500, 499, 3, 30, 1, 1, true, -1, 0, 0, 0},
        {30000, 29989, 2, 40, 1, 7, false, -1, 0, 0, 0}, {30000, 9973, 2, 40, 1, 7, false, -1, 0, 0, 0},
        {1, 1, 1, 0, 1, 1, true, -1, 0, 0, 0},           {64, 7, 40, 256, 1, 1, false, -1, 0, 0, 0}};
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 6; s++) assert_int_equal(check(context, &shapes[s], SPG_I32, SPG_F64), on_device());
    spg_context_destroy(context);
}

static void rows_of_more_than_a_hundred_entries_are_mirrored(void **state)
{
    (void)state;
    const problem shapes[] = {{3000, 300, 950, 2, 2, 1, true, -1, 0, 0, 0},
                              {2000, 250, 450, 4, 2, 7, true, -1, 0, 0, 0}};
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 4; t++) assert_int_equal(check(context, &shapes[s], SPG_I32, value_types[t]), on_device());
    spg_context_destroy(context);
}

/* Above all classes. */
static void rows_of_hundreds_of_entries_are_computed_whole(void **state)
{
    (void)state;
    const problem shapes[] = {{2000, 250, 400, 20, 2, 7, true, -1, 0, 0, 0},
                              {3000, 400, 600, 12, 2, 1, true, -1, 0, 0, 0}};
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 2; s++) assert_false(check(context, &shapes[s], SPG_I32, SPG_F64));
    spg_context_destroy(context);
}

/* One row, above the diagonal, below it, and on both sides, has more entries than rows of its product mostly have. */
static void a_long_row_is_mirrored(void **state)
{
    (void)state;
    const int64_t every[] = {337, 5743, 3829}; /* up to 41 entries on a side, 32, 78; all others up to 13 */
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 3; s++) {
        problem with_hub = fitting[s];
        const int64_t hubs[] = {0, with_hub.coarse / 2, with_hub.coarse - 1};
        with_hub.hub_every = every[s];
        for (int h = 0; h < 3; h++) {
            with_hub.hub = hubs[h];
            for (int t = 0; t < 4; t++)
                assert_int_equal(check(context, &with_hub, h == 1 ? SPG_I64 : SPG_I32, value_types[t]), on_device());
        }
    }
    spg_context_destroy(context);
}

/* Of 19001 rows, up to so many entries on each side: 62 of some, 72 of hundreds; 6 of all others. */
static void rows_of_which_some_are_long_are_mirrored(void **state)
{
    (void)state;
    problem shape = fitting[1];
    const int reaches[] = {60, 70};
    spg_context *context = test_context_at_place(2);
    shape.wide_rows = shape.rows / 16;
    for (int r = 0; r < 2; r++) {
        shape.wide_reach = reaches[r];
        for (int t = 0; t < 4; t++)
            assert_int_equal(check(context, &shape, t == 1 ? SPG_I64 : SPG_I32, value_types[t]), on_device());
    }
    spg_context_destroy(context);
}

/* One row that has all columns, and one column that all rows have: long above the diagonal, below it, and both. */
static void a_row_that_is_too_long_is_computed_whole(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 3; s++) {
        problem with_hub = fitting[s];
        const int64_t hubs[] = {0, with_hub.coarse / 2, with_hub.coarse - 1};
        for (int h = 0; h < 3; h++) {
            with_hub.hub = hubs[h];
            assert_false(check(context, &with_hub, h == 1 ? SPG_I64 : SPG_I32, SPG_F64));
        }
    }
    spg_context_destroy(context);
}

/* A device splits the rows of so short a result. */
static void few_rows_of_very_many_products_are_computed_whole(void **state)
{
    (void)state;
    const problem shapes[] = {{9000, 1, 2, 140, 1, 1, true, -1, 0, 0, 0}, {30000, 3, 3, 140, 1, 1, true, -1, 0, 0, 0}};
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 2; s++)
        for (int t = 0; t < 4; t++) assert_false(check(context, &shapes[s], SPG_I32, value_types[t]));
    spg_context_destroy(context);
}

/* The product has the bits of two products, below the diagonal too. */
static void assert_not_mirrored(spg_context *context, const spg_csr *A, const spg_csr *P)
{
    galerkin g;
    spg_csr R, AP, C, expected, host;
    assert_int_equal(spg_csr_transpose(test_host(), P, &R), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), A, P, &AP), SPG_OK);
    assert_int_equal(spgemm_csr(test_host(), &R, &AP, &expected), SPG_OK);
    begin(context, NULL, A, P, &g);
    assert_int_equal(spg_galerkin(context, NULL, &g.A, &g.P, &C), SPG_OK);
    test_to_host(context, &C, &host);
    test_assert_same_csr(&host, &expected);
    spg_csr_free(context, &C);
    end(&g);
    spg_csr *there[] = {&R, &AP, &expected, &host};
    for (int k = 0; k < 4; k++) spg_csr_free(test_host(), there[k]);
}

/* Equal patterns of a matrix and its transpose do not do. */
static void an_operator_with_one_other_value_is_not_mirrored(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int s = 0; s < 3; s++) {
        spg_csr A = operator_of(&fitting[s], SPG_I32, SPG_F64), P = prolongator_of(&fitting[s], SPG_I32, SPG_F64);
        int64_t row = A.rows - 1;
        while (A.columns[test_offset(&A, row)] == row) row--;
        ((double *)A.values)[test_offset(&A, row)] += 0.5; /* below the diagonal */
        assert_not_mirrored(context, &A, &P);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &P);
    }
    spg_context_destroy(context);
}

/* Differences that a sum over all entries could miss, because they are alike or of opposite signs. */
enum difference { NEGATED, HALVED, LAST_BIT, SHIFTED, DIFFERENCES };

static double differing(enum difference kind, double value, int64_t number)
{
    union {
        double value;
        uint64_t bits;
    } word = {value};
    switch (kind) {
    case NEGATED: return -value;
    case HALVED: return value / 2;
    case LAST_BIT: word.bits ^= 1; return word.value;
    default: return number % 2 == 0 ? value + 0.25 : value - 0.25;
    }
}

static void differences_that_are_alike_do_not_cancel(void **state)
{
    (void)state;
    static const problem shape = {600, 170, 5, 200, 3, 17, true, -1, 0, 0, 0};
    spg_context *context = test_context_at_place(2);
    for (int kind = 0; kind < DIFFERENCES; kind++)
        for (int64_t every = 1; every <= 97; every += 32) {
            spg_csr A = operator_of(&shape, SPG_I32, SPG_F64), P = prolongator_of(&shape, SPG_I32, SPG_F64);
            double *values = A.values;
            int64_t below = 0;
            for (int64_t i = 0; i < A.rows; i++)
                for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); k++) {
                    values[k] = (double)(1 + (i + A.columns[k]) % 8);
                    if (A.columns[k] < i && below++ % every == 0)
                        values[k] = differing((enum difference)kind, values[k], below / every);
                }
            assert_not_mirrored(context, &A, &P);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &P);
        }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_mirrored),
        cmocka_unit_test(rows_may_have_no_diagonal_and_nothing_on_a_side_of_it),
        cmocka_unit_test(rows_of_more_than_a_hundred_entries_are_mirrored),
        cmocka_unit_test(rows_of_hundreds_of_entries_are_computed_whole),
        cmocka_unit_test(a_long_row_is_mirrored),
        cmocka_unit_test(rows_of_which_some_are_long_are_mirrored),
        cmocka_unit_test(a_row_that_is_too_long_is_computed_whole),
        cmocka_unit_test(few_rows_of_very_many_products_are_computed_whole),
        cmocka_unit_test(an_operator_with_one_other_value_is_not_mirrored),
        cmocka_unit_test(differences_that_are_alike_do_not_cancel),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin symmetric", tests);
}
