/* What cases are told apart by at the end of a run: how many had each of these. */
#ifndef SPG_SOAK_TRAITS_H
#define SPG_SOAK_TRAITS_H

/* X(constant, group, name) */
#define SOAK_TRAITS(X)                                                                                                 \
    X(ROWS_EVEN, "rows", "even")                                                                                       \
    X(ROWS_SHORT, "rows", "short")                                                                                     \
    X(ROWS_HUBS, "rows", "hubs")                                                                                       \
    X(ROWS_POWER, "rows", "power law")                                                                                 \
    X(ROWS_ALIKE, "rows", "neighbours alike")                                                                          \
    X(ROWS_SHIFTED, "rows", "shifted")                                                                                 \
    X(ROWS_BANDED, "rows", "banded")                                                                                   \
    X(ROWS_DENSE, "rows", "dense")                                                                                     \
    X(ROWS_MOSTLY_EMPTY, "rows", "95 % empty")                                                                         \
    X(ROWS_EMPTY, "rows", "all empty")                                                                                 \
    X(SIZE_NONE, "size", "0")                                                                                          \
    X(SIZE_ONE, "size", "1")                                                                                           \
    X(SIZE_FEW, "size", "to 16")                                                                                       \
    X(SIZE_HUNDREDS, "size", "to 300")                                                                                 \
    X(SIZE_THOUSANDS, "size", "to 20,000")                                                                             \
    X(SIZE_LARGE, "size", "10^5 and more")                                                                             \
    X(SIZE_WIDE, "size", "to 2^31 - 1 columns")                                                                        \
    X(SIZE_SQUARE, "size", "square")                                                                                   \
    X(ORDER_SORTED, "order", "sorted")                                                                                 \
    X(ORDER_MIXED, "order", "some rows not")                                                                           \
    X(ORDER_RANDOM, "order", "none")                                                                                   \
    X(ORDER_REPEATED, "order", "columns repeated")                                                                     \
    X(TYPE_F32, "types", "f32")                                                                                        \
    X(TYPE_F64, "types", "f64")                                                                                        \
    X(TYPE_C32, "types", "c32")                                                                                        \
    X(TYPE_C64, "types", "c64")                                                                                        \
    X(TYPE_I32, "types", "i32")                                                                                        \
    X(TYPE_I64, "types", "i64")                                                                                        \
    X(NUMBERS_WHOLE, "numbers", "whole")                                                                               \
    X(NUMBERS_REAL, "numbers", "real")                                                                                 \
    X(NUMBERS_SPECIAL, "numbers", "special")                                                                           \
    X(SET_THREADS, "settings", "several threads")                                                                      \
    X(SET_CLASSES, "settings", "row limits")                                                                           \
    X(SET_WORKSPACE, "settings", "workspace limit")                                                                    \
    X(SET_TIMING, "settings", "timing")                                                                                \
    X(SET_ALLOCATOR, "settings", "caller's allocator")                                                                 \
    X(SET_DAMAGE, "settings", "malformed operand")                                                                     \
    X(END_DONE, "outcome", "done")                                                                                     \
    X(END_LIMIT, "outcome", "past the limit")                                                                          \
    X(END_REFUSED, "outcome", "allocation refused")                                                                    \
    X(END_MALFORMED, "outcome", "found malformed")

typedef enum soak_trait {
#define X(constant, group, name) SOAK_##constant,
    SOAK_TRAITS(X)
#undef X
        SOAK_TRAIT_COUNT
} soak_trait;

#endif
