/* What a hierarchy holds, and what its set-up holds at most. */
#include "amg_reference.h"

#include "amg/amg.h"
#include "amg/lanczos.h"
#include "memory.h"
#include "spg/amg_many.h"

typedef struct usage {
    test_system system;
    int64_t held, peak; /* of the context, beside A */
    spg_amg_summary summary;
} usage;

static usage measure(const char *name, const spg_amg_options *options)
{
    usage found;
    int64_t held, peak;
    const spg_csr A = test_generate(name, SPG_F64);
    test_system_begin(&A, options, 2, &found.system);
    spg_context_memory(found.system.context, &held, &peak);
    found.held = held - spg_csr_bytes(&found.system.A_here);
    found.peak = peak - spg_csr_bytes(&found.system.A_here);
    assert_int_equal(spg_amg_summarise(found.system.amg, &found.summary), SPG_OK);
    return found;
}

static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

/* A level's vectors while its products are computed, and the candidates of the next level. */
static int64_t vectors_of(const spg_level *level)
{
    const int64_t k = level->aggregates.candidates, value = (int64_t)sizeof(double);
    const int64_t tentative = level->rows * k * value, inverse = level->rows * value;
    const int64_t ritz = level->rows * (int64_t)sizeof *level->spectrum.vector;
    const int64_t aggregates = level->aggregates.nodes * (int64_t)sizeof *level->aggregates.aggregate_of;
    return tentative + inverse + ritz + aggregates + level[1].rows * k * value;
}

/* What else a level has for updates: the transpose's map, before the products; and its plan, A*P included. */
static int64_t map_of(const spg_level *level)
{
    return level->transpose_map != NULL ? level->R.nnz * (int64_t)sizeof *level->transpose_map : 0;
}

static int64_t plan_of(const spg_level *level) { return level->plan != NULL ? level->plan->stats.plan_bytes : 0; }

/* The most that the products of all levels need with what must be held meanwhile: A*P with R made before it, then
 * R*(A*P) with its result, on the first level without P unless updates are prepared. */
static int64_t most_of_products(const spg_amg *amg)
{
    int64_t before = 0, most = 0;
    for (int l = 0; l + 1 < amg->levels; l++) {
        const spg_level *level = &amg->level[l];
        const int64_t P = spg_csr_bytes(&level->P), R = spg_csr_bytes(&level->R);
        const int64_t stays = before + vectors_of(level) + map_of(level) + R, held = stays + level->AP.result_bytes;
        const bool is_lent = l == 0 && level->plan == NULL;
        most = larger(most, held + P + level->AP.workspace_bytes);
        most = larger(most, held + (is_lent ? 0 : P) + level->RAP.result_bytes + level->RAP.workspace_bytes);
        before = stays + P + spg_csr_bytes(&level[1].A) + plan_of(level);
    }
    return most;
}

/* Of a size for which a vector shows beside the workspace of products. */
static void check_peak(const char *name, const spg_amg_options *options)
{
    usage found = measure(name, options);
    const spg_amg *amg = found.system.amg;
    const int64_t vector = spg_amg_vector_bytes(amg, amg->level[0].rows);
    const int64_t most = larger(most_of_products(amg), found.summary.bytes);
    assert_true(amg->levels > 2);
    assert_true(amg->backend->spectral_bytes(&amg->level[0].A, SPG_AMG_MOST_STEPS) > vector);
    assert_true(spg_csr_bytes(&amg->level[0].P) > vector);
    if (found.peak > most + vector)
        fail_msg("%s: %lld bytes at the peak, %lld are needed", name, (long long)found.peak, (long long)most);
    test_system_end(&found.system);
}

static void set_up_holds_at_most_what_its_products_need(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    for (int m = 0; m < 4; m++) {
        spg_amg_options options = spg_amg_options_default();
        options.prolongator_relaxation = m % 2 == 0 ? options.prolongator_relaxation : 0;
        options.prepare_update = m / 2;
        check_peak("fd3d7:40", &options);
    }
}

/* It makes P again after the products, where otherwise P stays. */
static void a_prolongator_that_was_freed_meanwhile_has_the_same_bits(void **state)
{
    (void)state;
    const char *const names[] = {"fd3d7:20", "solid3d:8"};
    for (int m = 0; m < 4; m++) {
        test_hierarchy found[2];
        for (int prepare = 0; prepare < 2; prepare++) {
            spg_amg_options options = test_several_levels();
            options.block_size = m % 2 == 1 ? 3 : 1;
            options.prolongator_relaxation = m < 2 ? options.prolongator_relaxation : 0;
            options.prepare_update = prepare;
            usage of = measure(names[m % 2], &options);
            test_fetch_hierarchy(&of.system, &found[prepare]);
            test_system_end(&of.system);
        }
        test_assert_same_hierarchy(&found[0], &found[1]);
        test_free_hierarchy(&found[0]);
        test_free_hierarchy(&found[1]);
    }
}

/* ---- What is held ---- */

/* After set-up, a solve, one of several right-hand sides, and an update. */
static void check_held(const spg_amg_options *options)
{
    usage found = measure("fd3d7:16", options);
    test_system *system = &found.system;
    const int64_t n = system->A.rows, A_bytes = spg_csr_bytes(&system->A_here);
    assert_int_equal(found.held, found.summary.bytes);
    test_system_solve(system, NULL, SPG_OK);
    if (options->cycle == SPG_CYCLE_V)
        assert_int_equal(spg_amg_solve_many(system->context, system->amg, 1, SPG_COLUMN_MAJOR, system->b, n, system->x,
                                            n, NULL, NULL),
                         SPG_OK);
    assert_int_equal(spg_amg_update(system->context, system->amg, &system->A_here), SPG_OK);
    spg_context_memory(system->context, &found.held, &found.peak);
    assert_int_equal(spg_amg_summarise(system->amg, &found.summary), SPG_OK);
    assert_int_equal(found.held - A_bytes, found.summary.bytes);
    test_system_end(system);
}

static void a_hierarchy_counts_all_that_it_holds(void **state)
{
    (void)state;
    if (test_place() == SPG_PLACE_DEVICE) skip();
    for (int m = 0; m < 16; m++) {
        spg_amg_options options = test_several_levels();
        options.cycle = m % 2 == 1 ? SPG_CYCLE_K : SPG_CYCLE_V;
        options.prolongator_relaxation = m / 2 % 2 == 1 ? 0 : options.prolongator_relaxation;
        options.prepare_update = m / 4 % 2;
        options.precision = m / 8 == 1 ? SPG_AMG_PRECISION_F32 : SPG_AMG_PRECISION_OF_A;
        check_held(&options);
    }
    /* The second operator is made, or found to be too large before, in or after the products. */
    for (int m = 0; m < 20; m++) {
        spg_amg_options options = test_several_levels();
        options.max_complexity = 1.05 + 0.1 * m;
        check_held(&options);
    }
}

/* The vectors that two steps need beside those of a V-cycle: a residual's image, another, and a correction. */
static int64_t vectors_of_two_steps(const spg_amg *amg, int level)
{
    const bool takes_them = level > 0 && level <= 3 && level + 1 < amg->levels;
    return takes_them ? 3 * spg_amg_vector_bytes(amg, amg->level[level].rows) : 0;
}

static void a_level_counts_the_vectors_of_its_k_cycle(void **state)
{
    (void)state;
    spg_amg_options options = test_several_levels();
    options.prolongator_relaxation = 0;
    options.max_coarse = 3;
    usage v = measure("fd2d5:100", &options);
    options.cycle = SPG_CYCLE_K;
    usage k = measure("fd2d5:100", &options);
    const spg_amg *of_v = v.system.amg, *of_k = k.system.amg;
    int64_t more = 0;
    assert_true(of_k->levels > 5 && of_v->levels == of_k->levels);
    for (int l = 0; l < of_k->levels; l++) {
        const int64_t vectors = vectors_of_two_steps(of_k, l), found = of_k->level[l].bytes - of_v->level[l].bytes;
        assert_true(vectors > 0 ? found >= vectors : found == 0);
        more += found;
    }
    assert_int_equal(k.summary.bytes - v.summary.bytes, more);
    assert_int_equal(k.held - v.held, more);
    test_system_end(&v.system);
    test_system_end(&k.system);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_up_holds_at_most_what_its_products_need),
        cmocka_unit_test(a_prolongator_that_was_freed_meanwhile_has_the_same_bits),
        cmocka_unit_test(a_hierarchy_counts_all_that_it_holds),
        cmocka_unit_test(a_level_counts_the_vectors_of_its_k_cycle),
    };
    return TEST_RUN_HERE(argc, argv, "amg memory", tests);
}
