/* Includes TEMPLATE for float and for double: REAL is the type, NAMED(x) the name x_f32 or x_f64. No include guard:
 * used once per template. */
#define NAMED(name) NAMED_AS(name, SUFFIX)
#define NAMED_AS(name, suffix) NAMED_PASTED(name, suffix)
#define NAMED_PASTED(name, suffix) name##_##suffix

#define REAL float
#define SUFFIX f32
#include TEMPLATE
#undef REAL
#undef SUFFIX

#define REAL double
#define SUFFIX f64
#include TEMPLATE
#undef REAL
#undef SUFFIX

#undef NAMED_PASTED
#undef NAMED_AS
#undef NAMED
#undef TEMPLATE
