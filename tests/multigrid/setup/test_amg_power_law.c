/* Hierarchies of graphs with hubs, where nodes that no aggregate takes leave rows of P without entries: every coarse
 * operator is R*(A*P), by CXSparse, of the A and P that the hierarchy has. Rows of A that are too long for the kernel
 * of most rows name such rows of P, alone or among others. */
#include "amg_reference.h"
#include "cxsparse_oracle.h"
#include "products.h"

#include <stdlib.h>
#include <string.h>

enum { NODES = 2400, EACH = 3, ALONE = 5, LEAVES = 80 };

static int by_row_and_column(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The Laplacian of a graph that grows: each new node is joined to the ends of edges that are there, so that nodes of
 * many edges get more. Of ALONE nodes one is joined to none. Stars of LEAVES come last, whose leaves have no other. */
static spg_csr power_law(int64_t stars)
{
    const int64_t rows = NODES + stars * (LEAVES + 1);
    int64_t *edges = malloc((size_t)(2 * (NODES * EACH + stars * LEAVES) + rows) * sizeof *edges), count = 0;
    int32_t *ends = malloc(2 * (size_t)NODES * EACH * sizeof *ends);
    int64_t ends_count = 0;
    uint64_t random = 29;
    assert_true(edges != NULL && ends != NULL);
    for (int64_t i = 1; i < NODES; ++i)
        for (int k = 0; k < EACH && i % ALONE != 0; ++k) {
            const int64_t j = ends_count > 0 ? ends[test_below(&random, ends_count)] : 1;
            if (j == i) continue;
            edges[count++] = i * rows + j, edges[count++] = j * rows + i;
            ends[ends_count++] = (int32_t)i, ends[ends_count++] = (int32_t)j;
        }
    for (int64_t s = 0; s < stars; ++s)
        for (int64_t leaf = 1; leaf <= LEAVES; ++leaf) {
            const int64_t hub = NODES + s * (LEAVES + 1);
            edges[count++] = hub * rows + hub + leaf, edges[count++] = (hub + leaf) * rows + hub;
        }
    for (int64_t i = 0; i < rows; ++i) edges[count++] = i * rows + i;
    qsort(edges, (size_t)count, sizeof *edges, by_row_and_column);
    test_pattern pattern = {0};
    for (int64_t i = 0, k = 0; i < rows; ++i) {
        for (; k < count && edges[k] / rows == i; ++k)
            if (k == 0 || edges[k] != edges[k - 1]) test_add(&pattern, edges[k] % rows);
        test_end_row(&pattern);
    }
    spg_csr A;
    test_matrix_of(&pattern, rows, SPG_I32, SPG_F64, 1, 0, &A);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = test_offset(&A, i); k < test_offset(&A, i + 1); ++k)
            test_set_element(A.values, SPG_F64, k,
                             A.columns[k] == i ? (double)(test_offset(&A, i + 1) - test_offset(&A, i)) : -1.);
    test_free_pattern(&pattern);
    free(edges);
    free(ends);
    return A;
}

static int64_t empty_rows(const spg_csr *matrix)
{
    int64_t empty = 0;
    for (int64_t i = 0; i < matrix->rows; ++i) empty += test_offset(matrix, i) == test_offset(matrix, i + 1);
    return empty;
}

static void check_level(const test_level *level, const test_level *next)
{
    spg_csr AP, R;
    test_reference_product(&level->A, &level->P, &AP);
    assert_int_equal(spg_csr_transpose(test_host(), &level->P, &R), SPG_OK);
    test_assert_near_cxsparse(&R, &AP, &next->A, false);
    spg_csr_free(test_host(), &AP);
    spg_csr_free(test_host(), &R);
}

static void check_hierarchy(int64_t stars, double relaxation)
{
    const spg_csr A = power_law(stars);
    spg_amg_options options = spg_amg_options_default();
    test_system system;
    test_hierarchy hierarchy;
    options.join_leftovers = 0;
    options.theta = 0.1; /* so that a star's edges are weak */
    options.max_coarse = 200;
    options.prolongator_relaxation = relaxation;
    test_system_begin(&A, &options, 2, &system);
    for (int update = 0; update < 2; ++update) {
        if (update == 1) assert_int_equal(spg_amg_update(system.context, system.amg, &system.A_here), SPG_OK);
        test_fetch_hierarchy(&system, &hierarchy);
        assert_true(hierarchy.levels > 1);
        assert_true(empty_rows(&hierarchy.level[0].P) >= NODES / ALONE + stars * (LEAVES + 1));
        for (int l = 0; l + 1 < hierarchy.levels; ++l) check_level(&hierarchy.level[l], &hierarchy.level[l + 1]);
        test_free_hierarchy(&hierarchy);
    }
    test_system_end(&system);
}

static void coarse_operators_of_graphs_with_hubs_are_right_without_leftovers(void **state)
{
    (void)state;
    check_hierarchy(0, 0);
    check_hierarchy(0, 4. / 3);
}

static void many_rows_longer_than_a_warp_among_rows_of_no_aggregate_are_right(void **state)
{
    (void)state;
    check_hierarchy(140, 0);
    check_hierarchy(140, 4. / 3);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_operators_of_graphs_with_hubs_are_right_without_leftovers),
        cmocka_unit_test(many_rows_longer_than_a_warp_among_rows_of_no_aggregate_are_right),
    };
    return TEST_RUN_HERE(argc, argv, "amg of graphs with hubs", tests);
}
