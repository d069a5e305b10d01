/* See sampling.h. */
#include "sampling.h"

#include "chance.h"
#include "host_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether draws or numbers of two calls are those of one: `from` is where the second begins. */
static spg_random later(spg_random random, int64_t from)
{
    random.first += (uint64_t)from;
    return random;
}

/* spg_random_bits or, of a type, _uniforms. */
static bool tell_numbers(soak_sampler *s, const char *name, spg_type type, size_t size, int64_t count)
{
    const int64_t split = chance_below(&s->state, count + 1);
    const size_t bytes = (size_t)count * size;
    char *host = soak_array(count, size), *here = soak_lend_bytes(&s->p, host, bytes);
    spg_status status = SPG_OK;
    for (int part = 0; status == SPG_OK && part < 2; part++) {
        const int64_t from = part == 0 ? 0 : split, n = part == 0 ? split : count - split;
        const spg_random random = later(s->random, from);
        void *to = here + (size_t)from * size;
        status = type == SPG_I64 ? spg_random_bits(s->p.context, &random, n, to)
                                 : spg_random_uniforms(s->p.context, &random, n, type, to);
    }
    const bool right = soak_after(&s->p, name, status, NULL, 0) == SOAK_DONE;
    soak_fetch_bytes(&s->p, here, bytes, host);
    soak_give_back_bytes(&s->p, here, bytes);
    if (right) soak_tell(s->told, name, host, bytes);
    free(host);
    return right;
}

bool soak_sample_numbers(soak_sampler *s)
{
    const int64_t count = chance_log(&s->state, 1, 3000);
    soak_before(&s->p);
    return tell_numbers(s, "spg_random_bits", SPG_I64, sizeof(uint64_t), count) &&
           tell_numbers(s, "spg_random_uniforms f32", SPG_F32, sizeof(float), count) &&
           tell_numbers(s, "spg_random_uniforms f64", SPG_F64, sizeof(double), count);
}

/* Number i of the case's sequence as double, by the host. */
static double *uniforms_of(soak_sampler *s, int64_t count)
{
    double *uniforms = soak_array(count, sizeof *uniforms);
    if (spg_random_uniforms(test_host(), &s->random, count, SPG_F64, uniforms) != SPG_OK)
        soak_fault("host: spg_random_uniforms: %s", spg_context_message(test_host()));
    return uniforms;
}

static bool tell_rows(soak_sampler *s, int method)
{
    static const char *const names[] = {"butterfly, auto", "butterfly, plain", "butterfly, transposed",
                                        "butterfly, table"};
    const int64_t rows = s->host->rows;
    int32_t *here = soak_room(s, rows), *draws = soak_array(rows, sizeof *draws);
    soak_before(&s->p);
    const spg_status status =
        spg_butterfly_draw(s->p.context, &s->here, (spg_butterfly_method)method, &s->random, NULL, here);
    const soak_outcome outcome = soak_after_weights(s, names[method], status, NULL, 0);
    soak_bring(s, here, rows, draws);
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE) {
        double *uniforms = uniforms_of(s, rows);
        right = soak_are_items(s, names[method], NULL, -1, rows, draws);
        for (int64_t i = 0; right && i < rows; i++)
            right = soak_is_interval(s, names[method], i, draws[i], uniforms[i]);
        free(uniforms);
        soak_tell(s->told, names[method], draws, (size_t)rows * sizeof *draws);
    } else {
        soak_tell_nothing(s->told, names[method]);
    }
    free(draws);
    return right;
}

bool soak_sample_rows(soak_sampler *s)
{
    bool right = tell_rows(s, SPG_BUTTERFLY_AUTO);
    const int method = (int)chance_between(&s->state, SPG_BUTTERFLY_PLAIN, SPG_BUTTERFLY_TABLE);
    return right && tell_rows(s, method);
}

/* ---- Alias tables ----------------------------------------------------------------------------------------------- */

static bool draw_row(soak_sampler *s, const spg_alias *alias, const char *name, bool grouped)
{
    const int64_t row = chance_below(&s->state, s->host->rows);
    const int64_t count = chance_log(&s->state, 1, chance_of(&s->state, 30) ? 400000 : 20000);
    const int64_t split = grouped ? count : chance_below(&s->state, count + 1);
    const spg_alias_draw_options options = {.sampler = SPG_SAMPLER_AUTO, .grouped = grouped};
    const spg_random second = later(s->random, split);
    int32_t *here = soak_room(s, count), *draws = soak_array(count, sizeof *draws);
    soak_before(&s->p);
    spg_status status = spg_alias_draw(s->p.context, alias, row, split, &s->random, &options, here);
    if (status == SPG_OK && split < count)
        status = spg_alias_draw(s->p.context, alias, row, count - split, &second, &options, here + split);
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    soak_bring(s, here, count, draws);
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE) {
        right = soak_are_items(s, name, NULL, row, count, draws) && soak_follow_weights(s, name, row, count, draws);
        soak_tell(s->told, name, draws, (size_t)count * sizeof *draws);
    } else {
        soak_tell_nothing(s->told, name);
    }
    free(draws);
    return right;
}

/* Rows in any order, some more than once. */
static int32_t *draw_row_list(soak_sampler *s, int64_t count)
{
    int32_t *rows = soak_array(count, sizeof *rows);
    for (int64_t d = 0; d < count; d++) rows[d] = (int32_t)chance_below(&s->state, s->host->rows);
    return rows;
}

static bool draw_rows(soak_sampler *s, const spg_alias *alias)
{
    const int64_t count = chance_log(&s->state, 1, 5000);
    int32_t *rows = draw_row_list(s, count), *draws = soak_array(count, sizeof *draws), *here = soak_room(s, count);
    int32_t *rows_here = soak_lend_bytes(&s->p, rows, (size_t)count * sizeof *rows);
    soak_before(&s->p);
    const spg_status status = spg_alias_draw_rows(s->p.context, alias, count, rows_here, &s->random, here);
    const soak_outcome outcome = soak_after(&s->p, "spg_alias_draw_rows", status, NULL, 0);
    soak_bring(s, here, count, draws);
    soak_give_back_bytes(&s->p, rows_here, (size_t)count * sizeof *rows);
    const bool right = outcome == SOAK_REFUSED ||
                       (outcome == SOAK_DONE && soak_are_items(s, "spg_alias_draw_rows", rows, 0, count, draws));
    if (outcome == SOAK_DONE)
        soak_tell(s->told, "spg_alias_draw_rows", draws, (size_t)count * sizeof *draws);
    else
        soak_tell_nothing(s->told, "spg_alias_draw_rows");
    free(rows);
    free(draws);
    return right;
}

static soak_outcome build_alias(soak_sampler *s, const spg_alias_options *options, spg_alias **alias)
{
    *alias = (spg_alias *)(void *)s;
    soak_before(&s->p);
    const spg_status status = spg_alias_build(s->p.context, &s->here, options, alias);
    return soak_after_weights(s, "spg_alias_build", status, (const void *)alias, sizeof *alias);
}

bool soak_sample_alias(soak_sampler *s)
{
    const spg_alias_options options = {.builder = (spg_alias_builder)chance_below(&s->state, 4),
                                       .resolution = (spg_alias_resolution)chance_below(&s->state, 2),
                                       .split = (spg_alias_split)chance_below(&s->state, 2),
                                       .chunks = (int)chance_below(&s->state, 9)};
    const uint64_t state = s->state; /* draws are the same whether or not this place could build */
    spg_alias *alias = NULL;
    if (s->p.of->settings.fail_at > 0 && !s->is_wrong) {
        soak_arm(&s->p);
        const soak_outcome outcome = build_alias(s, &options, &alias);
        soak_disarm(&s->p);
        if (outcome == SOAK_WRONG) return false;
        spg_alias_destroy(alias);
    }
    const soak_outcome outcome = build_alias(s, &options, &alias);
    spg_alias_stats stats;
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE && spg_alias_build_stats(alias, &stats) != SPG_OK)
        right = soak_fault("%s: spg_alias_build_stats: no statistics", s->p.name);
    if (right && outcome == SOAK_DONE && s->host->rows > 0)
        right = draw_row(s, alias, "alias, in order", false) && draw_row(s, alias, "alias, grouped", true) &&
                draw_rows(s, alias);
    else
        for (int k = 0; k < 3; k++)
            soak_tell_nothing(s->told, k == 0 ? "alias, in order" : k == 1 ? "alias, grouped" : "spg_alias_draw_rows");
    if (outcome == SOAK_DONE) spg_alias_destroy(alias);
    s->state = state + 1;
    return right;
}

/* ---- Forests ---------------------------------------------------------------------------------------------------- */

/* What a call of draws gives, at the place. */
typedef struct inverted {
    int64_t count;
    int32_t *items, *rows;
    double *probabilities, *remapped;
} inverted;

static inverted open_inverted(soak_sampler *s, int64_t count, const int32_t *rows)
{
    inverted there = {.count = count};
    double *zeros = soak_array(count, sizeof *zeros);
    const size_t bytes = (size_t)count * sizeof *zeros;
    there.items = soak_room(s, count);
    there.rows = soak_lend_bytes(&s->p, rows, (size_t)count * sizeof *rows);
    there.probabilities = soak_lend_bytes(&s->p, zeros, bytes);
    there.remapped = soak_lend_bytes(&s->p, zeros, bytes);
    free(zeros);
    return there;
}

/* Gives them back, and tells them where the call was done. draws: its items. */
static void close_inverted(soak_sampler *s, const char *name, soak_outcome outcome, inverted *there, int32_t *draws)
{
    const size_t bytes = (size_t)there->count * sizeof(double);
    double *host = soak_array(2 * there->count, sizeof *host);
    soak_fetch_bytes(&s->p, there->probabilities, bytes, host);
    soak_fetch_bytes(&s->p, there->remapped, bytes, host + there->count);
    soak_bring(s, there->items, there->count, draws);
    soak_give_back_bytes(&s->p, there->rows, (size_t)there->count * sizeof *there->rows);
    soak_give_back_bytes(&s->p, there->probabilities, bytes);
    soak_give_back_bytes(&s->p, there->remapped, bytes);
    if (outcome == SOAK_DONE) {
        soak_tell(s->told, name, draws, (size_t)there->count * sizeof *draws);
        soak_tell_values(s->told, "their shares and remapped numbers", SPG_F64, 2 * there->count, host, 0);
    } else {
        soak_tell_nothing(s->told, name);
        soak_tell_nothing(s->told, "their shares and remapped numbers");
    }
    free(host);
}

/* How many reads draws by these uniforms take: told. */
static bool tell_loads(soak_sampler *s, const spg_forest *forest, int64_t count, const int32_t *rows,
                       const double *uniforms)
{
    int32_t *here = soak_room(s, count), *loads = soak_array(count, sizeof *loads);
    soak_before(&s->p);
    const spg_status status = spg_forest_loads(s->p.context, forest, count, rows, uniforms, here);
    const soak_outcome outcome = soak_after(&s->p, "spg_forest_loads", status, NULL, 0);
    soak_bring(s, here, count, loads);
    bool right = outcome != SOAK_WRONG;
    for (int64_t d = 0; outcome == SOAK_DONE && right && d < count; d++)
        if (loads[d] < 0)
            right = soak_fault("%s: spg_forest_loads: draw %lld reads %d", s->p.name, (long long)d, loads[d]);
    if (outcome == SOAK_DONE)
        soak_tell(s->told, "spg_forest_loads", loads, (size_t)count * sizeof *loads);
    else
        soak_tell_nothing(s->told, "spg_forest_loads");
    free(loads);
    return right;
}

static bool invert_rows(soak_sampler *s, const spg_forest *forest)
{
    const char *name = "spg_forest_draw";
    const int64_t count = chance_log(&s->state, 1, 3000);
    const bool by_uniforms = chance_of(&s->state, 50);
    int32_t *rows = draw_row_list(s, count), *draws = soak_array(count, sizeof *draws);
    double *uniforms = uniforms_of(s, count);
    if (by_uniforms && count > 2) uniforms[0] = 0, uniforms[1] = 1 - 0x1p-53;
    double *uniforms_here = soak_lend_bytes(&s->p, uniforms, (size_t)count * sizeof *uniforms);
    inverted there = open_inverted(s, count, rows);
    soak_before(&s->p);
    spg_status status = spg_forest_draw(s->p.context, forest, count, there.rows, by_uniforms ? NULL : &s->random,
                                        by_uniforms ? uniforms_here : NULL, there.items,
                                        &(spg_forest_details){there.probabilities, there.remapped});
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    bool right = outcome != SOAK_WRONG && tell_loads(s, forest, count, there.rows, uniforms_here);
    close_inverted(s, name, outcome, &there, draws);
    if (right && outcome == SOAK_DONE) right = soak_are_items(s, name, rows, 0, count, draws);
    for (int64_t d = 0; outcome == SOAK_DONE && right && d < count; d += soak_stride(s, -1, count))
        right = soak_is_interval(s, name, rows[d], draws[d], uniforms[d]);
    soak_give_back_bytes(&s->p, uniforms_here, (size_t)count * sizeof *uniforms);
    free(uniforms);
    free(rows);
    free(draws);
    return right;
}

/* Stratified items without their shares are made in another way: they are the same. */
static bool tell_items_alone(soak_sampler *s, const spg_forest *forest, int64_t row, int64_t count)
{
    const char *name = "stratified items alone";
    int32_t *here = soak_room(s, count), *items = soak_array(count, sizeof *items);
    soak_before(&s->p);
    const spg_status status = spg_forest_draw_stratified(s->p.context, forest, row, count, &s->random, here, NULL);
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    soak_bring(s, here, count, items);
    if (outcome == SOAK_DONE)
        soak_tell(s->told, name, items, (size_t)count * sizeof *items);
    else
        soak_tell_nothing(s->told, name);
    free(items);
    return outcome != SOAK_WRONG;
}

/* What two calls told is the same, where both did. */
static bool told_the_same(const soak_sampler *s, int first, int second)
{
    const soak_told *a = &s->told->told[first], *b = &s->told->told[second];
    if (a->data == NULL || b->data == NULL || memcmp(a->data, b->data, a->bytes) == 0) return true;
    return soak_fault("%s: '%s' and '%s' differ", s->p.name, a->name, b->name);
}

static bool invert_stratified(soak_sampler *s, const spg_forest *forest)
{
    const char *name = "spg_forest_draw_stratified";
    const int64_t row = chance_below(&s->state, s->host->rows), count = chance_log(&s->state, 1, 20000);
    int32_t *rows = soak_array(count, sizeof *rows), *draws = soak_array(count, sizeof *draws);
    double *uniforms = uniforms_of(s, count);
    inverted there = open_inverted(s, count, rows);
    soak_before(&s->p);
    const spg_status status = spg_forest_draw_stratified(s->p.context, forest, row, count, &s->random, there.items,
                                                         &(spg_forest_details){there.probabilities, there.remapped});
    const soak_outcome outcome = soak_after(&s->p, name, status, NULL, 0);
    const int told = s->told->count;
    close_inverted(s, name, outcome, &there, draws);
    bool right =
        outcome != SOAK_WRONG && tell_items_alone(s, forest, row, count) && told_the_same(s, told, s->told->count - 1);
    if (right && outcome == SOAK_DONE) right = soak_are_items(s, name, NULL, row, count, draws);
    for (int64_t d = 0; outcome == SOAK_DONE && right && d < count; d += soak_stride(s, row, count))
        right = soak_is_interval(s, name, row, draws[d], ((double)d + uniforms[d]) / (double)count);
    free(uniforms);
    free(rows);
    free(draws);
    return right;
}

static soak_outcome build_forest(soak_sampler *s, const spg_forest_options *options, spg_forest **forest)
{
    *forest = (spg_forest *)(void *)s;
    soak_before(&s->p);
    const spg_status status = spg_forest_build(s->p.context, &s->here, options, forest);
    return soak_after_weights(s, "spg_forest_build", status, (const void *)forest, sizeof *forest);
}

bool soak_sample_forest(soak_sampler *s)
{
    static const char *const names[] = {"spg_forest_loads",
                                        "spg_forest_draw",
                                        "their shares and remapped numbers",
                                        "spg_forest_draw_stratified",
                                        "their shares and remapped numbers",
                                        "stratified items alone"};
    const spg_forest_options options = {.method = (spg_forest_method)chance_below(&s->state, 3),
                                        .cells_per_item = chance_of(&s->state, 50) ? 0 : 4 * chance_unit(&s->state)};
    const uint64_t state = s->state;
    spg_forest *forest = NULL;
    if (s->p.of->settings.fail_at > 0 && !s->is_wrong) {
        soak_arm(&s->p);
        const soak_outcome outcome = build_forest(s, &options, &forest);
        soak_disarm(&s->p);
        if (outcome == SOAK_WRONG) return false;
        spg_forest_destroy(forest);
    }
    const soak_outcome outcome = build_forest(s, &options, &forest);
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE && s->host->rows > 0)
        right = invert_rows(s, forest) && invert_stratified(s, forest);
    else
        for (int k = 0; k < 6; k++) soak_tell_nothing(s->told, names[k]);
    if (outcome == SOAK_DONE) spg_forest_destroy(forest);
    s->state = state + 1;
    return right;
}
