/* What the tests of generators share. Link with -Wl,--wrap=malloc,--wrap=free. */
#ifndef SPG_TESTS_GENERATOR_SUPPORT_H
#define SPG_TESTS_GENERATOR_SUPPORT_H

#include "generators.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))

extern const spg_type value_types[4];

/* The 14 generators' names without a size; and whether the seed matters. */
enum { BASE_NAMES = 22, PLAIN_NAMES = 14 }; /* the plain ones: dominant diagonals, values that floats hold */
extern const struct base_name {
    const char *name;
    bool is_random;
} base_names[BASE_NAMES];

/* The group's set-up and tear-down: a host context, which must hold nothing at the end. */
extern spg_context *context;
int create_context(void **state);
int destroy_context(void **state);

/* The matrix of this name, or of `base` and ":size"; fails the running test where there is none. */
spg_csr make(const char *name, uint64_t seed, spg_type value_type);
spg_csr make_sized(const char *base, int64_t size, uint64_t seed, spg_type value_type);

bool is_complex(spg_type value_type);
double real_part(const spg_csr *matrix, int64_t k);
double imaginary_part(const spg_csr *matrix, int64_t k);

/* FNV-1a over sizes, offsets, columns and the bits of values, the same for both byte orders and offset types. */
uint64_t checksum(const spg_csr *matrix);

/* From now on malloc refuses its k-th call, once, and is watched; 0: neither. Only calls from this program's own
 * objects count. */
void fail_malloc_at(int64_t k);
bool malloc_failed(void);
int64_t live_mallocs(void);

#endif
