#include "problem.h"

#include "generators.h"
#include "spg/io.h"
#include "spg/spg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *product_name(product_kind product)
{
    static const char *const names[PRODUCT_KINDS] = {"AP", "AA", "RAP"};
    return names[product];
}

const char *product_text(product_kind product)
{
    static const char *const texts[PRODUCT_KINDS] = {"A*P", "A*A", "R*A*P"};
    return texts[product];
}

bool is_complex_type(spg_type type) { return type == SPG_C32 || type == SPG_C64; }

bool is_single_type(spg_type type) { return type == SPG_F32 || type == SPG_C32; }

int64_t csr_bytes(const spg_csr *matrix)
{
    return (matrix->rows + 1) * (int64_t)spg_type_size(matrix->offset_type) +
           matrix->nnz * (int64_t)(sizeof(int32_t) + spg_type_size(matrix->value_type));
}

int32_t *offsets_as_int32(const spg_csr *matrix)
{
    if (matrix->nnz > INT32_MAX) return NULL;
    int32_t *offsets = malloc((size_t)(matrix->rows + 1) * sizeof *offsets);
    if (offsets == NULL) return NULL;
    for (int64_t i = 0; i <= matrix->rows; i++) offsets[i] = (int32_t)row_offset(matrix, i);
    return offsets;
}

/* Part k (real and imaginary parts count apart) of an array of floats or doubles. */
static double part_of(const void *values, spg_type type, int64_t k)
{
    if (type == SPG_F32 || type == SPG_C32) return (double)((const float *)values)[k];
    return ((const double *)values)[k];
}

static void set_part(void *values, spg_type type, int64_t k, double part)
{
    if (type == SPG_F32 || type == SPG_C32)
        ((float *)values)[k] = (float)part;
    else
        ((double *)values)[k] = part;
}

/* Gives the matrix values of another type; imaginary parts are 0 where there were none. */
static spg_status convert_values(spg_context *context, const char *name, spg_type type, spg_csr *matrix)
{
    if (matrix->value_type == type) return SPG_OK;
    const bool from_complex = is_complex_type(matrix->value_type), to_complex = is_complex_type(type);
    if (from_complex && !to_complex)
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "%s: has complex values; use --type c32 or c64", name);
    spg_csr converted;
    spg_status status =
        spg_csr_alloc(context, matrix->rows, matrix->cols, matrix->nnz, matrix->offset_type, type, &converted);
    if (status != SPG_OK) return status;
    memcpy(converted.row_offsets, matrix->row_offsets, (size_t)(matrix->rows + 1) * spg_type_size(matrix->offset_type));
    if (matrix->nnz > 0) memcpy(converted.columns, matrix->columns, (size_t)matrix->nnz * sizeof(int32_t));
    for (int64_t k = 0; k < matrix->nnz * (to_complex ? 2 : 1); k++) {
        double part = 0.0;
        if (from_complex == to_complex) part = part_of(matrix->values, matrix->value_type, k);
        if (!from_complex && to_complex && k % 2 == 0) part = part_of(matrix->values, matrix->value_type, k / 2);
        set_part(converted.values, type, k, part);
        if (isfinite(part_of(converted.values, type, k))) continue;
        spg_csr_free(context, &converted);
        return spg_context_fail(context, SPG_ERROR_UNSUPPORTED, "%s: holds %g, which is past %s", name, part,
                                spg_type_name(type));
    }
    spg_csr_free(context, matrix);
    *matrix = converted;
    return SPG_OK;
}

/* The file's name without its folder and ".mtx" or ".mtx.gz". */
static void short_name(const char *path, char *name, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    size_t length = strlen(base);
    if (length > 3 && strcmp(base + length - 3, ".gz") == 0) length -= 3;
    if (length > 4 && strncmp(base + length - 4, ".mtx", 4) == 0) length -= 4;
    snprintf(name, size, "%.*s", (int)length, base);
}

static bool file_exists(const char *path)
{
    struct stat information;
    return stat(path, &information) == 0;
}

bool names_a_matrix(const char *argument) { return is_generator_name(argument) || file_exists(argument); }

static spg_status read_file(spg_context *context, const char *path, bool lenient, spg_csr *A)
{
    if (!lenient) return spg_read_matrix_market(context, path, A);
    spg_matrix_market_warning warning;
    spg_status status = spg_read_matrix_market_lenient(context, path, A, &warning);
    if (status == SPG_OK && warning.lines > 0) fprintf(stderr, "%s\n", warning.text);
    return status;
}

spg_status load_matrix(spg_context *context, const options *chosen, const char *argument, spg_csr *A, char *name,
                       size_t name_size)
{
    memset(A, 0, sizeof *A);
    if (is_generator_name(argument)) {
        snprintf(name, name_size, "%s", argument);
        return generate_matrix(context, argument, chosen->seed, chosen->type, A);
    }
    if (!file_exists(argument))
        return spg_context_fail(context, SPG_ERROR_IO,
                                "%s: no such file, and no generator of that name (--help lists them)", argument);
    short_name(argument, name, name_size);
    spg_status status = read_file(context, argument, chosen->lenient, A);
    if (status != SPG_OK || !chosen->type_given) return status;
    status = convert_values(context, argument, chosen->type, A);
    if (status != SPG_OK) spg_csr_free(context, A);
    return status;
}

const char *product_obstacle(product_kind product, const spg_csr *A)
{
    if (A->rows == A->cols) return NULL;
    return product == PRODUCT_AA ? "A*A needs a square A" : "P aggregates the unknowns of a square A";
}
