/* Multinomial counts, and draws without replacement; with operands that are trusted as well. See sampling.h. */
#include "sampling.h"

#include "chance.h"
#include "chi_square.h"
#include "host_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rows without any weight are allowed here; other weights that are wrong are refused. */
static bool has_faulty_weight(const spg_csr *host)
{
    for (int64_t e = 0; e < host->nnz; e++)
        if (!(soak_weight(host, e) >= 0) || isinf(soak_weight(host, e))) return true;
    return false;
}

static int64_t positive_items(const spg_csr *host, int64_t row)
{
    int64_t positive = 0;
    for (int64_t e = soak_offset(host, row); e < soak_offset(host, row + 1); e++) positive += soak_weight(host, e) > 0;
    return positive;
}

/* What a call is to be given: n or trials, and k. */
typedef struct wanted {
    int64_t n, k, *trials; /* trials: on the host, or NULL */
} wanted;

static const char *const names[] = {"spg_multinomial_draw", "spg_subset_draw"};

/* By number of a call: 0 counts, 1 draws. */
static soak_outcome call(soak_sampler *s, const wanted *w, int which, bool faulty, void *result, size_t bytes)
{
    const size_t trial_bytes = (size_t)s->host->rows * sizeof(int64_t);
    memset(result, 0x55, bytes);
    void *here = soak_lend_bytes(&s->p, result, bytes);
    int64_t *trials = w->trials != NULL ? soak_lend_bytes(&s->p, w->trials, trial_bytes) : NULL;
    soak_before(&s->p);
    const spg_status status = which == 0 ? spg_multinomial_draw(s->p.context, &s->here, w->n, trials, &s->random, here)
                                         : spg_subset_draw(s->p.context, &s->here, w->k, &s->random, here);
    const soak_outcome outcome = faulty ? soak_after_damage(&s->p, names[which], status, true, NULL, 0)
                                        : soak_after(&s->p, names[which], status, NULL, 0);
    soak_fetch_bytes(&s->p, here, bytes, result);
    soak_give_back_bytes(&s->p, here, bytes);
    if (trials != NULL) soak_give_back_bytes(&s->p, trials, trial_bytes);
    if (outcome == SOAK_DONE)
        soak_tell(s->told, names[which], result, bytes);
    else
        soak_tell_nothing(s->told, names[which]);
    return outcome;
}

/* Of a context that trusts its operands; the same result. */
static bool trusts_alike(soak_sampler *s, const wanted *w, int which, const void *expected, size_t bytes)
{
    spg_draw_options options = {.empty_rows = 1, .trusted = 1};
    void *result = soak_array((int64_t)bytes, 1);
    spg_context_set_draw_options(s->p.context, &options);
    const soak_outcome outcome = call(s, w, which, false, result, bytes);
    options.trusted = 0;
    spg_context_set_draw_options(s->p.context, &options);
    bool right = outcome != SOAK_WRONG;
    if (outcome == SOAK_DONE && memcmp(result, expected, bytes) != 0)
        right = soak_fault("%s: call %d of a context that trusts gives otherwise", s->p.name, which);
    free(result);
    return right;
}

static bool are_counts(const soak_sampler *s, const wanted *w, const int64_t *counts)
{
    for (int64_t i = 0; i < s->host->rows; i++) {
        const int64_t begin = soak_offset(s->host, i), end = soak_offset(s->host, i + 1);
        const int64_t n = w->trials != NULL ? w->trials[i] : w->n, positive = positive_items(s->host, i);
        double total = 0;
        uint64_t sum = 0;
        chi_square test;
        for (int64_t e = begin; e < end; e++) {
            total += soak_weight(s->host, e);
            sum += (uint64_t)counts[e];
            if (counts[e] < 0 || (counts[e] > 0 && !(soak_weight(s->host, e) > 0)))
                return soak_fault("%s: counts: entry %lld has %lld", s->p.name, (long long)e, (long long)counts[e]);
        }
        if (sum != (uint64_t)(positive > 0 ? n : 0))
            return soak_fault("%s: counts: row %lld has %llu draws, not %lld", s->p.name, (long long)i,
                              (unsigned long long)sum, (long long)n);
        if (positive < 2 || n > (int64_t)1 << 50 || n / 64 < end - begin) continue;
        chi_square_begin(&test, (double)n, total);
        for (int64_t e = begin; e < end; e++) chi_square_add(&test, soak_weight(s->host, e), (double)counts[e]);
        chi_square_end(&test);
        if (test.degrees > 0 && fabs(test.z) > 8) /* by chance, once in 10^15 */
            return soak_fault("%s: counts: row %lld, %lld draws: z = %g", s->p.name, (long long)i, (long long)n,
                              test.z);
    }
    return true;
}

/* Different items, of positive weight, and -1 once there are no more. Items are known where columns are NULL. */
static bool are_subsets(const soak_sampler *s, int64_t k, const int32_t *draws)
{
    bool *seen = soak_array(s->host->nnz, sizeof *seen), right = true;
    for (int64_t i = 0; right && i < s->host->rows; i++) {
        const int64_t begin = soak_offset(s->host, i), items = soak_offset(s->host, i + 1) - begin;
        const int64_t positive = positive_items(s->host, i);
        for (int64_t d = 0; right && d < k; d++) {
            const int32_t draw = draws[i * k + d];
            bool fits = (draw == -1) == (d >= positive);
            if (fits && draw >= 0 && s->here.columns == NULL) {
                fits = draw < items && soak_weight(s->host, begin + draw) > 0 && !seen[begin + draw];
                if (fits) seen[begin + draw] = true;
            }
            if (!fits)
                right = soak_fault("%s: spg_subset_draw: row %lld, draw %lld is %d", s->p.name, (long long)i,
                                   (long long)d, (int)draw);
        }
    }
    free(seen);
    return right;
}

static wanted draw_wanted(soak_sampler *s)
{
    wanted w = {.n = chance_log(&s->state, 1, (int64_t)1 << 61) - 1};
    w.k = 1 + chance_below(&s->state, s->host->rows > 0 ? 1 + 200000 / s->host->rows : 1);
    if (w.k > 300) w.k = chance_log(&s->state, 1, w.k);
    if (chance_of(&s->state, 50)) return w;
    w.trials = soak_array(s->host->rows, sizeof *w.trials);
    for (int64_t i = 0; i < s->host->rows; i++) w.trials[i] = chance_log(&s->state, 1, (int64_t)1 << 61) - 1;
    return w;
}

bool soak_sample_counts(soak_sampler *s)
{
    const spg_draw_options options = {.empty_rows = 1};
    const bool faulty = has_faulty_weight(s->host);
    const wanted w = draw_wanted(s);
    bool right = true;
    spg_context_set_draw_options(s->p.context, &options);
    for (int which = 0; right && which < 2; which++) {
        const size_t bytes =
            which == 0 ? (size_t)s->host->nnz * sizeof(int64_t) : (size_t)(s->host->rows * w.k) * sizeof(int32_t);
        void *result = soak_array((int64_t)bytes + 8, 1);
        const soak_outcome outcome = call(s, &w, which, faulty && s->host->rows > 0, result, bytes);
        right = outcome != SOAK_WRONG;
        if (right && outcome == SOAK_DONE && !faulty)
            right = (which == 0 ? are_counts(s, &w, result) : are_subsets(s, w.k, result)) &&
                    trusts_alike(s, &w, which, result, bytes);
        else
            soak_tell_nothing(s->told, names[which]); /* in place of a call that trusts */
        free(result);
    }
    spg_context_set_draw_options(s->p.context, NULL);
    free(w.trials);
    return right;
}
