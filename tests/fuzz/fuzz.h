/* What the fuzz targets share. */
#ifndef SPG_TESTS_FUZZ_FUZZ_H
#define SPG_TESTS_FUZZ_FUZZ_H

#include "spg/spg.h"

#include <stdbool.h>

/* Called by libFuzzer with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the fuzzer, which then keeps the input. */
void fuzz_fail(const char *file, int line, const char *condition);
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

void fuzz_require_zeroed(const void *object, size_t bytes);

/* Takes numbers from an input, zeros when it is spent. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

int64_t fuzz_take(fuzz_input *in, size_t bytes);

/* A number that is small more often than not: one byte with a sign, or four bytes. */
int64_t fuzz_take_entry(fuzz_input *in);

/* One of `count` choices. */
int64_t fuzz_choose(fuzz_input *in, const int64_t *choices, int count);
#define FUZZ_CHOOSE(in, choices) fuzz_choose(in, choices, (int)(sizeof(choices) / sizeof *(choices)))

int64_t fuzz_offset(const spg_csr *matrix, int64_t i);
void fuzz_set_offset(const spg_csr *matrix, int64_t i, int64_t offset);

/* Whether offsets and columns are those of a matrix, reckoned naively. */
bool fuzz_is_sound(const spg_csr *matrix);

/* A host context that has no more than `most` bytes at once to give, so that sizes that an input merely claims cost
 * nothing. Closing requires that nothing is held any more. */
spg_context *fuzz_open_context(size_t most);

/* From now on the k-th allocation of such contexts is refused; 0: none is. Whether one has been. */
void fuzz_refuse(int64_t k);
bool fuzz_refused(void);
void fuzz_close_context(spg_context *context);

#endif
