/* A plan knows its last result by its arrays' addresses; here the allocator hands the addresses of a freed result to
 * another matrix. */
#include "test_support.h"

#include "spg/spg.h"

#include <stdlib.h>
#include <string.h>

/* Freed blocks are handed out again at once to the next request of their size, the last one first. */
enum { MOST_FREED = 64 };

typedef struct recycler {
    void *freed[MOST_FREED];
    size_t bytes[MOST_FREED];
    int count;
} recycler;

static void *recycle(void *user, size_t bytes, spg_place place, void *stream)
{
    recycler *all = user;
    (void)place, (void)stream;
    for (int i = all->count - 1; i >= 0; --i) {
        if (all->bytes[i] != bytes) continue;
        void *memory = all->freed[i];
        all->count--;
        memmove(all->freed + i, all->freed + i + 1, (size_t)(all->count - i) * sizeof all->freed[0]);
        memmove(all->bytes + i, all->bytes + i + 1, (size_t)(all->count - i) * sizeof all->bytes[0]);
        return memory;
    }
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static void keep(void *user, void *memory, size_t bytes, spg_place place, void *stream)
{
    recycler *all = user;
    (void)place, (void)stream;
    if (all->count == MOST_FREED) {
        free(memory);
        return;
    }
    all->freed[all->count] = memory;
    all->bytes[all->count++] = bytes;
}

static void another_pattern_at_the_addresses_of_the_freed_result_is_refused(void **state)
{
    (void)state;
    recycler all = {.count = 0};
    spg_config config = spg_config_default();
    config.place = SPG_PLACE_HOST;
    config.allocator = (spg_allocator){&all, recycle, keep};
    spg_context *context;
    assert_int_equal(spg_context_create(&config, &context), SPG_OK);
    int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    double values[] = {2, 3};
    const spg_csr A = {2, 2, 2, SPG_I32, SPG_F64, SPG_PLACE_HOST, offsets, columns, values};
    spgemm_plan *plan;
    spg_csr C = {0};
    assert_int_equal(spgemm_plan_create(context, &A, &A, &plan), SPG_OK);
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &C), SPG_OK);
    const void *old_offsets = C.row_offsets, *old_columns = C.columns;
    spg_csr_free(context, &C);

    spg_csr other;
    assert_int_equal(spg_csr_alloc(context, 2, 2, 2, SPG_I32, SPG_F64, &other), SPG_OK);
    assert_ptr_equal(other.row_offsets, old_offsets);
    assert_ptr_equal(other.columns, old_columns);
    memcpy(other.row_offsets, offsets, sizeof offsets);
    other.columns[0] = 1, other.columns[1] = 0;
    assert_int_equal(spgemm_plan_run(plan, &A, &A, &other), SPG_ERROR_SHAPE);

    spg_csr_free(context, &other);
    spgemm_plan_destroy(plan);
    spg_context_destroy(context);
    while (all.count > 0) free(all.freed[--all.count]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_pattern_at_the_addresses_of_the_freed_result_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
