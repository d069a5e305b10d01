/* Short rows of few products whose rows of B lie far apart: against the plain reference, bit for bit. */
#include "products.h"

/* Entries of row i of B: few, none, or more than a thread asks for together. */
static int64_t scattered_length(int64_t i) { return i % 7 == 3 ? 12 : i % 11 == 0 ? 0 : 5 + i % 2; }

/* A device may sort the products of rows of up to 36, and read rows of B by pairs of entries: the last entry of B has
 * no other to be read with where there is an odd number of them. */
static void scattered_rows_of_few_products_keep_their_bits(void **state)
{
    (void)state;
    const int64_t rows = 1000, inner = 5000, cols = 900;
    for (int kind = 0; kind < 4; ++kind) {
        const int64_t most = kind < 2 ? 36 : 37, last = 5 + kind % 2;
        test_pattern a = {0}, b = {0};
        uint64_t random = 50 + (uint64_t)kind;
        for (int64_t i = 0; i < inner; ++i) {
            test_add_random(&b, &random, i == inner - 1 ? last : scattered_length(i), 0, cols, true);
            test_end_row(&b);
        }
        for (int64_t i = 0; i < rows; ++i) {
            for (int64_t k = 0, left = most; k < 6 && i % 40 != 13; ++k) {
                const int64_t j = k == 0 && i % 9 == 0 ? inner - 1 : test_below(&random, inner);
                const int64_t length = j == inner - 1 ? last : scattered_length(j),
                              times = i % 50 == 7 && k == 0 ? 2 : 1;
                if (times * length > left) continue;
                for (int64_t time = 0; time < times; ++time) test_add(&a, j);
                left -= times * length;
            }
            test_end_row(&a);
        }
        test_check_patterns(&a, &b, cols);
    }
}

/* Rows of 1 to 34 products in turn, in as many columns as fit: the host may find each product's place among the columns
 * of its row of C in one, two or four registers, and reads rows of B of up to 4, up to 8, or more entries differently.
 */
static void make_row_by_row(int64_t longest, int64_t cols, bool sorted, test_pattern *a, test_pattern *b)
{
    enum { ROWS = 700, INNER = 400 };
    uint64_t random = (uint64_t)(longest * 100 + cols);
    for (int64_t j = 0; j < INNER; ++j) {
        const int64_t length = j == INNER - 1 ? longest : 1 + j % longest;
        test_add_random(b, &random, length < cols ? length : cols, 0, cols, sorted);
        test_end_row(b);
    }
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int64_t left = 1 + i % 34; left > 0;) {
            const int64_t j = i % 5 == 0 && left >= longest ? INNER - 1 : test_below(&random, INNER);
            const int64_t length = b->offsets[j] - (j > 0 ? b->offsets[j - 1] : 0);
            if (length > left) continue;
            test_add(a, j);
            left -= length;
        }
        test_end_row(a);
    }
}

static void short_rows_of_every_length_keep_their_bits(void **state)
{
    (void)state;
    const int64_t longest[] = {4, 8, 12}, cols[] = {1, 4, 8, 9, 16, 17, 300, (int64_t)1 << 30};
    for (int l = 0; l < 3; ++l)
        for (int c = 0; c < 8; ++c)
            for (int sorted = 0; sorted < 2; ++sorted) {
                test_pattern a = {0}, b = {0};
                make_row_by_row(longest[l], cols[c], sorted == 1, &a, &b);
                if (c % 3 == 0) {
                    spg_csr A, B;
                    test_matrix_of(&a, b.rows, SPG_I32, SPG_F64, 1, 0, &A);
                    test_matrix_of(&b, cols[c], SPG_I32, SPG_F64, 2, 0, &B);
                    test_check_limits(&A, &B);
                    spg_csr_free(test_host(), &A);
                    spg_csr_free(test_host(), &B);
                }
                test_check_patterns(&a, &b, cols[c]);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_rows_of_few_products_keep_their_bits),
        cmocka_unit_test(short_rows_of_every_length_keep_their_bits),
    };
    return TEST_RUN_HERE(argc, argv, "products of scattered rows", tests);
}
