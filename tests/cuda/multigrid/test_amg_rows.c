/* Multigrid's set-up stages on a device beside the host, where rows are not like the others: long ones, a hub's, and
 * those of nodes that are almost blocks. */
#include "sides.h"

#include "backend.h"
#include "spgemm/plan.h"

#include <stdlib.h>
#include <string.h>

static const spg_type real_types[] = {SPG_F64, SPG_F32};

/* A matrix that is written entry by entry; room for all of them is there. */
typedef struct writer {
    spg_csr matrix; /* in test_host() */
    int64_t row, at;
} writer;

static writer begin_matrix(int64_t rows, int64_t room, spg_type type)
{
    writer w = {.row = 0, .at = 0};
    assert_int_equal(spg_csr_alloc(test_host(), rows, rows, room, SPG_I64, type, &w.matrix), SPG_OK);
    return w;
}

static void set_value(spg_csr *A, int64_t k, double value)
{
    if (A->value_type == SPG_F32)
        ((float *)A->values)[k] = (float)value;
    else
        ((double *)A->values)[k] = value;
}

static void exchange(spg_csr *A, int64_t k, int64_t other)
{
    const double value = value_of(A->value_type, A->values, k);
    const int32_t column = A->columns[k];
    set_value(A, k, value_of(A->value_type, A->values, other));
    set_value(A, other, value);
    A->columns[k] = A->columns[other];
    A->columns[other] = column;
}

static void add_entry(writer *w, int64_t column, double value)
{
    assert_true(w->at < w->matrix.nnz);
    w->matrix.columns[w->at] = (int32_t)column;
    set_value(&w->matrix, w->at++, value);
}

static void end_row(writer *w) { ((int64_t *)w->matrix.row_offsets)[++w->row] = w->at; }

/* The matrix as it is used: fewer entries than there was room for. */
static spg_csr written(const writer *w)
{
    spg_csr used = w->matrix, A;
    assert_int_equal(w->row, used.rows);
    used.nnz = w->at;
    assert_int_equal(spg_csr_copy(test_host(), &used, &A), SPG_OK);
    spg_csr all = w->matrix;
    spg_csr_free(test_host(), &all);
    return A;
}

/* ---- symmetry and inverse diagonals ---- */

enum { SHORT_ROWS = 3000, FIRST_DENSE = 40 };

/* Of the diagonal, and some neighbouring rows and columns that are full; a_ij = a_ji. */
static spg_csr dense_rows(int64_t dense, spg_type type)
{
    const int64_t end = FIRST_DENSE + dense;
    writer w = begin_matrix(SHORT_ROWS, SHORT_ROWS * (1 + 2 * dense), type);
    for (int64_t i = 0; i < SHORT_ROWS; ++i) {
        for (int64_t j = 0; j < SHORT_ROWS; ++j)
            if (i == j || (i >= FIRST_DENSE && i < end) || (j >= FIRST_DENSE && j < end))
                add_entry(&w, j, i == j ? 2 + (double)(i % 5) : 1 + (double)((i + j + i * j) % 97) / 64);
        end_row(&w);
    }
    return written(&w);
}

/* What both sides find: the same, and the flag that is expected. */
static void check_symmetry_and_inverse(const spg_csr *A, int32_t is_symmetric)
{
    side sides[SIDES];
    const int64_t bytes = A->rows * (int64_t)spg_type_size(A->value_type);
    void *inverses[SIDES];
    open_sides(sides);
    for (int s = 0; s < SIDES; ++s) {
        const side *at = &sides[s];
        spg_csr here;
        int32_t flag = -1, *flag_there = put(at, &flag, sizeof flag);
        inverses[s] = malloc((size_t)bytes);
        assert_non_null(inverses[s]);
        memset(inverses[s], 0xff, (size_t)bytes);
        void *there = put(at, inverses[s], bytes);
        put_matrix(at, A, &here);
        assert_int_equal(at->stages->find_symmetry_and_inverse(at->context, &here, flag_there, there), SPG_OK);
        get(at, flag_there, sizeof flag, &flag);
        get(at, there, bytes, inverses[s]);
        if (flag != is_symmetric) fail_msg("side %d: the flag is %d", s, (int)flag);
        drop(at, flag_there, sizeof flag);
        drop(at, there, bytes);
        spg_csr_free(at->context, &here);
    }
    assert_values_agree(A->value_type, A->rows, inverses[HOST], inverses[DEVICE], rounding(A->value_type), "inverses");
    for (int s = 0; s < SIDES; ++s) free(inverses[s]);
    close_sides(sides);
}

static void symmetry_and_inverse_of_long_rows_among_short_ones_are_the_hosts(void **state)
{
    (void)state;
    for (int run = 0; run < 4; ++run) {
        const int64_t dense = run < 2 ? 3 : 6;
        spg_csr A = dense_rows(dense, real_types[run % 2]);
        check_symmetry_and_inverse(&A, 1);
        for (int64_t row = FIRST_DENSE; row < FIRST_DENSE + dense; ++row) {
            const int64_t last = test_offset(&A, row + 1) - 1;
            const double value = value_of(A.value_type, A.values, last);
            set_value(&A, last, 2 * value);
            check_symmetry_and_inverse(&A, 0);
            set_value(&A, last, value);
            exchange(&A, last - 1, last); /* all entries are there, but columns do not ascend */
            check_symmetry_and_inverse(&A, 0);
            exchange(&A, last - 1, last);
        }
        check_symmetry_and_inverse(&A, 1);
        spg_csr_free(test_host(), &A);
    }
}

/* ---- mirror images ---- */

/* A symmetric band, of which every third row lacks its diagonal, and some rows what is beside it, too. */
static bool is_in_band(int64_t i, int64_t j)
{
    if (i == j) return i % 3 != 1;
    return i - j >= -4 && i - j <= 4 && (i + j) % 5 != 0;
}

static spg_csr band(spg_type type)
{
    enum { ROWS = 500 };
    writer w = begin_matrix(ROWS, 9 * ROWS, type);
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int64_t j = i < 4 ? 0 : i - 4; j < ROWS && j <= i + 4; ++j)
            if (is_in_band(i, j)) add_entry(&w, j, 1 + (double)((i + j) * 7 % 31 + i * j % 13) / 32);
        end_row(&w);
    }
    return written(&w);
}

/* Where the flag is set, of values that are wrong below the diagonal; the inverse of the diagonal comes in any case. */
static void check_images(const spg_csr *A, int32_t is_set)
{
    side sides[SIDES];
    const int64_t bytes = A->rows * (int64_t)spg_type_size(A->value_type);
    const int32_t yes = 1;
    spg_csr changed, here, found, pattern;
    spg_images images;
    void *inverse = malloc((size_t)bytes), *expected = malloc((size_t)bytes);
    assert_true(inverse != NULL && expected != NULL);
    open_sides(sides);
    const side *at = &sides[DEVICE];
    assert_int_equal(spg_csr_copy(test_host(), A, &changed), SPG_OK);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = test_offset(A, i); k < test_offset(A, i + 1); ++k)
            if (A->columns[k] < i) set_value(&changed, k, -5);
    int32_t *flag = put(at, &yes, sizeof yes), *flag_then = put(at, &is_set, sizeof is_set);
    void *inverse_there = put(at, inverse, bytes);
    put_matrix(at, A, &pattern);
    put_matrix(at, &changed, &here);
    assert_int_equal(at->stages->find_images(at->context, &pattern, flag, &images), SPG_OK);
    assert_true(images.count > 0);
    assert_int_equal(at->stages->copy_images(at->context, flag_then, &images, &here, inverse_there), SPG_OK);
    get(at, inverse_there, bytes, inverse);
    get_matrix(at, &here, &found);
    test_assert_same_csr(&found, is_set ? A : &changed);
    assert_int_equal(at->stages->inverse_diagonal(at->context, &pattern, false, inverse_there), SPG_OK);
    get(at, inverse_there, bytes, expected);
    assert_values_agree(A->value_type, A->rows, expected, inverse, 0, "inverses beside mirror images");
    spg_images_free(at->context, &images);
    drop(at, flag, sizeof yes);
    drop(at, flag_then, sizeof yes);
    drop(at, inverse_there, bytes);
    spg_csr_free(at->context, &pattern);
    spg_csr_free(at->context, &here);
    spg_csr_free(test_host(), &changed);
    spg_csr_free(test_host(), &found);
    free(inverse), free(expected);
    close_sides(sides);
}

static void mirror_images_come_with_the_inverse_of_the_diagonal(void **state)
{
    (void)state;
    for (int t = 0; t < 2; ++t) {
        spg_csr A = band(real_types[t]);
        check_images(&A, 1);
        check_images(&A, 0);
        spg_csr_free(test_host(), &A);
    }
}

/* ---- aggregates ---- */

enum { CLIQUES = 13, CLIQUE = 40, HUB = CLIQUES * CLIQUE, FIRST_NAMED = 6, LAST_NAMED = 9, OTHERS_NAMED = 5 };

/* So many nodes of a clique are named by the hub: most in the last one, but of the first 64 entries three in that and
 * most in the first. */
static int64_t named_of(int64_t clique)
{
    return clique == 0 ? FIRST_NAMED : clique == CLIQUES - 1 ? LAST_NAMED : OTHERS_NAMED;
}

static spg_csr cliques_and_a_hub(void)
{
    writer w = begin_matrix(HUB + 1, (int64_t)CLIQUES * CLIQUE * (CLIQUE + 1) + HUB + 1, SPG_F64);
    for (int64_t i = 0; i < HUB; ++i) {
        for (int64_t j = i - i % CLIQUE; j < i - i % CLIQUE + CLIQUE; ++j) add_entry(&w, j, 1);
        if (i % CLIQUE < named_of(i / CLIQUE)) add_entry(&w, HUB, 1);
        end_row(&w);
    }
    for (int64_t i = 0; i < HUB; ++i)
        if (i % CLIQUE < named_of(i / CLIQUE)) add_entry(&w, i, 1);
    end_row(&w);
    return written(&w);
}

/* Where no root is a neighbour of the hub it joins the aggregate that has most of its first 64 entries. */
static void a_row_of_many_neighbours_is_weighed_by_its_first_64(void **state)
{
    (void)state;
    int weighed = 0;
    side sides[SIDES];
    spg_csr A = cliques_and_a_hub();
    open_sides(sides);
    for (uint64_t seed = 0; seed < 40; ++seed) {
        int32_t found[SIDES][HUB + 1];
        int64_t aggregates[SIDES], left_out;
        for (int s = 0; s < SIDES; ++s) {
            const side *at = &sides[s];
            spg_csr here;
            spg_amg_graph graph;
            int32_t *there = put(at, NULL, sizeof found[s]);
            put_matrix(at, &A, &here);
            assert_int_equal(at->stages->strength(at->context, &here, 1, SPG_STRENGTH_SYMMETRIC, 0, &graph), SPG_OK);
            assert_int_equal(
                at->stages->aggregate_mis2(at->context, &graph, seed, true, there, &aggregates[s], &left_out), SPG_OK);
            assert_int_equal(left_out, 0);
            get(at, there, sizeof found[s], found[s]);
            drop(at, there, sizeof found[s]);
            spg_csr_free(at->context, &here);
        }
        assert_int_equal(aggregates[HOST], aggregates[DEVICE]);
        assert_memory_equal(found[HOST], found[DEVICE], sizeof found[HOST]);
        weighed += aggregates[HOST] == CLIQUES && found[HOST][HUB] == found[HOST][0];
    }
    assert_true(weighed > 0);
    spg_csr_free(test_host(), &A);
    close_sides(sides);
}

/* ---- prolongators ---- */

/* What keeps a node's rows from being blocks: nothing; all lack their last entry; its second row has one more; its last
 * row names another node last; all are a column off. */
typedef enum flaw { NONE, NO_LAST, ONE_MORE, OTHER_NODE, ONE_OFF, FLAWS } flaw;

enum { NODES = 90, LONGEST = 40 };

static flaw flaw_of(int64_t node) { return node % 8 < FLAWS ? (flaw)(node % 8) : NONE; }

/* A node's row names so many nodes, every other one from `first_named` on. */
static int64_t named_by(int64_t node) { return 1 + node * 7 % LONGEST; }
static int64_t first_named(int64_t node) { return node % (NODES - 2 * LONGEST - 2); }

static void add_row_of_node(writer *w, int64_t node, int row, int unknowns)
{
    const flaw its = flaw_of(node);
    const int64_t count = named_by(node), first = first_named(node);
    for (int64_t k = 0; k < count; ++k) {
        const bool is_last = k + 1 == count;
        const int64_t other = first + 2 * k + (is_last && its == OTHER_NODE && row == unknowns - 1);
        const int entries = unknowns - (is_last && its == NO_LAST) + (is_last && its == ONE_MORE && row == 1);
        for (int c = 0; c < entries; ++c) {
            const int64_t column = other * unknowns + c + (its == ONE_OFF), i = node * unknowns + row;
            add_entry(w, column, (double)((i * 31 + column * 17 + 7) % 101 - 50) / 50);
        }
    }
    end_row(w);
}

/* P where the aggregates are the nodes modulo some number, T and the inverse random. */
static void find_prolongator(const side *at, const spg_csr *A, int unknowns, int candidates, int aggregates,
                             spg_csr *found)
{
    const double rho = 1.9;
    const spg_type type = A->value_type;
    const int64_t size = (int64_t)spg_type_size(type), T_bytes = A->rows * candidates * size;
    int32_t aggregate_of[NODES];
    void *values = malloc((size_t)T_bytes);
    spg_csr here, P;
    int64_t longest_row;
    assert_non_null(values);
    for (int i = 0; i < NODES; ++i) aggregate_of[i] = i % aggregates;
    spg_amg_aggregates of = {NODES, aggregates, unknowns, candidates, put(at, aggregate_of, sizeof aggregate_of)};
    put_matrix(at, A, &here);
    test_random_values(5, 0, type, A->rows * candidates, values);
    void *T = put(at, values, T_bytes);
    test_random_values(6, 0, type, A->rows, values);
    void *inverse = put(at, values, A->rows * size), *rho_there = put(at, &rho, sizeof rho);
    assert_int_equal(at->stages->prolongator_pattern(at->context, &here, &of, true, &P, &longest_row), SPG_OK);
    assert_int_equal(at->stages->prolongator_values(at->context, &here, &of, T, inverse, 4.0 / 3, rho_there, &P),
                     SPG_OK);
    get_matrix(at, &P, found);
    spg_csr_free(at->context, &P);
    spg_csr_free(at->context, &here);
    drop(at, rho_there, sizeof rho);
    drop(at, inverse, A->rows * size);
    drop(at, T, T_bytes);
    drop(at, of.aggregate_of, sizeof aggregate_of);
    free(values);
}

static void check_prolongator(int unknowns, int candidates, int aggregates, spg_type type)
{
    side sides[SIDES];
    spg_csr found[SIDES];
    writer w = begin_matrix((int64_t)NODES * unknowns, (int64_t)NODES * unknowns * (LONGEST + 1) * unknowns, type);
    for (int64_t node = 0; node < NODES; ++node)
        for (int row = 0; row < unknowns; ++row) add_row_of_node(&w, node, row, unknowns);
    spg_csr A = written(&w);
    open_sides(sides);
    for (int s = 0; s < SIDES; ++s) find_prolongator(&sides[s], &A, unknowns, candidates, aggregates, &found[s]);
    assert_int_equal(found[HOST].nnz, found[DEVICE].nnz);
    assert_memory_equal(found[HOST].columns, found[DEVICE].columns, (size_t)found[HOST].nnz * 4);
    assert_values_agree(type, found[HOST].nnz, found[HOST].values, found[DEVICE].values, 10 * rounding(type), "P");
    for (int s = 0; s < SIDES; ++s) spg_csr_free(test_host(), &found[s]);
    spg_csr_free(test_host(), &A);
    close_sides(sides);
}

/* Rows of P of up to a block more than a pass sums, and of several passes. */
static void nodes_whose_rows_are_almost_blocks_have_the_same_prolongator(void **state)
{
    (void)state;
    const int candidates[] = {2, 3, 6, 11}, aggregates[] = {5, 11, 13, 60};
    for (int unknowns = 3; unknowns <= 6; unknowns += 3)
        for (int t = 0; t < 2; ++t)
            for (int c = 0; c < 4; ++c)
                for (int a = 0; a < 4; ++a) check_prolongator(unknowns, candidates[c], aggregates[a], real_types[t]);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(symmetry_and_inverse_of_long_rows_among_short_ones_are_the_hosts),
        cmocka_unit_test(mirror_images_come_with_the_inverse_of_the_diagonal),
        cmocka_unit_test(a_row_of_many_neighbours_is_weighed_by_its_first_64),
        cmocka_unit_test(nodes_whose_rows_are_almost_blocks_have_the_same_prolongator),
    };
    return TEST_RUN_HERE(2, arguments, "multigrid's rows on a device", tests);
}
