/* Sampling: draws are items of positive weight, follow the weights, lie where their numbers say, and are the same at
 * every place and however they are split into calls. */
#include "sampling.h"

#include "chance.h"
#include "chi_square.h"
#include "damage.h"
#include "host_matrix.h"
#include "rows.h"
#include "traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of weights. */
enum { EVEN, EQUAL, POWER, ZEROS, WHOLE, WIDE, WRONG, KINDS };

static double draw_weight(uint64_t *state, int kind, spg_type type)
{
    const double u = chance_unit(state);
    switch (kind) {
    case EQUAL: return 0.3;
    case POWER: return 1 / (u + 1e-4);
    case ZEROS: return chance_of(state, 40) ? (chance_of(state, 50) ? 0.0 : -0.0) : 0.1 + u;
    case WHOLE: return (double)(1 + (int64_t)(4 * u));
    case WIDE: return pow(10, type == SPG_F32 ? 40 * u - 20 : 300 * u - 150);
    default: return 0.1 + u;
    }
}

static void put_weight(spg_csr *weights, int64_t entry, double value)
{
    if (weights->value_type == SPG_F32)
        ((float *)weights->values)[entry] = (float)value;
    else
        ((double *)weights->values)[entry] = value;
}

double soak_weight(const spg_csr *host, int64_t entry)
{
    return host->value_type == SPG_F32 ? (double)((const float *)host->values)[entry]
                                       : ((const double *)host->values)[entry];
}

/* Without its empty rows. */
static void drop_empty_rows(spg_csr *weights)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < weights->rows; i++)
        if (soak_offset(weights, i + 1) > soak_offset(weights, i))
            soak_set_offset(weights, ++kept, soak_offset(weights, i + 1));
    weights->rows = kept;
    spg_csr exact = soak_matrix_copy(weights);
    soak_matrix_free(weights);
    *weights = exact;
}

static void draw_weights(uint64_t *state, int kind, spg_csr *weights)
{
    static const double wrong[] = {-1, NAN, INFINITY, -INFINITY, -1e-300};
    for (int64_t i = 0; i < weights->rows; i++) {
        const int64_t begin = soak_offset(weights, i), end = soak_offset(weights, i + 1);
        for (int64_t k = begin; k < end; k++) put_weight(weights, k, draw_weight(state, kind, weights->value_type));
        if (end > begin) put_weight(weights, chance_between(state, begin, end - 1), 0.5 + chance_unit(state));
    }
    if (kind == WRONG && weights->nnz > 0)
        put_weight(weights, chance_below(state, weights->nnz), wrong[chance_below(state, 5)]);
}

void soak_draw_sampling(uint64_t *state, soak_case *c)
{
    soak_rows rows = soak_draw_row_kind(state);
    soak_pattern pattern = soak_draw_pattern(state, rows);
    const int kind = chance_of(state, 8) ? WRONG : (int)chance_below(state, WRONG);
    const bool one_row = chance_of(state, 25);
    int64_t n = one_row ? 1 : soak_draw_size_to(state, 20000), items = soak_draw_size(state);
    c->settings.value_type = chance_of(state, 50) ? SPG_F32 : SPG_F64;
    c->settings.numbers = SOAK_REAL;
    if (one_row && rows != SOAK_EMPTY) pattern.rows = SOAK_DENSE;
    soak_draw_matrix(state, &pattern, n, items, 300000, &c->settings, &c->matrices[0]);
    if (kind != WRONG) drop_empty_rows(&c->matrices[0]);
    draw_weights(state, kind, &c->matrices[0]);
    c->count = 1;
    c->names[0] = "weights";
    c->cols_of[0] = 1;
    c->dimensions[0] = c->matrices[0].rows, c->dimensions[1] = items;
}

/* ---- What draws must be ----------------------------------------------------------------------------------------- */

static bool is_wrong(const spg_csr *weights)
{
    bool wrong = false;
    for (int64_t i = 0; i < weights->rows; i++) {
        bool positive = false;
        for (int64_t k = soak_offset(weights, i); k < soak_offset(weights, i + 1); k++) {
            const double weight = soak_weight(weights, k);
            if (!(weight >= 0) || isinf(weight)) wrong = true;
            if (weight > 0) positive = true;
        }
        if (!positive) wrong = true;
    }
    return wrong;
}

int64_t soak_stride(const soak_sampler *s, int64_t row, int64_t count)
{
    enum { MOST_WORK = 2000000 };
    const int64_t rows = s->host->rows;
    if (rows == 0) return 1;
    const int64_t length = row >= 0 ? soak_offset(s->host, row + 1) - soak_offset(s->host, row) : s->host->nnz / rows;
    return 1 + count * (length + 1) / MOST_WORK;
}

bool soak_are_items(const soak_sampler *s, const char *what, const int32_t *rows, int64_t row, int64_t count,
                    const int32_t *draws)
{
    const int64_t stride = s->here.columns != NULL ? soak_stride(s, rows == NULL ? row : -1, count) : 1;
    for (int64_t d = 0; d < count; d += stride) {
        const int64_t i = rows != NULL ? rows[d] : row >= 0 ? row : d;
        const int64_t begin = soak_offset(s->host, i), end = soak_offset(s->host, i + 1);
        bool found = false;
        if (s->here.columns == NULL)
            found = draws[d] >= 0 && draws[d] < end - begin && soak_weight(s->host, begin + draws[d]) > 0;
        for (int64_t k = begin; s->here.columns != NULL && !found && k < end; k++)
            found = s->host->columns[k] == draws[d] && soak_weight(s->host, k) > 0;
        if (!found)
            return soak_fault("%s: %s: draw %lld from row %lld is %d, no item of it with a positive weight", s->p.name,
                              what, (long long)d, (long long)i, (int)draws[d]);
    }
    return true;
}

bool soak_follow_weights(const soak_sampler *s, const char *what, int64_t row, int64_t count, const int32_t *draws)
{
    const int64_t begin = soak_offset(s->host, row), items = soak_offset(s->host, row + 1) - begin;
    if (s->here.columns != NULL || items < 2 || items * 64 > count) return true;
    double *seen = soak_array(items, sizeof *seen), total = 0;
    for (int64_t d = 0; d < count; d++) seen[draws[d]]++;
    for (int64_t k = 0; k < items; k++) total += soak_weight(s->host, begin + k);
    chi_square test;
    chi_square_begin(&test, (double)count, total);
    for (int64_t k = 0; k < items; k++) chi_square_add(&test, soak_weight(s->host, begin + k), seen[k]);
    chi_square_end(&test);
    free(seen);
    if (test.degrees == 0 || fabs(test.z) < 8) return true; /* by chance, once in 10^15 */
    return soak_fault("%s: %s: draws from row %lld do not follow its weights: z = %g", s->p.name, what, (long long)row,
                      test.z);
}

bool soak_is_interval(const soak_sampler *s, const char *what, int64_t row, int32_t draw, double u)
{
    const int64_t begin = soak_offset(s->host, row), end = soak_offset(s->host, row + 1);
    if (s->here.columns != NULL) return true;
    long double total = 0, before = 0, weight = soak_weight(s->host, begin + draw);
    for (int64_t k = begin; k < end; k++) {
        if (k == begin + draw) before = total;
        total += soak_weight(s->host, k);
    }
    const long double slack = 1e-11L * total, target = (long double)u * total;
    if (target >= before - slack && target <= before + weight + slack) return true;
    return soak_fault("%s: %s: row %lld, u = %.17g: item %d holds [%.17Lg, %.17Lg)", s->p.name, what, (long long)row, u,
                      (int)draw, before / total, (before + weight) / total);
}

soak_outcome soak_after_weights(soak_sampler *s, const char *call, spg_status status, const void *output, size_t bytes)
{
    return s->is_wrong ? soak_after_damage(&s->p, call, status, true, output, bytes)
                       : soak_after(&s->p, call, status, output, bytes);
}

int32_t *soak_room(soak_sampler *s, int64_t count)
{
    int32_t *host = soak_array(count, sizeof *host);
    for (int64_t d = 0; d < count; d++) host[d] = -7;
    int32_t *here = soak_lend_bytes(&s->p, host, (size_t)count * sizeof *host);
    free(host);
    return here;
}

void soak_bring(soak_sampler *s, int32_t *here, int64_t count, int32_t *draws)
{
    soak_fetch_bytes(&s->p, here, (size_t)count * sizeof *draws, draws);
    soak_give_back_bytes(&s->p, here, (size_t)count * sizeof *draws);
}

/* ---- A place ---------------------------------------------------------------------------------------------------- */

/* Malformed offsets are found by every call that reads weights. */
static bool refuses_damage(soak_sampler *s)
{
    const soak_damage *damage = &s->p.of->settings.damage;
    const spg_random random = {0, 0, 0};
    spg_csr broken, here;
    spg_alias *alias = NULL;
    spg_forest *forest = NULL;
    int64_t row;
    if (damage->kind < SOAK_OFFSETS_FALL || !soak_damage_matrix(s->host, damage, &broken, &row)) return true;
    if (!soak_lend(&s->p, &broken, &here)) return false;
    int32_t *draws = soak_room(s, broken.rows);
    soak_before(&s->p);
    spg_status status = spg_butterfly_draw(s->p.context, &here, SPG_BUTTERFLY_AUTO, &random, NULL, draws);
    bool right = soak_after_damage(&s->p, "spg_butterfly_draw", status, true, NULL, 0) != SOAK_WRONG;
    status = spg_alias_build(s->p.context, &here, NULL, &alias);
    right = right && soak_after_damage(&s->p, "spg_alias_build", status, true, &alias, sizeof alias) != SOAK_WRONG;
    status = spg_forest_build(s->p.context, &here, NULL, &forest);
    right = right && soak_after_damage(&s->p, "spg_forest_build", status, true, &forest, sizeof forest) != SOAK_WRONG;
    status = spg_subset_draw(s->p.context, &here, 1, &random, draws);
    right = right && soak_after_damage(&s->p, "spg_subset_draw", status, true, NULL, 0) != SOAK_WRONG;
    int64_t *counts = soak_array(broken.nnz, sizeof *counts);
    int64_t *counts_here = soak_lend_bytes(&s->p, counts, (size_t)broken.nnz * sizeof *counts);
    status = spg_multinomial_draw(s->p.context, &here, 9, NULL, &random, counts_here);
    right = right && soak_after_damage(&s->p, "spg_multinomial_draw", status, true, NULL, 0) != SOAK_WRONG;
    soak_give_back_bytes(&s->p, counts_here, (size_t)broken.nnz * sizeof *counts);
    free(counts);
    soak_give_back_bytes(&s->p, draws, (size_t)broken.rows * sizeof *draws);
    soak_give_back(&s->p, &here);
    soak_matrix_free(&broken);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, soak_transcript *told)
{
    soak_sampler s = {.host = &c->matrices[0], .state = c->settings.seed, .told = told};
    bool right = soak_open(c, where, &s.p) && soak_lend(&s.p, s.host, &s.here);
    s.random = (spg_random){test_random(&s.state), test_random(&s.state) % 5, test_random(&s.state) % 100000};
    s.held_columns = s.here.columns;
    if (chance_of(&s.state, 60)) s.here.columns = NULL;
    s.is_wrong = is_wrong(s.host);
    right = right && refuses_damage(&s) && soak_sample_numbers(&s) && soak_sample_rows(&s) && soak_sample_alias(&s) &&
            soak_sample_forest(&s) && soak_sample_topics(&s) && soak_sample_counts(&s) && soak_sample_graphs(&s);
    s.here.columns = s.held_columns;
    soak_give_back(&s.p, &s.here);
    return soak_close(&s.p) && right;
}

bool soak_check_sampling(const soak_case *c, const soak_run *run)
{
    static soak_transcript told[2];
    bool right = true;
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], &told[k]);
    if (right && run->count == 2) right = soak_is_same_told(&told[1], &told[0]);
    if (right) soak_count(SOAK_END_DONE);
    for (int k = 0; k < 2; k++) soak_forget(&told[k]);
    return right;
}
