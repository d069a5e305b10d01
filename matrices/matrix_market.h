/* Reads and writes Matrix Market files (NIST's exchange format). CHOLMOD converts the numbers, behind a scan that
 * refuses what the format does not allow. */
#ifndef SPG_MATRICES_MATRIX_MARKET_H
#define SPG_MATRICES_MATRIX_MARKET_H

#include "spg/spg.h"

/* A dense matrix by columns: entry (i, j) is values[i + j*rows]. Its values are owned through the context. */
typedef struct matrix_market_dense {
    int64_t rows, cols;
    spg_type value_type; /* SPG_F64 or SPG_C64 */
    void *values;
} matrix_market_dense;

/* Reads a coordinate file (real, integer, complex, pattern; general, symmetric, skew-symmetric, hermitian) or an array
 * file as CSR with 32-bit offsets where they suffice. Symmetry is expanded; entries of the same place add up in the
 * file's order; pattern entries are 1; zeros that the file lists are kept. Rows come sorted by column. The value type
 * is SPG_F64 or SPG_C64. The context must be one on the host.
 *
 * Comments and blank lines may stand anywhere after the banner. A symmetric or hermitian file holds the lower triangle,
 * a skew-symmetric one the part below the diagonal. Infinities and NaNs are no numbers of the format.
 *
 * IO: the file cannot be opened or read. FORMAT: what it holds is no Matrix Market; the message has the file's name,
 * the line and the fault. OVERFLOW: sizes or values past what the types hold, integers past 2^53. MEMORY: also for what
 * only reading needs and takes from malloc, the file's bytes and 24 to 32 for each entry. */
spg_status matrix_market_read(spg_context *context, const char *path, spg_csr *matrix);

/* What a lenient reading let pass: how many lines, and the first of them. */
typedef struct matrix_market_warning {
    int64_t lines;  /* 0: none, the file is as the format says */
    char text[240]; /* "FILE, line 7: an entry above the diagonal (and 11 more lines); read as ...", or empty */
} matrix_market_warning;

/* As matrix_market_read, but takes what real collections hold beside the format, where only one reading makes sense:
 * more on a line than its entry needs (a column of values in a pattern file, a comment), which is left out; entries
 * above the diagonal of symmetric files, which stand for their mirror images, too, as those below it do; zeros on the
 * diagonal of skew-symmetric ones; a diagonal of hermitian ones without its zero imaginary part; infinities, NaNs
 * (also nan(...)) and values past double, which become infinite; integers past 2^53, as the nearest double; integer
 * files with other numbers; exponents written with d; lines longer than the format allows; in the banner one % in place
 * of two, blanks before it, words after it, `double` and `unsigned-integer`, real, integer and pattern hermitian files,
 * as symmetric, and skew-symmetric patterns, of 1 and -1. The warning, which may be NULL, tells of it.
 *
 * Refused all the same, since readers differ over it or its meaning is a guess: on the diagonal anything but zeros of a
 * skew-symmetric file, and imaginary parts of a hermitian one; a symmetry that is not of a square matrix; files with
 * fewer or more entries than they declare; indices from 0, or with a point; numbers with something at their end, such
 * as a comma, %, a suffix, or an exponent without its letter; other numerals than decimal ones; vectors, patterns as
 * arrays, and words in the banner that the format does not have. */
spg_status matrix_market_read_lenient(spg_context *context, const char *path, spg_csr *matrix,
                                      matrix_market_warning *warning);

/* Reads an array file, such as near-null-space candidates, symmetry expanded. Lenient: by the rules of
 * matrix_market_read_lenient. */
spg_status matrix_market_read_dense(spg_context *context, const char *path, matrix_market_dense *matrix);
spg_status matrix_market_read_dense_lenient(spg_context *context, const char *path, matrix_market_dense *matrix,
                                            matrix_market_warning *warning);
void matrix_market_free_dense(spg_context *context, matrix_market_dense *matrix);

/* Writes a host matrix of any value type as coordinate general, real or complex, entries as stored, with digits enough
 * that reading gives the same bits (values of type f32 and c32 come back as f64 and c64 of equal value; unsorted rows
 * come back sorted, and repeated entries added up). An existing file is replaced only when all is written.
 * IO: the file cannot be written. FORMAT: a value is infinite or NaN, or the matrix is unsound (spg_csr_check). */
spg_status matrix_market_write(spg_context *context, const char *path, const spg_csr *matrix);

#endif
