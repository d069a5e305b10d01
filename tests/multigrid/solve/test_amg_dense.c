/* The dense solver of the coarsest level: regular operators, singular ones, and new values. */
#include "amg_systems.h"
#include "fault.h"
#include "matrices_for_tests.h"

#include "amg/amg_backend.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const spg_amg_backend *backend_of(const spg_context *context) { return context->backend->amg; }

/* A random matrix, sparse, its diagonal raised by `shift`; on the host. */
static spg_csr random_matrix(int64_t n, spg_type type, double shift, uint64_t seed)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, n * n, SPG_I32, type, &A), SPG_OK);
    test_random_values(seed, 0, type, n * n, A.values);
    for (int64_t i = 0; i <= n; i++) ((int32_t *)A.row_offsets)[i] = (int32_t)(n * i);
    for (int64_t k = 0; k < n * n; k++) A.columns[k] = (int32_t)(k % n);
    for (int64_t i = 0; i < n; i++)
        test_set_element(A.values, type, i * n + i, test_element(A.values, type, i * n + i) + shift);
    return A;
}

/* The Laplacian of a ring of n nodes, whose null space are the constants. */
static spg_csr ring(int n, spg_type type)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), n, n, 4 * n, SPG_I32, type, &A), SPG_OK);
    for (int i = 0; i <= n; i++) ((int32_t *)A.row_offsets)[i] = 4 * i;
    for (int i = 0; i < n; i++) {
        const int columns[] = {(i + n - 1) % n, i, (i + 1) % n, i}; /* the diagonal in two parts */
        const double values[] = {-1, 1.5, -1, 0.5};
        for (int k = 0; k < 4; k++) {
            A.columns[4 * i + k] = columns[k];
            test_set_element(A.values, type, 4 * i + k, values[k]);
        }
    }
    return A;
}

typedef struct solver {
    spg_context *context;
    spg_amg_dense *dense;
    int64_t n;
    spg_type type;
} solver;

static void create(const spg_csr *A, solver *made)
{
    spg_csr here;
    *made = (solver){.context = test_context_at_place(2), .n = A->rows, .type = A->value_type};
    test_to_place(made->context, A, &here);
    if (backend_of(made->context)->dense_create(made->context, &(spg_amg_dense_source){.A = &here}, &made->dense) !=
        SPG_OK)
        fail_msg("%s", spg_context_message(made->context));
    assert_true(backend_of(made->context)->dense_bytes(made->dense) >=
                A->rows * A->rows * (int64_t)spg_type_size(A->value_type));
    spg_csr_free(made->context, &here);
}

static void update(solver *of, const spg_csr *A)
{
    spg_csr here;
    test_to_place(of->context, A, &here);
    if (backend_of(of->context)->dense_update(of->context, of->dense, &(spg_amg_dense_source){.A = &here}) != SPG_OK)
        fail_msg("%s", spg_context_message(of->context));
    spg_csr_free(of->context, &here);
}

static void destroy(solver *of)
{
    backend_of(of->context)->dense_destroy(of->context, of->dense);
    spg_context_destroy(of->context);
}

/* x, in double, malloc'ed. */
static double *solve(const solver *with, const double *b)
{
    const size_t n = (size_t)with->n, bytes = n * spg_type_size(with->type);
    void *values = calloc(n, sizeof(double));
    double *x = malloc(n * sizeof *x);
    assert_true(values != NULL && x != NULL);
    for (size_t i = 0; i < n; i++) test_set_element(values, with->type, (int64_t)i, b[i]);
    void *b_here = test_lend(values, bytes), *x_here = test_lend(values, bytes);
    assert_int_equal(backend_of(with->context)->dense_solve(with->context, with->dense, b_here, x_here), SPG_OK);
    test_fetch(x_here, bytes, values);
    for (size_t i = 0; i < n; i++) x[i] = test_element(values, with->type, (int64_t)i);
    test_give_back(b_here, bytes);
    test_give_back(x_here, bytes);
    free(values);
    return x;
}

static double eps_of(spg_type type) { return type == SPG_F32 ? FLT_EPSILON : DBL_EPSILON; }

/* A x = b, row by row, within some roundings of the magnitudes in it. */
static void assert_solves(const solver *with, const spg_csr *A, const double *b, double roundings)
{
    double *x = solve(with, b);
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = 0, size = fabs(b[i]) + 1;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            sum += test_element(A->values, A->value_type, k) * x[A->columns[k]];
            size += fabs(test_element(A->values, A->value_type, k) * x[A->columns[k]]);
        }
        assert_true(fabs(sum - b[i]) <= roundings * eps_of(A->value_type) * size);
    }
    free(x);
}

static void regular_operators_are_solved_and_again_with_new_values(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 2, 3, 17, 150};
    for (int s = 0; s < 5; s++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            double b[150];
            solver made;
            test_random_values(9, 0, SPG_F64, 150, b);
            for (int i = 0; i < 150; i++) b[i] = (float)b[i];
            spg_csr A = random_matrix(sizes[s], type, 3, 1), B = random_matrix(sizes[s], type, -4, 2);
            create(&A, &made);
            assert_solves(&made, &A, b, 1000);
            update(&made, &B);
            assert_solves(&made, &B, b, 1000);
            assert_solves(&made, &B, b, 1000); /* solving changes nothing */
            destroy(&made);
            spg_csr_free(test_host(), &A);
            spg_csr_free(test_host(), &B);
        }
}

/* As random_matrix, symmetric. */
static spg_csr symmetric_matrix(int64_t n, spg_type type, double shift, uint64_t seed)
{
    spg_csr A = random_matrix(n, type, shift, seed);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < i; j++)
            test_set_element(A.values, type, i * n + j, test_element(A.values, type, j * n + i));
    return A;
}

/* By tiles without a search for pivots, but for values that are not definite or not symmetric, and after those. */
static void definite_operators_are_solved_and_others_in_their_place(void **state)
{
    (void)state;
    const int64_t sizes[] = {1, 31, 32, 33, 64, 101, 300};
    for (int s = 0; s < 7; s++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            double b[300];
            solver made;
            const int64_t n = sizes[s];
            test_random_values(9, 0, SPG_F64, 300, b);
            for (int i = 0; i < 300; i++) b[i] = (float)b[i];
            const double much = 3 + 2 * sqrt((double)n);
            spg_csr values[] = {symmetric_matrix(n, type, much, 1), symmetric_matrix(n, type, much, 2),
                                symmetric_matrix(n, type, much, 3), random_matrix(n, type, much, 4),
                                symmetric_matrix(n, type, much, 5)};
            test_set_element(values[4].values, type, n - 1, -test_element(values[4].values, type, n - 1));
            test_set_element(values[2].values, type, n * n - 1, -much);
            create(&values[0], &made);
            assert_solves(&made, &values[0], b, 1000);
            for (int k = 1; k < 6; k++) {
                update(&made, &values[k % 5]);
                assert_solves(&made, &values[k % 5], b, 1000);
            }
            destroy(&made);
            for (int k = 0; k < 5; k++) spg_csr_free(test_host(), &values[k]);
        }
}

/* b sums to zero: a solution exists, and the one of least norm does, too. */
static void assert_solves_ring(const solver *with, const spg_csr *A)
{
    const int n = (int)A->rows;
    double *b = calloc((size_t)n, sizeof *b), sum = 0;
    b[0] = 1;
    b[n / 2] = -1;
    assert_solves(with, A, b, 1e4);
    double *x = solve(with, b);
    for (int i = 0; i < n; i++) sum += x[i];
    assert_true(fabs(sum) <= 1e4 * eps_of(A->value_type) * n);
    free(x);
    for (int i = 0; i < n; i++) b[i] = 1; /* no solution: the nearest is zero */
    x = solve(with, b);
    for (int i = 0; i < n; i++) assert_true(fabs(x[i]) <= 100.0 * n * n * eps_of(A->value_type));
    free(x);
    free(b);
}

static void singular_operators_give_the_solution_of_least_norm(void **state)
{
    (void)state;
    const int sizes[] = {3, 16, 101};
    for (int s = 0; s < 3; s++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            solver made;
            spg_csr A = ring(sizes[s], type);
            create(&A, &made);
            assert_solves_ring(&made, &A);
            for (int64_t k = 0; k < A.nnz; k++)
                test_set_element(A.values, type, k, 3 * test_element(A.values, type, k));
            update(&made, &A);
            assert_solves_ring(&made, &A);
            destroy(&made);
            spg_csr_free(test_host(), &A);
        }
}

enum { N_MOST = 70 };

/* As dependent candidates leave them. Zero rows and columns move from one update to the next. */
static void check_zero_rows(int64_t n, bool is_symmetric)
{
    double b[N_MOST];
    solver made = {0};
    test_random_values(4, 0, SPG_F64, N_MOST, b);
    for (int64_t zero = 2; zero < n; zero += 5) {
        spg_csr A =
            is_symmetric ? symmetric_matrix(n, SPG_F64, 3 + 2 * sqrt((double)n), 1) : random_matrix(n, SPG_F64, 4, 1);
        double *values = A.values, sum;
        for (int64_t k = 0; k < n; k++) values[zero * n + k] = values[k * n + zero] = 0;
        if (zero == 2)
            create(&A, &made);
        else
            update(&made, &A);
        double *x = solve(&made, b);
        assert_true(fabs(x[zero]) < 1e-14);
        for (int64_t i = 0; i < n; i++) {
            sum = i == zero ? b[i] : 0;
            for (int64_t j = 0; j < n; j++) sum += values[i * n + j] * x[j];
            assert_true(fabs(sum - b[i]) < 1e-12);
        }
        free(x);
        spg_csr_free(test_host(), &A);
    }
    destroy(&made);
}

static void unknowns_of_zero_rows_are_zero_and_the_others_solved(void **state)
{
    (void)state;
    check_zero_rows(17, false);
    check_zero_rows(17, true);
    check_zero_rows(70, true);
}

/* Symmetric and regular, but the first pivots are not: those after the first are zero until rows are exchanged. */
static void symmetric_operators_whose_first_block_is_singular_are_solved(void **state)
{
    (void)state;
    const int64_t sizes[] = {3, 32, 40};
    for (int s = 0; s < 3; s++)
        for (spg_type type = SPG_F32; type <= SPG_F64; type++) {
            double b[N_MOST];
            solver made;
            const int64_t n = sizes[s];
            spg_csr definite = symmetric_matrix(n, type, 3 + 2 * sqrt((double)n), 1),
                    A = symmetric_matrix(n, type, 3 + 2 * sqrt((double)n), 2);
            for (int64_t k = 0; k < 2 * n; k++)
                test_set_element(A.values, type, k, 0), test_set_element(A.values, type, k % n * n + k / n, 0);
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++) test_set_element(A.values, type, i * n + j, 1);
            test_set_element(A.values, type, n + 2, 1), test_set_element(A.values, type, 2 * n + 1, 1);
            for (int i = 0; i < n; i++) b[i] = 1 + i % 3;
            create(&definite, &made);
            update(&made, &A);
            assert_solves(&made, &A, b, 1000);
            destroy(&made);
            create(&A, &made);
            assert_solves(&made, &A, b, 1000);
            destroy(&made);
            spg_csr_free(test_host(), &definite);
            spg_csr_free(test_host(), &A);
        }
}

static void zeros_give_zeros(void **state)
{
    (void)state;
    solver made;
    spg_csr A = ring(5, SPG_F64);
    const double b[5] = {1, 2, 3, 4, 5};
    memset(A.values, 0, (size_t)A.nnz * sizeof(double));
    create(&A, &made);
    double *x = solve(&made, b);
    for (int i = 0; i < 5; i++) assert_true(x[i] == 0);
    free(x);
    destroy(&made);
    spg_csr_free(test_host(), &A);
}

static void on_the_host_an_operator_that_becomes_singular_is_noticed(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    solver made;
    spg_csr A = ring(12, SPG_F64), singular = ring(12, SPG_F64);
    double b[12] = {1};
    for (int i = 0; i < 12; i++) ((double *)A.values)[4 * i + 1] += 1;
    create(&A, &made);
    assert_solves(&made, &A, b, 1000);
    update(&made, &singular);
    assert_solves_ring(&made, &singular);
    update(&made, &A);
    assert_solves(&made, &A, b, 1000);
    destroy(&made);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &singular);
}

static void each_refused_allocation_is_survived(void **state)
{
    (void)state;
    for (int is_singular = 0; is_singular < 2; is_singular++) {
        test_allocator memory;
        spg_context *context = test_faulty_context(&memory, 2, 0);
        spg_csr A = is_singular ? ring(20, SPG_F64) : random_matrix(20, SPG_F64, 5, 3), here;
        test_to_place(context, &A, &here);
        const int64_t before = test_live(&memory);
        int64_t refused = 0;
        for (int64_t k = 1;; k++, refused++) {
            spg_amg_dense *dense = (spg_amg_dense *)&memory;
            test_fail_at(&memory, k);
            const spg_status status =
                backend_of(context)->dense_create(context, &(spg_amg_dense_source){.A = &here}, &dense);
            if (!test_failed(&memory)) {
                assert_int_equal(status, SPG_OK);
                backend_of(context)->dense_destroy(context, dense);
                break;
            }
            assert_int_equal(status, SPG_ERROR_MEMORY);
            assert_null(dense);
            assert_int_equal(test_live(&memory), before);
        }
        assert_true(refused >= 3);
        test_fail_at(&memory, 0);
        spg_csr_free(context, &here);
        assert_int_equal(test_live(&memory), 0);
        spg_context_destroy(context);
        spg_csr_free(test_host(), &A);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_operators_are_solved_and_again_with_new_values),
        cmocka_unit_test(definite_operators_are_solved_and_others_in_their_place),
        cmocka_unit_test(singular_operators_give_the_solution_of_least_norm),
        cmocka_unit_test(unknowns_of_zero_rows_are_zero_and_the_others_solved),
        cmocka_unit_test(symmetric_operators_whose_first_block_is_singular_are_solved),
        cmocka_unit_test(zeros_give_zeros),
        cmocka_unit_test(on_the_host_an_operator_that_becomes_singular_is_noticed),
        cmocka_unit_test(each_refused_allocation_is_survived),
    };
    return TEST_RUN_HERE(argc, argv, "amg dense", tests);
}
