/* Arrays of small whole numbers, and the parts of the target of operations that lie in files of their own. */
#ifndef SPG_TESTS_FUZZ_OPERATIONS_H
#define SPG_TESTS_FUZZ_OPERATIONS_H

#include "fuzz_operands.h"

enum { FUZZ_MOST_ENTRIES = FUZZ_MOST * 8 }; /* of an operand */

/* Values of one type from malloc; NULL if there are none. */
typedef struct fuzz_array {
    spg_type type;
    int64_t count;
    void *values;
} fuzz_array;

fuzz_array fuzz_take_array(fuzz_input *in, spg_type type, int64_t count);

/* The imaginary part is 0 if the type is real. */
fuzz_whole fuzz_array_at(const fuzz_array *array, int64_t k);
fuzz_whole fuzz_times(fuzz_whole a, fuzz_whole b);
fuzz_whole fuzz_plus(fuzz_whole a, fuzz_whole b);
bool fuzz_is(fuzz_whole a, fuzz_whole b);

/* One value for alpha or beta, or none, and what it stands for. */
fuzz_array fuzz_take_scale(fuzz_input *in, spg_type type);
fuzz_whole fuzz_scale_of(const fuzz_array *scale, int64_t otherwise);

/* A failure has a message, and a reason: arguments that may not be taken, or a refused allocation. */
void fuzz_require_why(const spg_context *context, spg_status status, bool may_run);

void fuzz_try_permute(fuzz_input *in, spg_context *context, const spg_csr *A);
void fuzz_try_extract(fuzz_input *in, spg_context *context, const spg_csr *A);
void fuzz_try_spmm(fuzz_input *in, spg_context *context, const spg_csr *A);

#endif
