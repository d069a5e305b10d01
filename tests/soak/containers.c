/* Containers: every call on CSR and COO matrices gives what plain sorts and sums of the entries give, bit for bit, at
 * every place. */
#include "containers.h"

#include "soak.h"

#include "chance.h"
#include "compare.h"
#include "damage.h"
#include "host_matrix.h"
#include "place_under_soak.h"
#include "rows.h"
#include "traits.h"
#include "transcript.h"

#include <stdlib.h>
#include <string.h>

/* A case at a place. */
typedef struct containers {
    soak_place p;
    const spg_csr *host;
    spg_coo shuffled; /* on the host: its entries in any order */
    spg_csr csr;      /* both at the place */
    spg_coo coo;
    void *x; /* at the place */
    size_t x_bytes, y_bytes;
    const void *alpha, *beta; /* NULL, or on the host */
    soak_transcript *told;
} containers;

typedef struct outputs {
    spg_csr csr;
    spg_coo coo;
} outputs;

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

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static spg_status copy_csr(containers *k, outputs *o) { return spg_csr_copy(k->p.context, &k->csr, &o->csr); }

static spg_status sort_csr(containers *k, outputs *o)
{
    const spg_status status = spg_csr_copy(k->p.context, &k->csr, &o->csr);
    if (status != SPG_OK) return status;
    const spg_status sorted = spg_csr_sort(k->p.context, &o->csr);
    if (sorted != SPG_OK) spg_csr_free(k->p.context, &o->csr);
    return sorted;
}

static spg_status transpose_csr(containers *k, outputs *o) { return spg_csr_transpose(k->p.context, &k->csr, &o->csr); }

static spg_status csr_to_coo(containers *k, outputs *o) { return spg_coo_from_csr(k->p.context, &k->csr, &o->coo); }

static spg_status copy_coo(containers *k, outputs *o) { return spg_coo_copy(k->p.context, &k->coo, &o->coo); }

static spg_status sort_coo(containers *k, outputs *o)
{
    const spg_status status = spg_coo_copy(k->p.context, &k->coo, &o->coo);
    if (status != SPG_OK) return status;
    const spg_status sorted = spg_coo_sort(k->p.context, &o->coo);
    if (sorted != SPG_OK) spg_coo_free(k->p.context, &o->coo);
    return sorted;
}

static spg_status transpose_coo(containers *k, outputs *o) { return spg_coo_transpose(k->p.context, &k->coo, &o->coo); }

static spg_status coo_to_csr(containers *k, outputs *o)
{
    return spg_csr_from_coo(k->p.context, &k->coo, k->host->offset_type, &o->csr);
}

static spg_status allocate_csr(containers *k, outputs *o)
{
    return spg_csr_alloc(k->p.context, k->host->rows, k->host->cols, 0, k->host->offset_type, k->host->value_type,
                         &o->csr);
}

/* ---- What they must give ---------------------------------------------------------------------------------------- */

static test_entry *csr_entries(const containers *k) { return test_csr_entries(k->host); }

static test_entry *ordered_csr_entries(const containers *k)
{
    test_entry *entries = test_csr_entries(k->host);
    test_order_entries(entries, k->host->nnz);
    return entries;
}

static test_entry *turned(test_entry *entries, int64_t count)
{
    for (int64_t e = 0; e < count; e++) {
        const int64_t row = entries[e].row;
        entries[e].row = entries[e].column, entries[e].column = row;
    }
    return entries;
}

static test_entry *transposed_csr_entries(const containers *k)
{
    test_entry *entries = turned(test_csr_entries(k->host), k->host->nnz);
    test_order_entries(entries, k->host->nnz);
    return entries;
}

static test_entry *coo_entries(const containers *k) { return test_coo_entries(&k->shuffled); }

static test_entry *ordered_coo_entries(const containers *k)
{
    test_entry *entries = test_coo_entries(&k->shuffled);
    test_order_entries(entries, k->host->nnz);
    return entries;
}

static test_entry *transposed_coo_entries(const containers *k)
{
    return turned(test_coo_entries(&k->shuffled), k->host->nnz);
}

static test_entry *no_entries(const containers *k)
{
    (void)k;
    return NULL;
}

typedef struct call {
    const char *name;
    spg_status (*run)(containers *k, outputs *o);
    test_entry *(*expected)(const containers *k); /* their entries, in order; of coo_to_csr before they are added up */
    bool of_coo;                                  /* entries index k->shuffled */
} call;

static const call calls[] = {
    {"spg_csr_copy", copy_csr, csr_entries, false},
    {"spg_csr_sort", sort_csr, ordered_csr_entries, false},
    {"spg_csr_transpose", transpose_csr, transposed_csr_entries, false},
    {"spg_coo_from_csr", csr_to_coo, csr_entries, false},
    {"spg_coo_copy", copy_coo, coo_entries, true},
    {"spg_coo_sort", sort_coo, ordered_coo_entries, true},
    {"spg_coo_transpose", transpose_coo, transposed_coo_entries, true},
    {"spg_csr_from_coo", coo_to_csr, ordered_coo_entries, true},
    {"spg_csr_alloc", allocate_csr, no_entries, false},
};
enum { CALLS = sizeof calls / sizeof *calls };

/* Entries of the same place become one, the sum of them from zero in order. */
static int64_t add_up(test_entry *entries, int64_t count, spg_type type, const void *from, void *values)
{
    const size_t size = spg_type_size(type);
    int64_t kept = 0;
    for (int64_t e = 0, next; e < count; e = next) {
        for (next = e + 1;
             next < count && entries[next].row == entries[e].row && entries[next].column == entries[e].column;)
            next++;
        test_reference_sum(entries + e, next - e, from, type, (char *)values + (size_t)kept * size);
        entries[kept++] = entries[e];
    }
    return kept;
}

/* A matrix on the host, COO or CSR, as entry-wise rows and columns. */
static bool are_entries(const containers *k, const call *of, const test_entry *entries, int64_t count,
                        const void *values, const int32_t *rows, const int32_t *columns, const void *actual)
{
    char what[64];
    for (int64_t e = 0; e < count; e++)
        if (rows[e] != entries[e].row || columns[e] != entries[e].column)
            return soak_fault("%s: %s: entry %lld lies at (%d, %d), expected (%lld, %lld)", k->p.name, of->name,
                              (long long)e, (int)rows[e], (int)columns[e], (long long)entries[e].row,
                              (long long)entries[e].column);
    snprintf(what, sizeof what, "%s: %s", k->p.name, of->name);
    return soak_are_same_values(actual, values, k->host->value_type, count, what);
}

static bool is_right_csr(const containers *k, const call *of, const test_entry *entries, int64_t count,
                         const void *values, const spg_csr *csr)
{
    int32_t *rows = soak_array(csr->nnz, sizeof *rows);
    bool right = csr->nnz == count && soak_offset(csr, csr->rows) == count;
    for (int64_t i = 0; right && i < csr->rows; i++) {
        right = soak_offset(csr, i) <= soak_offset(csr, i + 1) && soak_offset(csr, i + 1) <= count;
        for (int64_t e = soak_offset(csr, i); right && e < soak_offset(csr, i + 1); e++) rows[e] = (int32_t)i;
    }
    if (!right)
        soak_fault("%s: %s: %lld entries, or offsets unsound; expected %lld", k->p.name, of->name, (long long)csr->nnz,
                   (long long)count);
    right = right && are_entries(k, of, entries, count, values, rows, csr->columns, csr->values);
    free(rows);
    return right;
}

/* The entries' values, in their order; *count is of them after they are added up. */
static void *expected_values(const containers *k, const call *of, test_entry *entries, int64_t *count)
{
    const spg_type type = k->host->value_type;
    const size_t size = spg_type_size(type);
    const char *from = of->of_coo ? k->shuffled.values : k->host->values;
    char *values = soak_array(*count, size);
    if (of->run == coo_to_csr)
        *count = add_up(entries, *count, type, from, values);
    else
        for (int64_t e = 0; e < *count; e++)
            memcpy(values + (size_t)e * size, from + (size_t)entries[e].index * size, size);
    return values;
}

static bool is_right(containers *k, const call *of, const outputs *o)
{
    spg_csr csr = {0};
    spg_coo coo = {0};
    test_entry *entries = of->expected(k);
    int64_t count = entries != NULL ? k->host->nnz : 0;
    void *values = expected_values(k, of, entries, &count);
    bool right;
    if (o->csr.row_offsets != NULL) {
        right = soak_fetch(&k->p, &o->csr, &csr) && is_right_csr(k, of, entries, count, values, &csr);
    } else {
        right = spg_coo_copy(test_host(), &o->coo, &coo) == SPG_OK ||
                soak_fault("%s: %s: a result cannot be fetched", k->p.name, of->name);
        if (right && coo.nnz != count) right = soak_fault("%s: %s: another count", k->p.name, of->name);
        right = right && are_entries(k, of, entries, count, values, coo.row_indices, coo.columns, coo.values);
    }
    spg_csr_free(test_host(), &csr);
    spg_coo_free(test_host(), &coo);
    free(values);
    free(entries);
    return right;
}

/* ---- A place ---------------------------------------------------------------------------------------------------- */

static soak_outcome run_call(containers *k, const call *of, outputs *o)
{
    memset(o, 0, sizeof *o);
    soak_before(&k->p);
    const spg_status status = of->run(k, o);
    return soak_after(&k->p, of->name, status, o, sizeof *o);
}

static void free_outputs(containers *k, outputs *o)
{
    spg_csr_free(k->p.context, &o->csr);
    spg_coo_free(k->p.context, &o->coo);
}

static bool check_call(containers *k, const call *of)
{
    outputs o;
    if (k->p.of->settings.fail_at > 0) {
        soak_arm(&k->p);
        const soak_outcome outcome = run_call(k, of, &o);
        soak_disarm(&k->p);
        if (outcome == SOAK_WRONG) return false;
        if (outcome == SOAK_DONE) free_outputs(k, &o);
    }
    const soak_outcome outcome = run_call(k, of, &o);
    if (outcome != SOAK_DONE) return outcome == SOAK_REFUSED;
    const bool right = is_right(k, of, &o);
    free_outputs(k, &o);
    return right;
}

/* y = alpha*A*x + beta*y of both formats, told. With whole numbers the two formats agree number by number. */
static bool multiplies(containers *k)
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

static bool checks_contents(containers *k)
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

static bool lend_coo(containers *k)
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
    containers k = {.host = &c->matrices[0], .told = told};
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
    for (int n = 0; right && n < CALLS; n++) right = check_call(&k, &calls[n]);
    right = right && multiplies(&k);
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
