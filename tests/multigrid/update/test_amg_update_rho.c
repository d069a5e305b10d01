/* The spectral radii of updates hang on the values alone, not on how many steps roundings let Lanczos make, nor on what
 * they leave where there is nothing to be found any more. */
#include "amg_reference.h"
#include "generators.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matrices from A, at 0, to B, at 1, and the updates of a hierarchy with them. */
typedef struct path {
    const spg_csr *A, *B;
    spg_csr between;
    test_system *system;
} path;

/* Each coupling of A times 0.1 to 1.9, on both sides of the diagonal alike; the diagonal makes up for it. */
static void vary(spg_csr *A)
{
    double *values = A->values;
    for (int64_t i = 0; i < A->rows; i++) {
        int64_t diagonal = -1;
        double lost = 0;
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
            const int64_t j = A->columns[k], least = i < j ? i : j;
            uint64_t seed = (uint64_t)(least * A->rows + (i + j - least));
            const double change = 0.9 * values[k] * ((double)(test_random(&seed) >> 11) * 0x1p-52 - 1);
            if (i == j) diagonal = k;
            if (i == j) continue;
            values[k] += change;
            lost += change;
        }
        values[diagonal] -= lost;
    }
}

static double rho_at(path *p, double t)
{
    spg_csr here;
    spg_amg_level_view view;
    const double *from = p->A->values, *to = p->B->values;
    double *values = p->between.values;
    for (int64_t k = 0; k < p->A->nnz; k++) values[k] = from[k] + t * (to[k] - from[k]);
    test_to_place(p->system->context, &p->between, &here);
    assert_int_equal(spg_amg_update(p->system->context, p->system->amg, &here), SPG_OK);
    assert_int_equal(spg_amg_level(p->system->amg, 0, &view), SPG_OK);
    spg_csr_free(p->system->context, &here);
    return view.rho;
}

/* How far rho goes within 2^-20 of the path somewhere between these two places: bisection keeps to the half in which it
 * goes farther, and so finds a jump if that is most of what there is. */
static double jump_between(path *p, double begin, double end)
{
    double first = rho_at(p, begin), last = rho_at(p, end);
    while (end - begin > 0x1p-20) {
        const double middle = begin + (end - begin) / 2, rho = rho_at(p, middle);
        const bool in_first = fabs(rho - first) > fabs(last - rho);
        if (in_first) {
            end = middle;
            last = rho;
        } else {
            begin = middle;
            first = rho;
        }
    }
    return fabs(last - first);
}

static void rho_does_not_jump_where_a_step_more_is_made(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:40", "fd3d7:10", "tri2d:30"};
    for (int n = 0; n < 3; n++) {
        const spg_csr A = test_generate(names[n], SPG_F64);
        const spg_amg_options options = spg_amg_options_default();
        spg_csr B;
        test_system system;
        path p = {&A, &B, {0}, &system};
        assert_int_equal(spg_csr_copy(test_host(), &A, &B), SPG_OK);
        assert_int_equal(spg_csr_copy(test_host(), &A, &p.between), SPG_OK);
        vary(&B);
        test_system_begin(&A, &options, 1, &system);
        for (int part = 0; part < 16; part++) {
            const double jump = jump_between(&p, part / 16.0, (part + 1) / 16.0);
            if (!(jump <= 2e-5)) fail_msg("%s, part %d: rho jumps by %g", names[n], part, jump);
        }
        spg_csr_free(test_host(), &p.between);
        spg_csr_free(test_host(), &B);
        test_system_end(&system);
    }
}

/* ---- Small systems, whose space Lanczos soon exhausts ----------------------------------------------------------- */

enum { MOST_ROWS = 20 };

typedef double dense[MOST_ROWS][MOST_ROWS];

/* A graph's Laplacian and a half: edges at random, and for two of three systems those between neighbours. */
static void draw_system(uint64_t *state, int rows, dense A)
{
    const bool has_path = test_random(state) % 3 > 0;
    memset(A, 0, sizeof(dense));
    for (int edges = (int)(test_random(state) % (uint64_t)(2 * rows)); edges >= 0; edges--) {
        const uint64_t i = test_random(state) % (uint64_t)rows, j = test_random(state) % (uint64_t)rows;
        if (i != j) A[i][j] = A[j][i] = -1;
    }
    for (int i = 0; has_path && i + 1 < rows; i++) A[i][i + 1] = A[i + 1][i] = -1;
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int j = 0; j < rows; j++) sum += i == j ? 0 : A[i][j];
        A[i][i] = 0.5 - sum;
    }
}

/* Each row and column times 1 to 2: D^-1 A keeps its spectrum. */
static void scale(uint64_t *state, int rows, dense A)
{
    double factors[MOST_ROWS];
    for (int i = 0; i < rows; i++) factors[i] = 1 + (double)(test_random(state) >> 11) * 0x1p-53;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) A[i][j] *= factors[i] * factors[j];
}

static void compress(int rows, dense A, spg_type type, spg_csr *out)
{
    int64_t nnz = 0, k = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) nnz += A[i][j] != 0;
    assert_int_equal(spg_csr_alloc(test_host(), rows, rows, nnz, SPG_I32, type, out), SPG_OK);
    int32_t *offsets = out->row_offsets;
    offsets[0] = 0;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < rows; j++) {
            if (A[i][j] == 0) continue;
            out->columns[k] = j;
            test_set_element(out->values, type, k++, A[i][j]);
        }
        offsets[i + 1] = (int32_t)k;
    }
}

/* After an update with the same system, scaled; 0 where there is one level. */
static double rho_of_update(uint64_t seed, spg_type type)
{
    const int rows = 3 + (int)(test_random(&seed) % (MOST_ROWS - 2));
    spg_amg_options options = spg_amg_options_default();
    spg_amg_level_view view = {0};
    test_system system;
    spg_csr first, then, here;
    dense A;
    options.max_coarse = 1;
    options.spectral_steps = 25;
    draw_system(&seed, rows, A);
    compress(rows, A, type, &first);
    scale(&seed, rows, A);
    compress(rows, A, type, &then);
    test_system_begin(&first, &options, 1, &system);
    if (spg_amg_levels(system.amg) > 1) {
        test_to_place(system.context, &then, &here);
        assert_int_equal(spg_amg_update(system.context, system.amg, &here), SPG_OK);
        assert_int_equal(spg_amg_level(system.amg, 0, &view), SPG_OK);
        spg_csr_free(system.context, &here);
    }
    spg_csr_free(test_host(), &then);
    test_system_end(&system);
    return view.rho;
}

static void rho_is_the_same_of_floats_and_of_doubles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 150; seed++) {
        const double floats = rho_of_update(seed, SPG_F32), doubles = rho_of_update(seed, SPG_F64);
        if (!(fabs(floats - doubles) <= 1e-3 * doubles))
            fail_msg("seed %d: rho is %.7g of floats and %.7g of doubles", (int)seed, floats, doubles);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rho_does_not_jump_where_a_step_more_is_made),
                                       cmocka_unit_test(rho_is_the_same_of_floats_and_of_doubles)};
    return TEST_RUN_HERE(argc, argv, "amg update rho", tests);
}
