/* Complex systems: a real one in a gauge of powers of i, which are exact. Its real form is the same at every place, its
 * hierarchy is sound, and solves and updates say what is true of them. */
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

typedef struct system_of_case {
    soak_place p;
    spg_csr A, here, form, form_here; /* complex; its real form */
    spg_amg *amg;
    soak_transcript *told;
} system_of_case;

/* The power of i of an unknown. */
static int power_of(uint64_t seed, int64_t i)
{
    uint64_t state = seed + (uint64_t)i;
    return (int)(test_random(&state) % 4);
}

static void set_part(void *values, spg_type type, int64_t k, double value)
{
    if (type == SPG_F32)
        ((float *)values)[k] = (float)value;
    else
        ((double *)values)[k] = value;
}

/* conj(d_i) a_ij d_j. */
static void put_in_gauge(const spg_csr *real, uint64_t seed, spg_csr *A)
{
    static const int re[] = {1, 0, -1, 0}, im[] = {0, 1, 0, -1};
    *A = *real;
    A->value_type = real->value_type == SPG_F32 ? SPG_C32 : SPG_C64;
    A->values = soak_array(2 * real->nnz, spg_type_size(real->value_type));
    for (int64_t i = 0; i < real->rows; i++)
        for (int64_t k = soak_offset(real, i); k < soak_offset(real, i + 1); k++) {
            const int turn = (4 + power_of(seed, real->columns[k]) - power_of(seed, i)) % 4;
            set_part(A->values, real->value_type, 2 * k, re[turn] * soak_entry(real, k));
            set_part(A->values, real->value_type, 2 * k + 1, im[turn] * soak_entry(real, k));
        }
}

static bool makes_its_form(system_of_case *s)
{
    soak_before(&s->p);
    const spg_status status = spg_csr_real_form(s->p.context, &s->here, &s->form_here);
    const soak_outcome outcome = soak_after(&s->p, "spg_csr_real_form", status, &s->form_here, sizeof s->form_here);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    if (spg_csr_real_form_values(s->p.context, &s->here, &s->form_here) != SPG_OK)
        return soak_fault("%s: spg_csr_real_form_values: %s", s->p.name, spg_context_message(s->p.context));
    if (!soak_fetch(&s->p, &s->form_here, &s->form)) return false;
    soak_tell_matrix(s->told, "real form", &s->form, 0);
    return true;
}

/* What rounding may do to the norm of b - A x. */
static double rounding_of(const spg_csr *A, const void *b, const void *x)
{
    const bool single = A->value_type == SPG_F32;
    double square = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        double sum = fabs(single ? (double)((const float *)b)[i] : ((const double *)b)[i]);
        for (int64_t e = soak_offset(A, i); e < soak_offset(A, i + 1); e++) {
            const int64_t j = A->columns[e];
            sum += fabs(soak_entry(A, e) * (single ? (double)((const float *)x)[j] : ((const double *)x)[j]));
        }
        square += pow(sum * (double)(soak_offset(A, i + 1) - soak_offset(A, i) + 4), 2);
    }
    return sqrt(square) * (single ? 0x1p-23 : 0x1p-52);
}

static bool says_what_is_true(const system_of_case *s, spg_status status, const spg_amg_solve_result *result,
                              const void *b, const void *x)
{
    const bool can_be = status == SPG_OK || status == SPG_ERROR_NOT_CONVERGED || status == SPG_ERROR_INDEFINITE ||
                        status == SPG_ERROR_BREAKDOWN || status == SPG_ERROR_INCOMPATIBLE ||
                        status == SPG_ERROR_UNSUPPORTED /* singular in floats */ ||
                        (status == SPG_ERROR_MEMORY && s->p.of->settings.caller_allocates);
    if (!can_be || result->converged != (status == SPG_OK))
        return soak_fault("%s: spg_amg_solve: %s, converged %d: %s", s->p.name, spg_status_name(status),
                          result->converged, spg_context_message(s->p.context));
    if (status != SPG_OK) return true;
    const double found = soak_residual(&s->form, b, x);
    if (fabs(found - result->residual) <= rounding_of(&s->form, b, x) + 1e-10 * found) return true;
    return soak_fault("%s: ||b - A x|| is %g, said to be %g", s->p.name, found, result->residual);
}

static bool solves(system_of_case *s, uint64_t seed)
{
    const size_t bytes = (size_t)s->A.rows * spg_type_size(s->A.value_type);
    char *const b = soak_array(2 * (int64_t)bytes, 1), *const x = b + bytes;
    spg_amg_solve_options options = spg_amg_solve_options_default();
    spg_amg_solve_result result;
    options.max_iterations = 60;
    soak_draw_numbers(seed, SOAK_REAL, s->form.value_type, 2 * s->A.rows, b);
    void *const b_here = soak_lend_bytes(&s->p, b, bytes), *const x_here = soak_lend_bytes(&s->p, x, bytes);
    const spg_status status = spg_amg_solve(s->p.context, s->amg, b_here, x_here, &options, &result);
    soak_fetch_bytes(&s->p, x_here, bytes, x);
    soak_give_back_bytes(&s->p, b_here, bytes);
    soak_give_back_bytes(&s->p, x_here, bytes);
    const bool right = says_what_is_true(s, status, &result, b, x);
    free(b);
    return right;
}

/* Set-up, a solve, an update, a solve; twice from the same values. */
static bool works(system_of_case *s, uint64_t *state)
{
    spg_amg_options options = spg_amg_options_default();
    options.max_coarse = chance_log(state, 1, 500);
    options.smoother = (spg_smoother)chance_below(state, 3);
    if (chance_of(state, 25)) options.precision = SPG_AMG_PRECISION_F32;
    options.prepare_update = chance_of(state, 50);
    if (chance_of(state, 25)) options.cycle = SPG_CYCLE_K;
    options.filter = chance_of(state, 40);
    options.theta = options.filter ? 0.1 : 0;
    soak_before(&s->p);
    s->amg = (spg_amg *)(void *)s;
    spg_status status = spg_amg_setup(s->p.context, &s->here, &options, &s->amg);
    const soak_outcome outcome = soak_after(&s->p, "spg_amg_setup", status, (const void *)&s->amg, sizeof s->amg);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    const uint64_t seed = test_random(state);
    bool right = solves(s, seed);
    if (right) status = spg_amg_update(s->p.context, s->amg, &s->here);
    if (right && status == SPG_OK) right = solves(s, seed);
    if (right && status != SPG_OK && status != SPG_ERROR_MEMORY && status != SPG_ERROR_BREAKDOWN)
        right = soak_fault("%s: spg_amg_update: %s: %s", s->p.name, spg_status_name(status),
                           spg_context_message(s->p.context));
    if (right) soak_count(SOAK_END_DONE);
    spg_amg_destroy(s->amg);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, soak_transcript *told)
{
    uint64_t state = c->settings.seed;
    system_of_case s = {.told = told};
    put_in_gauge(&c->matrices[0], c->settings.seed, &s.A);
    bool right = soak_open(c, where, &s.p) && soak_lend(&s.p, &s.A, &s.here) && makes_its_form(&s);
    if (right && s.form.row_offsets != NULL) right = works(&s, &state);
    spg_csr_free(s.p.context, &s.form_here);
    spg_csr_free(test_host(), &s.form);
    soak_give_back(&s.p, &s.here);
    free(s.A.values);
    return soak_close(&s.p) && right;
}

bool soak_check_complex(const soak_case *c, const soak_run *run)
{
    static soak_transcript told[2];
    bool right = true;
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], &told[k]);
    if (right && run->count == 2 && told[0].count == told[1].count) right = soak_is_same_told(&told[1], &told[0]);
    for (int k = 0; k < 2; k++) soak_forget(&told[k]);
    return right;
}
