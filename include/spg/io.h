/* Matrix Market files (NIST's exchange format), plain or packed by gzip: a library of its own, libspg_io, which needs
 * CHOLMOD and zlib. CMake: spg::io of component io; pkg-config: spg-io.
 *
 *     spg_csr A;
 *     if (spg_read_matrix_market(context, "A.mtx.gz", &A) != SPG_OK) puts(spg_context_message(context));
 *
 * CHOLMOD converts the numbers, after a scan that refuses what the format does not allow. All files are read and
 * written by a context on the host; spg_csr_copy moves a matrix to a device. */
#ifndef SPG_IO_H
#define SPG_IO_H

#include "spg/csr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Reading --------------------------------------------------------------------------------------------------- */

/* Reads a coordinate file (real, integer, complex, pattern; general, symmetric, skew-symmetric, hermitian) or an array
 * file as CSR, with 32-bit offsets if they suffice. Symmetry is expanded. Entries of the same row and column add up in
 * the file's order, pattern entries are 1, and zeros listed in the file are kept. Rows are sorted by column. The value
 * type is SPG_F64 or SPG_C64. The context must be on the host.
 *
 * A file that begins as gzip's do, whatever its name, is unpacked by zlib; it may consist of several packed parts, and
 * zeros may follow. FORMAT: the packed data are damaged, incomplete, or followed by something else.
 *
 * Comments and blank lines are allowed anywhere after the banner. A symmetric or hermitian file holds the lower
 * triangle, a skew-symmetric one the part below the diagonal. The format has no infinities and no NaNs.
 *
 * IO: the file cannot be opened or read. FORMAT: its contents are not Matrix Market; the message has the file's name,
 * the line and the fault. OVERFLOW: sizes or values out of the range of the types, integers beyond 2^53. MEMORY: also
 * for memory that only reading needs and that comes from malloc, the file's bytes and 24 to 32 for each entry. PLACE:
 * the context is on a device. */
SPG_API spg_status spg_read_matrix_market(spg_context *context, const char *path, spg_csr *matrix);

/* What a lenient reading accepted beyond the format: how many lines, and the first of them. */
typedef struct spg_matrix_market_warning {
    int64_t lines;  /* 0: none, the file follows the format */
    char text[240]; /* "FILE, line 7: an entry above the diagonal (and 11 more lines); read as ...", or empty */
} spg_matrix_market_warning;

/* As spg_read_matrix_market, but also accepts deviations from the format that real collections contain, if only one
 * reading makes sense. More on a line than its entry needs (a column of values in a pattern file, a comment) is
 * ignored. Entries above the diagonal of symmetric files stand for their mirror images as well, as those below it do.
 * Zeros on the diagonal of skew-symmetric files, and a diagonal of hermitian ones without its zero imaginary part, are
 * accepted. So are infinities, NaNs (also nan(...)) and values beyond double, which become infinite; integers beyond
 * 2^53, as the nearest double; integer files with other numbers; exponents written with d; lines longer than the format
 * allows. In the banner: one % in place of two, blanks before it, words after it, `double` and `unsigned-integer`;
 * real, integer and pattern hermitian files, as symmetric; and skew-symmetric patterns, of 1 and -1. The warning, which
 * may be NULL, reports this.
 *
 * Still refused, since readers differ on it or its meaning is a guess: on the diagonal, anything but zeros in a
 * skew-symmetric file, and imaginary parts in a hermitian one; a symmetry for a matrix that is not square; files with
 * fewer or more entries than declared; indices from 0, or with a point; numbers followed directly by something, such as
 * a comma, %, a suffix, or an exponent without its letter; numerals that are not decimal; lines whose numbers alone
 * have more than 1024 characters; vectors, patterns as arrays, and words in the banner that the format does not have.
 */
SPG_API spg_status spg_read_matrix_market_lenient(spg_context *context, const char *path, spg_csr *matrix,
                                                  spg_matrix_market_warning *warning);

/* A dense matrix by columns: entry (i, j) is values[i + j*rows]. What a reader returns is owned by the caller
 * (spg_dense_free); for a writer it may be a view. Always on the host. */
typedef struct spg_dense {
    int64_t rows, cols;  /* sizes */
    spg_type value_type; /* SPG_F64 or SPG_C64 from a reader; a writer takes SPG_F32 and SPG_C32 as well */
    void *values;        /* rows * cols */
} spg_dense;

/* Reads an array file, such as a right-hand side or near-null-space candidates, with symmetry expanded. Errors as for
 * spg_read_matrix_market; FORMAT: also a coordinate file. */
SPG_API spg_status spg_read_matrix_market_dense(spg_context *context, const char *path, spg_dense *matrix);

/* The same by the rules of spg_read_matrix_market_lenient. */
SPG_API spg_status spg_read_matrix_market_dense_lenient(spg_context *context, const char *path, spg_dense *matrix,
                                                        spg_matrix_market_warning *warning);

/* Frees the values and zeroes the struct; a zeroed struct or NULL is allowed. */
SPG_API void spg_dense_free(spg_context *context, spg_dense *matrix);

/* ---- Writing --------------------------------------------------------------------------------------------------- */

/* Writes a host matrix of any value type as coordinate general, real or complex, with its entries as stored and enough
 * digits that reading gives the same bits (values of type f32 and c32 are read back as f64 and c64 of equal value;
 * unsorted rows are read back sorted, and repeated entries added up). A path that ends in .gz gets a file packed by
 * gzip. An existing file is replaced only after everything is written. IO: the file cannot be written. FORMAT: a value
 * is infinite or NaN, or the matrix is invalid (spg_csr_check). PLACE: the matrix or the context is on a device. */
SPG_API spg_status spg_write_matrix_market(spg_context *context, const char *path, const spg_csr *matrix);

/* The same for a dense matrix or, with one column, a vector, as array general. ARGUMENT: negative sizes, an invalid
 * type, or values is NULL. */
SPG_API spg_status spg_write_matrix_market_dense(spg_context *context, const char *path, const spg_dense *matrix);

#ifdef __cplusplus
}
#endif

#endif
