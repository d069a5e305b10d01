/* Includes TEMPLATE for each value type; see value_types.h. No include guard: used once per template. */
#include "host/value_types.h"

#define JOIN_(name, suffix) name##_##suffix
#define JOIN(name, suffix) JOIN_(name, suffix)
#define NAMED(name) JOIN(name, SUFFIX)
#define VALUE NAMED(value)
#define PRODUCT(a, b) NAMED(product)(a, b)
#define SUM(a, b) NAMED(sum)(a, b)
#define ZERO NAMED(zero)
#define VALUE_AT(values, k) NAMED(value_at)(values, k)

#define SUFFIX f32
#include TEMPLATE
#undef SUFFIX
#define SUFFIX f64
#include TEMPLATE
#undef SUFFIX
#ifndef REAL_ONLY
#define SUFFIX c32
#include TEMPLATE
#undef SUFFIX
#define SUFFIX c64
#include TEMPLATE
#undef SUFFIX
#endif
#ifdef WITH_PATTERN
#define SUFFIX none
#include TEMPLATE
#undef SUFFIX
#undef WITH_PATTERN
#endif

#undef VALUE_AT
#undef ZERO
#undef SUM
#undef PRODUCT
#undef VALUE
#undef NAMED
#undef JOIN
#undef JOIN_
#undef TEMPLATE
