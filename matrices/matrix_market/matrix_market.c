/* Reading: load, scan, convert, place. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* uselocale */
#endif
#include "internal.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static spg_type value_type_of(const matrix_market_scan *scan)
{
    return scan->field == MATRIX_MARKET_COMPLEX ? SPG_C64 : SPG_F64;
}

/* Stores entry number `at` at (i, j): a value of the file, or its mirror image across the diagonal. */
static void store(spg_coo *coo, int64_t at, int64_t i, int64_t j, const double *value, matrix_market_symmetry mirrored)
{
    coo->row_indices[at] = (int32_t)i;
    coo->columns[at] = (int32_t)j;
    bool complex_values = coo->value_type == SPG_C64;
    double *to = (double *)coo->values + (complex_values ? 2 * at : at);
    to[0] = mirrored == MATRIX_MARKET_SKEW_SYMMETRIC ? -value[0] : value[0];
    if (complex_values)
        to[1] = mirrored == MATRIX_MARKET_SKEW_SYMMETRIC || mirrored == MATRIX_MARKET_HERMITIAN ? -value[1] : value[1];
}

/* The position after (i, j) in an array file: down the columns, within the stored triangle. */
static void next_of_array(const matrix_market_scan *scan, int64_t *i, int64_t *j)
{
    if (++*i < scan->rows) return;
    ++*j;
    *i = scan->symmetry == MATRIX_MARKET_GENERAL ? 0 : scan->symmetry == MATRIX_MARKET_SKEW_SYMMETRIC ? *j + 1 : *j;
}

/* False if the entries differ from those of the scan. */
static bool place_entries(const matrix_market_scan *scan, const matrix_market_entries *entries, spg_coo *coo)
{
    bool general = scan->symmetry == MATRIX_MARKET_GENERAL;
    int parts = scan->field == MATRIX_MARKET_COMPLEX ? 2 : 1;
    int64_t at = 0, i = scan->symmetry == MATRIX_MARKET_SKEW_SYMMETRIC ? 1 : 0, j = 0;
    for (int64_t k = 0; k < scan->entries; ++k) {
        if (!scan->array) {
            i = entries->rows[k];
            j = entries->cols[k];
        }
        bool twice = !general && i != j;
        if (i < 0 || i >= scan->rows || j < 0 || j >= scan->cols || at + twice >= coo->nnz) return false;
        store(coo, at++, i, j, &entries->values[parts * k], MATRIX_MARKET_GENERAL);
        if (twice) store(coo, at++, j, i, &entries->values[parts * k], scan->symmetry);
        if (scan->array) next_of_array(scan, &i, &j);
    }
    return at == coo->nnz;
}

static spg_status coo_of_scan(spg_context *context, const matrix_market_text *text, const matrix_market_scan *scan,
                              spg_coo *coo)
{
    matrix_market_entries entries;
    spg_status status = matrix_market_convert(context, text, scan, &entries);
    if (status != SPG_OK) return status;
    status = spg_coo_alloc(context, scan->rows, scan->cols, scan->expanded, value_type_of(scan), coo);
    if (status == SPG_OK && !place_entries(scan, &entries, coo)) {
        status = spg_context_fail(context, SPG_ERROR_INTERNAL, "%s: CHOLMOD returns other entries than it holds",
                                  matrix_market_short_name(text->name));
        spg_coo_free(context, coo);
    }
    matrix_market_free_entries(&entries);
    return status;
}

static void tell(const spg_matrix_market_warning *found, spg_matrix_market_warning *warning)
{
    *warning = *found;
    if (found->lines < 2) return;
    const size_t length = strlen(found->text);
    snprintf(warning->text + length, sizeof warning->text - length, " (and %lld more such or other lines)",
             (long long)found->lines - 1);
}

/* Reads the entries of a text; array_only: only of an array. Must run in the "C" locale. */
static spg_status read_coo(spg_context *context, const matrix_market_text *text, bool array_only, spg_coo *coo)
{
    matrix_market_scan scan;
    spg_status status = matrix_market_scan_text(context, text, &scan);
    if (status != SPG_OK) return status;
    if (text->warning != NULL) tell(&scan.warning, text->warning);
    if (array_only && !scan.array)
        status = spg_context_fail(context, SPG_ERROR_FORMAT, "%s, line 1: a coordinate file; an array file is needed",
                                  matrix_market_short_name(text->name));
    else
        status = coo_of_scan(context, text, &scan, coo);
    matrix_market_end_scan(&scan);
    return status;
}

/* As read_coo. CHOLMOD reads numbers by the rules of the locale, so the calling thread switches to the "C" locale
 * meanwhile. */
static spg_status read_coo_in_c_locale(spg_context *context, const matrix_market_text *text, bool array_only,
                                       spg_coo *coo)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) return matrix_market_system_error(context, text->name, "cannot be read", errno);
    locale_t previous = uselocale(c_locale);
    spg_status status = read_coo(context, text, array_only, coo);
    uselocale(previous);
    freelocale(c_locale);
    return status;
}

static spg_status to_csr(spg_context *context, const spg_coo *coo, spg_csr *matrix)
{
    return spg_csr_from_coo(context, coo, coo->nnz <= INT32_MAX ? SPG_I32 : SPG_I64, matrix);
}

/* The public interface allocates only matrices: these are the values of a 1 x 1 matrix with `count` entries, whose
 * other arrays are freed at once. */
static spg_status allocate_values(spg_context *context, int64_t count, spg_type value_type, void **values)
{
    spg_csr holder;
    spg_status status = spg_csr_alloc(context, 1, 1, count, SPG_I64, value_type, &holder);
    if (status != SPG_OK) return status;
    *values = holder.values;
    holder.values = NULL;
    spg_csr_free(context, &holder);
    return SPG_OK;
}

static void free_values(spg_context *context, int64_t count, spg_type value_type, void *values)
{
    spg_csr holder = {1, 1, count, SPG_I64, value_type, SPG_PLACE_HOST, NULL, NULL, values};
    spg_csr_free(context, &holder);
}

/* An array file has at most one entry for each position. */
static spg_status to_dense(spg_context *context, const spg_coo *coo, spg_dense *matrix)
{
    size_t size = spg_type_size(coo->value_type);
    void *values = NULL;
    spg_status status = allocate_values(context, coo->rows * coo->cols, coo->value_type, &values);
    if (status != SPG_OK) return status;
    if (values != NULL) memset(values, 0, (size_t)(coo->rows * coo->cols) * size);
    for (int64_t k = 0; k < coo->nnz; ++k) {
        int64_t to = coo->row_indices[k] + coo->columns[k] * coo->rows;
        memcpy((char *)values + (size_t)to * size, (const char *)coo->values + (size_t)k * size, size);
    }
    *matrix = (spg_dense){coo->rows, coo->cols, coo->value_type, values};
    return SPG_OK;
}

/* Fills the one of the two results that is not NULL, and frees the text. */
static spg_status read_text(spg_context *context, matrix_market_text *text, spg_csr *matrix, spg_dense *dense)
{
    spg_coo coo;
    spg_status status = text->warning != NULL ? matrix_market_widen(context, text) : SPG_OK;
    if (status == SPG_OK) status = read_coo_in_c_locale(context, text, dense != NULL, &coo);
    matrix_market_unload(text);
    if (status != SPG_OK) return status;
    status = dense != NULL ? to_dense(context, &coo, dense) : to_csr(context, &coo, matrix);
    spg_coo_free(context, &coo);
    return status;
}

/* Zeroes the result and checks the arguments common to all readers. */
static spg_status begin_reading(spg_context *context, const void *source, void *result, size_t result_size)
{
    if (result != NULL) memset(result, 0, result_size);
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (source == NULL || result == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: %s is NULL",
                                source == NULL ? "path" : "matrix");
    if (spg_context_place(context) != SPG_PLACE_HOST)
        return spg_context_fail(
            context, SPG_ERROR_PLACE,
            "Matrix Market: the context is on a device; files need one on the host (spg_csr_copy moves what is read)");
    return SPG_OK;
}

/* warning: NULL, or that of a lenient reading. */
static spg_status read_file(spg_context *context, const char *path, spg_csr *matrix, spg_dense *dense,
                            spg_matrix_market_warning *warning)
{
    matrix_market_text text;
    spg_status status = matrix_market_load(context, path, &text);
    text.warning = warning;
    return status == SPG_OK ? read_text(context, &text, matrix, dense) : status;
}

static spg_status read_memory(spg_context *context, const char *name, const char *bytes, size_t size, spg_csr *matrix,
                              spg_dense *dense, spg_matrix_market_warning *warning)
{
    matrix_market_text text = {name, calloc(size + MATRIX_MARKET_PADDING, 1), size, warning};
    if (text.bytes == NULL)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: no memory for its text, %zu bytes", name, size);
    if (size > 0) memcpy(text.bytes, bytes, size);
    text.bytes[size] = '\n';
    return read_text(context, &text, matrix, dense);
}

spg_status spg_read_matrix_market(spg_context *context, const char *path, spg_csr *matrix)
{
    spg_status status = begin_reading(context, path, matrix, sizeof *matrix);
    return status == SPG_OK ? read_file(context, path, matrix, NULL, NULL) : status;
}

static spg_matrix_market_warning *begin_warning(spg_matrix_market_warning *warning, spg_matrix_market_warning *unused)
{
    if (warning == NULL) warning = unused;
    *warning = (spg_matrix_market_warning){0};
    return warning;
}

spg_status spg_read_matrix_market_lenient(spg_context *context, const char *path, spg_csr *matrix,
                                          spg_matrix_market_warning *warning)
{
    spg_matrix_market_warning unused;
    warning = begin_warning(warning, &unused);
    spg_status status = begin_reading(context, path, matrix, sizeof *matrix);
    return status == SPG_OK ? read_file(context, path, matrix, NULL, warning) : status;
}

spg_status matrix_market_read_lenient_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                           spg_csr *matrix, spg_matrix_market_warning *warning)
{
    spg_matrix_market_warning unused;
    warning = begin_warning(warning, &unused);
    spg_status status = begin_reading(context, name, matrix, sizeof *matrix);
    return status == SPG_OK ? read_memory(context, name, bytes, size, matrix, NULL, warning) : status;
}

spg_status spg_read_matrix_market_dense(spg_context *context, const char *path, spg_dense *matrix)
{
    spg_status status = begin_reading(context, path, matrix, sizeof *matrix);
    return status == SPG_OK ? read_file(context, path, NULL, matrix, NULL) : status;
}

spg_status spg_read_matrix_market_dense_lenient(spg_context *context, const char *path, spg_dense *matrix,
                                                spg_matrix_market_warning *warning)
{
    spg_matrix_market_warning unused;
    warning = begin_warning(warning, &unused);
    spg_status status = begin_reading(context, path, matrix, sizeof *matrix);
    return status == SPG_OK ? read_file(context, path, NULL, matrix, warning) : status;
}

spg_status matrix_market_read_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                   spg_csr *matrix)
{
    spg_status status = begin_reading(context, name, matrix, sizeof *matrix);
    return status == SPG_OK ? read_memory(context, name, bytes, size, matrix, NULL, NULL) : status;
}

spg_status matrix_market_read_dense_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                         spg_dense *matrix)
{
    spg_status status = begin_reading(context, name, matrix, sizeof *matrix);
    return status == SPG_OK ? read_memory(context, name, bytes, size, NULL, matrix, NULL) : status;
}

spg_status matrix_market_read_dense_lenient_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                                 spg_dense *matrix, spg_matrix_market_warning *warning)
{
    spg_matrix_market_warning unused;
    warning = begin_warning(warning, &unused);
    spg_status status = begin_reading(context, name, matrix, sizeof *matrix);
    return status == SPG_OK ? read_memory(context, name, bytes, size, NULL, matrix, warning) : status;
}

void spg_dense_free(spg_context *context, spg_dense *matrix)
{
    if (context == NULL || matrix == NULL) return;
    free_values(context, matrix->rows * matrix->cols, matrix->value_type, matrix->values);
    memset(matrix, 0, sizeof *matrix);
}
