/* See container_checks.h. */
#include "container_checks.h"

#include "compare.h"
#include "host_matrix.h"

#include <stdlib.h>
#include <string.h>

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static spg_status copy_csr(soak_containers *k, soak_outputs *o) { return spg_csr_copy(k->p.context, &k->csr, &o->csr); }

static spg_status sort_csr(soak_containers *k, soak_outputs *o)
{
    const spg_status status = spg_csr_copy(k->p.context, &k->csr, &o->csr);
    if (status != SPG_OK) return status;
    const spg_status sorted = spg_csr_sort(k->p.context, &o->csr);
    if (sorted != SPG_OK) spg_csr_free(k->p.context, &o->csr);
    return sorted;
}

static spg_status transpose_csr(soak_containers *k, soak_outputs *o)
{
    return spg_csr_transpose(k->p.context, &k->csr, &o->csr);
}

static spg_status csr_to_coo(soak_containers *k, soak_outputs *o)
{
    return spg_coo_from_csr(k->p.context, &k->csr, &o->coo);
}

static spg_status copy_coo(soak_containers *k, soak_outputs *o) { return spg_coo_copy(k->p.context, &k->coo, &o->coo); }

static spg_status sort_coo(soak_containers *k, soak_outputs *o)
{
    const spg_status status = spg_coo_copy(k->p.context, &k->coo, &o->coo);
    if (status != SPG_OK) return status;
    const spg_status sorted = spg_coo_sort(k->p.context, &o->coo);
    if (sorted != SPG_OK) spg_coo_free(k->p.context, &o->coo);
    return sorted;
}

static spg_status transpose_coo(soak_containers *k, soak_outputs *o)
{
    return spg_coo_transpose(k->p.context, &k->coo, &o->coo);
}

static spg_status coo_to_csr(soak_containers *k, soak_outputs *o)
{
    return spg_csr_from_coo(k->p.context, &k->coo, k->host->offset_type, &o->csr);
}

static spg_status allocate_csr(soak_containers *k, soak_outputs *o)
{
    return spg_csr_alloc(k->p.context, k->host->rows, k->host->cols, 0, k->host->offset_type, k->host->value_type,
                         &o->csr);
}

static spg_status allocate_coo(soak_containers *k, soak_outputs *o)
{
    return spg_coo_alloc(k->p.context, k->host->rows, k->host->cols, 0, k->host->value_type, &o->coo);
}

/* ---- What they must give ---------------------------------------------------------------------------------------- */

static test_entry *csr_entries(const soak_containers *k) { return test_csr_entries(k->host); }

static test_entry *ordered_csr_entries(const soak_containers *k)
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

static test_entry *transposed_csr_entries(const soak_containers *k)
{
    test_entry *entries = turned(test_csr_entries(k->host), k->host->nnz);
    test_order_entries(entries, k->host->nnz);
    return entries;
}

static test_entry *coo_entries(const soak_containers *k) { return test_coo_entries(&k->shuffled); }

static test_entry *ordered_coo_entries(const soak_containers *k)
{
    test_entry *entries = test_coo_entries(&k->shuffled);
    test_order_entries(entries, k->host->nnz);
    return entries;
}

static test_entry *transposed_coo_entries(const soak_containers *k)
{
    return turned(test_coo_entries(&k->shuffled), k->host->nnz);
}

static test_entry *no_entries(const soak_containers *k)
{
    (void)k;
    return NULL;
}

const soak_container_call soak_container_calls[SOAK_CONTAINER_CALLS] = {
    {"spg_csr_copy", copy_csr, csr_entries, false},
    {"spg_csr_sort", sort_csr, ordered_csr_entries, false},
    {"spg_csr_transpose", transpose_csr, transposed_csr_entries, false},
    {"spg_coo_from_csr", csr_to_coo, csr_entries, false},
    {"spg_coo_copy", copy_coo, coo_entries, true},
    {"spg_coo_sort", sort_coo, ordered_coo_entries, true},
    {"spg_coo_transpose", transpose_coo, transposed_coo_entries, true},
    {"spg_csr_from_coo", coo_to_csr, ordered_coo_entries, true},
    {"spg_csr_alloc", allocate_csr, no_entries, false},
    {"spg_coo_alloc", allocate_coo, no_entries, true},
};
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
static bool are_entries(const soak_containers *k, const soak_container_call *of, const test_entry *entries,
                        int64_t count, const void *values, const int32_t *rows, const int32_t *columns,
                        const void *actual)
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

static bool is_right_csr(const soak_containers *k, const soak_container_call *of, const test_entry *entries,
                         int64_t count, const void *values, const spg_csr *csr)
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
static void *expected_values(const soak_containers *k, const soak_container_call *of, test_entry *entries,
                             int64_t *count)
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

bool soak_is_right_container(soak_containers *k, const soak_container_call *of, const soak_outputs *o)
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
