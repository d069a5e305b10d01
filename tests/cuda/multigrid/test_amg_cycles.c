/* What cycles and solves are made of gives the same on a device as on the host, to rounding: vectors, sweeps, and the
 * dense solver of regular and singular operators. */
#include "sides.h"

#include "backend.h"
#include "memory.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const spg_type real_types[] = {SPG_F64, SPG_F32};

/* The scalars of conjugate gradients, and a dot product. */
enum { RR, PQ, RZ, RZ_BEFORE, HAS_ENDED, DOT, SCALARS };
static_assert(offsetof(spg_amg_cg_scalars, has_ended) == HAS_ENDED * sizeof(double), "the scalars are an array");
enum { VECTORS = 5 };

/* The same vectors and scalars on both sides. */
typedef struct vectors {
    side sides[SIDES];
    spg_type type;
    int64_t n;
    void *v[SIDES][VECTORS];
    double *scalars[SIDES];
    void *workspace[SIDES];
    int64_t workspace_bytes[SIDES];
} vectors;

static int64_t bytes_of(const vectors *o) { return o->n * (int64_t)spg_type_size(o->type); }

static void open_vectors(vectors *o, spg_type type, int64_t n)
{
    const double scalars[SCALARS] = {2, 1.5, 0.75, -1, 0, 0};
    open_sides(o->sides);
    o->type = type;
    o->n = n;
    void *values = malloc((size_t)bytes_of(o) + 1);
    assert_non_null(values);
    for (int s = 0; s < SIDES; ++s) {
        for (int k = 0; k < VECTORS; ++k) {
            test_random_values(20 + (uint64_t)k, 0, type, n, values);
            o->v[s][k] = put(&o->sides[s], values, bytes_of(o));
        }
        o->scalars[s] = put(&o->sides[s], scalars, sizeof scalars);
        o->workspace_bytes[s] = o->sides[s].stages->dot_bytes(type, n);
        o->workspace[s] = put(&o->sides[s], NULL, o->workspace_bytes[s]);
    }
    free(values);
}

static void close_vectors(vectors *o)
{
    for (int s = 0; s < SIDES; ++s) {
        for (int k = 0; k < VECTORS; ++k) drop(&o->sides[s], o->v[s][k], bytes_of(o));
        drop(&o->sides[s], o->scalars[s], SCALARS * 8);
        drop(&o->sides[s], o->workspace[s], o->workspace_bytes[s]);
    }
    close_sides(o->sides);
}

static void assert_vector_agrees(const vectors *o, int k, const char *where)
{
    void *values[SIDES];
    for (int s = 0; s < SIDES; ++s) {
        values[s] = malloc((size_t)bytes_of(o) + 1);
        assert_non_null(values[s]);
        get(&o->sides[s], o->v[s][k], bytes_of(o), values[s]);
    }
    assert_values_agree(o->type, o->n, values[HOST], values[DEVICE], rounding(o->type), where);
    free(values[HOST]);
    free(values[DEVICE]);
}

static void assert_scalar_agrees(const vectors *o, int k, double scale, const char *where)
{
    double found[SIDES][SCALARS];
    for (int s = 0; s < SIDES; ++s) get(&o->sides[s], o->scalars[s], sizeof found[s], found[s]);
    if (!(fabs(found[HOST][k] - found[DEVICE][k]) <= rounding(SPG_F64) * scale))
        fail_msg("%s: %.17g on the host, %.17g on the device", where, found[HOST][k], found[DEVICE][k]);
}

static void assert_scalar(const side *at, const double *scalar, double expected)
{
    double found = NAN;
    get(at, scalar, sizeof found, &found);
    assert_true(found == expected);
}

static const int64_t lengths[] = {0, 1, 31, 1000, 4097, 300001, 2500000};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

static void vectors_are_added_and_multiplied_alike(void **state)
{
    (void)state;
    for (int k = 0; k < 2 * LENGTHS; ++k) {
        vectors o;
        open_vectors(&o, real_types[k % 2], lengths[k / 2]);
        for (int s = 0; s < SIDES; ++s) {
            const side *at = &o.sides[s];
            const spg_amg_backend *stages = at->stages;
            double *scalars = o.scalars[s];
            spg_amg_cg_scalars *of_step = (spg_amg_cg_scalars *)scalars, read;
            unsigned int number = 0;
            assert_int_equal(stages->axpby(at->context, o.type, o.n, 2, o.v[s][0], 0, o.v[s][1]), SPG_OK);
            assert_int_equal(stages->axpby(at->context, o.type, o.n, -0.3, o.v[s][1], 0.7, o.v[s][2]), SPG_OK);
            assert_int_equal(stages->dot(at->context, o.type, o.n, o.v[s][1], o.v[s][2], o.workspace[s], scalars + DOT),
                             SPG_OK);
            assert_int_equal(stages->cg_direction(at->context, o.type, o.n, of_step, o.v[s][3], o.v[s][0]), SPG_OK);
            const spg_amg_cg_vectors moved = {o.v[s][0], o.v[s][1], o.v[s][3], o.v[s][4]};
            assert_int_equal(stages->cg_step(at->context, o.type, o.n, 0, of_step, &moved, o.workspace[s], &number),
                             SPG_OK);
            assert_int_equal(stages->cg_read(at->context, of_step, number, &read), SPG_OK);
            assert_true(read.rz == 0.75 && read.pq == 1.5);
            assert_scalar(at, scalars + RR, read.rr);
            assert_scalar(at, scalars + RZ_BEFORE, 0.75);
            assert_scalar(at, scalars + HAS_ENDED, o.n == 0);
        }
        for (int v = 0; v < VECTORS; ++v) assert_vector_agrees(&o, v, "a vector");
        assert_scalar_agrees(&o, DOT, (double)o.n, "a dot product");
        assert_scalar_agrees(&o, RR, (double)o.n, "a residual's square");
        close_vectors(&o);
    }
}

static void check_no_step(double rz, double pq, double has_ended)
{
    vectors o;
    open_vectors(&o, SPG_F64, 5000);
    const double scalars[SCALARS] = {[PQ] = pq, [RZ] = rz, [HAS_ENDED] = has_ended};
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &o.sides[s];
        drop(at, o.scalars[s], sizeof scalars);
        o.scalars[s] = put(at, scalars, sizeof scalars);
        spg_amg_cg_scalars *of_step = (spg_amg_cg_scalars *)o.scalars[s];
        unsigned int number = 0;
        const spg_amg_cg_vectors moved = {o.v[s][0], o.v[s][1], o.v[s][2], o.v[s][3]};
        const int64_t bytes = bytes_of(&o);
        void *const before = malloc((size_t)bytes), *const after = malloc((size_t)bytes);
        assert_true(before != NULL && after != NULL);
        get(at, o.v[s][2], bytes, before);
        assert_int_equal(at->stages->cg_step(at->context, o.type, o.n, 0, of_step, &moved, o.workspace[s], &number),
                         SPG_OK);
        assert_scalar(at, o.scalars[s] + HAS_ENDED, 1);
        get(at, o.v[s][2], bytes, after);
        assert_memory_equal(before, after, (size_t)bytes);
        free(before);
        free(after);
        assert_int_equal(at->stages->cg_direction(at->context, o.type, o.n, of_step, o.v[s][0], o.v[s][4]), SPG_OK);
    }
    for (int v = 0; v < VECTORS; ++v) assert_vector_agrees(&o, v, "a vector");
    assert_scalar_agrees(&o, RR, (double)o.n, "a residual's square");
    close_vectors(&o);
}

static void a_step_that_is_none_moves_nothing(void **state)
{
    (void)state;
    const double numbers[][2] = {{1, 0}, {1, -2}, {-1, 2}, {-1, -2}, {0, 1}, {NAN, 1}, {1, NAN}, {INFINITY, 1}};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k) check_no_step(numbers[k][0], numbers[k][1], 0);
    check_no_step(0.75, 1.5, 1);
}

/* What comes of Jacobi's sweeps, or of Chebyshev's, is there at the end. */
static void relax(const vectors *o, int s, const spg_csr *A, bool by_jacobi)
{
    const side *at = &o->sides[s];
    const spg_amg_backend *stages = at->stages;
    void *const *v = o->v[s];
    const double *rho = o->scalars[s] + 1;
    const spg_amg_relaxation jacobi[] = {{.inverse = v[0], .rho = rho, .scale = 0.9, .step = -1, .b = v[1], .y = v[2]},
                                         {.inverse = v[0], .scale = 0.9, .step = -1, .b = v[1], .x = v[2], .y = v[3]}};
    for (int k = 0; k < 2; ++k) assert_int_equal(stages->relax(at->context, A, &jacobi[k]), SPG_OK);
    if (by_jacobi) return;
    for (int k = 0; k < 3; ++k) {
        const spg_amg_relaxation step = {.inverse = v[0],
                                         .rho = rho,
                                         .ratio = 30,
                                         .step = k,
                                         .b = v[1],
                                         .x = k == 0 ? NULL : v[k == 1 ? 2 : 3],
                                         .d = v[4],
                                         .y = v[k == 1 ? 3 : 2]};
        assert_int_equal(stages->relax(at->context, A, &step), SPG_OK);
    }
    assert_int_equal(stages->residual(at->context, A, v[1], v[2], v[3]), SPG_OK);
}

static void sweeps_and_residuals_agree(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:40", "fe2d9:33",   "fd3d7:40",  "fe3d27:20", "elast3d:9",
                                 "rmat10",   "arrow:5000", "empty:100", "tet3d:12"};
    for (int m = 0; m < 9; ++m)
        for (int t = 0; t < 4; ++t) {
            vectors o;
            spg_csr A;
            generate(names[m], real_types[t % 2], &A);
            open_vectors(&o, real_types[t % 2], A.rows);
            for (int s = 0; s < SIDES; ++s) {
                spg_csr here;
                put_matrix(&o.sides[s], &A, &here);
                assert_int_equal(o.sides[s].stages->inverse_diagonal(o.sides[s].context, &here, true, o.v[s][0]),
                                 SPG_OK);
                relax(&o, s, &here, t < 2);
                spg_csr_free(o.sides[s].context, &here);
            }
            for (int v = 0; v < VECTORS; ++v) assert_vector_agrees(&o, v, names[m]);
            spg_csr_free(test_host(), &A);
            close_vectors(&o);
        }
}

/* x = A^-1 b by either side, twice: after a creation for other values, and an update. */
static void solve_densely(const side *at, const spg_csr *A, const void *b, void *x)
{
    spg_amg_dense *dense = NULL;
    spg_csr here;
    const int64_t vector = A->rows * (int64_t)spg_type_size(A->value_type);
    put_matrix(at, A, &here);
    void *b_here = put(at, b, vector), *x_here = put(at, NULL, vector);
    assert_int_equal(at->stages->dense_create(at->context, &(spg_amg_dense_source){.A = &here}, &dense), SPG_OK);
    assert_true(at->stages->dense_bytes(dense) > 0);
    assert_int_equal(at->stages->dense_update(at->context, dense, &(spg_amg_dense_source){.A = &here}), SPG_OK);
    assert_int_equal(at->stages->dense_solve(at->context, dense, b_here, x_here), SPG_OK);
    get(at, x_here, vector, x);
    at->stages->dense_destroy(at->context, dense);
    drop(at, b_here, vector);
    drop(at, x_here, vector);
    spg_csr_free(at->context, &here);
}

/* ||b - A x|| <= tolerance (||A|| ||x|| + ||b||), largest magnitudes. */
static void assert_solves(const spg_csr *A, const void *b, const void *x, double tolerance, const char *where)
{
    double worst = 0, scale = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double sum = value_of(A->value_type, b, i), size = fabs(sum);
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k) {
            const double product = value_of(A->value_type, A->values, k) * value_of(A->value_type, x, A->columns[k]);
            sum -= product;
            size += fabs(product);
        }
        worst = fmax(worst, fabs(sum));
        scale = fmax(scale, size);
    }
    if (!(worst <= tolerance * scale)) fail_msg("%s: the residual is %g of %g", where, worst, scale);
}

/* Past so many rows the host takes long. */
enum { MOST_COMPARED = 700 };

static void check_dense(const spg_csr *A, bool is_regular, double tolerance, const char *where)
{
    side sides[SIDES];
    const int64_t n = A->rows;
    void *x[SIDES] = {malloc((size_t)n * 8 + 1), malloc((size_t)n * 8 + 1)}, *b = malloc((size_t)n * 8 + 1);
    assert_true(x[HOST] != NULL && x[DEVICE] != NULL && b != NULL);
    test_random_values(6, 0, A->value_type, n, b);
    open_sides(sides);
    for (int s = n > MOST_COMPARED ? DEVICE : HOST; s < SIDES; ++s) solve_densely(&sides[s], A, b, x[s]);
    if (n <= MOST_COMPARED) assert_values_agree(A->value_type, n, x[HOST], x[DEVICE], tolerance, where);
    if (is_regular) assert_solves(A, b, x[DEVICE], rounding(A->value_type), where);
    close_sides(sides);
    free(x[HOST]);
    free(x[DEVICE]);
    free(b);
}

static void dense_operators_are_solved_alike(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:1",  "fd2d5:2",  "fd2d5:6",  "fd2d5:22",  "fe3d27:8", "fd2d5:26",
                                 "fd3d7:11", "fd2d5:45", "fd2d5:60", "solid3d:6", "tet3d:7"};
    for (int m = 0; m < 11; ++m)
        for (int t = 0; t < 2; ++t) {
            spg_csr A;
            generate(names[m], real_types[t], &A);
            check_dense(&A, true, t == 0 ? 1e-9 : 1e-4, names[m]);
            spg_csr_free(test_host(), &A);
        }
}

/* Row sums become zero: a Neumann problem. */
static void make_singular(const spg_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        double *values = A->values, sum = 0;
        int64_t diagonal = -1;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k)
            if (A->columns[k] == i)
                diagonal = k;
            else
                sum += values[k];
        assert_true(diagonal >= 0);
        values[diagonal] = -sum;
    }
}

static void singular_operators_are_solved_with_the_least_norm_alike(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:2", "fd2d5:10", "fe3d27:5", "fd3d7:6"};
    for (int m = 0; m < 4; ++m) {
        spg_csr A;
        generate(names[m], SPG_F64, &A);
        make_singular(&A);
        check_dense(&A, false, 1e-9, names[m]);
        spg_csr_free(test_host(), &A);
    }
}

/* Every seventh unknown, its row and its column zero; duplicates and unsorted rows elsewhere. */
static void unknowns_without_entries_are_left_at_zero_alike(void **state)
{
    (void)state;
    spg_csr A;
    test_random_csr(test_host(), (test_matrix){200, 200, 12, SPG_I64, SPG_F64}, 9, TEST_UNSORTED | TEST_DUPLICATES, &A);
    double *values = A.values;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); ++k)
            if (i % 7 == 0 || A.columns[k] % 7 == 0)
                values[k] = 0;
            else if (A.columns[k] == i)
                values[k] += 20;
    /* Rows that come out empty make it singular in other ways, too. */
    check_dense(&A, false, 1e-8, "a matrix with unused unknowns");
    spg_csr_free(test_host(), &A);
}

static void a_dense_operator_that_is_not_finite_is_refused(void **state)
{
    (void)state;
    side sides[SIDES];
    spg_csr A;
    open_sides(sides);
    generate("fd2d5:9", SPG_F64, &A);
    ((double *)A.values)[100] = NAN;
    for (int s = 0; s < SIDES; ++s) {
        spg_csr here;
        spg_amg_dense *dense = NULL;
        put_matrix(&sides[s], &A, &here);
        assert_int_equal(sides[s].stages->dense_create(sides[s].context, &(spg_amg_dense_source){.A = &here}, &dense),
                         SPG_ERROR_BREAKDOWN);
        assert_null(dense);
        spg_csr_free(sides[s].context, &here);
    }
    spg_csr_free(test_host(), &A);
    close_sides(sides);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_added_and_multiplied_alike),
        cmocka_unit_test(a_step_that_is_none_moves_nothing),
        cmocka_unit_test(sweeps_and_residuals_agree),
        cmocka_unit_test(dense_operators_are_solved_alike),
        cmocka_unit_test(singular_operators_are_solved_with_the_least_norm_alike),
        cmocka_unit_test(unknowns_without_entries_are_left_at_zero_alike),
        cmocka_unit_test(a_dense_operator_that_is_not_finite_is_refused),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid's cycles on a device", tests);
}
