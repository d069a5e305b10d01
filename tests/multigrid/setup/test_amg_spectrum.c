/* The estimate of rho that is made unless steps are given, beside that of many steps, on levels of hierarchies. */
#include "amg/amg_backend.h"
#include "amg_reference.h"
#include "amg_systems.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STEPS = 15, MANY = 120 };

/* Of A, at the context's place, where these arrays lie too. steps 0: until it has settled. */
static void find_radius(spg_context *context, const spg_csr *A, int steps, uint64_t seed, void *inverse,
                        void *workspace, double *rho)
{
    const spg_amg_backend *backend = context->backend->amg;
    const spg_amg_radius by = {.steps = steps > 0 ? steps : MOST_STEPS, .settles = steps == 0, .seed = seed};
    assert_int_equal(backend->inverse_diagonal(context, A, false, inverse), SPG_OK);
    assert_int_equal(backend->spectral_radius(context, A, inverse, &by, workspace, NULL, rho), SPG_OK);
}

/* Of a host matrix, at the place under test or on the host. */
static double radius_of(spg_context *context, const spg_csr *A, int steps, uint64_t seed)
{
    const size_t bytes = (size_t)A->rows * spg_type_size(A->value_type);
    const size_t room = (size_t)context->backend->amg->spectral_bytes(A, steps > 0 ? steps : MOST_STEPS);
    double rho = -1;
    void *inverse = calloc(bytes, 1), *workspace = calloc(room, 1);
    assert_true(inverse != NULL && workspace != NULL);
    if (context == test_host()) {
        find_radius(context, A, steps, seed, inverse, workspace, &rho);
    } else {
        spg_csr here;
        test_to_place(context, A, &here);
        void *inverse_here = test_lend(inverse, bytes), *workspace_here = test_lend(workspace, room);
        double *rho_here = test_lend(&rho, sizeof rho);
        find_radius(context, &here, steps, seed, inverse_here, workspace_here, rho_here);
        test_fetch(rho_here, sizeof rho, &rho);
        test_give_back(rho_here, sizeof rho);
        test_give_back(workspace_here, room);
        test_give_back(inverse_here, bytes);
        spg_csr_free(context, &here);
    }
    free(inverse);
    free(workspace);
    return rho;
}

/* Adds levels' estimates that 15 steps do not give, so that a test of nothing shows. */
static void check_levels(const char *name, spg_type type, int *settled)
{
    spg_amg_options options = spg_amg_options_default();
    test_system system;
    test_hierarchy hierarchy;
    const spg_csr A = test_generate(name, type);
    options.max_coarse = 60;
    test_system_begin(&A, &options, 2, &system);
    test_fetch_hierarchy(&system, &hierarchy);
    for (int l = 0; l + 1 < hierarchy.levels; l++) {
        const spg_csr *level = &hierarchy.level[l].A;
        const double truth = radius_of(system.context, level, MANY, 99);
        for (uint64_t seed = 0; seed < 3; seed++) {
            const double rho = radius_of(system.context, level, 0, seed);
            if (!(rho >= 0.96 * truth && rho <= 1.04 * truth))
                fail_msg("%s, level %d, seed %d: rho is %g, of many steps %g", name, l, (int)seed, rho, truth);
            *settled += rho != radius_of(system.context, level, MOST_STEPS, seed);
        }
        const double made = radius_of(system.context, level, 0, options.seed);
        if (!(fabs(made - hierarchy.level[l].view.rho) <= 1e-12 * made))
            fail_msg("%s, level %d: rho of set-up is %.15g, alone %.15g", name, l, hierarchy.level[l].view.rho, made);
    }
    test_free_hierarchy(&hierarchy);
    test_system_end(&system);
}

static void by_default_rho_is_within_4_percent_of_that_of_many_steps(void **state)
{
    (void)state;
    const char *const names[] = {"fd2d5:60", "fd3d7:20", "fe2d9:60", "fe3d27:16", "tri2d:50", "tet3d:12", "aniso2d:50"};
    int settled = 0;
    for (int n = 0; n < 7; n++) check_levels(names[n], n % 3 == 2 ? SPG_F32 : SPG_F64, &settled);
    assert_true(settled > 20);
}

/* Of an arrow only the start's smallest parts tell of the eigenvalues apart from 1. */
static void eigenvalues_apart_from_the_others_are_found(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    for (int n = 100; n <= 12800; n *= 2) {
        char name[32];
        snprintf(name, sizeof name, "arrow:%d", n);
        spg_csr A = test_generate(name, SPG_F64);
        const double rho = radius_of(context, &A, 0, 0), truth = radius_of(context, &A, 20, 0);
        if (!(fabs(rho - truth) <= 1e-3 * truth)) fail_msg("%s: rho is %g, of 20 steps %g", name, rho, truth);
        spg_csr_free(test_host(), &A);
    }
    spg_context_destroy(context);
}

/* The device tests whether the estimate has settled by other means than the host. */
static void the_place_does_not_change_rho(void **state)
{
    (void)state;
    spg_context *context = test_context_at_place(2);
    const char *const names[] = {"fd2d5:90", "fd3d7:24", "fe3d27:18", "tri2d:60", "tet3d:14"};
    for (int n = 0; n < 5; n++) {
        spg_csr A = test_generate(names[n], SPG_F64);
        for (uint64_t seed = 0; seed < 8; seed++) {
            const double here = radius_of(context, &A, 0, seed);
            const double there = radius_of(test_host(), &A, 0, seed);
            if (!(fabs(here - there) <= 1e-11 * there))
                fail_msg("%s, seed %d: rho is %.15g, on the host %.15g", names[n], (int)seed, here, there);
        }
        spg_csr_free(test_host(), &A);
    }
    spg_context_destroy(context);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_default_rho_is_within_4_percent_of_that_of_many_steps),
                                       cmocka_unit_test(eigenvalues_apart_from_the_others_are_found),
                                       cmocka_unit_test(the_place_does_not_change_rho)};
    return TEST_RUN_HERE(argc, argv, "amg spectrum", tests);
}
