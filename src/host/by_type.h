/* Tables of the functions made by for_each_value_type.h and for_each_type.h. Private. */
#ifndef SPG_SRC_HOST_BY_TYPE_H
#define SPG_SRC_HOST_BY_TYPE_H

/* clang-format off */

/* Indexed by [value_type]. */
#define BY_VALUE_TYPE(x) { x##_f32, x##_f64, x##_c32, x##_c64 }

/* For the two real types, indexed by [value_type]. */
#define BY_REAL_VALUE_TYPE(x) { x##_f32, x##_f64 }

/* Indexed by [value_type][offset_type - SPG_I32]. */
#define BY_TYPE(x)                                                                                                     \
    { { x##_f32_i32, x##_f32_i64 }, { x##_f64_i32, x##_f64_i64 },                                                      \
      { x##_c32_i32, x##_c32_i64 }, { x##_c64_i32, x##_c64_i64 } }

/* For the two real types, with the same indices. */
#define BY_REAL_TYPE(x) { { x##_f32_i32, x##_f32_i64 }, { x##_f64_i32, x##_f64_i64 } }

/* clang-format on */

#endif
