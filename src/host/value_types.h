/* The four value types, and how code is written once for all of them. Private.
 *
 *     #define TEMPLATE "host/spgemm/list/row.inc.h"
 *     #include "host/for_each_value_type.h"
 *
 * includes the file once per type. VALUE is then the C type, NAMED(x) the name x_f64 etc., and PRODUCT(a, b) and SUM(a,
 * b) are the arithmetic: each product and each sum rounded (complex products from four real ones). If WITH_PATTERN is
 * defined, the file is included a fifth time, as x_none, for patterns without values; VALUE_AT(values, k) reads a value
 * that may not exist. A source file that defines REAL_ONLY gets only f32 and f64. */
#ifndef SPG_SRC_HOST_VALUE_TYPES_H
#define SPG_SRC_HOST_VALUE_TYPES_H

#include <stdint.h>

typedef unsigned char value_none; /* for a pattern: no values are read or computed */
typedef float value_f32;
typedef double value_f64;

typedef struct value_c32 {
    float re, im;
} value_c32;

typedef struct value_c64 {
    double re, im;
} value_c64;

static inline value_none product_none(value_none a, value_none b) { return (value_none)(a & b); }
static inline value_f32 product_f32(value_f32 a, value_f32 b) { return a * b; }
static inline value_f64 product_f64(value_f64 a, value_f64 b) { return a * b; }
static inline value_c32 product_c32(value_c32 a, value_c32 b)
{
    return (value_c32){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
static inline value_c64 product_c64(value_c64 a, value_c64 b)
{
    return (value_c64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline value_none sum_none(value_none a, value_none b) { return (value_none)(a & b); }
static inline value_f32 sum_f32(value_f32 a, value_f32 b) { return a + b; }
static inline value_f64 sum_f64(value_f64 a, value_f64 b) { return a + b; }
static inline value_c32 sum_c32(value_c32 a, value_c32 b) { return (value_c32){a.re + b.re, a.im + b.im}; }
static inline value_c64 sum_c64(value_c64 a, value_c64 b) { return (value_c64){a.re + b.re, a.im + b.im}; }

static const value_none zero_none = 0;
static const value_f32 zero_f32 = 0;
static const value_f64 zero_f64 = 0;
static const value_c32 zero_c32 = {0, 0};
static const value_c64 zero_c64 = {0, 0};

/* values[k], which does not exist for a pattern. */
static inline value_none value_at_none(const value_none *values, int64_t k) { return (void)values, (void)k, 0; }
static inline value_f32 value_at_f32(const value_f32 *values, int64_t k) { return values[k]; }
static inline value_f64 value_at_f64(const value_f64 *values, int64_t k) { return values[k]; }
static inline value_c32 value_at_c32(const value_c32 *values, int64_t k) { return values[k]; }
static inline value_c64 value_at_c64(const value_c64 *values, int64_t k) { return values[k]; }

#endif
