/* Writing. CHOLMOD's writer is not used: it writes magnitudes of 1e308 and more as 1e308, and requires sorted
 * columns. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* uselocale, realpath */
#endif
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The file being written. */
typedef struct output {
    spg_context *context;
    const char *path;
    char *target;    /* the path, symbolic links resolved */
    char *temporary; /* written, then renamed to target; NULL if target itself is written */
    FILE *file;
} output;

static spg_status fail_to_write(const output *out, int error)
{
    return matrix_market_system_error(out->context, out->path, "cannot be written", error);
}

/* Creates a file with a new name next to the target; -1 with errno. */
static int create_temporary(output *out)
{
    enum { ATTEMPTS = 1000 };
    size_t size = strlen(out->target) + 32;
    out->temporary = malloc(size);
    if (out->temporary == NULL) return -1;
    int file = -1;
    for (int k = 0; k < ATTEMPTS && file < 0; ++k) {
        snprintf(out->temporary, size, "%s.%ld.%d.tmp", out->target, (long)getpid(), k);
        file = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST) break;
    }
    if (file < 0) {
        int error = errno;
        free(out->temporary);
        out->temporary = NULL;
        errno = error;
    }
    return file;
}

/* Opens the file. If the target exists and is not a regular file, such as a pipe, it is written directly. */
static spg_status open_output(output *out)
{
    struct stat about;
    bool exists = stat(out->path, &about) == 0;
    out->target = exists ? realpath(out->path, NULL) : strdup(out->path);
    if (out->target == NULL) return fail_to_write(out, errno);
    int file = exists && !S_ISREG(about.st_mode) ? open(out->target, O_WRONLY | O_CLOEXEC) : create_temporary(out);
    if (file < 0) return fail_to_write(out, errno);
    out->file = fdopen(file, "w");
    if (out->file != NULL) return SPG_OK;
    int error = errno;
    close(file);
    return fail_to_write(out, error);
}

/* Closes the file and renames it to the target; after a failure, removes it. */
static spg_status close_output(output *out, spg_status status)
{
    if (out->file != NULL && fclose(out->file) != 0 && status == SPG_OK) status = fail_to_write(out, errno);
    if (out->temporary != NULL && status == SPG_OK && rename(out->temporary, out->target) != 0)
        status = fail_to_write(out, errno);
    if (out->temporary != NULL && status != SPG_OK) unlink(out->temporary);
    free(out->temporary);
    free(out->target);
    return status;
}

static int64_t offset_at(const spg_csr *matrix, int64_t k)
{
    return matrix->offset_type == SPG_I64 ? ((const int64_t *)matrix->row_offsets)[k]
                                          : ((const int32_t *)matrix->row_offsets)[k];
}

/* The parts of value k; returns their number. */
static int value_at(const spg_csr *matrix, int64_t k, double parts[2])
{
    switch (matrix->value_type) {
    case SPG_F32: parts[0] = (double)((const float *)matrix->values)[k]; return 1;
    case SPG_F64: parts[0] = ((const double *)matrix->values)[k]; return 1;
    case SPG_C32:
        parts[0] = (double)((const float *)matrix->values)[2 * k];
        parts[1] = (double)((const float *)matrix->values)[2 * k + 1];
        return 2;
    default:
        parts[0] = ((const double *)matrix->values)[2 * k];
        parts[1] = ((const double *)matrix->values)[2 * k + 1];
        return 2;
    }
}

/* 17 digits distinguish every double from its neighbours. */
static spg_status write_row(const output *out, const spg_csr *matrix, int64_t row)
{
    for (int64_t k = offset_at(matrix, row); k < offset_at(matrix, row + 1); ++k) {
        double parts[2] = {0.0, 0.0};
        int count = value_at(matrix, k, parts);
        if (!isfinite(parts[0]) || !isfinite(parts[1]))
            return spg_context_fail(out->context, SPG_ERROR_FORMAT,
                                    "%s: the value at row %lld, column %d is not finite; the format has no such number",
                                    matrix_market_short_name(out->path), (long long)row, (int)matrix->columns[k]);
        int written =
            fprintf(out->file, "%lld %lld %.17g", (long long)row + 1, (long long)matrix->columns[k] + 1, parts[0]);
        if (written > 0 && count == 2) written = fprintf(out->file, " %.17g", parts[1]);
        if (written < 0 || fputc('\n', out->file) == EOF) return fail_to_write(out, errno);
    }
    return SPG_OK;
}

static spg_status write_contents(const output *out, const spg_csr *matrix)
{
    bool complex_values = matrix->value_type == SPG_C32 || matrix->value_type == SPG_C64;
    if (fprintf(out->file, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
                complex_values ? "complex" : "real", (long long)matrix->rows, (long long)matrix->cols,
                (long long)matrix->nnz) < 0)
        return fail_to_write(out, errno);
    spg_status status = SPG_OK;
    for (int64_t row = 0; row < matrix->rows && status == SPG_OK; ++row) status = write_row(out, matrix, row);
    return status;
}

/* As write_contents. printf writes numbers by the rules of the locale, so the calling thread switches to the "C" locale
 * meanwhile. */
static spg_status write_in_c_locale(const output *out, const spg_csr *matrix)
{
    locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c_locale == (locale_t)0) return fail_to_write(out, errno);
    locale_t previous = uselocale(c_locale);
    spg_status status = write_contents(out, matrix);
    uselocale(previous);
    freelocale(c_locale);
    return status;
}

spg_status matrix_market_write(spg_context *context, const char *path, const spg_csr *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (path == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: path is NULL");
    spg_status status = spg_csr_check(context, matrix);
    if (status != SPG_OK) return status;
    output out = {context, path, NULL, NULL, NULL};
    status = open_output(&out);
    if (status == SPG_OK) status = write_in_c_locale(&out, matrix);
    return close_output(&out, status);
}
