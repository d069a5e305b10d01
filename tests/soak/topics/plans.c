/* Plans: their bits are those of spgemm_csr, with the numbers they were made for and with new ones; other patterns are
 * noticed. */
#include "soak.h"

#include "chance.h"
#include "compare.h"
#include "host_matrix.h"
#include "place_under_soak.h"
#include "rows.h"
#include "traits.h"

#include <string.h>

/* The operands at the place, and the same patterns with new numbers. */
typedef struct operands {
    spg_csr A, B, new_A, new_B;
} operands;

static soak_outcome create(soak_place *p, const operands *o, spgemm_plan **plan)
{
    *plan = (spgemm_plan *)(void *)p; /* no plan: must be NULL after a failure */
    soak_before(p);
    const spg_status status = spgemm_plan_create(p->context, &o->A, &o->B, plan);
    return soak_after(p, "spgemm_plan_create", status, (const void *)plan, sizeof *plan);
}

static soak_outcome run_plan(soak_place *p, spgemm_plan *plan, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    soak_before(p);
    const spg_status status = spgemm_plan_run(plan, A, B, C);
    return soak_after(p, "spgemm_plan_run", status, C->row_offsets == NULL ? C : NULL, sizeof *C);
}

/* A product by spgemm_csr on the host without any limits, in test_host(). */
static bool one_shot(const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    if (spgemm_csr(test_host(), A, B, C) == SPG_OK) return true;
    return soak_fault("host: spgemm_csr: %s", spg_context_message(test_host()));
}

static bool is_result(soak_place *p, const spg_csr *C, const spg_csr *expected, const char *run)
{
    spg_csr result = {0};
    char what[64];
    snprintf(what, sizeof what, "%s: plan, %s", p->name, run);
    const bool right = soak_fetch(p, C, &result) && soak_is_same(&result, expected, what);
    spg_csr_free(test_host(), &result);
    return right;
}

/* Where a column of A or B is another one, the check says so, and on the host the run. */
static bool notices_pattern(soak_place *p, spgemm_plan *plan, const operands *o)
{
    const soak_case *c = p->of;
    uint64_t state = c->settings.seed ^ 5;
    const int which = (int)chance_below(&state, 2);
    const spg_csr *old = &c->matrices[which];
    if (old->nnz == 0 || old->cols < 2) return true;
    spg_csr other = soak_matrix_copy(old), here = {0}, C = {0};
    int32_t *column = &other.columns[chance_below(&state, old->nnz)];
    *column = (int32_t)((*column + chance_between(&state, 1, old->cols - 1)) % old->cols);
    bool right = soak_lend(p, &other, &here);
    const spg_csr *A = which == 0 ? &here : &o->A, *B = which == 1 ? &here : &o->B;
    if (right && spgemm_plan_check(plan, A, B) != SPG_ERROR_SHAPE)
        right = soak_fault("%s: spgemm_plan_check takes another column of %s", p->name, c->names[which]);
    if (right && p->place == SPG_PLACE_HOST && spgemm_plan_run(plan, A, B, &C) != SPG_ERROR_SHAPE)
        right = soak_fault("%s: spgemm_plan_run takes another column of %s", p->name, c->names[which]);
    soak_give_back(p, &here);
    soak_matrix_free(&other);
    return right;
}

/* Runs into a C of its own, with new numbers into the same, and into another. */
static bool runs_right(soak_place *p, spgemm_plan *plan, const operands *o, const spg_csr expected[2])
{
    spg_csr C = {0}, D = {0};
    bool right = spgemm_plan_check(plan, &o->A, &o->B) == SPG_OK ||
                 soak_fault("%s: spgemm_plan_check refuses the plan's own operands", p->name);
    soak_outcome outcome = right ? run_plan(p, plan, &o->A, &o->B, &C) : SOAK_WRONG;
    right = outcome == SOAK_REFUSED || (outcome == SOAK_DONE && is_result(p, &C, &expected[0], "first run"));
    if (right && outcome == SOAK_DONE) {
        outcome = run_plan(p, plan, &o->new_A, &o->new_B, &C);
        right = outcome == SOAK_DONE && is_result(p, &C, &expected[1], "new numbers");
        if (!right) soak_fault("%s: a run into a C of the plan's is refused", p->name);
    }
    if (right) {
        outcome = run_plan(p, plan, &o->new_A, &o->B, &D);
        if (outcome == SOAK_DONE) outcome = run_plan(p, plan, &o->new_A, &o->new_B, &D);
        right = outcome == SOAK_REFUSED || (outcome == SOAK_DONE && is_result(p, &D, &expected[1], "another C"));
    }
    right = right && notices_pattern(p, plan, o);
    spg_csr_free(p->context, &C);
    spg_csr_free(p->context, &D);
    return right;
}

static bool plan_at(soak_place *p, const operands *o, const spg_csr expected[2])
{
    spgemm_plan *plan = NULL;
    spgemm_stats stats;
    if (p->of->settings.fail_at > 0) {
        soak_arm(p);
        const soak_outcome outcome = create(p, o, &plan);
        soak_disarm(p);
        if (outcome == SOAK_WRONG) return false;
        spgemm_plan_destroy(plan);
    }
    const soak_outcome outcome = create(p, o, &plan);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    soak_count(SOAK_END_DONE);
    bool right = runs_right(p, plan, o, expected);
    if (right && (spgemm_plan_stats(plan, &stats) != SPG_OK || stats.nnz != expected[0].nnz))
        right = soak_fault("%s: statistics of a plan: %lld entries, they are %lld", p->name, (long long)stats.nnz,
                           (long long)expected[0].nnz);
    spgemm_plan_destroy(plan);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, const spg_csr *new_A, const spg_csr *new_B,
                     const spg_csr expected[2])
{
    soak_place p;
    operands o;
    memset(&o, 0, sizeof o);
    bool right = soak_open(c, where, &p) && soak_lend(&p, &c->matrices[0], &o.A) &&
                 soak_lend(&p, &c->matrices[1], &o.B) && soak_lend(&p, new_A, &o.new_A) &&
                 soak_lend(&p, new_B, &o.new_B) && plan_at(&p, &o, expected);
    soak_give_back(&p, &o.A);
    soak_give_back(&p, &o.B);
    soak_give_back(&p, &o.new_A);
    soak_give_back(&p, &o.new_B);
    return soak_close(&p) && right;
}

bool soak_check_plans(const soak_case *c, const soak_run *run)
{
    const spg_csr *A = &c->matrices[0], *B = &c->matrices[1];
    spg_csr new_A = soak_matrix_copy(A), new_B = soak_matrix_copy(B), expected[2] = {{0}, {0}};
    soak_draw_numbers(c->settings.seed, c->settings.numbers, A->value_type, A->nnz, new_A.values);
    soak_draw_numbers(c->settings.seed + 1, c->settings.numbers, B->value_type, B->nnz, new_B.values);
    bool right = one_shot(A, B, &expected[0]) && one_shot(&new_A, &new_B, &expected[1]) &&
                 soak_is_product(c, A, B, &expected[0], "host: product");
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], &new_A, &new_B, expected);
    for (int k = 0; k < 2; k++) spg_csr_free(test_host(), &expected[k]);
    soak_matrix_free(&new_A);
    soak_matrix_free(&new_B);
    return right;
}
