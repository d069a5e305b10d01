/* Containers: every call on CSR and COO matrices gives what plain sorts and sums of the entries give, bit for bit, at
 * every place. */
#include "container_checks.h"

#include "chance.h"
#include "compare.h"
#include "damage.h"
#include "host_matrix.h"
#include "operation_checks.h"
#include "rows.h"
#include "traits.h"

#include <stdlib.h>
#include <string.h>

void soak_draw_containers(uint64_t *state, soak_case *c)
{
    const soak_pattern pattern = soak_draw_pattern(state, soak_draw_row_kind(state));
    const int64_t rows = soak_draw_size(state), cols = chance_of(state, 25) ? rows : soak_draw_size(state);
    const int64_t most = chance_of(state, 5) ? 500000 : 100000;
    soak_draw_matrix(state, &pattern, rows, cols, most, &c->settings, &c->matrices[0]);
    c->count = 1;
    c->names[0] = "A";
    c->cols_of[0] = 1;
    c->dimensions[0] = rows, c->dimensions[1] = cols;
}

static spg_coo shuffled_coo(const spg_csr *A, uint64_t seed)
{
    const size_t size = spg_type_size(A->value_type);
    spg_coo coo = {.rows = A->rows,
                   .cols = A->cols,
                   .nnz = A->nnz,
                   .value_type = A->value_type,
                   .place = SPG_PLACE_HOST,
                   .row_indices = soak_array(A->nnz, sizeof(int32_t)),
                   .columns = soak_array(A->nnz, sizeof(int32_t)),
                   .values = soak_array(A->nnz, size)};
    int64_t *order = soak_array(A->nnz, sizeof *order);
    for (int64_t k = 0; k < A->nnz; k++) { /* inside out, by Fisher and Yates */
        const int64_t other = chance_below(&seed, k + 1);
        order[k] = order[other], order[other] = k;
    }
    for (int64_t i = 0; i < A->rows; i++)
        for (int64_t k = soak_offset(A, i); k < soak_offset(A, i + 1); k++) {
            coo.row_indices[order[k]] = (int32_t)i;
            coo.columns[order[k]] = A->columns[k];
            memcpy((char *)coo.values + (size_t)order[k] * size, (const char *)A->values + (size_t)k * size, size);
        }
    free(order);
    return coo;
}

static void free_coo(spg_coo *coo)
{
    free(coo->row_indices);
    free(coo->columns);
    free(coo->values);
}

/* ---- A place ---------------------------------------------------------------------------------------------------- */

static soak_outcome run_call(soak_containers *k, const soak_container_call *of, soak_outputs *o)
{
    memset(o, 0, sizeof *o);
    soak_before(&k->p);
    const spg_status status = of->run(k, o);
    return soak_after(&k->p, of->name, status, o, sizeof *o);
}

static void free_outputs(soak_containers *k, soak_outputs *o)
{
    spg_csr_free(k->p.context, &o->csr);
    spg_coo_free(k->p.context, &o->coo);
}

static bool check_call(soak_containers *k, const soak_container_call *of)
{
    soak_outputs o;
    if (k->p.of->settings.fail_at > 0) {
        soak_arm(&k->p);
        const soak_outcome outcome = run_call(k, of, &o);
        soak_disarm(&k->p);
        if (outcome == SOAK_WRONG) return false;
        if (outcome == SOAK_DONE) free_outputs(k, &o);
    }
    const soak_outcome outcome = run_call(k, of, &o);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    const bool right = soak_is_right_container(k, of, &o);
    free_outputs(k, &o);
    return right;
}

/* y = alpha*A*x + beta*y of both formats, told. With whole numbers the two formats agree number by number. */
static bool multiplies(soak_containers *k)
{
    const spg_type type = k->host->value_type;
    char *first = soak_array((int64_t)k->y_bytes, 1), *second = soak_array((int64_t)k->y_bytes, 1);
    soak_draw_numbers(k->p.of->settings.seed, SOAK_WHOLE, type, k->host->rows, first);
    memcpy(second, first, k->y_bytes);
    void *y = soak_lend_bytes(&k->p, first, k->y_bytes), *z = soak_lend_bytes(&k->p, second, k->y_bytes);
    soak_before(&k->p);
    spg_status status = spg_csr_spmv(k->p.context, k->alpha, &k->csr, k->x, k->beta, y);
    bool right = soak_after(&k->p, "spg_csr_spmv", status, NULL, 0) != SOAK_WRONG;
    if (status == SPG_OK) soak_fetch_bytes(&k->p, y, k->y_bytes, first);
    if (status == SPG_OK) soak_tell_values(k->told, "spg_csr_spmv", type, k->host->rows, first, 0);
    status = spg_coo_spmv(k->p.context, k->alpha, &k->coo, k->x, k->beta, z);
    right = right && soak_after(&k->p, "spg_coo_spmv", status, NULL, 0) != SOAK_WRONG;
    if (status == SPG_OK) soak_fetch_bytes(&k->p, z, k->y_bytes, second);
    if (status == SPG_OK) soak_tell_values(k->told, "spg_coo_spmv", type, k->host->rows, second, 0);
    if (right && status == SPG_OK && k->p.of->settings.numbers == SOAK_WHOLE) {
        char what[64];
        snprintf(what, sizeof what, "%s: spg_coo_spmv beside spg_csr_spmv", k->p.name);
        right = soak_are_same_values(second, first, type, k->host->rows, what);
    }
    soak_give_back_bytes(&k->p, y, k->y_bytes);
    soak_give_back_bytes(&k->p, z, k->y_bytes);
    free(first);
    free(second);
    return right;
}

static bool checks_contents(soak_containers *k)
{
    const soak_damage *damage = &k->p.of->settings.damage;
    spg_csr broken, here, out;
    int64_t row;
    if (spg_csr_check(k->p.context, &k->csr) != SPG_OK || spg_coo_check(k->p.context, &k->coo) != SPG_OK)
        return soak_fault("%s: a sound matrix is refused: %s", k->p.name, spg_context_message(k->p.context));
    if (!soak_damage_matrix(k->host, damage, &broken, &row)) return true;
    bool right = soak_lend(&k->p, &broken, &here);
    if (right) {
        soak_before(&k->p);
        spg_status status = spg_csr_check(k->p.context, &here);
        right = soak_after_damage(&k->p, "spg_csr_check", status, true, NULL, 0) != SOAK_WRONG;
        memset(&out, 0x5a, sizeof out);
        status = spg_csr_transpose(k->p.context, &here, &out);
        right = right && soak_after_damage(&k->p, "spg_csr_transpose", status, true, &out, sizeof out) != SOAK_WRONG;
        soak_give_back(&k->p, &here);
    }
    soak_matrix_free(&broken);
    return right;
}

static bool lend_coo(soak_containers *k)
{
    k->coo = k->shuffled;
    if (k->p.place == SPG_PLACE_HOST) return true;
    return spg_coo_copy(test_lender(), &k->shuffled, &k->coo) == SPG_OK || soak_fault("device: no copy of triples");
}

static bool check_at(const soak_case *c, const soak_where *where, soak_transcript *told)
{
    uint64_t state = c->settings.seed;
    const spg_type type = c->settings.value_type;
    double scalars[4]; /* alpha and beta of any type */
    soak_containers k = {.host = &c->matrices[0], .told = told};
    k.shuffled = shuffled_coo(k.host, c->settings.seed);
    k.x_bytes = (size_t)k.host->cols * spg_type_size(type), k.y_bytes = (size_t)k.host->rows * spg_type_size(type);
    soak_draw_numbers(c->settings.seed, SOAK_WHOLE, type, 2, scalars);
    if (chance_of(&state, 60)) k.alpha = scalars;
    if (chance_of(&state, 60)) k.beta = (const char *)scalars + spg_type_size(type);
    void *x = soak_array((int64_t)k.x_bytes, 1);
    soak_draw_numbers(c->settings.seed + 1, c->settings.numbers, type, k.host->cols, x);
    bool right = soak_open(c, where, &k.p) && soak_lend(&k.p, k.host, &k.csr) && lend_coo(&k);
    if (right) k.x = soak_lend_bytes(&k.p, x, k.x_bytes);
    right = right && checks_contents(&k);
    for (int n = 0; right && n < SOAK_CONTAINER_CALLS; n++) right = check_call(&k, &soak_container_calls[n]);
    right = right && multiplies(&k) && soak_operates(&k);
    if (k.x != NULL) soak_give_back_bytes(&k.p, k.x, k.x_bytes);
    soak_give_back(&k.p, &k.csr);
    if (where->place == SPG_PLACE_DEVICE) spg_coo_free(test_lender(), &k.coo);
    free_coo(&k.shuffled);
    free(x);
    return soak_close(&k.p) && right;
}

bool soak_check_containers(const soak_case *c, const soak_run *run)
{
    static soak_transcript told[2];
    bool right = true;
    for (int k = 0; right && k < run->count; k++) right = check_at(c, &run->at[k], &told[k]);
    if (right && run->count == 2 && c->settings.workspace_limit == 0) right = soak_is_same_told(&told[1], &told[0]);
    if (right) soak_count(SOAK_END_DONE);
    for (int k = 0; k < 2; k++) soak_forget(&told[k]);
    return right;
}
