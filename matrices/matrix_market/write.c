/* Writing, plain or by zlib. CHOLMOD's writer is not used: it writes magnitudes of 1e308 and more as 1e308, and
 * requires sorted columns. */
#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700 /* uselocale, realpath */
#endif
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* The file being written. */
typedef struct output {
    spg_context *context;
    const char *path;
    char *target;    /* the path, symbolic links resolved */
    char *temporary; /* written, then renamed to target; NULL if target itself is written */
    FILE *file;
    gzFile packed; /* written in place of file if the path ends in .gz */
} output;

static spg_status fail_to_write(const output *out, int error)
{
    return matrix_market_system_error(out->context, out->path, "cannot be written", error);
}

/* Creates a file with a new name next to the target; -1 with errno. The name is short, whatever the target's is. */
static int create_temporary(output *out)
{
    enum { ATTEMPTS = 1000 };
    const char *const slash = strrchr(out->target, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - out->target) + 1 : 0, size = folder + 40;
    out->temporary = malloc(size);
    if (out->temporary == NULL) return -1;
    int file = -1;
    for (int k = 0; k < ATTEMPTS && file < 0; ++k) {
        snprintf(out->temporary, size, "%.*s.spg.%ld.%d.tmp", (int)folder, out->target, (long)getpid(), k);
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
    if (!exists && lstat(out->path, &about) == 0) { /* a link to nothing: what it names is made, and then replaced */
        const int made = open(out->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
        if (made < 0) return fail_to_write(out, errno);
        close(made);
        exists = stat(out->path, &about) == 0;
    }
    const bool replaces = exists && S_ISREG(about.st_mode);
    out->target = exists ? realpath(out->path, NULL) : strdup(out->path);
    if (out->target == NULL) return fail_to_write(out, errno);
    int file = exists && !replaces ? open(out->target, O_WRONLY | O_CLOEXEC) : create_temporary(out);
    if (file < 0) return fail_to_write(out, errno);
    if (replaces && fchmod(file, about.st_mode & 0777) != 0) { /* who may read it stays as it was */
        const int error = errno;
        close(file);
        return fail_to_write(out, error);
    }
    const size_t length = strlen(out->path);
    if (length > 3 && strcmp(out->path + length - 3, ".gz") == 0) {
        errno = ENOMEM; /* what else zlib could fail for */
        out->packed = gzdopen(file, "wb");
    } else {
        out->file = fdopen(file, "w");
    }
    if (out->file != NULL || out->packed != NULL) return SPG_OK;
    int error = errno;
    close(file);
    return fail_to_write(out, error);
}

/* printf of at most LINE characters. */
static spg_status put(const output *out, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static spg_status put(const output *out, const char *format, ...)
{
    enum { LINE = 128 };
    char line[LINE];
    va_list values;
    va_start(values, format);
    const int length = vsnprintf(line, sizeof line, format, values);
    va_end(values);
    errno = 0;
    const bool written = out->packed != NULL ? gzwrite(out->packed, line, (unsigned)length) == length
                                             : fwrite(line, 1, (size_t)length, out->file) == (size_t)length;
    return written ? SPG_OK : fail_to_write(out, errno != 0 ? errno : EIO);
}

/* 0, or errno of what failed. */
static int close_file(const output *out)
{
    errno = 0;
    if (out->file != NULL) return fclose(out->file) == 0 ? 0 : errno;
    if (out->packed == NULL) return 0;
    const int result = gzclose(out->packed);
    return result == Z_OK ? 0 : result == Z_MEM_ERROR ? ENOMEM : errno != 0 ? errno : EIO;
}

/* Closes the file and renames it to the target; after a failure, removes it. */
static spg_status close_output(output *out, spg_status status)
{
    const int error = close_file(out);
    if (error != 0 && status == SPG_OK) status = fail_to_write(out, error);
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

static bool is_complex(spg_type type) { return type == SPG_C32 || type == SPG_C64; }

/* Element k of an array of floats or doubles. */
static double part_at(const void *values, spg_type type, int64_t k)
{
    return type == SPG_F32 || type == SPG_C32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* Writes value k, one or two numbers, and ends the line. 17 digits distinguish every double from its neighbours. */
static spg_status put_value(const output *out, const void *values, spg_type type, int64_t k, int64_t row,
                            int64_t column)
{
    double parts[2] = {0.0, 0.0};
    if (is_complex(type)) {
        parts[0] = part_at(values, type, 2 * k);
        parts[1] = part_at(values, type, 2 * k + 1);
    } else {
        parts[0] = part_at(values, type, k);
    }
    if (!isfinite(parts[0]) || !isfinite(parts[1]))
        return spg_context_fail(out->context, SPG_ERROR_FORMAT,
                                "%s: the value at row %lld, column %lld is not finite; the format has no such number",
                                matrix_market_short_name(out->path), (long long)row, (long long)column);
    return is_complex(type) ? put(out, "%.17g %.17g\n", parts[0], parts[1]) : put(out, "%.17g\n", parts[0]);
}

static spg_status put_entries(const output *out, const spg_csr *matrix)
{
    spg_status status = put(out, "%%%%MatrixMarket matrix coordinate %s general\n%lld %lld %lld\n",
                            is_complex(matrix->value_type) ? "complex" : "real", (long long)matrix->rows,
                            (long long)matrix->cols, (long long)matrix->nnz);
    for (int64_t row = 0; row < matrix->rows && status == SPG_OK; ++row)
        for (int64_t k = offset_at(matrix, row); k < offset_at(matrix, row + 1) && status == SPG_OK; ++k) {
            const int64_t column = matrix->columns[k];
            status = put(out, "%lld %lld ", (long long)row + 1, (long long)column + 1);
            if (status == SPG_OK) status = put_value(out, matrix->values, matrix->value_type, k, row, column);
        }
    return status;
}

static spg_status put_dense(const output *out, const spg_dense *matrix)
{
    spg_status status =
        put(out, "%%%%MatrixMarket matrix array %s general\n%lld %lld\n",
            is_complex(matrix->value_type) ? "complex" : "real", (long long)matrix->rows, (long long)matrix->cols);
    const int64_t cols = matrix->rows > 0 ? matrix->cols : 0;
    for (int64_t column = 0; column < cols && status == SPG_OK; ++column)
        for (int64_t row = 0; row < matrix->rows && status == SPG_OK; ++row)
            status = put_value(out, matrix->values, matrix->value_type, row + column * matrix->rows, row, column);
    return status;
}

/* Writes the one of the two that is not NULL. printf writes numbers by the rules of the locale, so the calling thread
 * switches to the "C" locale meanwhile. */
static spg_status write_file(spg_context *context, const char *path, const spg_csr *matrix, const spg_dense *dense)
{
    output out = {.context = context, .path = path};
    spg_status status = open_output(&out);
    locale_t c_locale = status == SPG_OK ? newlocale(LC_ALL_MASK, "C", (locale_t)0) : (locale_t)0;
    if (status == SPG_OK && c_locale == (locale_t)0) status = fail_to_write(&out, errno);
    if (status == SPG_OK) {
        locale_t previous = uselocale(c_locale);
        status = matrix != NULL ? put_entries(&out, matrix) : put_dense(&out, dense);
        uselocale(previous);
        freelocale(c_locale);
    }
    return close_output(&out, status);
}

static spg_status check_on_host(spg_context *context)
{
    if (spg_context_place(context) == SPG_PLACE_HOST) return SPG_OK;
    return spg_context_fail(context, SPG_ERROR_PLACE,
                            "Matrix Market: the context is on a device; files need one on the host");
}

spg_status spg_write_matrix_market(spg_context *context, const char *path, const spg_csr *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (path == NULL) return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: path is NULL");
    spg_status status = check_on_host(context);
    if (status == SPG_OK) status = spg_csr_check(context, matrix);
    return status == SPG_OK ? write_file(context, path, matrix, NULL) : status;
}

spg_status spg_write_matrix_market_dense(spg_context *context, const char *path, const spg_dense *matrix)
{
    if (context == NULL) return SPG_ERROR_ARGUMENT;
    if (path == NULL || matrix == NULL)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: %s is NULL",
                                path == NULL ? "path" : "matrix");
    const spg_status status = check_on_host(context);
    if (status != SPG_OK) return status;
    if (matrix->rows < 0 || matrix->cols < 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: %lld x %lld, a negative size",
                                (long long)matrix->rows, (long long)matrix->cols);
    if (matrix->value_type != SPG_F32 && matrix->value_type != SPG_F64 && !is_complex(matrix->value_type))
        return spg_context_fail(context, SPG_ERROR_ARGUMENT,
                                "Matrix Market: values of type %s; use f32, f64, c32 or c64",
                                spg_type_name(matrix->value_type));
    if (matrix->values == NULL && matrix->rows > 0 && matrix->cols > 0)
        return spg_context_fail(context, SPG_ERROR_ARGUMENT, "Matrix Market: values is NULL");
    return write_file(context, path, NULL, matrix);
}
