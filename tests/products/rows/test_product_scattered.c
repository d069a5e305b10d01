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

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_rows_of_few_products_keep_their_bits),
    };
    return TEST_RUN_HERE(argc, argv, "products of scattered rows", tests);
}
