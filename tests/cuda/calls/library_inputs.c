/* What the calls of library_calls.h need. */
#include "library_calls.h"

#include "generators.h"

#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

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
        assert_int_equal(spgemm_plan_run(in->pairs[p].plan, &in->pairs[p].A, &in->pairs[p].B, &in->pairs[p].product),
                         SPG_OK);
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
        assert_int_equal(set_up_system(in, s, &system->amg), SPG_OK);
        assert_true(spg_amg_levels(system->amg) > 1);
        assert_int_equal(spg_amg_level(system->amg, 0, &first), SPG_OK);
        assert_int_equal(spg_csr_copy(test_lender(), &first.P, &system->P), SPG_OK);
        assert_int_equal(spg_galerkin_plan_create(in->context, NULL, &system->A, &system->P, &system->plan), SPG_OK);
        assert_int_equal(spg_galerkin_plan_run(system->plan, NULL, &system->A, &system->P, &system->product), SPG_OK);
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
