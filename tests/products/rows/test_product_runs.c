/* Rows whose columns are those of the row before, each one more, as of stencils on grids: against the plain reference,
 * bit for bit. A device may do such rows together if a sample has many, whose rows begin at multiples of 6; so here
 * other rows break what the sample promised. */
#include "products.h"

enum { NX = 45, NY = 5, NZ = 4, ROWS = NX * NY * NZ, FAR_NAMED = 30, BAND_ROWS = 3000 };

/* The grid's 27-point stencil; some of its rows with another last column, or empty, or naming rows of B that lie far
 * apart; rows of A in descending order; a row of B that does not ascend; rows of B as long, but with nothing of a
 * stencil; a band, whose runs are long; a stencil of even rows. */
typedef enum run_kind { STENCIL, CHANGED, EMPTY, FAR_ROWS, DESCENDING, UNSORTED_B, OTHER_B, BAND, EVEN } run_kind;

static int neighbours(int64_t i, run_kind kind, int32_t *columns)
{
    const int64_t x = i % NX, y = i / NX % NY, z = i / (NX * NY);
    int count = 0;
    for (int64_t c = z - 1; c <= z + 1; ++c)
        for (int64_t b = y - 1; b <= y + 1; ++b)
            for (int64_t a = x - 1; a <= x + 1; ++a) {
                const bool outside = a < 0 || a >= NX || b < 0 || b >= NY || c < 0 || c >= NZ;
                const bool corner = a == x + 1 && b == y + 1 && c == z + 1;
                if (!outside && !(corner && kind == EVEN)) columns[count++] = (int32_t)((c * NY + b) * NX + a);
            }
    return count;
}

static void add_stencil_row(test_pattern *to, int64_t i, run_kind kind, bool is_b)
{
    static uint64_t random = 3;
    int32_t columns[27];
    const int count = neighbours(i, kind, columns);
    if (kind == OTHER_B && is_b) {
        test_add_random(to, &random, count, 0, ROWS, true);
        return;
    }
    const bool descends = kind == DESCENDING && !is_b;
    for (int k = 0; k < count; ++k) test_add(to, columns[descends ? count - 1 - k : k]);
}

static void make(test_pattern *to, run_kind kind, bool is_b)
{
    const int64_t rows = kind == BAND ? BAND_ROWS : ROWS;
    for (int64_t i = 0; i < rows; ++i) {
        const bool odd = i % 30 == 3;
        if (kind == BAND) {
            for (int64_t k = i - 9; k <= i + 9; ++k)
                if (k >= 0 && k < rows) test_add(to, k);
        } else if (kind == FAR_ROWS && odd) {
            for (int64_t k = 0; k < FAR_NAMED; ++k) test_add(to, k * (ROWS / FAR_NAMED));
        } else if (kind != EMPTY || !odd) {
            add_stencil_row(to, i, kind, is_b);
            if (kind == CHANGED && odd) to->columns[to->nnz - 1] = ROWS - 1;
            if (kind == UNSORTED_B && is_b && i == 633) to->columns[to->nnz - 1] = 0;
        }
        test_end_row(to);
    }
}

static void check_kind(run_kind kind)
{
    test_pattern a = {0}, b = {0};
    make(&a, kind, false);
    make(&b, kind, true);
    test_check_patterns(&a, &b, a.rows);
}

static void rows_of_stencils_keep_their_bits(void **state)
{
    (void)state;
    check_kind(STENCIL);
    check_kind(EVEN);
    check_kind(BAND);
}

static void rows_that_break_runs_keep_their_bits(void **state)
{
    (void)state;
    check_kind(CHANGED);
    check_kind(EMPTY);
    check_kind(FAR_ROWS);
}

static void descending_rows_of_a_keep_their_bits(void **state)
{
    (void)state;
    check_kind(DESCENDING);
}

static void rows_of_b_that_do_not_follow_keep_their_bits(void **state)
{
    (void)state;
    check_kind(OTHER_B);
    check_kind(UNSORTED_B);
}

/* Of the last run: its columns go on beyond the last. */
static void a_column_out_of_range_in_a_run_is_refused(void **state)
{
    (void)state;
    test_pattern a = {0};
    make(&a, STENCIL, false);
    for (int of_b = 0; of_b < 2; ++of_b) {
        spg_csr A, B;
        test_matrix_of(&a, ROWS, SPG_I32, SPG_F64, 1, 0, &A);
        test_matrix_of(&a, ROWS, SPG_I32, SPG_F64, 2, 0, &B);
        (of_b == 0 ? A : B).columns[a.offsets[ROWS - 20] - 1] = ROWS;
        test_assert_malformed(&A, &B);
        spg_csr_free(test_host(), &A);
        spg_csr_free(test_host(), &B);
    }
    test_free_pattern(&a);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_stencils_keep_their_bits),
        cmocka_unit_test(rows_that_break_runs_keep_their_bits),
        cmocka_unit_test(descending_rows_of_a_keep_their_bits),
        cmocka_unit_test(rows_of_b_that_do_not_follow_keep_their_bits),
        cmocka_unit_test(a_column_out_of_range_in_a_run_is_refused),
    };
    return TEST_RUN_HERE(argc, argv, "products of rows in runs", tests);
}
