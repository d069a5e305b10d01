/* See library_calls.h. */
#include "library_calls.h"

static const spg_random number_of_seed = {1, 2, 3};

static spg_status free_product(library_inputs *in, spg_status status, spg_csr *C)
{
    if (status == SPG_OK)
        spg_csr_free(in->context, C);
    else
        test_assert_zeroed(C, sizeof *C);
    return status;
}

/* All by default limits, then some with their rows in each class of the paper. */
static spg_status multiply(library_inputs *in, int number)
{
    spg_csr C;
    const int limits = number < PAIRS ? 0 : 1 + (number - PAIRS) / 2;
    if (number >= PAIRS) number = number % 2 ? 3 : 0;
    assert_int_equal(spg_context_set_row_limits(in->context, &test_limit_sets[limits].limits), SPG_OK);
    const spg_status status = spgemm_csr(in->context, &in->pairs[number].A, &in->pairs[number].B, &C);
    assert_int_equal(spg_context_set_row_limits(in->context, &test_limit_sets[0].limits), SPG_OK);
    return free_product(in, status, &C);
}

static spg_status create_plan(library_inputs *in, int number)
{
    spgemm_plan *plan = NULL;
    const spg_status status = spgemm_plan_create(in->context, &in->pairs[number].A, &in->pairs[number].B, &plan);
    if (status != SPG_OK) assert_null(plan);
    spgemm_plan_destroy(plan);
    return status;
}

static spg_status check_plan(library_inputs *in, int number)
{
    return spgemm_plan_check(in->pairs[number].plan, &in->pairs[number].A, &in->pairs[number].B);
}

static spg_status run_plan(library_inputs *in, int number)
{
    return spgemm_plan_run(in->pairs[number].plan, &in->pairs[number].A, &in->pairs[number].B,
                           &in->pairs[number].product);
}

static spg_status transpose(library_inputs *in, int number)
{
    spg_csr C;
    return free_product(in, spg_csr_transpose(in->context, &in->pairs[number].A, &C), &C);
}

static spg_status check(library_inputs *in, int number) { return spg_csr_check(in->context, &in->pairs[number].A); }

static spg_status sort(library_inputs *in, int number)
{
    spg_csr C;
    spg_status status = spg_csr_copy(in->context, &in->pairs[number].A, &C);
    if (status != SPG_OK) return status;
    status = spg_csr_sort(in->context, &C);
    spg_csr_free(in->context, &C);
    return status;
}

static spg_status to_coo_and_back(library_inputs *in, int number)
{
    spg_coo triples;
    spg_csr C;
    spg_status status = spg_coo_from_csr(in->context, &in->pairs[number].A, &triples);
    if (status != SPG_OK) return status;
    status = spg_coo_sort(in->context, &triples);
    if (status == SPG_OK) {
        status = spg_csr_from_coo(in->context, &triples, SPG_I32, &C);
        free_product(in, status, &C);
    }
    spg_coo_free(in->context, &triples);
    return status;
}

static spg_status spmv(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    return spg_csr_spmv(in->context, NULL, &system->A, system->b, NULL, system->x);
}

static spg_status galerkin(library_inputs *in, int number)
{
    spg_csr C;
    const library_system *system = &in->systems[number];
    return free_product(in, spg_galerkin(in->context, NULL, &system->A, &system->P, &C), &C);
}

static spg_status create_galerkin_plan(library_inputs *in, int number)
{
    spg_galerkin_plan *plan = NULL;
    const library_system *system = &in->systems[number];
    const spg_status status = spg_galerkin_plan_create(in->context, NULL, &system->A, &system->P, &plan);
    spg_galerkin_plan_destroy(plan);
    return status;
}

static spg_status run_galerkin_plan(library_inputs *in, int number)
{
    library_system *system = &in->systems[number];
    return spg_galerkin_plan_run(system->plan, NULL, &system->A, &system->P, &system->product);
}

static spg_status check_galerkin_plan(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    return spg_galerkin_plan_check(system->plan, NULL, &system->A, &system->P);
}

spg_status set_up_system(library_inputs *in, int number, spg_amg **amg)
{
    spg_amg_options options = spg_amg_options_default();
    options.block_size = number == 1 ? 3 : 1;
    options.theta = number == 1 ? 0.01 : 0;
    options.smoother = number == 1 ? SPG_SMOOTHER_CHEBYSHEV : SPG_SMOOTHER_JACOBI;
    options.max_coarse = 20;
    options.prepare_update = 1;
    return spg_amg_setup(in->context, &in->systems[number].A, &options, amg);
}

static spg_status set_up_amg(library_inputs *in, int number)
{
    spg_amg *amg = NULL;
    const spg_status status = set_up_system(in, number, &amg);
    spg_amg_destroy(amg);
    return status;
}

static spg_status update_amg(library_inputs *in, int number)
{
    return spg_amg_update(in->context, in->systems[number].amg, &in->systems[number].A);
}

static spg_status cycle_amg(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    return spg_amg_cycle(in->context, system->amg, system->b, system->x);
}

/* Of few iterations, whether they are enough or not. */
static spg_status solve_amg(library_inputs *in, int number)
{
    const library_system *system = &in->systems[number];
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.max_iterations = 3;
    options.tolerance = 0.9;
    return spg_amg_solve(in->context, system->amg, system->b, system->x, &options, NULL);
}

static spg_status draw_rows(library_inputs *in, int number)
{
    return spg_butterfly_draw(in->context, &in->weights.here, (spg_butterfly_method)number, &number_of_seed, NULL,
                              in->draws);
}

static spg_status draw_lda(library_inputs *in, int number)
{
    return spg_lda_draw(in->context, &in->lda, (spg_butterfly_method)number, &number_of_seed, in->draws);
}

static spg_status build_alias(library_inputs *in, int number)
{
    const spg_alias_options options = {.builder = (spg_alias_builder)(number / 2),
                                       .resolution = (spg_alias_resolution)(number % 2)};
    spg_alias *alias = NULL;
    const spg_status status = spg_alias_build(in->context, &in->weights.here, &options, &alias);
    spg_alias_destroy(alias);
    return status;
}

static spg_status draw_alias(library_inputs *in, int number)
{
    const spg_alias_draw_options options = {(spg_alias_sampler)(number % 5), number == 5};
    return spg_alias_draw(in->context, in->alias, TEST_LENGTHS - 1, DRAWS, &number_of_seed, &options, in->draws);
}

static spg_status build_forest(library_inputs *in, int number)
{
    const spg_forest_options options = {(spg_forest_method)number, 0};
    spg_forest *forest = NULL;
    const spg_status status = spg_forest_build(in->context, &in->weights.here, &options, &forest);
    spg_forest_destroy(forest);
    return status;
}

static spg_status draw_forest(library_inputs *in, int number)
{
    if (number == 0)
        return spg_forest_draw(in->context, in->forest, DRAWS, NULL, &number_of_seed, NULL, in->draws, NULL);
    return spg_forest_draw_stratified(in->context, in->forest, TEST_LENGTHS - 1, DRAWS, &number_of_seed, in->draws,
                                      NULL);
}

static spg_status draw_subsets(library_inputs *in, int number)
{
    spg_csr rows = in->weights.here;
    if (number == 1) rows.columns = NULL;
    return spg_subset_draw(in->context, &rows, 1, &number_of_seed, in->draws);
}

static spg_status draw_trusting(library_inputs *in, int number)
{
    const spg_draw_options trusting = {.trusted = 1};
    assert_int_equal(spg_context_set_draw_options(in->context, &trusting), SPG_OK);
    const spg_status status = draw_rows(in, number);
    assert_int_equal(spg_context_set_draw_options(in->context, NULL), SPG_OK);
    return status;
}

static spg_status random_bits(library_inputs *in, int number)
{
    (void)number;
    return spg_random_bits(in->context, &number_of_seed, DRAWS / 2, (uint64_t *)(void *)in->draws);
}

const library_call library_calls[] = {
    {"spgemm_csr", multiply, PAIRS + 2 * (TEST_LIMITS - 1)},
    {"spgemm_plan_create", create_plan, PAIRS},
    {"spgemm_plan_check", check_plan, PAIRS},
    {"spgemm_plan_run", run_plan, PAIRS},
    {"spg_csr_transpose", transpose, PAIRS},
    {"spg_csr_check", check, PAIRS},
    {"spg_csr_sort", sort, PAIRS},
    {"spg_coo_from_csr and spg_csr_from_coo", to_coo_and_back, PAIRS},
    {"spg_csr_spmv", spmv, SYSTEMS},
    {"spg_csr_add", call_add, SYSTEMS},
    {"spg_csr_scale", call_scale, SYSTEMS},
    {"spg_csr_diagonal", call_diagonal, SYSTEMS},
    {"spg_csr_permute", call_permute, SYSTEMS},
    {"spg_csr_extract", call_extract, SYSTEMS},
    {"spg_csr_drop", call_drop, SYSTEMS},
    {"spg_csr_compare", call_compare, SYSTEMS},
    {"spg_csr_spmm", call_spmm, SYSTEMS},
    {"spg_galerkin", galerkin, SYSTEMS},
    {"spg_galerkin_plan_create", create_galerkin_plan, SYSTEMS},
    {"spg_galerkin_plan_run", run_galerkin_plan, SYSTEMS},
    {"spg_galerkin_plan_check", check_galerkin_plan, SYSTEMS},
    {"spg_amg_setup", set_up_amg, SYSTEMS},
    {"spg_amg_update", update_amg, SYSTEMS},
    {"spg_amg_cycle", cycle_amg, SYSTEMS},
    {"spg_amg_solve", solve_amg, SYSTEMS},
    {"spg_krylov_solve", call_krylov_solve, KRYLOV_CALLS},
    {"spg_amg_apply", call_amg_apply, SYSTEMS},
    {"spg_amg_solve_many, spg_amg_apply_many", call_many, SYSTEMS},
    {"spg_butterfly_draw", draw_rows, 4},
    {"spg_lda_draw", draw_lda, 4},
    {"spg_alias_build", build_alias, 8},
    {"spg_alias_draw", draw_alias, 6},
    {"spg_forest_build", build_forest, 3},
    {"spg_forest_draw", draw_forest, 2},
    {"spg_subset_draw", draw_subsets, 2},
    {"spg_butterfly_draw, trusting", draw_trusting, 4},
    {"spg_random_bits", random_bits, 1},
};
const int library_calls_count = sizeof library_calls / sizeof *library_calls;
