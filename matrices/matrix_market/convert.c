/* Converts the numbers of a scanned text by CHOLMOD. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* fmemopen */
#endif
#include "internal.h"

#include <cholmod.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix_market_converted {
    cholmod_common common;
    cholmod_triplet *triplet;
    cholmod_dense *dense;
} converted;

/* CHOLMOD gets less than the file says: the body as a list of triplets or a column of numbers, without symmetry. For a
 * symmetric file, it expands triplets or not by the kind of symmetry; it takes a banner in capitals for a comment and
 * then guesses the symmetry; and for a 1 x 1 skew-symmetric array it returns an uninitialised pointer. A header of our
 * own, "rows columns entries 0" with 0 for unsymmetric, replaces the end of the banner and of the size line. */
static FILE *open_body(const matrix_market_text *text, const matrix_market_scan *scan)
{
    char header[96];
    int length = 0;
    /* The largest indices rather than the sizes: CHOLMOD allocates workspace for as many rows and columns. */
    if (scan->array)
        length = snprintf(header, sizeof header, "%lld 1\n", (long long)scan->entries);
    else
        length = snprintf(header, sizeof header, "%lld %lld %lld 0\n", (long long)scan->largest_row,
                          (long long)scan->largest_col, (long long)scan->entries);
    size_t begin = scan->body - (size_t)length;
    memcpy(text->bytes + begin, header, (size_t)length);
    return fmemopen(text->bytes + begin, text->size - begin, "r");
}

/* Whether CHOLMOD returned what the scan found. */
static bool has_expected_shape(const converted *c, const matrix_market_scan *scan)
{
    int xtype = scan->field == MATRIX_MARKET_COMPLEX ? CHOLMOD_COMPLEX : CHOLMOD_REAL;
    size_t count = (size_t)scan->entries;
    if (scan->array)
        return c->dense != NULL && c->dense->xtype == xtype && c->dense->nrow == count && c->dense->ncol == 1;
    return c->triplet != NULL && c->triplet->xtype == xtype && c->triplet->itype == CHOLMOD_LONG &&
           c->triplet->nnz == count && c->triplet->stype == 0;
}

static spg_status convert_fault(spg_context *context, const char *name, const converted *c)
{
    name = matrix_market_short_name(name);
    if (c->common.status == CHOLMOD_OUT_OF_MEMORY)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: no memory for its entries", name);
    return spg_context_fail(context, SPG_ERROR_INTERNAL, "%s: CHOLMOD refuses it, with status %d", name,
                            c->common.status);
}

/* Reads the body; *c holds what CHOLMOD returns, also after a failure. */
static spg_status read_body(spg_context *context, const matrix_market_text *text, const matrix_market_scan *scan,
                            converted *c)
{
    FILE *body = open_body(text, scan);
    if (body == NULL) return matrix_market_system_error(context, text->name, "cannot be read", errno);
    if (scan->array)
        c->dense = cholmod_l_read_dense(body, &c->common);
    else
        c->triplet = cholmod_l_read_triplet(body, &c->common);
    fclose(body);
    return has_expected_shape(c, scan) ? SPG_OK : convert_fault(context, text->name, c);
}

spg_status matrix_market_convert(spg_context *context, const matrix_market_text *text, const matrix_market_scan *scan,
                                 matrix_market_entries *entries)
{
    memset(entries, 0, sizeof *entries);
    if (scan->entries == 0) return SPG_OK;
    converted *c = calloc(1, sizeof *c);
    if (c == NULL)
        return spg_context_fail(context, SPG_ERROR_MEMORY, "%s: no memory to read it",
                                matrix_market_short_name(text->name));
    entries->owner = c;
    cholmod_l_start(&c->common);
    c->common.print = 0;
    c->common.try_catch = 1; /* no message, no handler */
    spg_status status = read_body(context, text, scan, c);
    if (status != SPG_OK) {
        matrix_market_free_entries(entries);
        return status;
    }
    if (c->triplet != NULL) {
        entries->rows = c->triplet->i;
        entries->cols = c->triplet->j;
    }
    entries->values = c->triplet != NULL ? c->triplet->x : c->dense->x;
    for (int64_t k = 0; k < scan->huge_count; ++k) entries->values[scan->huge[k].index] = scan->huge[k].value;
    return SPG_OK;
}

void matrix_market_free_entries(matrix_market_entries *entries)
{
    converted *c = entries->owner;
    if (c != NULL) {
        cholmod_l_free_triplet(&c->triplet, &c->common);
        cholmod_l_free_dense(&c->dense, &c->common);
        cholmod_l_finish(&c->common);
        free(c);
    }
    memset(entries, 0, sizeof *entries);
}
