/* Cases from their numbers. */
#include "soak.h"

#include "chance.h"
#include "host_matrix.h"
#include "traits.h"

#include <string.h>

static const spg_row_limits limit_sets[] = {{INT64_MAX, INT64_MAX, INT64_MAX},
                                            {0, INT64_MAX, INT64_MAX},
                                            {0, 0, INT64_MAX},
                                            {0, 0, 0},
                                            {2, 12, 48},
                                            {32, 736, 6144}};

static void draw_damage(uint64_t *state, soak_settings *s)
{
    s->damage.kind = (soak_damage_kind)chance_between(state, SOAK_SOUND + 1, SOAK_DAMAGES - 1);
    s->damage.matrix = (int)chance_below(state, SOAK_MATRICES);
    s->damage.where = chance_unit(state);
    if (!chance_of(state, 8)) s->damage.kind = SOAK_SOUND;
}

static void count_settings(const soak_settings *s)
{
    soak_count(SOAK_TYPE_F32 + (int)s->value_type);
    soak_count(SOAK_NUMBERS_WHOLE + (int)s->numbers);
    if (s->threads > 1) soak_count(SOAK_SET_THREADS);
    if (s->row_limits.thread != -1) soak_count(SOAK_SET_CLASSES);
    if (s->workspace_limit > 0) soak_count(SOAK_SET_WORKSPACE);
    if (s->timing) soak_count(SOAK_SET_TIMING);
    if (s->caller_allocates) soak_count(SOAK_SET_ALLOCATOR);
    if (s->damage.kind != SOAK_SOUND) soak_count(SOAK_SET_DAMAGE);
}

static void draw_settings(uint64_t *state, soak_settings *s)
{
    memset(s, 0, sizeof *s);
    s->value_type = (spg_type)(SPG_F32 + chance_below(state, 4));
    const int64_t numbers = chance_below(state, 100);
    s->numbers = numbers < 60 ? SOAK_WHOLE : numbers < 95 ? SOAK_REAL : SOAK_SPECIAL;
    s->threads = (int)chance_between(state, 1, 4);
    s->row_limits = (spg_row_limits){-1, -1, -1};
    const int64_t limits = chance_below(state, (int64_t)(sizeof limit_sets / sizeof *limit_sets));
    if (chance_of(state, 30)) s->row_limits = limit_sets[limits];
    const int64_t workspace = chance_log(state, 1000, 1 << 26);
    if (chance_of(state, 25)) s->workspace_limit = workspace;
    s->keep_bytes = chance_of(state, 70) ? spg_config_default().keep_bytes : 0;
    s->timing = chance_of(state, 10);
    s->by_setters = chance_of(state, 20);
    s->caller_allocates = chance_of(state, 40);
    const int64_t fail_at = chance_log(state, 1, 40);
    if (s->caller_allocates && chance_of(state, 60)) s->fail_at = fail_at;
    draw_damage(state, s);
    s->seed = test_random(state);
}

void soak_draw_case(int family, uint64_t seed, int64_t number, soak_case *c)
{
    uint64_t state = chance_mix(chance_mix(seed, (uint64_t)family + 1), (uint64_t)number);
    memset(c, 0, sizeof *c);
    c->family = family;
    c->seed = seed;
    c->number = number;
    draw_settings(&state, &c->settings);
    soak_families[family].draw(&state, c);
    count_settings(&c->settings);
}

void soak_case_free(soak_case *c)
{
    for (int k = 0; k < c->count; k++) soak_matrix_free(&c->matrices[k]);
    c->count = 0;
}
