/* The set-up stages of multigrid whose results are integers or copies give the same on a device as on the host, bit for
 * bit. The host's own are tested against references of their own. */
#include "levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void strong_connections_are_the_same(void **state)
{
    (void)state;
    const double thetas[] = {0, 0.05, 0.25, 0.5};
    for (int m = 0; m < SAMPLES; ++m)
        for (int t = 0; t < 16; ++t) {
            level l;
            open_level(&l, &samples[m], real_types[t % 2]);
            if (l.A.rows % samples[m].block_size == 0) {
                find_graphs(&l, samples[m].block_size, t < 8 ? SPG_STRENGTH_SYMMETRIC : SPG_STRENGTH_CLASSICAL,
                            thetas[t / 2 % 4]);
                const spg_amg_graph *a = &l.graph[HOST], *b = &l.graph[DEVICE];
                assert_int_equal(a->nodes, b->nodes);
                assert_int_equal(a->nnz, b->nnz);
                assert_int_equal(a->offset_type, b->offset_type);
                assert_int_equal(a->borrowed, b->borrowed);
                assert_same_bytes(&l, (void *[]){a->row_offsets, b->row_offsets},
                                  (a->nodes + 1) * (int64_t)spg_type_size(a->offset_type), "offsets");
                assert_same_bytes(&l, (void *[]){a->columns, b->columns}, a->nnz * 4, "columns");
                free_graphs(&l);
            }
            close_level(&l);
        }
}

static void aggregates_are_the_same_integer_for_integer(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int way = 0; way < 12; ++way) {
            level l;
            open_level(&l, &samples[m], SPG_F64);
            if (l.A.rows % samples[m].block_size == 0) {
                find_graphs(&l, samples[m].block_size, way < 8 ? SPG_STRENGTH_SYMMETRIC : SPG_STRENGTH_CLASSICAL,
                            way < 4   ? 0
                            : way < 8 ? 0.05
                                      : 0.5);
                /* Norms of blocks are summed in two orders, so that theirs may be no symmetric graph, as those of the
                 * classical measure. */
                const bool asks = way % 4 < 2 && (way < 4 || (way < 8 && samples[m].block_size == 1));
                find_aggregates(&l, samples[m].block_size, way % 4 < 2 ? 0 : 7, way % 2 == 1, asks);
                assert_int_equal(l.aggregates[HOST].aggregates, l.aggregates[DEVICE].aggregates);
                assert_same_bytes(&l, (void *[]){l.aggregates[HOST].aggregate_of, l.aggregates[DEVICE].aggregate_of},
                                  l.graph[HOST].nodes * 4, "aggregates");
                free_aggregates(&l);
                free_graphs(&l);
            }
            close_level(&l);
        }
}

static int32_t symmetry_at(const side *at, const spg_csr *A)
{
    int32_t *flag = put(at, NULL, sizeof *flag), found = -1;
    assert_int_equal(at->stages->find_symmetry(at->context, A, flag), SPG_OK);
    get(at, flag, sizeof found, &found);
    drop(at, flag, sizeof found);
    return found;
}

static void symmetry_is_seen_alike(void **state)
{
    (void)state;
    const spg_type types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
    for (int m = 0; m < SAMPLES; ++m)
        for (int t = 0; t < 8; ++t) {
            level l;
            memset(&l, 0, sizeof l);
            open_sides(l.sides);
            generate(samples[m].name, types[t % 4], &l.A);
            if (t >= 4 && l.A.nnz > 5) ((unsigned char *)l.A.values)[5 * spg_type_size(types[t % 4])] ^= 1;
            int32_t found[SIDES];
            for (int s = 0; s < SIDES; ++s) {
                put_matrix(&l.sides[s], &l.A, &l.here[s]);
                found[s] = symmetry_at(&l.sides[s], &l.here[s]);
            }
            assert_int_equal(found[HOST], found[DEVICE]);
            close_level(&l);
        }
}

static void mirrored_products_and_renewed_transposes_are_the_same(void **state)
{
    (void)state;
    const spg_type types[] = {SPG_F32, SPG_F64, SPG_C32, SPG_C64};
    for (int t = 0; t < 8; ++t) {
        side sides[SIDES];
        spg_csr A, mirrored[SIDES], turned[SIDES];
        const int32_t yes = 1;
        open_sides(sides);
        test_random_csr(test_host(), (test_matrix){500, 500, 20, t < 4 ? SPG_I32 : SPG_I64, types[t % 4]}, 8, 0, &A);
        for (int s = 0; s < SIDES; ++s) {
            const side *at = &sides[s];
            spg_csr here, transpose;
            put_matrix(at, &A, &here);
            assert_int_equal(spg_csr_transpose(at->context, &here, &transpose), SPG_OK);
            int64_t *map = put(at, NULL, A.nnz * 8);
            int32_t *flag = put(at, &yes, sizeof yes);
            assert_int_equal(at->stages->transpose_map(at->context, &here, &transpose, map), SPG_OK);
            assert_int_equal(at->stages->mirror(at->context, flag, &here, NULL), SPG_OK);
            assert_int_equal(at->stages->gather_values(at->context, &here, map, &transpose), SPG_OK);
            get_matrix(at, &here, &mirrored[s]);
            get_matrix(at, &transpose, &turned[s]);
            drop(at, map, A.nnz * 8);
            drop(at, flag, sizeof yes);
            spg_csr_free(at->context, &here);
            spg_csr_free(at->context, &transpose);
        }
        test_assert_same_csr(&mirrored[HOST], &mirrored[DEVICE]);
        test_assert_same_csr(&turned[HOST], &turned[DEVICE]);
        for (int s = 0; s < SIDES; ++s) {
            spg_csr_free(test_host(), &mirrored[s]);
            spg_csr_free(test_host(), &turned[s]);
        }
        spg_csr_free(test_host(), &A);
        close_sides(sides);
    }
}

static void values_that_are_not_finite_are_named_alike(void **state)
{
    (void)state;
    for (int t = 0; t < 2; ++t) {
        side sides[SIDES];
        spg_csr A;
        char messages[SIDES][256];
        open_sides(sides);
        generate("fd2d5:30", real_types[t], &A);
        for (int64_t k = A.nnz - 1; k > 0; k -= 777)
            if (t == 0)
                ((double *)A.values)[k] = k % 2 == 0 ? NAN : INFINITY;
            else
                ((float *)A.values)[k] = k % 2 == 0 ? NAN : -INFINITY;
        for (int s = 0; s < SIDES; ++s) {
            spg_csr here;
            put_matrix(&sides[s], &A, &here);
            assert_int_equal(sides[s].stages->check_finite(sides[s].context, &here), SPG_ERROR_FORMAT);
            snprintf(messages[s], sizeof messages[s], "%s", spg_context_message(sides[s].context));
            spg_csr_free(sides[s].context, &here);
        }
        assert_string_equal(messages[HOST], messages[DEVICE]);
        spg_csr_free(test_host(), &A);
        close_sides(sides);
    }
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetry_is_seen_alike),
        cmocka_unit_test(mirrored_products_and_renewed_transposes_are_the_same),
        cmocka_unit_test(values_that_are_not_finite_are_named_alike),
        cmocka_unit_test(strong_connections_are_the_same),
        cmocka_unit_test(aggregates_are_the_same_integer_for_integer),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid's stages on a device", tests);
}
