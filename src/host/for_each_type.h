/* Includes TYPE_TEMPLATE for each value type and each type of row offsets. As for_each_value_type.h; also, OFFSET is
 * the C type of the offsets, and TYPED(x) is the name x_f64_i32. No include guard: used once per template. */
#define TYPED(name) JOIN(NAMED(name), OFFSET_SUFFIX)

#define OFFSET int32_t
#define OFFSET_SUFFIX i32
#define TEMPLATE TYPE_TEMPLATE
#include "host/for_each_value_type.h"
#undef OFFSET_SUFFIX
#undef OFFSET

#define OFFSET int64_t
#define OFFSET_SUFFIX i64
#define TEMPLATE TYPE_TEMPLATE
#include "host/for_each_value_type.h"
#undef OFFSET_SUFFIX
#undef OFFSET

#undef TYPED
#undef TYPE_TEMPLATE
