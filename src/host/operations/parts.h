/* The parts of a value as doubles, for each type. Private. */
#ifndef SPG_SRC_HOST_OPERATIONS_PARTS_H
#define SPG_SRC_HOST_OPERATIONS_PARTS_H

#include "host/value_types.h"

static inline double re_f32(value_f32 a) { return (double)a; }
static inline double re_f64(value_f64 a) { return a; }
static inline double re_c32(value_c32 a) { return (double)a.re; }
static inline double re_c64(value_c64 a) { return a.re; }
static inline double im_f32(value_f32 a) { return (void)a, 0; }
static inline double im_f64(value_f64 a) { return (void)a, 0; }
static inline double im_c32(value_c32 a) { return (double)a.im; }
static inline double im_c64(value_c64 a) { return a.im; }

#endif
