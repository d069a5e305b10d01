/* See library_calls.h. */
#include "library_calls.h"

#include "generators.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

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

static spg_status set_up(library_inputs *in, int number, spg_amg **amg)
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
    const spg_status status = set_up(in, number, &amg);
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

static void lend_matrix(spg_csr *host, spg_csr *here)
{
    test_to_place(test_lender(), host, here);
    spg_csr_free(test_host(), host);
}

static void lend_random(int64_t rows, int64_t cols, double mean, spg_type offsets, unsigned flags, spg_csr *here)
{
    spg_csr host;
    test_random_csr(test_host(), (test_matrix){rows, cols, mean, offsets, SPG_F64}, (uint64_t)rows, flags, &host);
    lend_matrix(&host, here);
}

static void lend_generated(const char *name, spg_csr *here)
{
    spg_csr host;
    assert_int_equal(generate_matrix(test_host(), name, 1, SPG_F64, &host), SPG_OK);
    lend_matrix(&host, here);
}

/* Rows of every class, and operands that some classes cannot do. */
static void open_pairs(library_inputs *in)
{
    const unsigned any = TEST_UNSORTED | TEST_DUPLICATES;
    const struct {
        int64_t rows;
        double a_mean, b_mean;
        spg_type a_offsets, b_offsets;
        unsigned b_flags;
    } shapes[] = {{3000, 4, 3, SPG_I32, SPG_I32, 0},
                  {700, 30, 30, SPG_I32, SPG_I32, 0},
                  {300, 90, 70, SPG_I64, SPG_I32, 0},
                  {500, 8, 8, SPG_I32, SPG_I64, any},
                  {4000, 12, 9, SPG_I32, SPG_I32, 0}};
    const char *const names[] = {"fd2d5:60", "fe3d27:10", "elast3d:5"};
    for (int p = 0; p < PAIRS; ++p) {
        if (p < 5) {
            lend_random(shapes[p].rows, shapes[p].rows, shapes[p].a_mean, shapes[p].a_offsets, 0, &in->pairs[p].A);
            lend_random(shapes[p].rows, shapes[p].rows, shapes[p].b_mean, shapes[p].b_offsets, shapes[p].b_flags,
                        &in->pairs[p].B);
        } else {
            lend_generated(names[p - 5], &in->pairs[p].A);
            lend_generated(names[p - 5], &in->pairs[p].B);
        }
        assert_int_equal(spgemm_plan_create(in->context, &in->pairs[p].A, &in->pairs[p].B, &in->pairs[p].plan), SPG_OK);
        assert_int_equal(run_plan(in, p), SPG_OK);
    }
}

static void open_systems(library_inputs *in)
{
    const char *const names[SYSTEMS] = {"fd2d5:20", "elast3d:4"};
    for (int s = 0; s < SYSTEMS; ++s) {
        library_system *system = &in->systems[s];
        spg_amg_level_view first;
        lend_generated(names[s], &system->A);
        const size_t bytes = (size_t)system->A.rows * sizeof(double);
        double *ones = malloc(bytes);
        assert_non_null(ones);
        for (int64_t i = 0; i < system->A.rows; ++i) ones[i] = 1;
        system->b = test_lend(ones, bytes);
        system->x = test_lend(ones, bytes);
        free(ones);
        int32_t *order = malloc((size_t)system->A.rows * sizeof *order);
        assert_non_null(order);
        for (int64_t i = 0; i < system->A.rows; ++i) order[i] = (int32_t)(system->A.rows - 1 - i);
        system->order = test_lend(order, (size_t)system->A.rows * sizeof *order);
        free(order);
        assert_int_equal(set_up(in, s, &system->amg), SPG_OK);
        assert_true(spg_amg_levels(system->amg) > 1);
        assert_int_equal(spg_amg_level(system->amg, 0, &first), SPG_OK);
        assert_int_equal(spg_csr_copy(test_lender(), &first.P, &system->P), SPG_OK);
        assert_int_equal(spg_galerkin_plan_create(in->context, NULL, &system->A, &system->P, &system->plan), SPG_OK);
        assert_int_equal(run_galerkin_plan(in, s), SPG_OK);
    }
}

static const double ones[4] = {1, 1, 1, 1};
static const int64_t offsets[] = {0, 1, 3};
static const int32_t words[] = {1, 0, 1}, zeros[DRAWS];

static void open_sampling(library_inputs *in)
{
    const spg_forest_options radix = {SPG_FOREST_RADIX, 0};
    test_open_weights(test_lengths, TEST_LENGTHS, TEST_ZEROS, SPG_F64, true, &in->weights);
    double *values = test_lend(ones, sizeof ones);
    int64_t *offsets_here = test_lend(offsets, sizeof offsets);
    int32_t *words_here = test_lend(words, sizeof words);
    in->draws = test_lend(zeros, sizeof zeros);
    in->lda = (spg_lda){2, 2, 3, 2, SPG_F64, values, values, offsets_here, words_here};
    assert_int_equal(spg_alias_build(in->context, &in->weights.here, NULL, &in->alias), SPG_OK);
    assert_int_equal(spg_forest_build(in->context, &in->weights.here, &radix, &in->forest), SPG_OK);
}

void open_library_inputs(library_inputs *in)
{
    memset(in, 0, sizeof *in);
    cudaStream_t stream;
    assert_int_equal(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    spg_config config = test_config();
    in->stream = config.stream = stream;
    in->context = test_context_of(&config);
    open_pairs(in);
    open_systems(in);
    open_sampling(in);
    assert_int_equal(cudaStreamSynchronize(stream), cudaSuccess);
}

void close_library_inputs(library_inputs *in)
{
    for (int p = 0; p < PAIRS; ++p) {
        spgemm_plan_destroy(in->pairs[p].plan);
        spg_csr_free(in->context, &in->pairs[p].product);
        spg_csr_free(test_lender(), &in->pairs[p].A);
        spg_csr_free(test_lender(), &in->pairs[p].B);
    }
    for (int s = 0; s < SYSTEMS; ++s) {
        library_system *system = &in->systems[s];
        const size_t bytes = (size_t)system->A.rows * sizeof(double);
        spg_galerkin_plan_destroy(system->plan);
        spg_amg_destroy(system->amg);
        spg_csr_free(in->context, &system->product);
        test_give_back(system->b, bytes);
        test_give_back(system->x, bytes);
        test_give_back(system->order, (size_t)system->A.rows * sizeof *system->order);
        spg_csr_free(test_lender(), &system->P);
        spg_csr_free(test_lender(), &system->A);
    }
    spg_alias_destroy(in->alias);
    spg_forest_destroy(in->forest);
    test_give_back((void *)(uintptr_t)in->lda.theta, sizeof ones);
    test_give_back((void *)(uintptr_t)in->lda.word_offsets, sizeof offsets);
    test_give_back((void *)(uintptr_t)in->lda.words, sizeof words);
    test_give_back(in->draws, sizeof zeros);
    test_close_weights(&in->weights);
    int64_t left;
    spg_context_memory(in->context, &left, NULL);
    assert_int_equal(left, 0);
    spg_context_destroy(in->context);
    assert_int_equal(cudaStreamDestroy(in->stream), cudaSuccess);
}
