/* Small operands of products for the fuzz targets, and a naive product to compare with. */
#ifndef SPG_TESTS_FUZZ_OPERANDS_H
#define SPG_TESTS_FUZZ_OPERANDS_H

#include "fuzz.h"

enum { FUZZ_MOST = 12 }; /* rows, and columns */

/* Values are whole numbers of few digits, so that every order of sums gives the same. */
typedef struct fuzz_whole {
    int64_t re, im;
} fuzz_whole;

bool fuzz_is_complex(spg_type type);
fuzz_whole fuzz_value_at(const spg_csr *matrix, int64_t k);
void fuzz_take_values(fuzz_input *in, const spg_csr *matrix);

/* A size that an operand may have. */
int64_t fuzz_take_size(fuzz_input *in);

/* Any pattern, now and then a faulty one: columns in any order, also repeated. Arrays are as large as the sizes say,
 * and no larger; from malloc, NULL if empty. */
void fuzz_take_operand(fuzz_input *in, int64_t rows, int64_t cols, spg_type type, spg_csr *matrix);

/* Symmetric, the plain transpose of complex values too; rows sorted, no column repeated. */
void fuzz_take_symmetric(fuzz_input *in, int64_t rows, spg_type type, spg_csr *matrix);
void fuzz_free_operand(spg_csr *matrix);

/* One fault in offsets or columns, or none where the number falls where it was. */
void fuzz_spoil(fuzz_input *in, const spg_csr *matrix);

/* Offsets and columns copied, to be freed by fuzz_free_copy; the values are those of the matrix itself. */
spg_csr fuzz_copy_of(const spg_csr *matrix);
void fuzz_free_copy(spg_csr *copy);
bool fuzz_has_pattern_of(const spg_csr *copy, const spg_csr *matrix);

/* A small matrix, and which of its places a sparse one must list. */
typedef struct fuzz_dense {
    int64_t rows, cols;
    bool named[FUZZ_MOST][FUZZ_MOST];
    fuzz_whole sums[FUZZ_MOST][FUZZ_MOST];
} fuzz_dense;

void fuzz_to_dense(const spg_csr *matrix, bool transposed, fuzz_dense *dense);

/* left*right, of a sound `right`. */
void fuzz_multiply(const fuzz_dense *left, const spg_csr *right, fuzz_dense *product);

/* The same entries with the same values, rows sorted. */
void fuzz_require_equal(const fuzz_dense *expected, const spg_csr *found);

/* A status that a caller can act on, a message, and a zeroed result. */
void fuzz_require_refusal(const spg_context *context, spg_status status, const void *result, size_t bytes);

/* Limits of workspace and of row classes, and now and then an allocation to refuse. Whether workspace is limited. */
bool fuzz_take_limits(fuzz_input *in, spg_context *context);

#endif
