/* The stages of reading a Matrix Market file: load the text, scan it, convert the numbers by CHOLMOD, place them.
 * Private to the reader, its tests, fuzzers and bench. */
#ifndef SPG_MATRICES_MATRIX_MARKET_INTERNAL_H
#define SPG_MATRICES_MATRIX_MARKET_INTERNAL_H

#include "spg/coo.h"
#include "spg/io.h"

#include <stdbool.h>

/* A file in memory. Its `size` bytes are followed by a newline and zeros, MATRIX_MARKET_PADDING bytes. */
typedef struct matrix_market_text {
    const char *name; /* for messages; owned by the caller */
    char *bytes;
    size_t size;
    spg_matrix_market_warning *warning; /* NULL: the scan is not lenient */
} matrix_market_text;

enum { MATRIX_MARKET_PADDING = 16 };

/* Loads a whole file or pipe, and unpacks it if it is packed by gzip. The text is temporary and comes from malloc, as
 * CHOLMOD's arrays do. */
spg_status matrix_market_load(spg_context *context, const char *path, matrix_market_text *text);
void matrix_market_unload(matrix_market_text *text);

/* Whether the text begins as gzip's files do; puts its unpacked text in its place. After a failure, unload it. */
bool matrix_market_is_packed(const matrix_market_text *text);
spg_status matrix_market_unpack(spg_context *context, matrix_market_text *text);

typedef enum matrix_market_field {
    MATRIX_MARKET_REAL,
    MATRIX_MARKET_INTEGER,
    MATRIX_MARKET_COMPLEX,
    MATRIX_MARKET_PATTERN
} matrix_market_field;

typedef enum matrix_market_symmetry {
    MATRIX_MARKET_GENERAL,
    MATRIX_MARKET_SYMMETRIC,
    MATRIX_MARKET_SKEW_SYMMETRIC,
    MATRIX_MARKET_HERMITIAN
} matrix_market_symmetry;

/* A number of magnitude 1e300 or more or, in a lenient scan, a NaN: number `index` of the file, not counting row and
 * column indices. */
typedef struct matrix_market_huge {
    int64_t index;
    double value;
} matrix_market_huge;

/* The contents of a valid file. */
typedef struct matrix_market_scan {
    bool array;
    matrix_market_field field;
    matrix_market_symmetry symmetry;
    int64_t rows, cols;
    int64_t largest_row, largest_col; /* of the entries' indices, from 1; 0 without entries and for an array */
    int64_t entries;                  /* in the file */
    int64_t expanded;                 /* including those implied by symmetry */
    size_t body;                      /* where the line after the size line begins */
    matrix_market_huge *huge;
    int64_t huge_count, huge_capacity;
    bool lenient;                      /* set by the caller */
    spg_matrix_market_warning warning; /* of what was accepted; the text without its end */
    int64_t last_odd_line;
} matrix_market_scan;

/* For a lenient scan, which needs room to write: this many blanks before the end of each line. */
enum { MATRIX_MARKET_ROOM = 4 };
spg_status matrix_market_widen(spg_context *context, matrix_market_text *text);

/* Refuses what is not a Matrix Market file. Overwrites comments that CHOLMOD would misread by blanks; if lenient, also
 * rewrites what CHOLMOD would not read, in a widened text. Must run in the "C" locale. On success, free the scan by
 * matrix_market_end_scan. */
spg_status matrix_market_scan_text(spg_context *context, const matrix_market_text *text, matrix_market_scan *scan);
void matrix_market_end_scan(matrix_market_scan *scan);

/* The entries in the file's order, as converted by CHOLMOD. rows and cols are 0-based, NULL for an array file. Each
 * entry has one value, or two if it is complex. */
typedef struct matrix_market_entries {
    const int64_t *rows, *cols;
    double *values;
    struct matrix_market_converted *owner;
} matrix_market_entries;

/* Overwrites the header in the text. Must run in the "C" locale. */
spg_status matrix_market_convert(spg_context *context, const matrix_market_text *text, const matrix_market_scan *scan,
                                 matrix_market_entries *entries);
void matrix_market_free_entries(matrix_market_entries *entries);

/* spg_read_matrix_market and _read_dense for a text held by the caller, which is copied. `name` is used in messages. */
spg_status matrix_market_read_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                   spg_csr *matrix);
spg_status matrix_market_read_lenient_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                           spg_csr *matrix, spg_matrix_market_warning *warning);
spg_status matrix_market_read_dense_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                         spg_dense *matrix);
spg_status matrix_market_read_dense_lenient_text(spg_context *context, const char *name, const char *bytes, size_t size,
                                                 spg_dense *matrix, spg_matrix_market_warning *warning);

/* The end of a path, short enough for a message. */
const char *matrix_market_short_name(const char *path);

/* Fails with the path and the text of errno: "PATH: what: No such file". MEMORY if that is ENOMEM, else IO. */
spg_status matrix_market_system_error(spg_context *context, const char *path, const char *what, int error);

#endif
