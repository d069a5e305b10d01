/* Galerkin products and plans of what cannot be multiplied. */
#include "amg_galerkin.h"

#include <string.h>

static void expect(spg_context *context, spg_status status, spg_status expected, const char *word)
{
    assert_int_equal(status, expected);
    test_assert_message(context, word);
}

static void misuse_is_refused_with_the_argument_named(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr A = random_matrix(20, 20, 3, SPG_I32, SPG_F64, 1, 0), P = random_matrix(20, 5, 2, SPG_I32, SPG_F64, 2, 0);
    spg_csr R = random_matrix(5, 20, 2, SPG_I32, SPG_F64, 3, 0), single, C;
    test_random_csr(test_host(), (test_matrix){20, 5, 2, SPG_I32, SPG_F32}, 2, 0, &single);
    galerkin g, f;
    begin(context, &R, &A, &P, &g);
    begin(context, NULL, &A, &single, &f);
    assert_int_equal(spg_galerkin(NULL, NULL, &g.A, &g.P, &C), SPG_ERROR_ARGUMENT);
    expect(context, spg_galerkin(context, NULL, NULL, &g.P, &C), SPG_ERROR_ARGUMENT, "A is NULL");
    expect(context, spg_galerkin(context, NULL, &g.A, NULL, &C), SPG_ERROR_ARGUMENT, "P is NULL");
    expect(context, spg_galerkin(context, NULL, &g.A, &g.P, NULL), SPG_ERROR_ARGUMENT, "C is NULL");
    expect(context, spg_galerkin(context, NULL, &g.A, &g.P, &g.A), SPG_ERROR_ARGUMENT, "C is the same");
    expect(context, spg_galerkin(context, NULL, &g.P, &g.P, &C), SPG_ERROR_SHAPE, "A is 20 x 5");
    expect(context, spg_galerkin(context, NULL, &g.A, &g.R, &C), SPG_ERROR_SHAPE, "P 5 rows");
    expect(context, spg_galerkin(context, &g.P, &g.A, &g.P, &C), SPG_ERROR_SHAPE, "R is 20 x 5");
    expect(context, spg_galerkin(context, NULL, &g.A, &f.P, &C), SPG_ERROR_ARGUMENT, "P holds f32");
    spg_galerkin_plan *plan;
    expect(context, spg_galerkin_plan_create(context, NULL, &g.A, &g.P, NULL), SPG_ERROR_ARGUMENT, "plan is NULL");
    assert_int_equal(spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_OK);
    memset(&C, 0, sizeof C);
    expect(context, spg_galerkin_plan_run(plan, &g.R, &g.A, &g.P, &C), SPG_ERROR_ARGUMENT, "R is given");
    expect(context, spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, NULL), SPG_ERROR_ARGUMENT, "C is NULL");
    expect(context, spg_galerkin_plan_run(plan, NULL, &g.A, &g.R, &C), SPG_ERROR_SHAPE, "P is 5 x 20");
    test_assert_zeroed(&C, sizeof C);
    spg_galerkin_plan_destroy(plan);
    assert_int_equal(spg_galerkin_plan_create(context, &g.R, &g.A, &g.P, &plan), SPG_OK);
    expect(context, spg_galerkin_plan_run(plan, NULL, &g.A, &g.P, &C), SPG_ERROR_ARGUMENT, "R is NULL");
    spg_galerkin_plan_destroy(plan);
    assert_int_equal(spg_galerkin_plan_run(NULL, NULL, &g.A, &g.P, &C), SPG_ERROR_ARGUMENT);
    assert_int_equal(spg_galerkin_plan_stats(NULL, NULL), SPG_ERROR_ARGUMENT);
    spg_galerkin_plan_destroy(NULL);
    end(&f);
    end(&g);
    free_all(&A, &P, &R, &single, NULL);
    spg_context_destroy(context);
}

/* R, A and P of one pattern, and so is C. */
static void a_result_whose_values_are_an_operands_is_refused(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr A = random_matrix(4, 4, 100, SPG_I32, SPG_F64, 1, 0), C = {0};
    const char *const words[] = {"of A overlap", "of P overlap", "of R overlap"};
    galerkin g;
    begin(context, &A, &A, &A, &g);
    for (int transposes = 0; transposes < 2; transposes++) {
        const spg_csr *const R = transposes ? NULL : &g.R;
        spg_galerkin_plan *plan;
        assert_int_equal(spg_galerkin_plan_create(context, R, &g.A, &g.P, &plan), SPG_OK);
        assert_int_equal(spg_galerkin_plan_run(plan, R, &g.A, &g.P, &C), SPG_OK);
        const void *const values[] = {g.A.values, g.P.values, g.R.values};
        for (int k = 0; k < (transposes ? 2 : 3); k++) {
            spg_csr view = C;
            memcpy(&view.values, &values[k], sizeof view.values);
            expect(context, spg_galerkin_plan_run(plan, R, &g.A, &g.P, &view), SPG_ERROR_ARGUMENT, words[k]);
        }
        assert_int_equal(spg_galerkin_plan_run(plan, R, &g.A, &g.P, &C), SPG_OK);
        spg_galerkin_plan_destroy(plan);
        spg_csr_free(context, &C);
    }
    end(&g);
    free_all(&A, NULL, NULL, NULL, NULL);
    spg_context_destroy(context);
}

static void malformed_operands_are_refused_by_name(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr A = random_matrix(20, 20, 3, SPG_I32, SPG_F64, 1, 0), P = random_matrix(20, 5, 2, SPG_I32, SPG_F64, 2, 0);
    spg_csr *operands[] = {&A, &P};
    const char *const words[] = {"A: row 0", "P: row 0"};
    for (int o = 0; o < 2; o++) {
        galerkin g;
        spg_csr C;
        const int32_t kept = operands[o]->columns[1];
        operands[o]->columns[1] = 1000;
        begin(context, NULL, &A, &P, &g);
        expect(context, spg_galerkin(context, NULL, &g.A, &g.P, &C), SPG_ERROR_FORMAT, words[o]);
        test_assert_zeroed(&C, sizeof C);
        spg_galerkin_plan *plan;
        expect(context, spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_ERROR_FORMAT, words[o]);
        assert_null(plan);
        end(&g);
        operands[o]->columns[1] = kept;
    }
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

/* Nothing multiplies an A without entries, but the search for its symmetry reads it. */
static void offsets_of_an_A_without_entries_are_checked(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    spg_csr A = random_matrix(20, 20, 0, SPG_I32, SPG_F64, 1, 0), P = random_matrix(20, 5, 2, SPG_I32, SPG_F64, 2, 0);
    assert_int_equal(A.nnz, 0);
    for (int at = 0; at < 20; at += 7) {
        galerkin g;
        spg_csr C;
        ((int32_t *)A.row_offsets)[at] = 1 << 20;
        begin(context, NULL, &A, &P, &g);
        expect(context, spg_galerkin(context, NULL, &g.A, &g.P, &C), SPG_ERROR_FORMAT, "A: row");
        test_assert_zeroed(&C, sizeof C);
        spg_galerkin_plan *plan;
        expect(context, spg_galerkin_plan_create(context, NULL, &g.A, &g.P, &plan), SPG_ERROR_FORMAT, "A: row");
        assert_null(plan);
        end(&g);
        ((int32_t *)A.row_offsets)[at] = 0;
    }
    free_all(&A, &P, NULL, NULL, NULL);
    spg_context_destroy(context);
}

/* A square matrix with two entries in each row, whose first row ends with the given column. */
typedef struct pairs {
    int32_t offsets[31], columns[60];
    double values[60];
} pairs;

static spg_csr make_pairs(pairs *of, int32_t column)
{
    for (int32_t i = 0; i < 30; i++) {
        of->offsets[i + 1] = 2 * (i + 1);
        of->columns[2 * i] = i > 0 ? i - 1 : 0;
        of->columns[2 * i + 1] = i > 0 ? i : column;
        of->values[2 * i] = of->values[2 * i + 1] = 1;
    }
    of->offsets[0] = 0;
    return spg_csr_view(30, 30, 60, SPG_I32, SPG_F64, SPG_PLACE_HOST, of->offsets, of->columns, of->values);
}

static void expect_other(spg_galerkin_plan *plan, const galerkin *g, bool transposes, spg_status status,
                         const char *word)
{
    expect(g->context, spg_galerkin_plan_check(plan, transposes ? NULL : &g->R, &g->A, &g->P), status, word);
}

static void a_check_of_a_plan_compares_the_patterns_of_all_operands(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(1);
    static pairs arrays[2];
    const spg_csr same = make_pairs(&arrays[0], 1), changed = make_pairs(&arrays[1], 7);
    const char *const words[] = {"A*P, whose B is P: A", "A*P, whose B is P: B", "R*AP, whose A is R"};
    for (int transposes = 0; transposes < 2; transposes++) {
        galerkin g;
        spg_galerkin_plan *plan;
        begin(context, &same, &same, &same, &g);
        assert_int_equal(spg_galerkin_plan_create(context, transposes ? NULL : &g.R, &g.A, &g.P, &plan), SPG_OK);
        for (int which = 0; which < (transposes ? 2 : 3); which++) {
            galerkin other;
            begin(context, which == 2 ? &changed : &same, which == 0 ? &changed : &same, which == 1 ? &changed : &same,
                  &other);
            expect_other(plan, &other, transposes, SPG_ERROR_SHAPE, words[which]);
            end(&other);
        }
        expect_other(plan, &g, !transposes, SPG_ERROR_ARGUMENT, transposes ? "R is given" : "R is NULL");
        assert_int_equal(spg_galerkin_plan_check(plan, transposes ? NULL : &g.R, &g.A, &g.P), SPG_OK);
        assert_int_equal(spg_galerkin_plan_check(NULL, NULL, &g.A, &g.P), SPG_ERROR_ARGUMENT);
        spg_galerkin_plan_destroy(plan);
        end(&g);
    }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(misuse_is_refused_with_the_argument_named),
        cmocka_unit_test(a_result_whose_values_are_an_operands_is_refused),
        cmocka_unit_test(malformed_operands_are_refused_by_name),
        cmocka_unit_test(offsets_of_an_A_without_entries_are_checked),
        cmocka_unit_test(a_check_of_a_plan_compares_the_patterns_of_all_operands),
    };
    return TEST_RUN_HERE(argc, argv, "amg galerkin misuse", tests);
}
