#include "spg/types.h"

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
