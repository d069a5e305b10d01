/* See operation_checks.h. */
#include "operation_checks.h"

#include "compare.h"
#include "host_matrix.h"

#include <stdlib.h>
#include <string.h>

/* A call's status: false for a fault. *has: whether there is a result. */
static bool is_sound(soak_containers *k, const char *call, spg_status status, const void *output, size_t bytes,
                     bool *has)
{
    *has = status == SPG_OK;
    return soak_after(&k->p, call, status, output, bytes) != SOAK_WRONG;
}

/* Tells a matrix that a call made, and frees it. */
static bool tell(soak_containers *k, const char *call, spg_csr *made)
{
    spg_csr fetched;
    const bool right = soak_fetch(&k->p, made, &fetched);
    if (right) {
        soak_tell_matrix(k->told, call, &fetched, 0);
        spg_csr_free(test_host(), &fetched);
    }
    spg_csr_free(k->p.context, made);
    return right;
}

/* The same matrix by another way: no entry may differ, in pattern neither. */
static bool is_same(soak_containers *k, const char *call, const spg_csr *made, const spg_csr *as)
{
    spg_difference difference;
    bool has;
    soak_before(&k->p);
    const spg_status status = spg_csr_compare(k->p.context, made, as, &difference);
    if (!is_sound(k, "spg_csr_compare", status, &difference, sizeof difference, &has)) return false;
    const bool may_differ = k->p.of->settings.numbers == SOAK_SPECIAL; /* NaN differs from itself */
    if (!has || (difference.same_pattern && (difference.same_values || may_differ))) return true;
    return soak_fault("%s: %s: differs by %g at (%lld, %lld), or in its pattern", k->p.name, call, difference.absolute,
                      (long long)difference.row, (long long)difference.column);
}

static bool adds(soak_containers *k)
{
    spg_csr sum;
    bool has;
    soak_before(&k->p);
    const spg_status status = spg_csr_add(k->p.context, k->alpha, &k->csr, k->beta, &k->csr, &sum);
    return is_sound(k, "spg_csr_add", status, &sum, sizeof sum, &has) && (!has || tell(k, "spg_csr_add", &sum));
}

static bool drops(soak_containers *k)
{
    const spg_drop_rule rule = {0.25, 0.5, 1};
    spg_csr kept;
    bool has;
    soak_before(&k->p);
    const spg_status status = spg_csr_drop(k->p.context, &k->csr, &rule, &kept);
    return is_sound(k, "spg_csr_drop", status, &kept, sizeof kept, &has) && (!has || tell(k, "spg_csr_drop", &kept));
}

/* Columns backwards, twice: as before. */
static bool permutes(soak_containers *k)
{
    const int64_t cols = k->host->cols;
    const size_t bytes = (size_t)cols * sizeof(int32_t);
    int32_t *order = soak_array(cols, sizeof *order);
    for (int64_t j = 0; j < cols; j++) order[j] = (int32_t)(cols - 1 - j);
    int32_t *here = soak_lend_bytes(&k->p, order, bytes);
    spg_csr turned, again;
    bool has, has_again = false;
    soak_before(&k->p);
    spg_status status = spg_csr_permute(k->p.context, &k->csr, NULL, here, &turned);
    bool right = is_sound(k, "spg_csr_permute", status, &turned, sizeof turned, &has);
    if (right && has) {
        soak_before(&k->p);
        status = spg_csr_permute(k->p.context, &turned, NULL, here, &again);
        right = is_sound(k, "spg_csr_permute", status, &again, sizeof again, &has_again);
        if (right && has_again) right = is_same(k, "spg_csr_permute", &again, &k->csr);
        if (has_again) spg_csr_free(k->p.context, &again);
        right = tell(k, "spg_csr_permute", &turned) && right;
    }
    soak_give_back_bytes(&k->p, here, bytes);
    free(order);
    return right;
}

/* The middle of the matrix. */
static bool extracts(soak_containers *k)
{
    const spg_indices rows = {k->host->rows / 4, k->host->rows / 2, NULL};
    const spg_indices columns = {k->host->cols / 4, k->host->cols / 2, NULL};
    spg_csr part;
    bool has;
    soak_before(&k->p);
    const spg_status status = spg_csr_extract(k->p.context, &k->csr, &rows, &columns, &part);
    return is_sound(k, "spg_csr_extract", status, &part, sizeof part, &has) &&
           (!has || tell(k, "spg_csr_extract", &part));
}

static bool takes_diagonal(soak_containers *k)
{
    const int64_t count = k->host->rows < k->host->cols ? k->host->rows : k->host->cols;
    const size_t bytes = (size_t)count * spg_type_size(k->host->value_type);
    void *diagonal = soak_array((int64_t)bytes, 1), *here = soak_lend_bytes(&k->p, diagonal, bytes);
    bool has;
    soak_before(&k->p);
    const spg_status status = spg_csr_diagonal(k->p.context, &k->csr, here);
    const bool right = is_sound(k, "spg_csr_diagonal", status, NULL, 0, &has);
    if (has) soak_fetch_bytes(&k->p, here, bytes, diagonal);
    if (has) soak_tell_values(k->told, "spg_csr_diagonal", k->host->value_type, count, diagonal, 0);
    soak_give_back_bytes(&k->p, here, bytes);
    free(diagonal);
    return right;
}

/* One vector in either layout: that of spg_csr_spmv. */
static bool multiplies_vectors(soak_containers *k)
{
    const int64_t rows = k->host->rows, cols = k->host->cols;
    char *y = soak_array((int64_t)k->y_bytes, 1), *one = soak_array((int64_t)k->y_bytes, 1);
    void *here = soak_lend_bytes(&k->p, y, k->y_bytes);
    bool right = true, has = true;
    for (int layout = -1; right && has && layout <= SPG_COLUMN_MAJOR; layout++) {
        const int64_t x_stride = layout == SPG_COLUMN_MAJOR ? cols : 1;
        soak_before(&k->p);
        const spg_status status = layout < 0
                                      ? spg_csr_spmv(k->p.context, k->alpha, &k->csr, k->x, NULL, here)
                                      : spg_csr_spmm(k->p.context, k->alpha, &k->csr, 1, (spg_layout)layout, k->x,
                                                     x_stride, NULL, here, layout == SPG_COLUMN_MAJOR ? rows : 1);
        right = is_sound(k, "spg_csr_spmm", status, NULL, 0, &has);
        if (has) soak_fetch_bytes(&k->p, here, k->y_bytes, layout < 0 ? one : y);
        if (has && layout >= 0 && right)
            right = soak_are_same_values(y, one, k->host->value_type, rows, "spg_csr_spmm beside spg_csr_spmv");
    }
    soak_give_back_bytes(&k->p, here, k->y_bytes);
    free(y);
    free(one);
    return right;
}

bool soak_operates(soak_containers *k)
{
    return adds(k) && drops(k) && permutes(k) && extracts(k) && takes_diagonal(k) && multiplies_vectors(k);
}
