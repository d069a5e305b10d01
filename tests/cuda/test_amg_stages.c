/* The set-up stages of multigrid give the same on a device as on the host: integers and what is copied bit for bit,
 * sums of real numbers to rounding. The host's own are tested against references of their own. */
#include "sides.h"

#include "backend.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const spg_type real_types[] = {SPG_F64, SPG_F32};

typedef struct sample {
    const char *name;
    int block_size;
    int unknowns; /* that each row of the named matrix becomes; 0: as it is */
} sample;

static const sample samples[] = {{"fd2d5:40", 1, 0},   {"fe2d9:33", 1, 0},  {"fd3d7:14", 1, 0},    {"fe3d27:11", 1, 0},
                                 {"tri2d:30", 1, 0},   {"tet3d:9", 1, 0},   {"elast3d:7", 3, 0},   {"solid3d:6", 3, 0},
                                 {"econ:700", 1, 0},   {"rmat10", 1, 0},    {"arrow:3000", 1, 0},  {"ladder:800", 1, 0},
                                 {"fd2d5:40", 2, 0},   {"elast3d:7", 1, 0}, {"fe3d27:12", 32, 0},  {"empty:50", 1, 0},
                                 {"fd3d7:40", 1, 0},   {"rmat13", 1, 0},    {"arrow:20000", 1, 0}, {"fe2d9:150", 1, 0},
                                 {"solid3d:16", 3, 0}, {"fe3d27:12", 6, 0}, {"fd3d7:9", 3, 3},     {"fe3d27:9", 6, 6},
                                 {"rmat10", 3, 3},     {"arrow:700", 6, 6}};
enum { SAMPLES = sizeof samples / sizeof *samples };

typedef struct level {
    side sides[SIDES];
    char where[128];
    spg_type type;
    spg_csr A, here[SIDES];
    spg_amg_graph graph[SIDES];
    spg_amg_aggregates aggregates[SIDES];
} level;

static void open_level(level *l, const sample *of, spg_type type)
{
    memset(l, 0, sizeof *l);
    open_sides(l->sides);
    l->type = type;
    if (of->unknowns == 0)
        generate(of->name, type, &l->A);
    else
        generate_blocks(of->name, type, of->unknowns, &l->A);
    snprintf(l->where, sizeof l->where, "%s, %s, %d unknowns a node", of->name, spg_type_name(type), of->block_size);
    for (int s = 0; s < SIDES; ++s) put_matrix(&l->sides[s], &l->A, &l->here[s]);
}

static void close_level(level *l)
{
    for (int s = 0; s < SIDES; ++s) spg_csr_free(l->sides[s].context, &l->here[s]);
    spg_csr_free(test_host(), &l->A);
    close_sides(l->sides);
}

static int64_t real_bytes(const level *l, int64_t n) { return n * (int64_t)spg_type_size(l->type); }

/* Both copies of `count` bytes on the host: result[HOST] and result[DEVICE], for free(). */
static void fetch(const level *l, void *const there[SIDES], int64_t count, void *result[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        result[s] = malloc((size_t)count + 1);
        assert_non_null(result[s]);
        get(&l->sides[s], there[s], count, result[s]);
    }
}

static void assert_same_bytes(const level *l, void *const there[SIDES], int64_t count, const char *what)
{
    void *result[SIDES];
    fetch(l, there, count, result);
    if (memcmp(result[HOST], result[DEVICE], (size_t)count) != 0) {
        int64_t k = 0;
        while (((char *)result[HOST])[k] == ((char *)result[DEVICE])[k]) ++k;
        fail_msg("%s: %s differ from byte %lld of %lld on", l->where, what, (long long)k, (long long)count);
    }
    free(result[HOST]);
    free(result[DEVICE]);
}

static void assert_near(const level *l, void *const there[SIDES], int64_t n, double tolerance, const char *what)
{
    void *result[SIDES];
    char where[256];
    snprintf(where, sizeof where, "%s: %s", l->where, what);
    fetch(l, there, real_bytes(l, n), result);
    assert_values_agree(l->type, n, result[HOST], result[DEVICE], tolerance, where);
    free(result[HOST]);
    free(result[DEVICE]);
}

static void drop_both(const level *l, void *const there[SIDES], int64_t count)
{
    for (int s = 0; s < SIDES; ++s) drop(&l->sides[s], there[s], count);
}

/* ---- strength and aggregates ---- */

static void find_graphs(level *l, int block_size, double theta)
{
    for (int s = 0; s < SIDES; ++s)
        assert_int_equal(
            l->sides[s].stages->strength(l->sides[s].context, &l->here[s], block_size, theta, &l->graph[s]), SPG_OK);
}

static void free_graphs(level *l)
{
    for (int s = 0; s < SIDES; ++s) {
        spg_amg_graph *graph = &l->graph[s];
        if (graph->borrowed) continue;
        drop(&l->sides[s], graph->row_offsets, (graph->nodes + 1) * (int64_t)spg_type_size(graph->offset_type));
        drop(&l->sides[s], graph->columns, graph->nnz * 4);
    }
}

static void strong_connections_are_the_same(void **state)
{
    (void)state;
    const double thetas[] = {0, 0.05, 0.25, 0.5};
    for (int m = 0; m < SAMPLES; ++m)
        for (int t = 0; t < 8; ++t) {
            level l;
            open_level(&l, &samples[m], real_types[t % 2]);
            if (l.A.rows % samples[m].block_size == 0) {
                find_graphs(&l, samples[m].block_size, thetas[t / 2]);
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

/* Leaves the aggregates in the level. With `asks` the device is told whether the graph is symmetric. */
static void find_aggregates(level *l, int block_size, uint64_t seed, bool join_leftovers, bool asks)
{
    int32_t *symmetric = put(&l->sides[DEVICE], NULL, sizeof *symmetric);
    assert_int_equal(l->sides[DEVICE].stages->find_symmetry(l->sides[DEVICE].context, &l->here[DEVICE], symmetric),
                     SPG_OK);
    if (asks) l->graph[DEVICE].symmetric = symmetric;
    for (int s = 0; s < SIDES; ++s) {
        spg_amg_aggregates *aggregates = &l->aggregates[s];
        *aggregates = (spg_amg_aggregates){.nodes = l->graph[s].nodes, .block_size = block_size, .candidates = 1};
        aggregates->aggregate_of = put(&l->sides[s], NULL, aggregates->nodes * 4);
        assert_int_equal(l->sides[s].stages->aggregate_mis2(l->sides[s].context, &l->graph[s], seed, join_leftovers,
                                                            aggregates->aggregate_of, &aggregates->aggregates),
                         SPG_OK);
    }
    l->graph[DEVICE].symmetric = NULL;
    drop(&l->sides[DEVICE], symmetric, sizeof *symmetric);
}

static void free_aggregates(level *l)
{
    drop_both(l, (void *[]){l->aggregates[HOST].aggregate_of, l->aggregates[DEVICE].aggregate_of},
              l->aggregates[HOST].nodes * 4);
}

static void aggregates_are_the_same_integer_for_integer(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int way = 0; way < 8; ++way) {
            level l;
            open_level(&l, &samples[m], SPG_F64);
            if (l.A.rows % samples[m].block_size == 0) {
                find_graphs(&l, samples[m].block_size, way < 4 ? 0 : 0.05);
                /* Norms of blocks are summed in two orders, so that theirs may be no symmetric graph. */
                const bool asks = way % 4 < 2 && (way < 4 || samples[m].block_size == 1);
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

/* ---- prolongators ---- */

static void check_tentative(level *l, int candidates, bool constants, void *T[SIDES])
{
    const int64_t rows = l->A.rows, coarse_rows = l->aggregates[HOST].aggregates * candidates;
    void *fine = malloc((size_t)real_bytes(l, rows * candidates) + 1), *coarse[SIDES];
    assert_non_null(fine);
    test_random_values(5, 0, l->type, rows * candidates, fine);
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &l->sides[s];
        l->aggregates[s].candidates = candidates;
        void *here = put(at, fine, real_bytes(l, rows * candidates));
        T[s] = put(at, NULL, real_bytes(l, rows * candidates));
        coarse[s] = put(at, NULL, real_bytes(l, coarse_rows * candidates));
        assert_int_equal(
            at->stages->tentative(at->context, l->type, &l->aggregates[s], constants ? NULL : here, T[s], coarse[s]),
            SPG_OK);
        drop(at, here, real_bytes(l, rows * candidates));
    }
    /* Columns whose rest is small are known to fewer digits. */
    assert_near(l, T, rows * candidates, candidates == 1 ? rounding(l->type) : 1e4 * rounding(l->type), "T");
    assert_near(l, coarse, coarse_rows * candidates, 10 * rounding(l->type), "coarse candidates");
    drop_both(l, coarse, real_bytes(l, coarse_rows * candidates));
    free(fine);
}

static void find_inverse(const level *l, bool l1, void *inverse[SIDES])
{
    for (int s = 0; s < SIDES; ++s) {
        inverse[s] = put(&l->sides[s], NULL, real_bytes(l, l->A.rows));
        assert_int_equal(l->sides[s].stages->inverse_diagonal(l->sides[s].context, &l->here[s], l1, inverse[s]),
                         SPG_OK);
    }
}

static void check_prolongator(level *l, bool smooth, void *const T[SIDES], void *const inverse[SIDES])
{
    const double rho = 1.9;
    spg_csr P[SIDES] = {{0}}, found[SIDES];
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &l->sides[s];
        double *here = put(at, &rho, sizeof rho);
        assert_int_equal(at->stages->prolongator_pattern(at->context, &l->here[s], &l->aggregates[s], smooth, &P[s]),
                         SPG_OK);
        assert_int_equal(at->stages->prolongator_values(at->context, &l->here[s], &l->aggregates[s], T[s], inverse[s],
                                                        smooth ? 4.0 / 3 : 0, here, &P[s]),
                         SPG_OK);
        get_matrix(at, &P[s], &found[s]);
        drop(at, here, sizeof rho);
        spg_csr_free(at->context, &P[s]);
    }
    const spg_csr *a = &found[HOST], *b = &found[DEVICE];
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz || a->offset_type != b->offset_type)
        fail_msg("%s: P has %lld entries on the host, %lld on the device", l->where, (long long)a->nnz,
                 (long long)b->nnz);
    if (memcmp(a->row_offsets, b->row_offsets, (size_t)(a->rows + 1) * spg_type_size(a->offset_type)) != 0)
        fail_msg("%s: P's offsets differ", l->where);
    if (a->nnz > 0 && memcmp(a->columns, b->columns, (size_t)a->nnz * 4) != 0)
        fail_msg("%s: P's columns differ", l->where);
    assert_values_agree(l->type, a->nnz, a->values, b->values, 1e4 * rounding(l->type), l->where);
    for (int s = 0; s < SIDES; ++s) spg_csr_free(test_host(), &found[s]);
}

static void prolongators_have_the_same_pattern_and_values(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int way = 0; way < 8; ++way) {
            level l;
            open_level(&l, &samples[m], real_types[way % 2]);
            const int block_size = samples[m].block_size, candidates = way < 4 ? block_size : block_size + 2;
            if (l.A.rows % block_size == 0 && candidates <= 32) {
                void *T[SIDES], *inverse[SIDES];
                find_graphs(&l, block_size, 0);
                find_aggregates(&l, block_size, 3, way % 4 < 2, false);
                free_graphs(&l);
                check_tentative(&l, candidates, way < 4, T);
                find_inverse(&l, false, inverse);
                check_prolongator(&l, true, T, inverse);
                check_prolongator(&l, false, T, inverse);
                drop_both(&l, inverse, real_bytes(&l, l.A.rows));
                drop_both(&l, T, real_bytes(&l, l.A.rows * candidates));
                free_aggregates(&l);
            }
            close_level(&l);
        }
}

static void diagonals_and_spectral_radii_agree(void **state)
{
    (void)state;
    for (int m = 0; m < SAMPLES; ++m)
        for (int t = 0; t < 2; ++t) {
            level l;
            double rho[SIDES];
            void *inverse[SIDES];
            open_level(&l, &samples[m], real_types[t]);
            find_inverse(&l, true, inverse);
            assert_near(&l, inverse, l.A.rows, rounding(l.type), "inverse sums of magnitudes");
            drop_both(&l, inverse, real_bytes(&l, l.A.rows));
            find_inverse(&l, false, inverse);
            assert_near(&l, inverse, l.A.rows, rounding(l.type), "inverse diagonals");
            for (int s = 0; s < SIDES; ++s) {
                const side *at = &l.sides[s];
                int64_t bytes = at->stages->spectral_bytes(&l.here[s], 15);
                void *workspace = put(at, NULL, bytes), *there = put(at, NULL, sizeof(double));
                assert_int_equal(
                    at->stages->spectral_radius(at->context, &l.here[s], inverse[s], 15, 4, workspace, NULL, there),
                    SPG_OK);
                get(at, there, sizeof(double), &rho[s]);
                drop(at, there, sizeof(double));
                drop(at, workspace, bytes);
            }
            if (!(fabs(rho[HOST] - rho[DEVICE]) <= (l.type == SPG_F32 ? 2e-3 : 1e-8) * rho[HOST]))
                fail_msg("%s: rho is %.17g on the host, %.17g on the device", l.where, rho[HOST], rho[DEVICE]);
            drop_both(&l, inverse, real_bytes(&l, l.A.rows));
            close_level(&l);
        }
}

/* ---- symmetry and transposes ---- */

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
        test_random_csr(test_host(), 500, 500, 20, t < 4 ? SPG_I32 : SPG_I64, types[t % 4], 8, 0, &A);
        for (int s = 0; s < SIDES; ++s) {
            const side *at = &sides[s];
            spg_csr here, transpose;
            put_matrix(at, &A, &here);
            assert_int_equal(spg_csr_transpose(at->context, &here, &transpose), SPG_OK);
            int64_t *map = put(at, NULL, A.nnz * 8);
            int32_t *flag = put(at, &yes, sizeof yes);
            assert_int_equal(at->stages->transpose_map(at->context, &here, &transpose, map), SPG_OK);
            assert_int_equal(at->stages->mirror(at->context, flag, &here), SPG_OK);
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
        cmocka_unit_test(diagonals_and_spectral_radii_agree),
        cmocka_unit_test(prolongators_have_the_same_pattern_and_values),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid's stages on a device", tests);
}
