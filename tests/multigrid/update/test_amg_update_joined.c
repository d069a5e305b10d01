/* Updates that join components of the coarsest operator, whose dense solver then needs more room. */
#include "amg_systems.h"
#include "fault.h"

#include "amg/amg.h"
#include "memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, VECTORS = 3 };

/* A path of pairs that nothing couples, or of one component; the same pattern. */
static spg_csr path(bool is_joined)
{
    spg_csr A;
    assert_int_equal(spg_csr_alloc(test_host(), ROWS, ROWS, 3 * ROWS - 2, SPG_I32, SPG_F64, &A), SPG_OK);
    int32_t at = 0;
    for (int32_t i = 0; i < ROWS; i++) {
        for (int32_t j = i > 0 ? i - 1 : 0; j <= i + 1 && j < ROWS; j++) {
            A.columns[at] = j;
            ((double *)A.values)[at++] = j == i ? 3 : i / 2 == j / 2 || is_joined ? -1 : 0;
        }
        ((int32_t *)A.row_offsets)[i + 1] = at;
    }
    return A;
}

/* A hierarchy of the pairs, whose allocations are counted. */
typedef struct joining {
    test_allocator memory;
    spg_context *context;
    spg_csr pairs, joined; /* at the place */
    spg_amg *amg;
} joining;

static void begin(joining *of, int levels)
{
    spg_amg_options options = spg_amg_options_default();
    spg_csr pairs = path(false), joined = path(true);
    options.prepare_update = 1;
    options.max_coarse = levels > 1 ? 100 : ROWS;
    options.max_levels = levels;
    of->context = test_faulty_context(&of->memory, 1, 0);
    test_to_place(of->context, &pairs, &of->pairs);
    test_to_place(of->context, &joined, &of->joined);
    assert_int_equal(spg_amg_setup(of->context, &of->pairs, &options, &of->amg), SPG_OK);
    assert_int_equal(spg_amg_levels(of->amg), levels);
    spg_csr_free(test_host(), &pairs);
    spg_csr_free(test_host(), &joined);
}

static void end(joining *of)
{
    spg_amg_destroy(of->amg);
    spg_csr_free(of->context, &of->pairs);
    spg_csr_free(of->context, &of->joined);
    assert_int_equal(test_live(&of->memory), 0);
    spg_context_destroy(of->context);
}

/* One cycle from zero for each of several vectors, alone or all at once. */
static void cycle(joining *of, bool at_once, double x[VECTORS * ROWS])
{
    const size_t bytes = VECTORS * ROWS * sizeof *x;
    double b[VECTORS * ROWS];
    for (int i = 0; i < VECTORS * ROWS; i++) b[i] = 1 + i % 7, x[i] = 0;
    double *b_here = test_lend(b, bytes), *x_here = test_lend(x, bytes);
    if (at_once)
        assert_int_equal(
            spg_amg_apply_many(of->context, of->amg, VECTORS, SPG_COLUMN_MAJOR, b_here, ROWS, x_here, ROWS), SPG_OK);
    for (int v = 0; v < VECTORS && !at_once; v++)
        assert_int_equal(spg_amg_cycle(of->context, of->amg, b_here + v * ROWS, x_here + v * ROWS), SPG_OK);
    test_fetch(x_here, bytes, x);
    test_give_back(b_here, bytes);
    test_give_back(x_here, bytes);
}

/* On a device an update allocates nothing. */
static void a_cycle_after_an_update_without_memory_gives_finite_numbers(void **state)
{
    (void)state;
    for (int run = 0; run < 4; run++) {
        joining of;
        double x[VECTORS * ROWS], fresh[VECTORS * ROWS];
        begin(&of, 1 + run / 2);
        cycle(&of, run % 2, x); /* allocates what cycles need */
        int64_t refused = 0;
        for (int64_t k = 1;; k++, refused++) {
            test_fail_at(&of.memory, k);
            const spg_status status = spg_amg_update(of.context, of.amg, &of.joined);
            if (!test_failed(&of.memory)) break;
            assert_int_equal(status, SPG_ERROR_MEMORY);
            cycle(&of, run % 2, x);
            for (int i = 0; i < VECTORS * ROWS; i++)
                if (!isfinite(x[i]) || (run < 2 && x[i] != 0)) fail_msg("%g at %d", x[i], i);
        }
        test_fail_at(&of.memory, 0);
        if (test_place() == SPG_PLACE_HOST) assert_true(refused > 0);
        cycle(&of, run % 2, x);
        assert_int_equal(spg_amg_update(of.context, of.amg, &of.pairs), SPG_OK);
        assert_int_equal(spg_amg_update(of.context, of.amg, &of.joined), SPG_OK);
        cycle(&of, run % 2, fresh);
        assert_memory_equal(x, fresh, sizeof x);
        end(&of);
    }
}

static void assert_counts_what_it_holds(const joining *of)
{
    int64_t held, peak;
    spg_amg_summary summary;
    spg_context_memory(of->context, &held, &peak);
    assert_int_equal(spg_amg_summarise(of->amg, &summary), SPG_OK);
    assert_int_equal(summary.bytes, held - spg_csr_bytes(&of->pairs) - spg_csr_bytes(&of->joined));
}

static int64_t last_level_bytes(const spg_amg *amg) { return amg->level[amg->levels - 1].bytes; }

static void a_hierarchy_counts_the_room_of_joined_components(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    for (int levels = 1; levels <= 2; levels++) {
        joining of;
        begin(&of, levels);
        const int64_t before = of.amg->bytes, before_last = last_level_bytes(of.amg);
        assert_counts_what_it_holds(&of);
        test_fail_at(&of.memory, 1);
        assert_int_equal(spg_amg_update(of.context, of.amg, &of.joined), SPG_ERROR_MEMORY);
        assert_counts_what_it_holds(&of);
        test_fail_at(&of.memory, 0);
        assert_int_equal(spg_amg_update(of.context, of.amg, &of.joined), SPG_OK);
        assert_counts_what_it_holds(&of);
        assert_true(of.amg->bytes > before);
        assert_int_equal(last_level_bytes(of.amg) - before_last, of.amg->bytes - before);
        end(&of);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hierarchy_counts_the_room_of_joined_components),
        cmocka_unit_test(a_cycle_after_an_update_without_memory_gives_finite_numbers),
    };
    return TEST_RUN_HERE(argc, argv, "amg update joined", tests);
}
