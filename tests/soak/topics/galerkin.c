/* Galerkin products and their plans: the bits of two products, mirrored where A is symmetric and R is P^T. */
#include "soak.h"

#include "chance.h"
#include "compare.h"
#include "damage.h"
#include "host_matrix.h"
#include "place_under_soak.h"
#include "rows.h"
#include "shrink.h"
#include "symmetric.h"
#include "traits.h"

#include <stdlib.h>
#include <string.h>

enum { A = 0, P = 1, R = 2 };

/* At least as many as the products of R*(A*P), and of A*P. */
static int64_t most_products(const soak_case *c)
{
    const spg_csr *a = &c->matrices[A], *p = &c->matrices[P];
    int64_t *uses = soak_array(a->rows, sizeof *uses), all = 0; /* of a row of A*P, by rows of R */
    if (c->count > R)
        for (int64_t k = 0; k < c->matrices[R].nnz; k++) uses[c->matrices[R].columns[k]]++;
    else
        for (int64_t i = 0; i < p->rows; i++) uses[i] = soak_offset(p, i + 1) - soak_offset(p, i);
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t products = soak_row_products(a, p, i);
        all += products + uses[i] * (products < p->cols ? products : p->cols);
    }
    free(uses);
    return all;
}

void soak_draw_galerkin(uint64_t *state, soak_case *c)
{
    const int64_t n = soak_draw_size(state), most = chance_log(state, 5000, 1500000);
    const int64_t m = chance_of(state, 70) ? n / chance_between(state, 2, 12) + (n > 0) : soak_draw_size_to(state, n);
    soak_pattern patterns[SOAK_MATRICES];
    for (int k = 0; k < SOAK_MATRICES; k++) patterns[k] = soak_draw_pattern(state, soak_draw_row_kind(state));
    c->names[A] = "A", c->names[P] = "P", c->names[R] = "R";
    soak_draw_matrix(state, &patterns[A], n, n, 300000, &c->settings, &c->matrices[A]);
    soak_draw_matrix(state, &patterns[P], n, m, 300000, &c->settings, &c->matrices[P]);
    c->count = 2;
    if (chance_of(state, 50)) {
        spg_csr symmetric = soak_symmetric_of(&c->matrices[A]);
        soak_matrix_free(&c->matrices[A]);
        c->matrices[A] = symmetric;
        c->whole[A] = true;
    }
    if (chance_of(state, 40))
        soak_draw_matrix(state, &patterns[R], m, n, 300000, &c->settings, &c->matrices[c->count++]);
    c->cols_of[P] = c->rows_of[R] = 1;
    c->dimensions[0] = n, c->dimensions[1] = m;
    for (;;) { /* few rows of A may still make a large C, if P and R are wide */
        const int longer = c->dimensions[0] >= c->dimensions[1] ? 0 : 1;
        const int64_t length = c->dimensions[longer];
        if (length <= 1 || most_products(c) <= most) break;
        soak_leave_out(c, longer, length / 2, length);
    }
}

/* Operands on the host or at a place; R is NULL for P^T. */
typedef struct operands {
    const spg_csr *R, *A, *P;
} operands;

static operands operands_of(const spg_csr *matrices, int count)
{
    return (operands){count > R ? &matrices[R] : NULL, &matrices[A], &matrices[P]};
}

/* By two products on the host; in test_host(). With `judge`, products of whole numbers are CXSparse's. */
static bool two_products(const soak_case *c, const operands *o, bool judge, spg_csr *C)
{
    spg_csr transpose = {0}, AP = {0};
    const bool made = (o->R != NULL || spg_csr_transpose(test_host(), o->P, &transpose) == SPG_OK) &&
                      spgemm_csr(test_host(), o->A, o->P, &AP) == SPG_OK &&
                      spgemm_csr(test_host(), o->R != NULL ? o->R : &transpose, &AP, C) == SPG_OK;
    bool right = made || soak_fault("host: two products: %s", spg_context_message(test_host()));
    if (right && judge)
        right = soak_is_product(c, o->A, o->P, &AP, "host: A*P") &&
                soak_is_product(c, o->R != NULL ? o->R : &transpose, &AP, C, "host: R*(A*P)");
    if (right && o->R == NULL && soak_is_symmetric(o->A)) soak_mirror(C);
    spg_csr_free(test_host(), &transpose);
    spg_csr_free(test_host(), &AP);
    return right;
}

static bool is_result(soak_place *p, const spg_csr *C, const spg_csr *expected, const char *run)
{
    spg_csr result = {0};
    char what[64];
    snprintf(what, sizeof what, "%s: %s", p->name, run);
    const bool right = soak_fetch(p, C, &result) && soak_is_same(&result, expected, what);
    spg_csr_free(test_host(), &result);
    return right;
}

static soak_outcome multiply(soak_place *p, const operands *o, spg_csr *C)
{
    memset(C, 0x5a, sizeof *C);
    soak_before(p);
    const spg_status status = spg_galerkin(p->context, o->R, o->A, o->P, C);
    return soak_after(p, "spg_galerkin", status, C, sizeof *C);
}

static bool refuses_damage(soak_place *p, const operands *o)
{
    const soak_case *c = p->of;
    const int which = c->settings.damage.matrix % c->count;
    spg_csr broken, here, C;
    int64_t row;
    if (!soak_damage_matrix(&c->matrices[which], &c->settings.damage, &broken, &row)) return true;
    operands damaged = *o;
    *(which == A ? &damaged.A : which == P ? &damaged.P : &damaged.R) = &here;
    bool right = soak_lend(p, &broken, &here);
    if (right) {
        memset(&C, 0x5a, sizeof C);
        soak_before(p);
        const spg_status status = spg_galerkin(p->context, damaged.R, damaged.A, damaged.P, &C);
        /* A row of P that A does not name may stay unread. */
        const bool must = which != P || o->R == NULL || soak_names_column(&c->matrices[A], row);
        const soak_outcome outcome = soak_after_damage(p, "spg_galerkin", status, must, &C, sizeof C);
        if (outcome == SOAK_DONE) spg_csr_free(p->context, &C);
        right = outcome != SOAK_WRONG;
        soak_give_back(p, &here);
    }
    soak_matrix_free(&broken);
    return right;
}

static bool product_at(soak_place *p, const operands *o, const spg_csr *expected)
{
    spg_galerkin_stats stats;
    spg_csr C;
    if (!refuses_damage(p, o)) return false;
    if (p->of->settings.fail_at > 0) {
        soak_arm(p);
        const soak_outcome outcome = multiply(p, o, &C);
        soak_disarm(p);
        if (outcome == SOAK_DONE) spg_csr_free(p->context, &C);
        if (outcome == SOAK_WRONG) return false;
    }
    const soak_outcome outcome = multiply(p, o, &C);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    soak_count(SOAK_END_DONE);
    bool right = is_result(p, &C, expected, "spg_galerkin");
    if (right && (spg_galerkin_last_stats(p->context, &stats) != SPG_OK || stats.RAP.nnz != expected->nnz))
        right = soak_fault("%s: spg_galerkin's statistics: %lld entries, they are %lld", p->name,
                           (long long)stats.RAP.nnz, (long long)expected->nnz);
    spg_csr_free(p->context, &C);
    return right;
}

static soak_outcome create(soak_place *p, const operands *o, spg_galerkin_plan **plan)
{
    *plan = (spg_galerkin_plan *)(void *)p;
    soak_before(p);
    const spg_status status = spg_galerkin_plan_create(p->context, o->R, o->A, o->P, plan);
    return soak_after(p, "spg_galerkin_plan_create", status, (const void *)plan, sizeof *plan);
}

static soak_outcome run_plan(soak_place *p, spg_galerkin_plan *plan, const operands *o, spg_csr *C)
{
    soak_before(p);
    const spg_status status = spg_galerkin_plan_run(plan, o->R, o->A, o->P, C);
    return soak_after(p, "spg_galerkin_plan_run", status, C->row_offsets == NULL ? C : NULL, sizeof *C);
}

static bool plan_at(soak_place *p, const operands o[2], const spg_csr expected[2])
{
    spg_galerkin_plan *plan = NULL;
    spg_galerkin_stats stats;
    spg_csr C = {0};
    if (p->of->settings.fail_at > 0) {
        soak_arm(p);
        const soak_outcome outcome = create(p, &o[0], &plan);
        soak_disarm(p);
        if (outcome == SOAK_WRONG) return false;
        spg_galerkin_plan_destroy(plan);
    }
    soak_outcome outcome = create(p, &o[0], &plan);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    outcome = run_plan(p, plan, &o[0], &C);
    bool right = outcome == SOAK_REFUSED || (outcome == SOAK_DONE && is_result(p, &C, &expected[0], "Galerkin plan"));
    if (right && outcome == SOAK_DONE) {
        right = run_plan(p, plan, &o[1], &C) == SOAK_DONE &&
                is_result(p, &C, &expected[1], "Galerkin plan, new numbers") &&
                run_plan(p, plan, &o[0], &C) == SOAK_DONE &&
                is_result(p, &C, &expected[0], "Galerkin plan, the first numbers again");
        if (!right) soak_fault("%s: a run into a C of the plan's is refused", p->name);
    }
    if (right && spg_galerkin_plan_stats(plan, &stats) != SPG_OK) right = soak_fault("%s: no statistics", p->name);
    spg_csr_free(p->context, &C);
    spg_galerkin_plan_destroy(plan);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, const spg_csr *renewed, const spg_csr expected[2])
{
    soak_place p;
    spg_csr here[2][SOAK_MATRICES];
    memset(here, 0, sizeof here);
    bool right = soak_open(c, where, &p);
    for (int k = 0; right && k < c->count; k++)
        right = soak_lend(&p, &c->matrices[k], &here[0][k]) && soak_lend(&p, &renewed[k], &here[1][k]);
    const operands o[2] = {operands_of(here[0], c->count), operands_of(here[1], c->count)};
    right = right && product_at(&p, &o[0], &expected[0]) && plan_at(&p, o, expected);
    for (int k = 0; k < c->count; k++) {
        soak_give_back(&p, &here[0][k]);
        soak_give_back(&p, &here[1][k]);
    }
    return soak_close(&p) && right;
}

bool soak_check_galerkin(const soak_case *c, const soak_run *run)
{
    spg_csr renewed[SOAK_MATRICES], expected[2] = {{0}, {0}};
    uint64_t state = c->settings.seed;
    for (int k = 0; k < c->count; k++) {
        renewed[k] = soak_matrix_copy(&c->matrices[k]);
        const uint64_t seed = test_random(&state);
        if (c->whole[k] && chance_of(&state, 70))
            soak_symmetric_numbers(seed, c->settings.numbers, &renewed[k]);
        else
            soak_draw_numbers(seed, c->settings.numbers, renewed[k].value_type, renewed[k].nnz, renewed[k].values);
    }
    const operands o[2] = {operands_of(c->matrices, c->count), operands_of(renewed, c->count)};
    bool right = two_products(c, &o[0], true, &expected[0]) && two_products(c, &o[1], false, &expected[1]);
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], renewed, expected);
    for (int k = 0; k < 2; k++) spg_csr_free(test_host(), &expected[k]);
    for (int k = 0; k < c->count; k++) soak_matrix_free(&renewed[k]);
    return right;
}
