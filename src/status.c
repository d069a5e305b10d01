#include "spg/types.h"

#define TEXT(value) #value
#define DOTTED(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *spg_version(void) { return DOTTED(SPG_VERSION_MAJOR, SPG_VERSION_MINOR, SPG_VERSION_PATCH); }

int spg_version_number(void) { return SPG_VERSION_NUMBER; }

const char *spg_status_name(spg_status status)
{
    switch (status) {
    case SPG_OK: return "SPG_OK";
    case SPG_ERROR_ARGUMENT: return "SPG_ERROR_ARGUMENT";
    case SPG_ERROR_SHAPE: return "SPG_ERROR_SHAPE";
    case SPG_ERROR_FORMAT: return "SPG_ERROR_FORMAT";
    case SPG_ERROR_PLACE: return "SPG_ERROR_PLACE";
    case SPG_ERROR_OVERFLOW: return "SPG_ERROR_OVERFLOW";
    case SPG_ERROR_MEMORY: return "SPG_ERROR_MEMORY";
    case SPG_ERROR_DEVICE: return "SPG_ERROR_DEVICE";
    case SPG_ERROR_UNSUPPORTED: return "SPG_ERROR_UNSUPPORTED";
    case SPG_ERROR_IO: return "SPG_ERROR_IO";
    case SPG_ERROR_INTERNAL: return "SPG_ERROR_INTERNAL";
    case SPG_ERROR_NOT_CONVERGED: return "SPG_ERROR_NOT_CONVERGED";
    case SPG_ERROR_BREAKDOWN: return "SPG_ERROR_BREAKDOWN";
    case SPG_ERROR_INDEFINITE: return "SPG_ERROR_INDEFINITE";
    case SPG_ERROR_INCOMPATIBLE: return "SPG_ERROR_INCOMPATIBLE";
    }
    return "SPG_ERROR_UNKNOWN";
}

size_t spg_type_size(spg_type type)
{
    switch (type) {
    case SPG_F32: return 4;
    case SPG_F64: return 8;
    case SPG_C32: return 8;
    case SPG_C64: return 16;
    case SPG_I32: return 4;
    case SPG_I64: return 8;
    }
    return 0;
}

const char *spg_type_name(spg_type type)
{
    switch (type) {
    case SPG_F32: return "f32";
    case SPG_F64: return "f64";
    case SPG_C32: return "c32";
    case SPG_C64: return "c64";
    case SPG_I32: return "i32";
    case SPG_I64: return "i64";
    }
    return "?";
}

const char *spg_status_text(spg_status status)
{
    switch (status) {
    case SPG_OK: return "no error";
    case SPG_ERROR_ARGUMENT: return "an argument or option is missing or out of range";
    case SPG_ERROR_SHAPE: return "sizes or patterns do not fit together";
    case SPG_ERROR_FORMAT: return "a matrix or file is malformed";
    case SPG_ERROR_PLACE: return "arrays are not at the place where the context works, or that place is missing";
    case SPG_ERROR_OVERFLOW: return "a count is too large for the type that holds it";
    case SPG_ERROR_MEMORY: return "memory or the workspace limit is too small";
    case SPG_ERROR_DEVICE: return "the GPU or its driver failed";
    case SPG_ERROR_UNSUPPORTED: return "this build does not offer this combination of types or options";
    case SPG_ERROR_IO: return "a file cannot be opened, read or written";
    case SPG_ERROR_INTERNAL: return "a bug in spg; please report it";
    case SPG_ERROR_NOT_CONVERGED: return "an iteration stopped before it reached its tolerance";
    case SPG_ERROR_BREAKDOWN: return "an iteration met a number that is not finite, or a division by zero";
    case SPG_ERROR_INDEFINITE: return "a matrix or preconditioner is not positive definite";
    case SPG_ERROR_INCOMPATIBLE: return "the system is singular and has no solution";
    }
    return "not a status of spg";
}
