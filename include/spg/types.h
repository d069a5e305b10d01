/* Status codes, element types and places, used by all other headers of spg. */
#ifndef SPG_TYPES_H
#define SPG_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Marks what the shared library exports; everything else is hidden. */
#if defined(__GNUC__)
#define SPG_API __attribute__((visibility("default")))
#else
#define SPG_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers is MAJOR.MINOR.PATCH. This is its first number. */
#define SPG_VERSION_MAJOR 0
/* Its second number. Before 1.0 another one means another interface. */
#define SPG_VERSION_MINOR 1
/* Its third number. */
#define SPG_VERSION_PATCH 0

/* What a call reports. The values are pinned: they never change between versions. */
typedef enum spg_status {
    SPG_OK = 0,                   /* the call did what it was asked for */
    SPG_ERROR_ARGUMENT = 1,       /* a null pointer, a negative size, an option out of range */
    SPG_ERROR_SHAPE = 2,          /* sizes that do not fit together, or a pattern that is not the plan's */
    SPG_ERROR_FORMAT = 3,         /* malformed contents: offsets, columns, or a Matrix Market file */
    SPG_ERROR_PLACE = 4,          /* arrays at a place where the context cannot work on them */
    SPG_ERROR_OVERFLOW = 5,       /* a count that the offset type cannot hold; the message names it */
    SPG_ERROR_MEMORY = 6,         /* an allocation failed, or the workspace limit is too small for any slice */
    SPG_ERROR_DEVICE = 7,         /* the GPU or its driver failed */
    SPG_ERROR_UNSUPPORTED = 8,    /* a combination of types or options that this build does not offer */
    SPG_ERROR_IO = 9,             /* a file that cannot be opened, read or written */
    SPG_ERROR_INTERNAL = 10,      /* a bug in spg; please report it */
    SPG_ERROR_NOT_CONVERGED = 11, /* an iteration reached its limit; its last iterate is returned */
    SPG_ERROR_BREAKDOWN = 12,     /* an iteration met a NaN or an infinity, or a division by zero */
    SPG_ERROR_INDEFINITE = 13,    /* a matrix or preconditioner is not positive definite where it must be */
    SPG_ERROR_INCOMPATIBLE = 14   /* a singular system without a solution: b has a part in A's null space */
} spg_status;

/* Element types. Complex types are named by the width of one part and laid out as two of them (real, imaginary),
 * as in C99, Fortran and std::complex. */
typedef enum spg_type {
    SPG_F32 = 0, /* float */
    SPG_F64 = 1, /* double */
    SPG_C32 = 2, /* float complex */
    SPG_C64 = 3, /* double complex */
    SPG_I32 = 4, /* int32_t: row offsets */
    SPG_I64 = 5  /* int64_t: row offsets */
} spg_type;

/* Where arrays lie and where work is done. */
typedef enum spg_place {
    SPG_PLACE_HOST = 0,   /* the processor and its memory */
    SPG_PLACE_DEVICE = 1, /* a GPU and its memory */
    SPG_PLACE_AUTO = 2    /* in a configuration only: the device if there is one, else the host */
} spg_place;

/* The version of this header as a number, for comparisons. */
#define SPG_VERSION_NUMBER (10000 * SPG_VERSION_MAJOR + 100 * SPG_VERSION_MINOR + SPG_VERSION_PATCH)

/* The version of the library that runs, which may differ from that of this header, such as "0.1.0". */
SPG_API const char *spg_version(void);

/* The same as a number, to compare with SPG_VERSION_NUMBER. */
SPG_API int spg_version_number(void);

/* The constant's name, for messages ("SPG_ERROR_SHAPE"); never NULL. */
SPG_API const char *spg_status_name(spg_status status);

/* What the status means, in one sentence without a full stop ("sizes or patterns do not fit together"); never NULL. The
 * context's message says which argument and why. */
SPG_API const char *spg_status_text(spg_status status);

/* Bytes of one element; 0 if the value is not an spg_type. */
SPG_API size_t spg_type_size(spg_type type);

/* "f32", "f64", "c32", "c64", "i32", "i64"; "?" if the value is not an spg_type. */
SPG_API const char *spg_type_name(spg_type type);

#ifdef __cplusplus
}
#endif

#endif
