/* Krylov methods: any method, with and without a hierarchy as preconditioner, on any system, with operators that fail
 * and monitors that stop. However a solve ends, its status fits, what it says of its residual is true of x, and no
 * memory is held; on the host it is the same bit for bit with any number of threads. */
#include "soak.h"

#include "chance.h"
#include "host_matrix.h"
#include "place_under_soak.h"
#include "rows.h"
#include "systems.h"
#include "traits.h"
#include "transcript.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 50 };

/* A system, its preconditioner, and what a solve is asked for. */
typedef struct krylov {
    soak_place p;
    const spg_csr *host; /* A */
    spg_csr here;
    spg_amg *amg; /* NULL: no preconditioner */
    spg_krylov_options options;
    double history[MOST_ITERATIONS + 1];
    int stop_at, seen;        /* the monitor's */
    int64_t fail_at, applied; /* the call of A that fails; 0: none */
    spg_operator A;           /* without the failure */
    soak_definiteness kind;   /* of a definite one some methods may not break down */
    spg_krylov_result result; /* of the last solve */
    bool on_host;             /* wherever the case runs */
    soak_transcript *told;
} krylov;

static int watch(void *user, int iteration, double residual)
{
    krylov *k = user;
    k->seen += iteration == k->seen + 1 && residual == k->history[iteration] ? 1 : MOST_ITERATIONS;
    return iteration == k->stop_at;
}

static spg_status apply(void *user, spg_context *context, const void *x, void *y)
{
    krylov *k = user;
    if (++k->applied == k->fail_at) return SPG_ERROR_IO;
    return k->A.apply(k->A.user, context, x, y);
}

static void draw_options(uint64_t *state, krylov *k)
{
    static const int restarts[] = {1, 3, 30};
    k->options = spg_krylov_options_default();
    k->options.method = (spg_krylov_method)chance_below(state, 4);
    k->options.restart = restarts[chance_below(state, 3)];
    k->options.max_iterations = (int)chance_between(state, 0, MOST_ITERATIONS);
    k->options.zero_guess = chance_of(state, 50);
    if (chance_of(state, 50)) k->options.tolerance = k->host->value_type == SPG_F32 ? 1e-3 : 1e-6;
    k->options.history = k->history;
    const int64_t stop_at = chance_between(state, 1, 8), fail_at = chance_between(state, 1, 20);
    if (chance_of(state, 50)) k->options.monitor = watch, k->options.monitor_user = k;
    k->stop_at = chance_of(state, 30) ? (int)stop_at : 0;
    k->fail_at = chance_of(state, 10) ? fail_at : 0;
}

/* ---- What a solve says ------------------------------------------------------------------------------------------ */

static double element(const spg_csr *A, const void *vector, int64_t i)
{
    return A->value_type == SPG_F32 ? (double)((const float *)vector)[i] : ((const double *)vector)[i];
}

/* What rounding may do to the norm of b - A x. */
static double rounding_of(const spg_csr *A, const void *b, const void *x)
{
    double square = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        const int64_t begin = soak_offset(A, i), end = soak_offset(A, i + 1);
        double sum = fabs(element(A, b, i));
        for (int64_t e = begin; e < end; e++) sum += fabs(soak_entry(A, e) * element(A, x, A->columns[e]));
        square += pow(sum * (double)(end - begin + 4), 2);
    }
    return sqrt(square) * (A->value_type == SPG_F32 ? 0x1p-23 : 0x1p-52);
}

static bool has_true_residual(const krylov *k, const void *b, const void *x)
{
    const double told = k->result.residual, found = soak_residual(k->host, b, x);
    const double allowed = rounding_of(k->host, b, x) + 1e-10 * found;
    if (fabs(told - found) <= allowed || !isfinite(allowed)) return true;
    return soak_fault("%s: ||b - A x|| is %.17g, said to be %.17g, which may be %g off", k->p.name, found, told,
                      allowed);
}

/* Whether conjugate gradients and FGMRES can fail on this system. The cycle of a definite one can be indefinite, if
 * rounding or few steps let a sweep diverge. */
static bool may_break_down(const krylov *k)
{
    return k->kind != SOAK_DEFINITE || k->amg != NULL || k->options.method == SPG_KRYLOV_BICGSTAB;
}

static bool may_end(const krylov *k, spg_status status)
{
    switch (status) {
    case SPG_OK:
    case SPG_ERROR_NOT_CONVERGED: return true;
    case SPG_ERROR_INDEFINITE: return may_break_down(k) && k->options.method <= SPG_KRYLOV_FCG;
    case SPG_ERROR_BREAKDOWN: return may_break_down(k);
    case SPG_ERROR_IO: return k->fail_at > 0 && k->applied == k->fail_at;
    case SPG_ERROR_MEMORY: return k->p.of->settings.workspace_limit > 0 || test_failed(&k->p.memory);
    default: return false;
    }
}

static bool fits(const krylov *k, spg_status status)
{
    const spg_krylov_result *result = &k->result;
    if (!may_end(k, status))
        return soak_fault("%s: spg_krylov_solve: %s: %s", k->p.name, spg_status_name(status),
                          spg_context_message(k->p.context));
    if ((result->converged == 1) != (status == SPG_OK))
        return soak_fault("%s: %s, and converged %d", k->p.name, spg_status_name(status), result->converged);
    if (result->iterations > k->options.max_iterations)
        return soak_fault("%s: %d iterations of %d", k->p.name, result->iterations, k->options.max_iterations);
    const bool watched = k->options.monitor != NULL && isfinite(result->residual);
    if (watched && k->seen != result->iterations)
        return soak_fault("%s: the monitor saw %d iterations of %d", k->p.name, k->seen, result->iterations);
    if (result->stopped != (watched && k->stop_at > 0 && result->iterations == k->stop_at))
        return soak_fault("%s: stopped is %d after %d iterations", k->p.name, result->stopped, result->iterations);
    return true;
}

/* ---- A place ---------------------------------------------------------------------------------------------------- */

static bool holds_nothing(krylov *k, spg_status status)
{
    int64_t held = 0;
    spg_context_memory(k->p.context, &held, NULL);
    if (held != k->p.held_bytes || test_live(&k->p.memory) != k->p.blocks)
        return soak_fault("%s: spg_krylov_solve, %s: %lld bytes are held, %lld were before", k->p.name,
                          spg_status_name(status), (long long)held, (long long)k->p.held_bytes);
    return status == SPG_OK || status == SPG_ERROR_IO || spg_context_message(k->p.context)[0] != '\0' ||
           soak_fault("%s: spg_krylov_solve, %s: without a message", k->p.name, spg_status_name(status));
}

/* From x, which receives the result. */
static spg_status solve_once(krylov *k, const void *b, void *x, size_t bytes)
{
    const spg_operator A = {k->A.rows, k->A.type, k, apply}, M = spg_amg_operator(k->amg);
    void *const b_here = soak_lend_bytes(&k->p, b, bytes), *const x_here = soak_lend_bytes(&k->p, x, bytes);
    k->applied = k->seen = 0;
    soak_before(&k->p);
    const spg_status status =
        spg_krylov_solve(k->p.context, &A, k->amg != NULL ? &M : NULL, b_here, x_here, &k->options, &k->result);
    soak_fetch_bytes(&k->p, x_here, bytes, x);
    soak_give_back_bytes(&k->p, b_here, bytes);
    soak_give_back_bytes(&k->p, x_here, bytes);
    return status;
}

static void tell(const krylov *k, spg_status status, const void *x)
{
    if (!k->on_host) return;
    soak_tell(k->told, "status", &status, sizeof status);
    soak_tell(k->told, "iterations", &k->result.iterations, sizeof k->result.iterations);
    soak_tell_values(k->told, "history", SPG_F64, k->result.iterations + 1, k->history, 0);
    soak_tell_values(k->told, "x", k->host->value_type, k->host->rows, x, 0);
}

static bool solves(krylov *k)
{
    const size_t bytes = (size_t)k->host->rows * spg_type_size(k->host->value_type);
    char *const b = soak_array(3 * (int64_t)bytes, 1), *const first = b + bytes, *const x = first + bytes;
    soak_draw_numbers(k->p.of->settings.seed, SOAK_REAL, k->host->value_type, 2 * k->host->rows, b);
    bool right = true;
    if (k->p.of->settings.fail_at > 0) {
        memcpy(x, first, bytes);
        soak_arm(&k->p);
        const spg_status status = solve_once(k, b, x, bytes);
        right = fits(k, status) && holds_nothing(k, status);
        if (right && status == SPG_ERROR_MEMORY) soak_count(SOAK_END_REFUSED);
        soak_disarm(&k->p);
    }
    memcpy(x, first, bytes);
    const spg_status status = right ? solve_once(k, b, x, bytes) : SPG_OK;
    const bool has_residual = status != SPG_ERROR_MEMORY && status != SPG_ERROR_IO && isfinite(k->result.residual);
    right = right && fits(k, status) && holds_nothing(k, status) && (!has_residual || has_true_residual(k, b, x));
    if (right && status != SPG_ERROR_MEMORY) tell(k, status, x), soak_count(SOAK_END_DONE);
    if (right && status == SPG_ERROR_MEMORY) soak_count(SOAK_END_LIMIT);
    free(b);
    return right;
}

/* With one cycle done, so that what a hierarchy keeps from the first is there. */
static bool work(krylov *k, uint64_t *state)
{
    const size_t bytes = (size_t)k->host->rows * spg_type_size(k->host->value_type);
    k->A = spg_csr_operator(&k->here);
    draw_options(state, k);
    if (k->kind == SOAK_ANY || chance_of(state, 40)) return solves(k);
    soak_before(&k->p);
    k->amg = (spg_amg *)(void *)k;
    spg_status status = spg_amg_setup(k->p.context, &k->here, NULL, &k->amg);
    soak_outcome outcome = soak_after(&k->p, "spg_amg_setup", status, (const void *)&k->amg, sizeof k->amg);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    void *const zeros = soak_array((int64_t)bytes, 1);
    void *const b = soak_lend_bytes(&k->p, zeros, bytes), *const x = soak_lend_bytes(&k->p, zeros, bytes);
    status = spg_amg_apply(k->p.context, k->amg, b, x);
    soak_give_back_bytes(&k->p, b, bytes);
    soak_give_back_bytes(&k->p, x, bytes);
    free(zeros);
    const bool right = status == SPG_OK
                           ? solves(k)
                           : soak_fault("%s: spg_amg_apply: %s", k->p.name, spg_context_message(k->p.context));
    spg_amg_destroy(k->amg);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, bool on_host, soak_transcript *told)
{
    uint64_t state = c->settings.seed;
    krylov k = {.host = &c->matrices[0], .on_host = on_host, .told = told};
    k.kind = soak_find_definiteness(k.host);
    const bool right = soak_open(c, where, &k.p) && soak_lend(&k.p, k.host, &k.here) && work(&k, &state);
    soak_give_back(&k.p, &k.here);
    return soak_close(&k.p) && right;
}

bool soak_check_krylov(const soak_case *c, const soak_run *run)
{
    static soak_transcript told[2];
    const bool on_host = run->at[run->count - 1].place == SPG_PLACE_HOST;
    bool right = true;
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], on_host, &told[k]);
    /* What a limit refused with several threads has told nothing there. */
    if (right && on_host && run->count == 2 && c->settings.workspace_limit == 0)
        right = soak_is_same_told(&told[1], &told[0]);
    for (int k = 0; k < 2; k++) soak_forget(&told[k]);
    return right;
}
