/* Operators that fill up are given up by the patterns of A and P, before any product. */
#include "amg_reference.h"
#include "fault.h"

#include "amg/amg_backend.h"
#include "context.h"

#include <stdlib.h>

static int64_t length_of(const spg_csr *matrix, int64_t row)
{
    return test_offset(matrix, row + 1) - test_offset(matrix, row);
}

/* For each column of P, the longest row of P that a row of A names which has an entry in that column of P. */
static int64_t expected_bound(const spg_csr *A, const spg_csr *P)
{
    int64_t *longest = calloc((size_t)P->cols + 1, sizeof *longest), sum = 0;
    assert_non_null(longest);
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t at = test_offset(P, i); at < test_offset(P, i + 1); at++)
            for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); k++) {
                const int64_t length = length_of(P, A->columns[k]);
                if (longest[P->columns[at]] < length) longest[P->columns[at]] = length;
            }
    for (int64_t g = 0; g < P->cols; g++) sum += longest[g];
    free(longest);
    return sum;
}

/* The sampled rows have the lengths that the product gives them. */
static void check_sample(const test_system *system, const spg_amg_level_view *view, const spg_csr *next)
{
    int64_t lengths[SPG_AMG_SAMPLED];
    if (next->rows < SPG_AMG_SAMPLED) return;
    const spg_amg_backend *backend = system->context->backend->amg;
    assert_int_equal(backend->sample_coarse_rows(system->context, &view->A, &view->P, lengths), SPG_OK);
    for (int s = 0; s < SPG_AMG_SAMPLED; s++)
        assert_int_equal(lengths[s], length_of(next, s * (next->rows / SPG_AMG_SAMPLED)));
}

static void check_level(const test_system *system, int number, const test_level *level, const spg_csr *next)
{
    const spg_amg_backend *backend = system->context->backend->amg;
    spg_amg_level_view view;
    spg_csr P;
    int64_t least = -1, longest = 0, longest_row = -1;
    assert_int_equal(spg_amg_level(system->amg, number, &view), SPG_OK);
    assert_int_equal(backend->least_coarse_entries(system->context, &view.A, &view.P, &least), SPG_OK);
    assert_int_equal(least, expected_bound(&level->A, &level->P));
    assert_in_range(least, level->P.cols, next->nnz);
    check_sample(system, &view, next);
    const spg_amg_aggregates of = {view.nodes, view.aggregates, view.block_size, view.candidates,
                                   (int32_t *)view.aggregate_of};
    assert_int_equal(backend->prolongator_pattern(system->context, &view.A, &of, true, &P, &longest_row), SPG_OK);
    for (int64_t i = 0; i < level->P.rows; i++)
        if (longest < length_of(&level->P, i)) longest = length_of(&level->P, i);
    assert_int_equal(longest_row, longest);
    spg_csr_free(system->context, &P);
}

static void the_bound_is_as_defined_and_sampled_rows_are_those_of_the_product(void **state)
{
    (void)state;
    const struct {
        const char *name;
        int block_size;
    } cases[] = {{"rmat11", 1},    {"arrow:1000", 1},  {"fd3d7:14", 1},
                 {"elast3d:8", 3}, {"random:2000", 1}, {"econ:3000", 1}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const spg_csr A = test_generate(cases[c].name, SPG_F64);
        spg_amg_options options = spg_amg_options_default();
        options.max_complexity = 0;
        options.block_size = cases[c].block_size;
        options.max_coarse = 1;
        test_system system;
        test_hierarchy hierarchy;
        test_system_begin(&A, &options, 2, &system);
        test_fetch_hierarchy(&system, &hierarchy);
        assert_true(hierarchy.levels >= 2);
        for (int l = 0; l + 1 < hierarchy.levels; l++)
            check_level(&system, l, &hierarchy.level[l], &hierarchy.level[l + 1].A);
        test_free_hierarchy(&hierarchy);
        test_system_end(&system);
    }
}

/* Notes the largest block. */
typedef struct noting {
    test_allocator memory;
    size_t largest;
} noting;

static void *allocate(void *user, size_t bytes, spg_place place, void *stream)
{
    noting *self = user;
    if (self->largest < bytes) self->largest = bytes;
    return test_allocator_hook(&self->memory).allocate(&self->memory, bytes, place, stream);
}

static void release(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    noting *self = user;
    test_allocator_hook(&self->memory).release(&self->memory, memory, bytes, place, stream);
}

/* The largest block that set-up takes. */
static size_t largest_block(const spg_csr *A, double max_complexity)
{
    noting self = {{0}, 0};
    spg_config config = test_config();
    spg_amg_options options = spg_amg_options_default();
    spg_csr here;
    spg_amg *amg;
    config.allocator = (spg_allocator){&self, allocate, release};
    spg_context *context = test_context_of(&config);
    test_to_place(context, A, &here);
    options.max_complexity = max_complexity;
    self.largest = 0;
    assert_int_equal(spg_amg_setup(context, &here, &options, &amg), SPG_OK);
    spg_amg_destroy(amg);
    spg_csr_free(context, &here);
    spg_context_destroy(context);
    return self.largest;
}

/* With the limit the largest block has at most this share of what it has without. */
static void check_largest_block(const char *name, double share)
{
    spg_csr A = test_generate(name, SPG_F64);
    const size_t kept = largest_block(&A, 3), all = largest_block(&A, 0);
    if ((double)kept > share * (double)all)
        fail_msg("%s: a block of %zu bytes, and %zu without a limit", name, kept, all);
    spg_csr_free(test_host(), &A);
}

/* A*P, smoothed, takes 56 MB; all else fits 8 MB. */
static void what_is_given_up_is_not_multiplied_first(void **state)
{
    (void)state;
    check_largest_block("rmat14", 0.5);
}

/* Without the limit, and wherever it is made first, the coarse operator is the largest block. No row of P is long. */
static void without_hubs_a_sample_of_rows_gives_it_up(void **state)
{
    (void)state;
    check_largest_block("econ:20000", 0.85);
    check_largest_block("random:12000", 0.75);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_is_as_defined_and_sampled_rows_are_those_of_the_product),
        cmocka_unit_test(what_is_given_up_is_not_multiplied_first),
        cmocka_unit_test(without_hubs_a_sample_of_rows_gives_it_up),
    };
    return TEST_RUN_HERE(argc, argv, "amg fill", tests);
}
