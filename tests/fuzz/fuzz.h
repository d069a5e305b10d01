/* What the fuzz targets share. */
#ifndef SPG_TESTS_FUZZ_FUZZ_H
#define SPG_TESTS_FUZZ_FUZZ_H

#include "spg/spg.h"

/* Called by libFuzzer with each input. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Stops the fuzzer, which then keeps the input. */
void fuzz_fail(const char *file, int line, const char *condition);
#define REQUIRE(condition) ((condition) ? (void)0 : fuzz_fail(__FILE__, __LINE__, #condition))

void fuzz_require_zeroed(const void *object, size_t bytes);

/* A host context that has no more than 1 MiB at once to give, so that sizes that an input merely claims cost nothing.
 * Closing requires that nothing is held any more. */
spg_context *fuzz_open_context(void);
void fuzz_close_context(spg_context *context);

#endif
