/* A plan whose products are more than a slice of rows holds (kernels/spgemm/plan/entries.cu), so that its windows are
 * made from masks for one slice after the other: the smallest such product. On a device only. */
#include "products.h"

#include "memory.h"

/* A slice holds so many products. A rest of up to a quarter of that joins the slice before it. */
enum { SLICE = 1 << 27, MOST_OF_ONE = SLICE + SLICE / 4 };

/* Row i of A has LENGTHS[i % PERIOD] neighbouring entries from column i on, none where that is 0. Row k of B has WIDTH
 * columns, from k / STEP on. So a row of A fits a mask, rows of B are short enough for a thread an entry, and an entry
 * of C looks at fewer entries of A than masks are used for. */
enum { PERIOD = 4, WIDTH = 4, STEP = 32, MOST_LENGTH = 64, PERIOD_ENTRIES = 64 + 57 + 64, MOST_LOOKS = 4 };
static const int lengths[PERIOD] = {64, 57, 64, 0};

/* The first slice ends with a period: behind the row without products the next does not fit. */
enum { PERIOD_PRODUCTS = PERIOD_ENTRIES * WIDTH, PERIODS = MOST_OF_ONE / PERIOD_PRODUCTS + 1 };
enum { FIRST_PERIODS = SLICE / PERIOD_PRODUCTS };
_Static_assert(SLICE - FIRST_PERIODS * PERIOD_PRODUCTS < MOST_LENGTH * WIDTH, "the first slice ends with a period");

enum { ROWS = PERIODS * PERIOD, COLUMNS = ROWS + MOST_LENGTH };

static void make_operands(spg_csr *A, spg_csr *B)
{
    test_pattern a = {0}, b = {0};
    for (int64_t i = 0; i < ROWS; ++i) {
        for (int k = 0; k < lengths[i % PERIOD]; ++k) test_add(&a, i + k);
        test_end_row(&a);
    }
    for (int64_t k = 0; k < COLUMNS; ++k) {
        for (int j = 0; j < WIDTH; ++j) test_add(&b, k / STEP + 2 * j);
        test_end_row(&b);
    }
    test_matrix_of(&a, COLUMNS, SPG_I32, SPG_F32, 1, TEST_INTEGER, A);
    test_matrix_of(&b, COLUMNS / STEP + 2 * WIDTH, SPG_I32, SPG_F32, 2, TEST_INTEGER, B);
    test_free_pattern(&a);
    test_free_pattern(&b);
}

/* Skips the test unless the device has so much memory. */
static void require_memory(int64_t bytes)
{
    void *memory = NULL;
    spg_context *context = test_context_at_place(2);
    const bool is_there = spg_allocate(context, bytes, "a test", &memory) == SPG_OK;
    spg_release(context, memory, is_there ? bytes : 0);
    spg_context_destroy(context);
    if (!is_there) skip();
}

/* Masks take 8 bytes for each entry of A and of C of a slice, and the row of an entry of C takes 4. In their place, six
 * bytes and one for each of the 32 warps of a block would be taken for each entry of C, which is less here. */
static void assert_masked_slices(const spg_csr *A, const spg_csr *C, const spgemm_stats *stats)
{
    enum { MASK_BYTES = 8, ROW_BYTES = 4, OTHER_BYTES = 6 + 32 };
    const int64_t row = (int64_t)FIRST_PERIODS * PERIOD,
                  least = MASK_BYTES * test_offset(A, row) + (MASK_BYTES + ROW_BYTES) * test_offset(C, row);
    const int64_t found = stats->workspace_bytes, row_bytes = (int64_t)ROWS * 32;
    assert_true(stats->products == (int64_t)PERIODS * PERIOD_PRODUCTS && stats->products > MOST_OF_ONE);
    assert_true((double)A->nnz * (double)C->nnz / ROWS < MOST_LOOKS * (double)stats->products);
    assert_true(OTHER_BYTES * test_offset(C, row) + row_bytes < least);
    if (found < least) fail_msg("%lld bytes of workspace: no masks were found", (long long)found);
    if (found > MASK_BYTES * A->nnz + (MASK_BYTES + ROW_BYTES) * C->nnz)
        fail_msg("%lld bytes of workspace: one slice", (long long)found);
}

static void masks_of_several_slices_give_the_product(void **state)
{
    (void)state;
    require_memory((int64_t)4 << 30);
    spg_context *context = test_context_at_place(2);
    spg_csr A, B, here_A, here_B, planned = {0}, product, found, expected;
    spgemm_plan *plan;
    spgemm_stats stats;
    make_operands(&A, &B);
    test_to_place(context, &A, &here_A);
    test_to_place(context, &B, &here_B);
    assert_int_equal(spgemm_csr(context, &here_A, &here_B, &product), SPG_OK);
    assert_int_equal(spgemm_plan_create(context, &here_A, &here_B, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &here_A, &here_B, &planned), SPG_OK);
    test_to_host(context, &product, &expected);
    test_to_host(context, &planned, &found);
    test_assert_same_product(&found, &expected, "two slices");
    assert_int_equal(spgemm_plan_stats(plan, &stats), SPG_OK);
    assert_masked_slices(&A, &found, &stats);
    spgemm_plan_destroy(plan);
    spg_csr_free(context, &planned);
    spg_csr_free(context, &product);
    spg_csr_free(context, &here_A);
    spg_csr_free(context, &here_B);
    spg_context_destroy(context);
    spg_csr_free(test_host(), &found);
    spg_csr_free(test_host(), &expected);
    spg_csr_free(test_host(), &A);
    spg_csr_free(test_host(), &B);
}

int main(int argc, char **argv)
{
    (void)argc;
    char place[] = "device", *arguments[] = {argv[0], place, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_of_several_slices_give_the_product),
    };
    return TEST_RUN_HERE(2, arguments, "product plan slices", tests);
}
