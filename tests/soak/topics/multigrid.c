/* Multigrid: hierarchies are sound, made of their parts bit for bit, and the same at every place (integers exactly,
 * numbers to rounding); solves reach what they say; updates keep the patterns. */
#include "soak.h"

#include "chance.h"
#include "compare.h"
#include "host_matrix.h"
#include "many_checks.h"
#include "place_under_soak.h"
#include "prolongators.h"
#include "rows.h"
#include "systems.h"
#include "traits.h"
#include "transcript.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct hierarchy {
    soak_place p;
    const spg_csr *host; /* A */
    spg_csr here;
    spg_amg_options options;
    spg_amg *amg;
    soak_definiteness kind; /* of a definite one solves may not break down */
    bool on_host; /* wherever the case runs: then numbers are the same bit for bit; else to rounding, where definite */
    double tolerance;
    soak_transcript *told;
} hierarchy;

static spg_amg_options draw_options(uint64_t *state, int64_t rows)
{
    static const double thetas[] = {0.08, 0.25, 0.5};
    spg_amg_options o = spg_amg_options_default();
    o.aggregation = chance_of(state, 20) ? SPG_AGGREGATION_STANDARD : SPG_AGGREGATION_MIS2;
    o.join_leftovers = chance_of(state, 80) || rows > SOAK_DENSE_ROWS;
    o.seed = test_random(state);
    const double theta = thetas[chance_below(state, 3)];
    const bool small = rows <= SOAK_DENSE_ROWS; /* else coarsening must not stop early: a dense solve costs the cube */
    o.theta = chance_of(state, 30) && small ? theta : 0;
    o.strength = (spg_strength)chance_below(state, 2);
    o.restriction = (spg_restriction)chance_below(state, 2);
    const int block = (int)chance_between(state, 2, 4);
    if (chance_of(state, 15) && rows % block == 0) o.block_size = block;
    if (chance_of(state, 20)) o.prolongator_relaxation = 0;
    if (chance_of(state, 50)) o.spectral_steps = (int)chance_between(state, 12, 25); /* of fewer, sweeps may diverge */
    o.max_coarse = chance_log(state, 1, 500);
    if (chance_of(state, 15) && small) o.max_levels = (int)chance_between(state, 1, 4);
    o.smoother = (spg_smoother)chance_below(state, 3);
    o.pre_sweeps = o.post_sweeps = (int)chance_between(state, 1, 2);
    o.chebyshev_degree = (int)chance_between(state, 1, 4);
    o.prepare_update = chance_of(state, 50);
    o.timing = chance_of(state, 10);
    if (chance_of(state, 25)) o.precision = SPG_AMG_PRECISION_F32;
    if (chance_of(state, 25)) o.cycle = SPG_CYCLE_K;
    o.filter = o.theta > 0 && o.block_size == 1 && chance_of(state, 50);
    return o;
}

static soak_outcome setup(hierarchy *h)
{
    h->amg = (spg_amg *)(void *)h;
    soak_before(&h->p);
    const spg_status status = spg_amg_setup(h->p.context, &h->here, &h->options, &h->amg);
    return soak_after(&h->p, "spg_amg_setup", status, (const void *)&h->amg, sizeof h->amg);
}

/* ---- Levels ----------------------------------------------------------------------------------------------------- */

/* A level on the host. */
typedef struct level {
    spg_amg_level_view view;
    spg_csr A, P, R;
    int32_t *aggregate_of;
    void *candidate; /* NULL on level 0 */
} level;

static bool fetch_level(hierarchy *h, int l, level *got)
{
    memset(got, 0, sizeof *got);
    if (spg_amg_level(h->amg, l, &got->view) != SPG_OK) return soak_fault("%s: no view of level %d", h->p.name, l);
    bool right = soak_fetch(&h->p, &got->view.A, &got->A);
    if (got->view.candidate_values != NULL) {
        const size_t bytes = (size_t)(got->view.A.rows * got->view.candidates) * spg_type_size(got->view.A.value_type);
        got->candidate = soak_array((int64_t)bytes, 1);
        soak_fetch_bytes(&h->p, got->view.candidate_values, bytes, got->candidate);
    }
    if (!right || l + 1 == spg_amg_levels(h->amg)) return right;
    got->aggregate_of = soak_array(got->view.nodes, sizeof *got->aggregate_of);
    soak_fetch_bytes(&h->p, got->view.aggregate_of, (size_t)got->view.nodes * sizeof *got->aggregate_of,
                     got->aggregate_of);
    return soak_fetch(&h->p, &got->view.P, &got->P) && soak_fetch(&h->p, &got->view.R, &got->R);
}

static void free_level(level *l)
{
    spg_csr_free(test_host(), &l->A);
    spg_csr_free(test_host(), &l->P);
    spg_csr_free(test_host(), &l->R);
    free(l->aggregate_of);
    free(l->candidate);
}

/* Of one unknown a node. */
static bool is_smoothed(const hierarchy *h, int number, const level *l, const level *next)
{
    char what[80];
    snprintf(what, sizeof what, "%s: level %d's P", h->p.name, number);
    const double rho = l->view.rho;
    const soak_smoothing smoothing = {
        &l->A,        &l->P,           l->aggregate_of,
        l->candidate, next->candidate, rho > 0 && l->view.is_smoothed ? h->options.prolongator_relaxation / rho : 0};
    return soak_is_smoothed(&smoothing, what);
}

/* R is P^T, unless it is made from A^T, aggregates are in range, and the next level's A is R*A*P: bit for bit. */
static bool is_made_of_its_parts(const hierarchy *h, int number, const level *l, const level *next)
{
    spg_csr transpose = {0}, product = {0};
    char what[80];
    for (int64_t k = 0; k < l->view.nodes; k++)
        if (l->aggregate_of[k] < -1 || l->aggregate_of[k] >= l->view.aggregates)
            return soak_fault("%s: level %d: node %lld is of aggregate %d, of %lld", h->p.name, number, (long long)k,
                              (int)l->aggregate_of[k], (long long)l->view.aggregates);
    spg_amg_summary summary;
    const bool transposes = spg_amg_summarise(h->amg, &summary) == SPG_OK &&
                            (!summary.unsymmetric || h->options.restriction == SPG_RESTRICTION_TRANSPOSE);
    bool right = (spg_csr_transpose(test_host(), &l->P, &transpose) == SPG_OK &&
                  spg_galerkin(test_host(), transposes ? NULL : &l->R, &l->A, &l->P, &product) == SPG_OK) ||
                 soak_fault("host: level %d's product: %s", number, spg_context_message(test_host()));
    snprintf(what, sizeof what, "%s: level %d's R", h->p.name, number);
    right = right && (!transposes || soak_is_same(&l->R, &transpose, what));
    snprintf(what, sizeof what, "%s: level %d's A", h->p.name, number + 1);
    right = right && soak_is_same(&next->A, &product, what);
    const bool by_A = h->options.block_size == 1 && l->view.weak == 0; /* else by a filtered operator, or by blocks */
    if (right && h->kind == SOAK_DEFINITE && by_A) right = is_smoothed(h, number, l, next);
    spg_csr_free(test_host(), &transpose);
    spg_csr_free(test_host(), &product);
    return right;
}

static void tell_level(const hierarchy *h, int number, const level *l, double tolerance)
{
    /* Thresholds on numbers that are the same to rounding alone may fall either way. */
    if (h->options.theta > 0 && number > 0 && !h->on_host) return;
    char name[32];
    if (number > 0) {
        snprintf(name, sizeof name, "level %d's A", number);
        soak_tell_matrix(h->told, name, &l->A, tolerance);
    }
    if (l->aggregate_of == NULL) return;
    snprintf(name, sizeof name, "level %d's aggregates", number);
    soak_tell(h->told, name, l->aggregate_of, (size_t)l->view.nodes * sizeof *l->aggregate_of);
    snprintf(name, sizeof name, "level %d's P", number);
    soak_tell_matrix(h->told, name, &l->P, tolerance);
    snprintf(name, sizeof name, "level %d's R", number);
    soak_tell_matrix(h->told, name, &l->R, tolerance);
}

static bool tell_hierarchy(hierarchy *h, double tolerance)
{
    const int levels = spg_amg_levels(h->amg), most = levels < 6 ? levels : 6;
    level l, next;
    if (levels < 1 || levels > h->options.max_levels) return soak_fault("%s: %d levels", h->p.name, levels);
    bool right = fetch_level(h, 0, &l);
    if (h->options.theta == 0) soak_tell(h->told, "levels", &levels, sizeof levels);
    for (int k = 0; right && k < most; k++) {
        tell_level(h, k, &l, h->on_host ? 0 : h->kind == SOAK_DEFINITE ? tolerance : HUGE_VAL);
        if (k + 1 == levels) break;
        right = fetch_level(h, k + 1, &next) && is_made_of_its_parts(h, k, &l, &next);
        free_level(&l);
        l = next;
    }
    free_level(&l);
    return right;
}

/* ---- Solves ----------------------------------------------------------------------------------------------------- */

static bool reaches_what_it_says(const hierarchy *h, const void *b, const void *x, const spg_amg_solve_options *options)
{
    void *zeros = soak_array(h->host->rows, spg_type_size(h->host->value_type));
    const double norm = soak_residual(h->host, b, zeros), residual = soak_residual(h->host, b, x);
    free(zeros);
    if (residual <= 10 * options->tolerance * norm + 1e-300) return true;
    return soak_fault("%s: spg_amg_solve says OK, but ||b - A x|| / ||b|| is %g, asked for %g", h->p.name,
                      residual / norm, options->tolerance);
}

/* b is said to be incompatible: what is left of it is A's null space's. */
static bool is_incompatible(hierarchy *h, const void *b, void *x, const void *b_here, void *x_here,
                            spg_amg_solve_options options)
{
    const int64_t bytes = h->host->rows * (int64_t)spg_type_size(h->host->value_type);
    void *zeros = soak_array(h->host->rows, spg_type_size(h->host->value_type));
    const double norm = soak_residual(h->host, b, zeros);
    free(zeros);
    options.nullspace = SPG_AMG_NULLSPACE_CANDIDATES;
    const spg_status status = spg_amg_solve(h->p.context, h->amg, b_here, x_here, &options, NULL);
    if (status == SPG_ERROR_INCOMPATIBLE) return soak_fault("%s: spg_amg_solve: incompatible twice", h->p.name);
    if (status != SPG_OK || h->kind == SOAK_ANY) return true;
    soak_fetch_bytes(&h->p, x_here, (size_t)bytes, x);
    const double image = soak_image_of_residual(h->host, b, x);
    return image <= 100 * options.tolerance * norm ||
           soak_fault("%s: said to be incompatible, but ||A r|| is %g of ||b||", h->p.name, image / norm);
}

/* Of doubles, by a hierarchy in floats. */
static bool is_narrow(const hierarchy *h)
{
    return h->options.precision == SPG_AMG_PRECISION_F32 && h->host->value_type == SPG_F64;
}

/* Of floats, and so many that the smallest eigenvalue of a chain is below rounding: then coarse operators may be
 * indefinite. */
static bool is_beyond_floats(const hierarchy *h) { return h->host->value_type == SPG_F32 && h->host->rows > 2000; }

/* Whether a solve may end so. */
static bool may_end(const hierarchy *h, spg_status status)
{
    switch (status) {
    case SPG_OK:
    case SPG_ERROR_NOT_CONVERGED: return true;
    case SPG_ERROR_INDEFINITE:
    case SPG_ERROR_BREAKDOWN:
    case SPG_ERROR_INCOMPATIBLE: return h->kind != SOAK_DEFINITE || is_narrow(h) || is_beyond_floats(h);
    case SPG_ERROR_UNSUPPORTED: return is_narrow(h); /* singular in floats */
    case SPG_ERROR_MEMORY: return h->p.of->settings.workspace_limit > 0;
    default: return false;
    }
}

static bool solves(hierarchy *h, uint64_t seed)
{
    const spg_type type = h->host->value_type;
    const size_t bytes = (size_t)h->host->rows * spg_type_size(type);
    spg_amg_solve_options options = spg_amg_solve_options_default();
    options.method = seed % 4 == 0 ? SPG_AMG_STANDALONE : SPG_AMG_CG;
    options.tolerance = type == SPG_F32 ? 1e-3 : 1e-6;
    options.max_iterations = 60;
    char *b = soak_array(2 * (int64_t)bytes, 1), *x = b + bytes;
    soak_draw_numbers(seed, SOAK_REAL, type, h->host->rows, b);
    void *b_here = soak_lend_bytes(&h->p, b, bytes), *x_here = soak_lend_bytes(&h->p, x, bytes);
    const spg_status status = spg_amg_solve(h->p.context, h->amg, b_here, x_here, &options, NULL);
    bool right = may_end(h, status);
    if (!right)
        soak_fault("%s: spg_amg_solve: %s: %s", h->p.name, spg_status_name(status), spg_context_message(h->p.context));
    soak_fetch_bytes(&h->p, x_here, bytes, x);
    if (right && status == SPG_OK) right = reaches_what_it_says(h, b, x, &options);
    if (right && status == SPG_ERROR_INCOMPATIBLE) right = is_incompatible(h, b, x, b_here, x_here, options);
    memset(x, 0, bytes);
    soak_give_back_bytes(&h->p, x_here, bytes);
    x_here = soak_lend_bytes(&h->p, x, bytes);
    if (right && spg_amg_cycle(h->p.context, h->amg, b_here, x_here) != SPG_OK)
        right = soak_fault("%s: spg_amg_cycle: %s", h->p.name, spg_context_message(h->p.context));
    soak_give_back_bytes(&h->p, b_here, bytes);
    soak_give_back_bytes(&h->p, x_here, bytes);
    free(b);
    return right;
}

static bool solves_many(hierarchy *h, uint64_t seed)
{
    const soak_many of = {.p = &h->p,
                          .host = h->host,
                          .amg = h->amg,
                          .seed = seed,
                          .tolerance = h->host->value_type == SPG_F32 ? 1e-3 : 1e-6,
                          .told_bits = h->on_host,
                          .told = h->told};
    spg_status status;
    if (h->options.cycle == SPG_CYCLE_K) return soak_refuses_many(&of);
    if (!soak_solves_many(&of, &status)) return false;
    return may_end(h, status) || soak_fault("%s: spg_amg_solve_many: %s: %s", h->p.name, spg_status_name(status),
                                            spg_context_message(h->p.context));
}

static void count_line(void *user, const char *line)
{
    (void)line;
    ++*(int *)user;
}

static bool tells_itself(const hierarchy *h)
{
    spg_amg_summary summary;
    int lines = 0;
    const int levels = spg_amg_levels(h->amg);
    if (spg_amg_summarise(h->amg, &summary) != SPG_OK || summary.levels != levels ||
        (h->host->nnz > 0 && !(summary.operator_complexity >= 1)))
        return soak_fault("%s: the summary is of %d levels of %d, complexity %g", h->p.name, summary.levels, levels,
                          summary.operator_complexity);
    if (spg_amg_print(h->amg, count_line, &lines) != SPG_OK || lines <= levels)
        return soak_fault("%s: spg_amg_print: %d lines", h->p.name, lines);
    return true;
}

/* With other numbers, and with the first again. Spectral radii come from fewer steps, so that rounding changes P more:
 * of floats by an eighth in one case, where those of the host differed from doubles by a twelfth. */
static bool updates(hierarchy *h)
{
    spg_csr host = soak_scaled_system(h->host, h->p.of->settings.seed), here = {0};
    const spg_csr *first = h->host, first_here = h->here;
    const double near = h->tolerance < 1e-3 ? 0.05 : 0.3;
    bool right = soak_lend(&h->p, &host, &here);
    soak_before(&h->p);
    spg_status status = right ? spg_amg_update(h->p.context, h->amg, &here) : SPG_OK;
    soak_outcome outcome = soak_after(&h->p, "spg_amg_update", status, NULL, 0);
    right = right && outcome != SOAK_WRONG;
    if (right && outcome == SOAK_DONE) {
        h->host = &host, h->here = here;
        right = tell_hierarchy(h, near) && solves(h, h->p.of->settings.seed);
        h->host = first, h->here = first_here;
        status = spg_amg_update(h->p.context, h->amg, &h->here);
        right = right && soak_after(&h->p, "spg_amg_update", status, NULL, 0) == SOAK_DONE && tell_hierarchy(h, near);
    }
    soak_give_back(&h->p, &here);
    soak_matrix_free(&host);
    return right;
}

/* ---- A place ---------------------------------------------------------------------------------------------------- */

/* An infinity or NaN in A: refused, naming its row. */
static bool refuses_infinities(hierarchy *h)
{
    const soak_damage *damage = &h->p.of->settings.damage;
    if (damage->kind == SOAK_SOUND || h->host->nnz == 0) return true;
    spg_csr broken = soak_matrix_copy(h->host), here;
    const int64_t k = (int64_t)(damage->where * (double)broken.nnz);
    const double value = damage->kind % 2 == 0 ? HUGE_VAL : NAN;
    if (broken.value_type == SPG_F32)
        ((float *)broken.values)[k] = (float)value;
    else
        ((double *)broken.values)[k] = value;
    bool right = soak_lend(&h->p, &broken, &here);
    if (right) {
        h->amg = (spg_amg *)(void *)h;
        soak_before(&h->p);
        const spg_status status = spg_amg_setup(h->p.context, &here, &h->options, &h->amg);
        right =
            soak_after_damage(&h->p, "spg_amg_setup", status, true, (const void *)&h->amg, sizeof h->amg) != SOAK_WRONG;
        soak_give_back(&h->p, &here);
    }
    soak_matrix_free(&broken);
    return right;
}

static bool work(hierarchy *h)
{
    if (h->p.place == SPG_PLACE_DEVICE && h->options.aggregation == SPG_AGGREGATION_STANDARD) {
        const spg_status status = spg_amg_setup(h->p.context, &h->here, &h->options, &h->amg);
        if (status != SPG_ERROR_UNSUPPORTED)
            return soak_fault("device: standard aggregation: %s", spg_status_name(status));
        h->options.aggregation = SPG_AGGREGATION_MIS2;
    }
    if (!refuses_infinities(h)) return false;
    if (h->p.of->settings.fail_at > 0) {
        soak_arm(&h->p);
        const soak_outcome outcome = setup(h);
        soak_disarm(&h->p);
        if (outcome == SOAK_WRONG) return false;
        spg_amg_destroy(h->amg);
    }
    const soak_outcome outcome = setup(h);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    soak_count(SOAK_END_DONE);
    const bool right = tell_hierarchy(h, h->tolerance) && tells_itself(h) && solves(h, h->p.of->settings.seed + 1) &&
                       solves_many(h, h->p.of->settings.seed + 2) && updates(h);
    spg_amg_destroy(h->amg);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, bool on_host, soak_transcript *told)
{
    uint64_t state = c->settings.seed;
    hierarchy h = {.host = &c->matrices[0], .on_host = on_host, .told = told};
    h.options = draw_options(&state, h.host->rows);
    h.kind = soak_find_definiteness(h.host);
    h.tolerance = h.host->value_type == SPG_F32 || is_narrow(&h) ? 2e-2 : 1e-5;
    const bool right = soak_open(c, where, &h.p) && soak_lend(&h.p, h.host, &h.here) && work(&h);
    soak_give_back(&h.p, &h.here);
    return soak_close(&h.p) && right;
}

bool soak_check_multigrid(const soak_case *c, const soak_run *run)
{
    static soak_transcript told[2];
    bool right = true;
    uint64_t state = c->settings.seed;
    const bool on_host = run->at[run->count - 1].place == SPG_PLACE_HOST;
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], on_host, &told[k]);
    const bool alike = on_host || draw_options(&state, c->matrices[0].rows).aggregation == SPG_AGGREGATION_MIS2;
    /* What a limit refused at one place has told nothing there. */
    if (right && run->count == 2 && alike && c->settings.workspace_limit == 0)
        right = soak_is_same_told(&told[1], &told[0]);
    for (int k = 0; k < 2; k++) soak_forget(&told[k]);
    return right;
}
