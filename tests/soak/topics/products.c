/* Products: of every kind of rows and settings, with CXSparse and between places; analyses and statistics; malformed
 * operands; refused allocations. The draw is that of plans, too. */
#include "soak.h"

#include "chance.h"
#include "compare.h"
#include "damage.h"
#include "host_matrix.h"
#include "place_under_soak.h"
#include "rows.h"
#include "traits.h"

#include <stdlib.h>
#include <string.h>

/* Rows of A are left out where products pass what a case may cost, and entries of the first that passes alone. */
static void bound_products(spg_csr *A, const spg_csr *B, int64_t most)
{
    int64_t products = 0, row = 0;
    while (row < A->rows && (products += soak_row_products(A, B, row)) <= most) row++;
    if (row == A->rows) return;
    if (row == 0) {
        int64_t entry = 0, own = 0;
        while ((own += soak_offset(B, A->columns[entry] + (int64_t)1) - soak_offset(B, A->columns[entry])) <= most)
            entry++;
        soak_set_offset(A, ++row, entry);
    }
    A->rows = row;
    A->nnz = soak_offset(A, row);
    spg_csr cut = soak_matrix_copy(A); /* arrays of just their size */
    soak_matrix_free(A);
    *A = cut;
}

static void draw_sizes(uint64_t *state, int64_t *m, int64_t *k, int64_t *n)
{
    *m = soak_draw_size(state);
    *k = chance_of(state, 30) ? *m : soak_draw_size(state);
    *n = chance_of(state, 30) ? *k : soak_draw_size(state);
}

/* Short rows with hundreds of long ones among them, and a B that is mostly empty: some of the long ones have no
 * product.
 */
static void draw_long_among_short(uint64_t *state, soak_pattern *a, soak_pattern *b, int64_t *m, int64_t *k)
{
    *a = soak_draw_pattern(state, SOAK_POWER);
    *b = soak_draw_pattern(state, SOAK_MOSTLY_EMPTY);
    a->alpha = 1.1, a->scale = 2, a->from_zero = true, a->skewed = false;
    *m = chance_log(state, 3000, 20000);
    *k = chance_log(state, 1000, 20000);
}

void soak_draw_products(uint64_t *state, soak_case *c)
{
    int64_t m, k, n;
    draw_sizes(state, &m, &k, &n);
    const bool costly = chance_of(state, 4);
    const int64_t entries = costly ? 5000000 : 300000;
    int64_t most = costly ? 20000000 : chance_log(state, 5000, 1500000);
    soak_pattern a = soak_draw_pattern(state, soak_draw_row_kind(state));
    soak_pattern b = soak_draw_pattern(state, soak_draw_row_kind(state));
    if (chance_of(state, 10)) draw_long_among_short(state, &a, &b, &m, &k);
    b.widest = chance_of(state, 4);
    if (b.widest && most > 200000) most = 200000; /* columns far apart cost more */
    if (costly) c->settings.caller_allocates = false, c->settings.fail_at = 0;
    soak_draw_matrix(state, &b, k, n, b.widest ? most : entries, &c->settings, &c->matrices[1]);
    soak_draw_matrix(state, &a, m, k, entries, &c->settings, &c->matrices[0]);
    bound_products(&c->matrices[0], &c->matrices[1], most);
    c->count = 2;
    c->names[0] = "A", c->names[1] = "B";
    c->rows_of[0] = 0, c->cols_of[0] = 1, c->rows_of[1] = 1, c->cols_of[1] = 2;
    c->dimensions[0] = c->matrices[0].rows, c->dimensions[1] = k, c->dimensions[2] = c->matrices[1].cols;
}

/* ---- One place -------------------------------------------------------------------------------------------------- */

static soak_outcome multiply(soak_place *p, const spg_csr *A, const spg_csr *B, spg_csr *C)
{
    memset(C, 0x5a, sizeof *C);
    soak_before(p);
    const spg_status status = spgemm_csr(p->context, A, B, C);
    return soak_after(p, "spgemm_csr", status, C, sizeof *C);
}

/* By a product, by a plan and by an analysis, which reads no columns of B. */
static bool refuses_operands(soak_place *p, const spg_csr *A, const spg_csr *B, bool must, bool must_analysis)
{
    spg_csr C;
    spgemm_plan *plan = NULL;
    spgemm_analysis analysis;
    memset(&C, 0x5a, sizeof C);
    soak_before(p);
    soak_outcome outcome = soak_after_damage(p, "spgemm_csr", spgemm_csr(p->context, A, B, &C), must, &C, sizeof C);
    if (outcome == SOAK_DONE) spg_csr_free(p->context, &C);
    if (outcome == SOAK_WRONG) return false;
    soak_before(p);
    const spg_status planned = spgemm_plan_create(p->context, A, B, &plan);
    outcome = soak_after_damage(p, "spgemm_plan_create", planned, must, (const void *)&plan, sizeof plan);
    if (outcome == SOAK_DONE) spgemm_plan_destroy(plan);
    if (outcome == SOAK_WRONG) return false;
    soak_before(p);
    const spg_status analysed = spgemm_analyse(p->context, A, B, NULL, NULL, NULL, &analysis);
    return soak_after_damage(p, "spgemm_analyse", analysed, must_analysis, &analysis, sizeof analysis) != SOAK_WRONG;
}

static bool refuses_damage(soak_place *p, const spg_csr *A, const spg_csr *B)
{
    const soak_case *c = p->of;
    const soak_damage *damage = &c->settings.damage;
    const int which = damage->matrix % 2;
    spg_csr broken, here;
    int64_t row;
    if (!soak_damage_matrix(&c->matrices[which], damage, &broken, &row)) return true;
    const bool of_columns =
        damage->kind == SOAK_COLUMN_HIGH || damage->kind == SOAK_COLUMN_NEGATIVE || damage->kind == SOAK_ROW_OUTSIDE;
    const bool must = which == 0 || soak_names_column(&c->matrices[0], row); /* what nothing names may stay unread */
    bool right = soak_lend(p, &broken, &here);
    if (right) {
        right = refuses_operands(p, which == 0 ? &here : A, which == 1 ? &here : B, must,
                                 must && (which == 0 || !of_columns));
        soak_give_back(p, &here);
    }
    soak_matrix_free(&broken);
    return right;
}

/* What the call says of itself. */
static bool has_right_stats(soak_place *p, const spg_csr *C, int64_t products)
{
    spgemm_stats stats;
    if (spgemm_last_stats(p->context, &stats) != SPG_OK) return soak_fault("%s: no statistics", p->name);
    const int64_t limit = p->of->settings.workspace_limit;
    int64_t rows = 0;
    for (int k = 0; k < SPG_ROW_CLASSES; k++) rows += stats.class_rows[k];
    if (stats.products != products || stats.nnz != C->nnz || rows != C->rows)
        return soak_fault("%s: statistics of %lld products, %lld entries, %lld rows; they are %lld, %lld, %lld",
                          p->name, (long long)stats.products, (long long)stats.nnz, (long long)rows,
                          (long long)products, (long long)C->nnz, (long long)C->rows);
    if (limit > 0 && stats.workspace_bytes > limit)
        return soak_fault("%s: workspace of %lld bytes, the limit is %lld", p->name, (long long)stats.workspace_bytes,
                          (long long)limit);
    return true;
}

static bool has_right_analysis(soak_place *p, const spg_csr *A, const spg_csr *B, const spg_csr *C, int64_t products)
{
    const soak_case *c = p->of;
    const size_t bytes = (size_t)A->rows * sizeof(int64_t);
    int64_t *host = soak_array(A->rows, sizeof *host), *here = soak_lend_bytes(p, host, bytes), rows = 0;
    spgemm_analysis analysis;
    memset(&analysis, 0x5a, sizeof analysis);
    soak_before(p);
    const spg_status status = spgemm_analyse(p->context, A, B, C, NULL, here, &analysis);
    const soak_outcome outcome = soak_after(p, "spgemm_analyse", status, &analysis, sizeof analysis);
    soak_fetch_bytes(p, here, bytes, host);
    soak_give_back_bytes(p, here, bytes);
    bool right = outcome != SOAK_WRONG;
    for (int64_t i = 0; outcome == SOAK_DONE && right && i < A->rows; i++) {
        const int64_t own = soak_row_products(&c->matrices[0], &c->matrices[1], i);
        if (host[i] != own)
            right = soak_fault("%s: spgemm_analyse: row %lld has %lld products, said %lld", p->name, (long long)i,
                               (long long)own, (long long)host[i]);
    }
    for (int k = 0; k < SPG_ROW_CLASSES; k++) rows += analysis.class_rows[k];
    if (outcome == SOAK_DONE && right && (analysis.products != products || rows != A->rows))
        right = soak_fault("%s: spgemm_analyse: %lld products of %lld rows; they are %lld and %lld", p->name,
                           (long long)analysis.products, (long long)rows, (long long)products, (long long)A->rows);
    free(host);
    return right;
}

/* *product, in test_host(), is zeroed where the place refused for want of memory. */
static bool multiply_at(soak_place *p, const spg_csr *A, const spg_csr *B, spg_csr *product)
{
    const soak_case *c = p->of;
    const int64_t products = soak_products(&c->matrices[0], &c->matrices[1]);
    spg_csr C;
    if (!refuses_damage(p, A, B)) return false;
    if (c->settings.fail_at > 0) {
        soak_arm(p);
        const soak_outcome outcome = multiply(p, A, B, &C);
        soak_disarm(p);
        if (outcome == SOAK_DONE) spg_csr_free(p->context, &C);
        if (outcome == SOAK_WRONG) return false;
    }
    const soak_outcome outcome = multiply(p, A, B, &C);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    soak_count(SOAK_END_DONE);
    const bool right =
        soak_fetch(p, &C, product) && has_right_stats(p, &C, products) && has_right_analysis(p, A, B, &C, products);
    spg_csr_free(p->context, &C);
    return right;
}

static bool check_at(const soak_case *c, const soak_where *where, spg_csr *product)
{
    soak_place p;
    spg_csr A = {0}, B = {0};
    bool right = soak_open(c, where, &p) && soak_lend(&p, &c->matrices[0], &A) && soak_lend(&p, &c->matrices[1], &B) &&
                 multiply_at(&p, &A, &B, product);
    soak_give_back(&p, &A);
    soak_give_back(&p, &B);
    return soak_close(&p) && right;
}

bool soak_check_products(const soak_case *c, const soak_run *run)
{
    spg_csr products[2] = {{0}, {0}};
    bool right = true;
    int judged = -1;
    for (int k = 0; right && k < run->count; k++) {
        char name[64];
        snprintf(name, sizeof name, "%s: product", run->at[k].name);
        right = check_at(c, &run->at[k], &products[k]);
        if (!right || products[k].row_offsets == NULL) continue;
        if (judged >= 0)
            right = soak_is_same(&products[k], &products[judged], name);
        else
            right = soak_is_product(c, &c->matrices[0], &c->matrices[1], &products[k], name);
        judged = k;
    }
    for (int k = 0; k < 2; k++) spg_csr_free(test_host(), &products[k]);
    return right;
}
